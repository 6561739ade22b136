/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options_use.c: what the options of a recording (options.h) mean for an engine while the program runs.
 *
 * What is due after so many instructions; what a function is whose name some options match; what the profile says of
 * how it was made. This needs the core, so that it is not in options.c.
 */
#include "engine/common/options.h"

#include <string.h>

#include "engine/common/allocs.h"
#include "engine/common/functions.h"

const char *options_out_of_counters(const struct engine_options *o)
{
    if (o->config.separate_callers > 0 || o->config.separate_recs > 1)
        return "too many functions are kept apart. The program was stopped, and what it did until then is recorded. "
               "Use smaller numbers, or only for some functions, as in --separate-callers2=FUNCTION";
    return "the program has too much code. It was stopped, and what it did until then is recorded. Simulate a part of "
           "the run: --instr-atstart=no and the requests of tenure.h";
}

bool options_toggle(const struct engine_options *o)
{
    bool toggles = !o->start.collects || o->start.warm.text || o->stop_after;

    for (const struct options_pattern *pattern = o->patterns; pattern; pattern = pattern->next)
        toggles |= (pattern->flag & TN_FN_TOGGLE) != 0;
    return toggles;
}

enum request options_due(struct engine_options *o, uint64_t instructions)
{
    if (o->start.phase != START_RUNS)
        return REQUEST_UNKNOWN;
    instructions -= o->start.begun;
    if (o->stop_after && instructions >= o->stop_after) {
        o->stop_after = o->dump_every = 0;
        return REQUEST_STOP;
    }
    if (!o->dump_every || instructions - o->dumped < o->dump_every)
        return REQUEST_UNKNOWN;
    o->dumped = instructions - instructions % o->dump_every;
    return REQUEST_DUMP;
}

/* ------------------------------------------------------------------------------------------ functions */

bool options_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *resume = NULL;

    while (*text != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            resume = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static uint16_t separate_of(const struct engine_options *o, int which, const char *name)
{
    const struct options_separation *separation = o->separations[which];

    while (separation && !options_matches(separation->text, name))
        separation = separation->next;
    return (uint16_t)(separation ? separation->number : o->separate[which]);
}

static bool begins(const char *text, const char *head)
{
    while (*head && *text == *head)
        text++, head++;
    return !*head;
}

static bool names(const struct options_alloc *alloc, const char *name)
{
    char pattern[512];

    if (alloc->bytes >= sizeof pattern)
        return false;
    memcpy(pattern, alloc->text, alloc->bytes);
    pattern[alloc->bytes] = '\0';
    return options_matches(pattern, name);
}

static struct tn_allocation allocation_of(const struct engine_options *o, const char *name)
{
    const struct options_alloc *alloc = o->allocs;

    while (alloc && !names(alloc, name))
        alloc = alloc->next;
    if (!alloc)
        return allocs_of(name);
    return alloc->frees ? (struct tn_allocation){.old = alloc->argument}
                        : (struct tn_allocation){.bytes = alloc->argument};
}

void options_describe(const struct engine_options *o, uint32_t fb_flags, struct tn_function_info *info)
{
    if ((fb_flags & FB_PLT) && o->skip_plt)
        info->flags |= TN_FN_SKIP;
    if (begins(info->name, "_dl_runtime_resolve"))
        info->flags |= TN_FN_POP_ON_JUMP;
    for (const struct options_pattern *pattern = o->patterns; pattern; pattern = pattern->next) {
        if ((pattern->flag & ~info->flags) != 0 && options_matches(pattern->text, info->name))
            info->flags |= pattern->flag;
    }
    info->separate_callers = separate_of(o, OPTIONS_CALLERS, info->name);
    info->separate_recs = separate_of(o, OPTIONS_RECS, info->name);
    info->allocation = allocation_of(o, info->name);
}

/* ------------------------------------------------------------------------------------------ meta data */

void options_meta_number(tn_core *core, const char *key, uint64_t value)
{
    char text[NUMBER_TEXT];

    number_put(text, value);
    tn_meta(core, key, text);
}

void options_started(struct engine_options *o, tn_core *core, uint64_t instructions)
{
    o->start.begun = instructions;
    if (o->start.run.is_number)
        options_meta_number(core, "started", instructions);
    else
        tn_meta(core, "started", "yes");
}

void options_meta(const struct engine_options *o, tn_core *core)
{
    char text[GEOMETRY_TEXT];

    for (const struct recording_option *option = options_table; option < options_table + options_count; option++) {
        const char *value = option->key ? options_text(o, option, text) : NULL;
        if (!value)
            continue;
        tn_meta(core, option->key, value);
        if (option->kind == OPTIONS_GEOMETRY)
            tn_meta(core, geometry_source_key[option->detail], o->geometry_source[option->detail]);
    }
    if (o->is_native && o->turn) /* also if it was not given */
        options_meta_number(core, "turn", o->turn);
    if (o->start.run.text)
        tn_meta(core, "started", "no");
}
