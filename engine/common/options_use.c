/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options_use.c: what the options of a recording (options.h) mean for an engine while the program runs.
 *
 * What is due after so many instructions; what a function is whose name some options match; what the profile says of
 * how it was made. This needs the core, so that it is not in options.c.
 */
#include "engine/common/options.h"

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
    return !o->start.collects || o->start.warm.text || o->stop_after || options_of_flag(o, TN_FN_TOGGLE);
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

void options_describe(const struct engine_options *o, uint32_t fb_flags, struct tn_function_info *info)
{
    static const char resolver[] = "_dl_runtime_resolve"; /* and some more behind it */
    uint16_t *separate[OPTIONS_SEPARATIONS] = {&info->separate_callers, &info->separate_recs};
    bool is_separate[OPTIONS_SEPARATIONS] = {false}, allocates = false;
    size_t same = 0;

    while (resolver[same] && info->name[same] == resolver[same])
        same++;
    if (!resolver[same])
        info->flags |= TN_FN_POP_ON_JUMP;
    if ((fb_flags & FB_PLT) && o->skip_plt)
        info->flags |= TN_FN_SKIP;
    info->separate_callers = (uint16_t)o->separate[OPTIONS_CALLERS];
    info->separate_recs = (uint16_t)o->separate[OPTIONS_RECS];
    info->allocation = allocs_of(info->name);
    for (const struct options_pattern *at = o->patterns; at; at = at->next) {
        if (!options_matches(at->text, info->name))
            continue;
        if (at->kind == OPTIONS_SEPARATE) {
            if (!is_separate[at->detail])
                *separate[at->detail] = (uint16_t)at->number;
            is_separate[at->detail] = true;
        } else if (at->kind == OPTIONS_ALLOC) {
            uint8_t argument = (uint8_t)at->number;
            if (!allocates)
                info->allocation = at->detail ? (struct tn_allocation){.old = argument}
                                              : (struct tn_allocation){.bytes = argument};
            allocates = true;
        } else {
            info->flags |= at->detail;
        }
    }
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
