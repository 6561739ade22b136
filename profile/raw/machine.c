/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.c: what a recording says of the further machines that were simulated in it (docs/model.md, section 23).
 *
 * Meta `also` has them, ';' between: NAME:I1=32768,8,64:D1=...:L2=...:LL=..., without L2 where there is none. It is of
 * a file, and may say anything.
 */
#include "profile/base/error.h"
#include "profile/raw/recording.h"

#include <stdio.h>
#include <string.h>

enum { LEVELS = 4, LONGEST = 64 };
static const char levels[LEVELS][3] = {"I1", "D1", "L2", "LL"};

struct described {
    char name[LONGEST], cache[LEVELS][LONGEST];
};

/* The field up to one of `ends`, as far as there is room. Returns its end. */
static const char *take_field(const char *text, const char *ends, char to[LONGEST])
{
    size_t length = strcspn(text, ends);

    snprintf(to, LONGEST, "%.*s", (int)(length < LONGEST ? length : LONGEST - 1), text);
    return text + length;
}

static void describe(struct described *out, const char *text)
{
    char field[LONGEST];

    *out = (struct described){.name = ""};
    text = take_field(text + strspn(text, " "), ":;", out->name);
    while (*text == ':') {
        text = take_field(text + 1, ":;", field);
        for (int i = 0; i < LEVELS; i++) {
            if (strncmp(field, levels[i], 2) == 0 && field[2] == '=')
                snprintf(out->cache[i], LONGEST, "%s", field + 3);
        }
    }
}

/* It becomes part of a file's name, behind which numbers of processes may be. */
static bool is_good_name(const char *name)
{
    return *name && *name != '.' && strspn(name, "0123456789") < strlen(name) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+") == strlen(name);
}

static bool is_known(const struct tp_import_result *result, const char *name)
{
    for (uint32_t i = 0; i < result->machines; i++) {
        if (strcmp(result->machine[i], name) == 0)
            return true;
    }
    return false;
}

static void forget(struct tp_recording *rec, const char *key)
{
    for (size_t i = 0; i < rec->meta.count; i++) {
        if (strcmp(rec->meta.at[i].key, key) == 0)
            rec->meta.at[i--] = rec->meta.at[--rec->meta.count];
    }
}

static int put_cache(struct tp_recording *rec, const struct described *machine, int level)
{
    char key[32], source[32];

    snprintf(key, sizeof key, "cache.%s", levels[level]);
    snprintf(source, sizeof source, "cache.%s.source", levels[level]);
    if (*machine->cache[level])
        return tp_recording_meta(rec, key, machine->cache[level]) || tp_recording_meta(rec, source, machine->name);
    forget(rec, key);
    forget(rec, source);
    return 0;
}

int tp_recording_machine(struct tp_recording *rec, uint32_t number, struct tp_import_result *result,
                         struct tp_error *err)
{
    const char *also = tp_recording_fact(rec, "also"), *text = NULL;
    struct described machine;
    int failed = 0;

    for (const char *at = also; at && *at; at += *at == ';') {
        if (result->machines == TP_MACHINES)
            return TP_FAIL(err, "damaged: it says that it is of more than %d machines", TP_MACHINES + 1);
        describe(&machine, at);
        if (!is_good_name(machine.name) || is_known(result, machine.name))
            return TP_FAIL(err, "damaged: \"%s\" is no name of a machine, or of two", machine.name);
        memcpy(result->machine[result->machines++], machine.name, sizeof machine.name);
        if (result->machines == number)
            text = at;
        at += strcspn(at, ";");
    }
    if (!number)
        return 0;
    if (!text)
        return TP_FAIL(err, "there is no further machine with number %u in it", number);
    describe(&machine, text);
    for (int level = 0; !failed && level < LEVELS; level++)
        failed = put_cache(rec, &machine, level);
    failed = failed || tp_recording_meta(rec, "machine", machine.name) || tp_recording_meta(rec, "cacheuse", "no") ||
             tp_recording_meta(rec, "write-back", "no") || tp_recording_meta(rec, "curves", "no");
    forget(rec, "also");
    return failed ? TP_NO_MEMORY(err) : 0;
}
