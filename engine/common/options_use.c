/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options_use.c: what the options of a recording (options.h) mean for an engine while the program runs.
 *
 * Where the recording begins; what is due after so many instructions; what a function is whose name some options match;
 * what the profile says of how it was made. This needs the core, so that it is not in options.c.
 */
#include "engine/common/options.h"

#include "engine/common/element_table.h"
#include "engine/common/elf_image.h"
#include "engine/common/functions.h"
#include "engine/common/remap.h"

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
    return !o->start.collects || o->start.run.text || o->start.warm.text || o->stop_after ||
           options_of_flag(o, TN_FN_TOGGLE);
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

/* ------------------------------------------------------------------------------------------ the start */

/* A point that was given, as a number of instructions or as a function. */
static bool pending(const struct start_point *point, bool is_number)
{
    return point->text && point->is_number == is_number;
}

/* Of the points that are still to come. */
static bool any(const struct recording_start *start, bool is_number)
{
    return (start->phase == START_WAITS && pending(&start->warm, is_number)) ||
           (start->phase != START_RUNS && pending(&start->run, is_number));
}

bool start_counts(const struct recording_start *start)
{
    return any(start, true);
}

bool start_watches(const struct recording_start *start)
{
    return any(start, false);
}

enum start_phase start_after(const struct recording_start *start, uint64_t instructions)
{
    if (start->phase != START_RUNS && pending(&start->run, true) && instructions >= start->run.instructions)
        return START_RUNS;
    if (start->phase == START_WAITS && pending(&start->warm, true) && instructions >= start->warm.instructions)
        return START_WARMS;
    return start->phase;
}

enum start_phase start_at(const struct recording_start *start, uint32_t function_flags)
{
    if (function_flags & TN_FN_START)
        return START_RUNS;
    return start->phase == START_WAITS && function_flags & TN_FN_WARM ? START_WARMS : start->phase;
}

uint64_t start_left(const struct recording_start *start, uint64_t instructions)
{
    const struct start_point *next = start->phase == START_WAITS && pending(&start->warm, true) ? &start->warm
                                                                                               : &start->run;

    return start_counts(start) && next->instructions > instructions ? next->instructions - instructions : 0;
}

/* ------------------------------------------------------------------------------------------ functions */

/* Functions of C, C++ and Go that allocate and free memory are known (docs/attribution.md, section 11), wherever they
 * are defined: in a libc, in another allocator that is preloaded or linked, in a static program. C++'s operators have a
 * mangled name for each form, and what tells the forms apart (alignment, nothrow, the size to be freed) is behind what
 * matters here. The forms that construct in memory that is there already allocate nothing, and are none of these:
 * _ZnwmPv, _ZdlPvS_. */
static const struct {
    const char *name; /* a pattern */
    struct tn_allocation does;
} known[] = {
    {"malloc", {.bytes = 1}},
    {"calloc", {.bytes = 2, .count = 1}},
    {"realloc", {.bytes = 2, .old = 1}},
    {"reallocarray", {.bytes = 3, .count = 2, .old = 1}},
    {"memalign", {.bytes = 2}},
    {"aligned_alloc", {.bytes = 2}},
    {"posix_memalign", {.bytes = 3, .at = 1}},
    {"valloc", {.bytes = 1}},
    {"pvalloc", {.bytes = 1}},
    {"free", {.old = 1}},
    {"cfree", {.old = 1}},
    {"free_sized", {.old = 1}},
    {"free_aligned_sized", {.old = 1}},
    {"_Znwm", {.bytes = 1}}, /* operator new(unsigned long) */
    {"_ZnwmR*", {.bytes = 1}},
    {"_ZnwmSt*", {.bytes = 1}},
    {"_Znam", {.bytes = 1}}, /* operator new[] */
    {"_ZnamR*", {.bytes = 1}},
    {"_ZnamSt*", {.bytes = 1}},
    {"_ZdlPv", {.old = 1}}, /* operator delete(void*) */
    {"_ZdlPvm*", {.old = 1}},
    {"_ZdlPvR*", {.old = 1}},
    {"_ZdlPvSt*", {.old = 1}},
    {"_ZdaPv", {.old = 1}}, /* operator delete[] */
    {"_ZdaPvm*", {.old = 1}},
    {"_ZdaPvR*", {.old = 1}},
    {"_ZdaPvSt*", {.old = 1}},
    {"runtime.mallocgc", {.bytes = TN_GO_ARGUMENT}}, /* of Go, since 1.17; its collector frees, and tells nobody */
};

void options_describe(const struct engine_options *o, uint32_t fb_flags, struct tn_function_info *info)
{
    uint16_t *separate[OPTIONS_SEPARATIONS] = {&info->separate_callers, &info->separate_recs};
    bool is_separate[OPTIONS_SEPARATIONS] = {false}, allocates = false;

    if (options_matches("_dl_runtime_resolve*", info->name))
        info->flags |= TN_FN_POP_ON_JUMP;
    if (options_matches("runtime.morestack*", info->name))
        info->flags |= TN_FN_MOVES_STACK;
    if (options_matches("runtime.*", info->name) || options_matches("gogo", info->name))
        info->flags |= TN_FN_GO_RUNTIME;
    if ((fb_flags & FB_PLT) && o->skip_plt)
        info->flags |= TN_FN_SKIP;
    info->separate_callers = (uint16_t)o->separate[OPTIONS_CALLERS];
    info->separate_recs = (uint16_t)o->separate[OPTIONS_RECS];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) { /* no name matches two of them */
        if (options_matches(known[i].name, info->name))
            info->allocation = known[i].does;
    }
    for (struct options_pattern *at = o->patterns; at; at = at->next) {
        if (at->option->kind == OPTIONS_REMAP)
            continue;
        if (!options_matches(at->text, info->name) && !(o->told && element_table_means(o->told, info->name, at->text)))
            continue;
        at->met = true;
        if (at->option->kind == OPTIONS_SEPARATE) {
            if (!is_separate[at->detail])
                *separate[at->detail] = (uint16_t)at->number;
            is_separate[at->detail] = true;
        } else if (at->option->kind == OPTIONS_ALLOC) {
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

static bool is_system(const char *path)
{
    return !path || *path != '/' || options_matches("/lib*", path) || options_matches("/usr/lib*", path);
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A symbol is one that a pattern means, by its own name or by the one that people read. */
static bool means(const struct engine_options *o, const char *pattern, const char *symbol)
{
    return symbol && (options_matches(pattern, symbol) || (o->told && element_table_means(o->told, symbol, pattern)));
}

/* Whether the object is the one of this name: #PATH, in hexadecimal digits; or a pattern for the name of a symbol, or
 * of the first function that is in no system library, of those that allocate and that call them. */
static bool names_object(const struct engine_options *o, const char *name, const struct tn_remap_object *object)
{
    uint64_t path = 0;
    uint32_t i = 0;

    if (*name == '#') {
        for (name++; digit_of(*name) >= 0; name++)
            path = path << 4 | (uint64_t)digit_of(*name);
        return !*name && path == object->path;
    }
    if (object->kind == TN_DATA_STATIC)
        return means(o, name, object->name);
    while (i < object->callers && is_system(object->caller[i].object))
        i++;
    return i < object->callers && means(o, name, object->caller[i].function);
}

/* The latest holds. */
static uint32_t remap_of(void *options, const struct tn_remap_object *object)
{
    const struct engine_options *o = options;
    uint32_t which = 0;

    for (struct options_pattern *at = o->patterns; at; at = at->next) {
        if (at->option->kind != OPTIONS_REMAP || !names_object(o, at->text, object))
            continue;
        at->met = true;
        which = which ? which : at->number;
    }
    return which;
}

static bool counts_for_walk(void *options, uint32_t which, const char *function)
{
    const struct engine_options *o = options;

    return remap_walks(&o->remaps[which - 1], function);
}

void options_answer_core(struct engine_options *o, struct tn_config *config)
{
    config->user = o;
    config->remap_of = remap_of;
    config->remap_walks = counts_for_walk;
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
    if (o->remap_texts)
        tn_meta(core, "remap", o->remap_texts);
    if (o->start.run.text)
        tn_meta(core, "started", "no");
}

void options_unmatched(const struct engine_options *o, tn_core *core)
{
    char key[16 + NUMBER_TEXT];
    uint64_t count = 0;

    for (const struct options_pattern *at = o->patterns; at; at = at->next) {
        bool is_over = at->option->kind == OPTIONS_POINT && !at->detail; /* another was given later */
        if (at->met || is_over)
            continue;
        char *text = o->allocate(elf_text_size(at->option->name) + elf_text_size(at->text) + sizeof "--=");
        text_put(text_put(text_put(text_put(text, "--"), at->option->name), "="), at->text);
        number_put(text_put(key, "unmatched."), ++count);
        tn_meta(core, key, text);
    }
}
