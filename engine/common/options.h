/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h: the options that every engine takes, with one meaning.
 *
 * One table holds each option: its name, how its value is read, where it goes and what `--help` says. Options of
 * Callgrind and Cachegrind that are not taken are in a second table with the reason and what to use instead, so that
 * nobody's habit is silently ignored. An engine may have options of its own besides. Freestanding.
 */
#ifndef TENURE_ENGINE_OPTIONS_H
#define TENURE_ENGINE_OPTIONS_H

#include "core/tenure_core.h"
#include "engine/common/geometry.h"
#include "engine/common/requests.h"
#include "engine/common/start.h"

/* A pattern is a shell's: * any text, ? any character. */
struct options_pattern {
    const char *text;
    uint32_t flag; /* TN_FN_* for functions whose name matches */
    struct options_pattern *next;
};

/* Functions whose name matches are kept apart by so many callers, or so many levels of recursion. */
struct options_separation {
    const char *text;
    uint32_t number;
    struct options_separation *next;
};
enum { OPTIONS_CALLERS, OPTIONS_RECS, OPTIONS_SEPARATIONS };

/* Functions that allocate (frees: free) memory, by the number of the argument with the size (the address). */
struct options_alloc {
    const char *text; /* a pattern, of so many bytes */
    size_t bytes;
    bool frees;
    uint8_t argument;
    struct options_alloc *next;
};

struct engine_options {
    struct tn_config config; /* all but function_at and user */
    const char *out_file;
    const char *host, *rank; /* for the profile's meta data; NULL: not given */
    const char *elements;    /* file: what the data of the program is made of (element_table.h); NULL: not known */
    const char *control_dir; /* folder for what `tenure control` talks through; NULL: nobody does */
    struct options_pattern *patterns;
    uint32_t separate[OPTIONS_SEPARATIONS];                     /* of functions that none of these matches */
    struct options_separation *separations[OPTIONS_SEPARATIONS]; /* the latest first */
    struct recording_start start;              /* where it begins */
    uint64_t dump_every, stop_after; /* instructions; 0: never */
    uint64_t dumped;                 /* instructions at the last part that was made for dump_every */
    struct options_alloc *allocs; /* the latest first */
    bool data_asked, strides_asked, patterns_asked; /* --data, --strides, --patterns was given */
    bool instrument_at_start;
    bool skip_plt;
    bool fork_inherit;
    bool aslr;
    bool has_threads;   /* the engine's own: it runs threads itself, and so takes the following */
    bool parallel;      /* threads may run at the same time, where the configuration allows it */
    bool deterministic; /* threads take turns, in an order that does not depend on time */
    bool spare_core;    /* lower levels are simulated by another thread */
    uint64_t turn;      /* accesses that a turn lasts; 0: something else says when it ends */
    bool functions_dump;                           /* some --dump-before or --dump-after was given */
    const char *geometry_source[GEOMETRY_LEVELS]; /* "option", "sysfs" or "default" */
    void *(*allocate)(size_t bytes);              /* for patterns; never NULL, never given back */
};

/* The defaults; out->allocate and out->has_threads are kept. */
void options_default(struct engine_options *out, geometry_read_text *read_text);

enum options_taken { OPTIONS_NOT_OURS, OPTIONS_TAKEN, OPTIONS_WRONG };
/* `argument` as written ("--D1=..."), which must live as long as the options. OPTIONS_WRONG: why[OPTIONS_WHY] says what
 * is wrong with it, in one line. */
enum { OPTIONS_WHY = 512 };
enum options_taken options_take(struct engine_options *options, const char *argument, char why[OPTIONS_WHY]);

/* Behind the last option: completes the configuration. NULL, or what is wrong with it. */
const char *options_check(struct engine_options *options);

/* Whether anything is to be done after some number of instructions, and what is due after so many (tn_instructions),
 * counted from the start on: REQUEST_DUMP, REQUEST_STOP, or REQUEST_UNKNOWN. Each is due once. start.h says when the
 * start is. */
static inline bool options_wait(const struct engine_options *options)
{
    return options->dump_every | options->stop_after || start_counts(&options->start);
}
enum request options_due(struct engine_options *options, uint64_t instructions);

/* Some functions are inside a toggle, or collection is off at first: counters must ask whether it is on. */
bool options_toggle(const struct engine_options *options);

/* For each option that the engine takes: its name without --, "=<value>  what it does", and whether it is for
 * debugging. */
void options_list(const struct engine_options *options,
                  void (*show)(const char *name, const char *help, bool debug));

/* What to say behind "N counters are in use", when they are used up. */
const char *options_out_of_counters(const struct engine_options *options);

/* What the options say of a function (code_map_host.describe): its flags, separate_* and allocation, by info->name. */
void options_describe(const struct engine_options *options, uint32_t fb_flags, struct tn_function_info *info);

/* Writes into the profile's meta data what was simulated. */
void options_meta(const struct engine_options *options, tn_core *core);
/* Costs are collected now, after so many instructions: the start. */
void options_started(struct engine_options *options, tn_core *core, uint64_t instructions);
/* A number of the engine's own. */
void options_meta_number(tn_core *core, const char *key, uint64_t value);

bool options_matches(const char *pattern, const char *text);

#endif
