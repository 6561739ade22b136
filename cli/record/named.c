/* SPDX-License-Identifier: GPL-2.0-or-later */
/* named.c: see named.h. */
#include "cli/record/named.h"

#include "cli/base/query.h"
#include "cli/base/term.h"
#include "profile/raw/raw_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* gcc calls a function f.constprop.0 that it has made for one caller. */
static const char *name_hint(const char *function)
{
    if (strpbrk(function, "*?") != NULL || strspn(function, "0123456789") == strlen(function))
        return "";
    return "; a name may go on, and * and ? match: f* is f.constprop.0, too";
}

/* The usual reason is that the compiler has inlined the function or made another one of it. `start`: of a recording
 * that never began, what it waited for; else NULL. */
static bool tell_nothing(const char *start, bool empty, const struct engine_options *options)
{
    const struct options_pattern *toggle = options_of_flag(options, TN_FN_TOGGLE);
    bool starts_later = options->start.run.text != NULL;
    char safe[256];

    if (start != NULL) {
        term_escape(safe, sizeof safe, start);
        term_error("--start=%s: the program never came there, so nothing was recorded%s", safe, name_hint(start));
        return true;
    }
    if (!empty)
        return false;
    if (toggle != NULL) {
        term_escape(safe, sizeof safe, toggle->text);
        term_error("--toggle-collect=%s: the program never entered it, so nothing was recorded%s", safe,
                   name_hint(toggle->text));
        return true;
    }
    if (!options->start.collects || (!options->instrument_at_start && !starts_later))
        term_error("--%s=no: nobody switched it on, so nothing was recorded; tenure.h and `tenure control` do",
                   options->start.collects ? "instr-atstart" : "collect-atstart");
    return false;
}

bool named_nothing(tp_profile *profile, const struct engine_options *options)
{
    const char *started = tp_meta(profile, "started"), *start = tp_meta(profile, "start");
    bool never = started != NULL && start != NULL && strcmp(started, "no") == 0;
    bool empty = never || query_value(profile, "SELECT ifnull(sum(Ir), 0) = 0 FROM totals", 0) > 0;

    return tell_nothing(never ? start : NULL, empty, options);
}

bool named_nothing_in_raw(const char *raw, const struct engine_options *options)
{
    struct tp_glance glance;
    struct tp_error err;

    if (tp_glance(raw, &glance, &err) != 0)
        return false; /* an import will say what is wrong with it */
    return tell_nothing(glance.never && glance.start[0] != '\0' ? glance.start : NULL, glance.empty, options);
}

/* Of what is called so by reports, but had another name for the engine: its symbol. It is of a library that the program
 * itself has opened, so nobody knew of it before. NULL: there is none. */
static char *late_symbol(tp_profile *profile, const char *pattern)
{
    char *with_arguments = term_text("%s(*", pattern), *symbol = NULL;
    struct query q;

    query_begin(&q, profile, "SELECT base, symbol FROM functions WHERE base <> symbol");
    while (symbol == NULL && query_row(&q)) {
        const char *name = query_text(&q, 0);
        if (options_matches(pattern, name) || options_matches(with_arguments, name))
            symbol = term_text("%.*s", (int)strcspn(query_text(&q, 1), "'"), query_text(&q, 1)); /* no contexts */
    }
    query_end(&q);
    free(with_arguments);
    return symbol;
}

/* Those of the costliest functions that have the last part of the name in theirs, "solve" of "Grid<int>::solve(int)";
 * "": none. */
static char *names_like(tp_profile *profile, const char *pattern)
{
    enum { MOST = 3, SHORTEST = 3 };
    char *copy = term_text("%s", pattern), *part = copy, *like = term_text("%s", "");
    struct query q;
    int depth = 0;

    copy[strcspn(copy, "(*?")] = '\0';
    for (char *at = copy; *at != '\0'; at++) {
        depth += (*at == '<') - (*at == '>');
        if (depth == 0 && strncmp(at, "::", 2) == 0)
            part = at + 2;
    }
    part[strcspn(part, "<")] = '\0';
    query_begin(&q, profile, "SELECT DISTINCT base FROM functions WHERE instr(lower(base), lower(?)) ORDER BY Ir DESC "
                "LIMIT %d", MOST);
    query_bind_text(&q, 1, strlen(part) >= SHORTEST ? part : NULL); /* NULL is in no name */
    while (query_row(&q)) {
        char *more = term_text("%s%s%s", like, *like != '\0' ? ", " : "", query_text(&q, 0));
        free(like);
        like = more;
    }
    query_end(&q);
    free(copy);
    return like;
}

void named_unmatched(tp_profile *profile)
{
    char option[512], name[1024];
    struct query q;

    query_begin(&q, profile, "SELECT value FROM meta WHERE key GLOB 'unmatched.*' ORDER BY key");
    while (query_row(&q)) {
        const char *text = query_text(&q, 0), *equals = strchr(text, '=');
        const char *pattern = equals != NULL ? equals + 1 : text;
        char *symbol = late_symbol(profile, pattern), *like = names_like(profile, pattern);

        term_escape(option, sizeof option, text);
        term_escape(name, sizeof name, symbol != NULL ? symbol : like);
        if (strncmp(text, "--remap=", 8) == 0)
            term_error("%s: no data structure of this name was met; `tenure report --data` prints names", option);
        else if (symbol != NULL)
            term_error("%s: its library was opened by the program itself; name it by its symbol, %s", option, name);
        else if (*like != '\0')
            term_error("%s: no function of this name was met; names like it: %s", option, name);
        else
            term_error("%s: no function of this name was met; `tenure report` prints names%s", option,
                       name_hint(pattern));
        free(symbol);
        free(like);
    }
    query_end(&q);
}
