/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rename.c: see rename.h. An expression is taken apart into its two halves, with the delimiter's backslashes gone; the
 * first half goes to regcomp, the second is read anew for each match.
 */
#include "profile/sum/rename.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/mem.h"

enum { GROUPS = 10 };

struct substitution {
    regex_t regex;
    char *new;
    bool all;
};

struct tp_rename {
    TP_VECTOR(struct substitution) list;
};

/* ------------------------------------------------------------------------------------------ reading */

/* A copy of what comes before the next `delimiter` that has no backslash; *at moves behind it. `\delimiter` becomes the
 * delimiter; of an expression the backslash stays if the delimiter alone would mean something. NULL: there is none, or
 * no memory (*at is left). */
static char *half(const char **at, char delimiter, bool expression)
{
    bool keep = expression && strchr("|*+?.()[]{}^$", delimiter);
    char *text = malloc(strlen(*at) + 1), *to = text;
    const char *from = *at;

    for (; text && *from && *from != delimiter; from++) {
        if (*from == '\\' && from[1]) {
            if (from[1] != delimiter || keep)
                *to++ = *from;
            from++;
        }
        *to++ = *from;
    }
    if (!text || *from != delimiter) {
        free(text);
        return NULL;
    }
    *to = '\0';
    *at = from + 1;
    return text;
}

/* Groups that `new` speaks of beyond those that there are. */
static bool has_groups(const char *new, size_t count)
{
    for (; *new; new++) {
        if (*new == '\\' && new[1]) {
            new++;
            if (*new >= '1' && *new <= '9' && (size_t)(*new - '0') > count)
                return false;
        }
    }
    return true;
}

static int read_flags(const char **at, int *how, bool *all)
{
    *how = REG_EXTENDED;
    for (; **at && **at != ';'; ++*at) {
        if (**at == 'g')
            *all = true;
        else if (**at == 'i' || **at == 'I')
            *how |= REG_ICASE;
        else
            return -1;
    }
    *at += **at == ';';
    return 0;
}

static int read_one(struct tp_rename *rename, const char **at, struct tp_error *err)
{
    struct substitution one = {.all = false};
    const char *begin = *at;
    char why[200], *old;
    int how, code;

    if (begin[0] != 's' || !begin[1] || begin[1] == '\\' || begin[1] == ';')
        return TP_FAIL(err, "'%s' is no expression like s/old/new/", begin);
    *at += 2;
    old = half(at, begin[1], true);
    one.new = old ? half(at, begin[1], false) : NULL;
    if (!one.new) {
        free(old);
        return TP_FAIL(err, "'%s': there must be three %c, as in s%cold%cnew%c", begin, begin[1], begin[1], begin[1],
                       begin[1]);
    }
    if (read_flags(at, &how, &one.all)) {
        free(old);
        free(one.new);
        return TP_FAIL(err, "'%s': flag %c is not known; there are g and i", begin, **at);
    }
    code = regcomp(&one.regex, old, how);
    free(old);
    if (code) {
        regerror(code, &one.regex, why, sizeof why);
        free(one.new);
        return TP_FAIL(err, "'%s': %s", begin, why);
    }
    struct substitution *added = has_groups(one.new, one.regex.re_nsub) ? TP_VECTOR_ADD(&rename->list) : NULL;
    if (added) {
        *added = one;
        return 0;
    }
    bool groups = has_groups(one.new, one.regex.re_nsub);
    regfree(&one.regex);
    free(one.new);
    return groups ? TP_NO_MEMORY(err) : TP_FAIL(err, "'%s': there are not so many groups", begin);
}

struct tp_rename *tp_rename_new(const char *expression, struct tp_error *err)
{
    struct tp_rename *rename = calloc(1, sizeof *rename);

    if (!rename) {
        TP_NO_MEMORY(err);
        return NULL;
    }
    do {
        if (read_one(rename, &expression, err)) {
            tp_rename_free(rename);
            return NULL;
        }
    } while (*expression);
    return rename;
}

void tp_rename_free(struct tp_rename *rename)
{
    if (!rename)
        return;
    for (size_t i = 0; i < rename->list.count; i++) {
        regfree(&rename->list.at[i].regex);
        free(rename->list.at[i].new);
    }
    TP_VECTOR_FREE(&rename->list);
    free(rename);
}

/* ------------------------------------------------------------------------------------------ replacing */

/* What takes the place of a match. */
static void write_new(FILE *out, const char *new, const char *subject, const regmatch_t *match)
{
    for (; *new; new++) {
        size_t group = *new == '&' ? 0 : GROUPS;
        if (*new == '\\' && new[1]) {
            new++;
            group = *new >= '1' && *new <= '9' ? (size_t)(*new - '0') : GROUPS;
        }
        if (group == GROUPS)
            putc(*new, out);
        else if (match[group].rm_so >= 0)
            fwrite(subject + match[group].rm_so, 1, (size_t)(match[group].rm_eo - match[group].rm_so), out);
    }
}

/* One substitution. An empty match takes the character behind it along, so that the next one is further on. */
static void substitute(const struct substitution *one, const char *subject, FILE *out)
{
    regmatch_t match[GROUPS];

    for (int how = 0; regexec(&one->regex, subject, GROUPS, match, how) == 0; how = REG_NOTBOL) {
        bool empty = match[0].rm_so == match[0].rm_eo;
        fwrite(subject, 1, (size_t)match[0].rm_so, out);
        write_new(out, one->new, subject, match);
        subject += match[0].rm_eo;
        if (empty && *subject)
            putc(*subject++, out);
        else if (empty)
            break;
        if (!one->all)
            break;
    }
    fputs(subject, out);
}

char *tp_rename_text(const struct tp_rename *rename, const char *text)
{
    char *now = strdup(text);

    for (size_t i = 0; now && i < rename->list.count; i++) {
        char *next = NULL;
        size_t size;
        FILE *out = open_memstream(&next, &size);
        if (out)
            substitute(&rename->list.at[i], now, out);
        bool failed = !out || ferror(out);
        failed |= out && fclose(out) != 0;
        free(now);
        if (failed)
            free(next);
        now = failed ? NULL : next;
    }
    return now;
}
