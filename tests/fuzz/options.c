/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c: the arguments of an engine, which may be anything, and what this machine says of its caches.
 *
 * The input is lines. One that begins with - is an argument; the others are what files of sysfs hold, one after the
 * other, and names of functions. A value that is taken can be written, and is then read as the same; a configuration
 * that is taken can be simulated; a pattern matches what a slower one does.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/common/options.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 64, LONGEST = 200 }; /* lines; characters of one */

static char *line[MOST];
static size_t lines, next_text;
static void *given[4 * MOST];
static size_t givens;

static void *allocate(size_t bytes)
{
    must(givens < sizeof given / sizeof *given && (given[givens] = malloc(bytes)) != NULL);
    return given[givens++];
}

static bool read_text(const char *path, char *text, size_t size)
{
    must(*path == '/');
    while (next_text < lines && line[next_text][0] == '-')
        next_text++;
    if (next_text >= lines)
        return false;
    snprintf(text, size, "%s", line[next_text++]);
    return true;
}

/* By a table: whether the first p characters of the pattern match the first t of the text. */
static bool matches(const char *pattern, const char *text)
{
    static bool so[LONGEST + 2][LONGEST + 2];
    size_t ps = strlen(pattern), ts = strlen(text);

    for (size_t p = 0; p <= ps; p++) {
        for (size_t t = 0; t <= ts; t++) {
            char c = p ? pattern[p - 1] : '\0';
            so[p][t] = c == '\0'  ? t == 0
                       : c == '*' ? so[p - 1][t] || (t && so[p][t - 1])
                                  : t && so[p - 1][t - 1] && (c == '?' || c == text[t - 1]);
        }
    }
    return so[ps][ts];
}

static void write_again(struct engine_options *o, const struct recording_option *option)
{
    char text[GEOMETRY_TEXT], again[GEOMETRY_TEXT], argument[LONGEST + GEOMETRY_TEXT];
    const char *why, *value = options_text(o, option, text);

    if (!value || option->kind == OPTIONS_POINT)
        return;
    snprintf(argument, sizeof argument, "--%s=%s", option->name, value);
    must(options_take(o, argument, &why) == option && !why);
    must(strcmp(options_text(o, option, again), value) == 0);
    if (option->kind == OPTIONS_TEXT)
        *(const char **)((char *)o + option->member) = "x"; /* `argument` ends here */
}

static void take(struct engine_options *o, const char *argument)
{
    const char *why;
    const struct recording_option *option = options_take(o, argument, &why);

    if (option && !why)
        write_again(o, option);
    must(!why || (*why && !strchr(why, '\n')));
}

static void describe(const struct engine_options *o, const char *name)
{
    struct tn_function_info info = {.name = name};

    options_describe(o, 0, &info);
    must(info.separate_callers <= TN_MAX_SEPARATE && info.separate_recs <= TN_MAX_SEPARATE);
    for (const struct options_pattern *at = o->patterns; at; at = at->next)
        must(options_matches(at->text, name) == matches(at->text, name));
}

static void try(bool is_native)
{
    struct engine_options o = {.is_native = is_native, .allocate = allocate, .read_text = read_text};

    options_default(&o);
    for (size_t i = 0; i < lines; i++) {
        if (line[i][0] == '-')
            take(&o, line[i]);
    }
    next_text = 0;
    const char *why = options_check(&o);
    must(!why || (*why && !strchr(why, '\n')));
    must(why || !tn_config_check(&o.config));
    for (size_t i = 0; i < lines; i++)
        describe(&o, line[i]);
    while (givens > 0)
        free(given[--givens]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = calloc(1, size + 1), *rest = copy;

    must(copy != NULL);
    memcpy(copy, data, size);
    for (lines = 0; rest && lines < MOST; lines += strlen(line[lines]) <= LONGEST)
        line[lines] = strsep(&rest, "\n");
    try(true);
    try(false);
    free(copy);
    return 0;
}
