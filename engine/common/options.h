/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h: the options of a recording, which both engines and `tenure record` take, with one meaning.
 *
 * options.inc holds each option: its name, what it may be, where its value goes, who has it and its help. Options of
 * Callgrind and Cachegrind that are not taken are there, too, with the reason, so that nobody's habit is silently
 * ignored. options.c reads and checks values: `tenure record` before it starts anything, then the engine, which gets
 * them as its arguments. What they do in an engine is in options_use.c. Freestanding.
 */
#ifndef TENURE_ENGINE_OPTIONS_H
#define TENURE_ENGINE_OPTIONS_H

#include "core/tenure_core.h"
#include "engine/common/also.h"
#include "engine/common/geometry.h"
#include "engine/common/requests.h"

enum options_kind {
    OPTIONS_SWITCH, OPTIONS_WORDS, OPTIONS_LIST, OPTIONS_COUNT, OPTIONS_COUNT_32, OPTIONS_MEBIBYTES, OPTIONS_TEXT,
    OPTIONS_GEOMETRY,
    OPTIONS_TLB,
    OPTIONS_FUNCTIONS, OPTIONS_POINT, OPTIONS_ALLOC, OPTIONS_SEPARATE, OPTIONS_REMAP, OPTIONS_ALSO
};
enum options_engines { OPTIONS_BOTH, OPTIONS_NATIVE, OPTIONS_VALGRIND, OPTIONS_HANDLED };

/* A row of options.inc. */
struct recording_option {
    const char *name, *value, *key, *help;
    enum options_kind kind;
    enum options_engines engines;
    size_t member, detail; /* offsets in engine_options, or what options.inc says */
    uint64_t usual;
    bool is_test; /* listed by --help-debug */
};
extern const struct recording_option options_table[];
extern const size_t options_count;
enum { OPTIONS_MOST = 96, OPTIONS_REMAPS = 32 };

enum { OPTIONS_CALLERS, OPTIONS_RECS, OPTIONS_SEPARATIONS };

/* What an option says of functions whose name matches a shell's pattern: * any text, ? any character. It is the name in
 * the symbol table that an engine knows; those whose readable name matches are in a list that it was told. */
struct options_pattern {
    const struct recording_option *option;
    uint32_t detail; /* FUNCTIONS, POINT: their TN_FN_*; ALLOC: whether they free; SEPARATE: OPTIONS_CALLERS or _RECS */
    uint32_t number; /* ALLOC: of the argument with size or address; SEPARATE: so many are kept apart; REMAP: which */
    bool met;        /* some function is so called; REMAP: some data structure */
    struct options_pattern *next;
    char text[];
};

/* Where a recording begins (--start, --warm). There are up to two points, each a function's first entry or a number of
 * instructions: from --warm on the program is simulated, and from --start on its costs are collected, too. Without
 * --warm both begin at once, with empty caches. Until then nothing is simulated: an engine only counts instructions,
 * and that only if a number is next, and asks here whenever it makes code for an address that it has made none for:
 * that is where a function is entered first. */
struct start_point {
    const char *text;      /* as given; NULL: not given */
    bool is_number;        /* of instructions; else names of functions, a pattern */
    uint64_t instructions;
};

enum start_phase { START_WAITS, START_WARMS, START_RUNS }; /* what the program does now */

struct recording_start {
    struct start_point warm, run;
    enum start_phase phase;
    bool collects;   /* at the start, or as somebody has asked for meanwhile */
    uint64_t begun;  /* the instructions that were counted until then */
};

struct engine_options {
    struct tn_config config; /* all but function_at and user */
    const char *out_file;
    const char *host;        /* for the profile's meta data; NULL: not given */
    uint64_t rank;           /* the same, if options_given("rank") */
    const char *elements;    /* file: what is known of the program (element_table.h); NULL: nothing */
    const struct element_table *told; /* what is in it, from an engine; NULL: nothing */
    const char *control_dir; /* folder for what `tenure control` talks through; NULL: nobody does */
    struct options_pattern *patterns; /* the latest first: it holds, where there can only be one */
    struct tn_remap *remaps;          /* those of config */
    const char *remap_texts;          /* all of them, as given, "; " between; NULL: there is none */
    const char *also_texts;           /* the same of further machines */
    char also_name[TN_ALSO_MOST][ALSO_NAME];
    uint32_t separate[OPTIONS_SEPARATIONS]; /* of functions that no pattern keeps apart */
    struct recording_start start;    /* where it begins */
    uint64_t dump_every, stop_after; /* instructions; 0: never */
    uint64_t dumped;                 /* instructions at the last part that was made for dump_every */
    bool given[OPTIONS_MOST]; /* by row of options_table */
    bool instrument_at_start;
    bool tlb; /* TLBs are simulated: config.itlb, config.dtlb */
    bool skip_plt;
    bool fork_inherit;
    bool aslr;
    bool functions_dump; /* some --dump-before or --dump-after was given */
    const char *geometry_source[GEOMETRY_LEVELS]; /* "option", "sysfs", "cpuid" or "default"; or whoever knows better */

    /* The native engine's own. */
    bool parallel;       /* threads may run at the same time, where the configuration allows it */
    bool deterministic;  /* threads take turns, in an order that does not depend on time */
    bool spare_core;     /* lower levels are simulated by another thread */
    uint64_t turn;       /* accesses that a turn lasts; 0: something else says when it ends */
    bool profile;        /* simulate, and write a raw profile */
    bool trace_children; /* go on in programs that are executed */
    bool stats;          /* say at the end what the translator did */
    bool join, link, lookup, returns, self_check; /* how code is translated: nt_code.h */
    uint64_t code_cache; /* MiB of generated code */

    /* Valgrind's. */
    bool clean_environment; /* the program sees nothing of Valgrind's variables */
    bool cold_blocks;       /* vg_cold.c; off for comparisons */
    bool check_translation; /* VEX checks what is emitted; for tests */

    /* Of whoever reads them: set before options_default. */
    bool is_native;                  /* the native engine's own are taken, else Valgrind's */
    void *(*allocate)(size_t bytes); /* for patterns; never NULL, never given back */
    geometry_read_text *read_text;   /* for this machine's caches */

    char why[512]; /* what is wrong, where that is not always the same */
};

/* The defaults. */
void options_default(struct engine_options *options);

/* `argument` as written ("--D1=..."), which must live as long as the options: which option that is, or NULL if there is
 * none of that name. *wrong: what is wrong with it, or NULL. */
const struct recording_option *options_take(struct engine_options *options, const char *argument, const char **wrong);

/* Whether the option of this name, which there is, was given. */
bool options_given(const struct engine_options *options, const char *name);

/* Behind the last option: completes the configuration. NULL, or what is wrong with it. */
const char *options_check(struct engine_options *options);

/* The latest pattern for functions with one of these TN_FN_*; NULL: there is none. */
const struct options_pattern *options_of_flag(const struct engine_options *options, uint32_t flags);

/* The value that `option` has: in `text`, or a text that lives as long as the options; NULL: there is none, or it is a
 * list. */
const char *options_text(const struct engine_options *options, const struct recording_option *option,
                         char text[GEOMETRY_TEXT]);

/* A line for each option that the engine takes, of those for tests or of all others: "--name=VALUE  what it does". */
void options_list(struct engine_options *options, bool of_tests, void (*show)(const char *line));

/* The next thing to wait for is so many instructions / there is a function to wait for. */
bool start_counts(const struct recording_start *start);
bool start_watches(const struct recording_start *start);

/* The phase that begins after so many instructions / at a function's first instruction, of which options_describe said
 * that it is TN_FN_START or TN_FN_WARM; the present one if none does. */
enum start_phase start_after(const struct recording_start *start, uint64_t instructions);
enum start_phase start_at(const struct recording_start *start, uint32_t function_flags);

/* How many instructions are left until start_after says more; 0: none, or nothing is counted. */
uint64_t start_left(const struct recording_start *start, uint64_t instructions);

/* Whether anything is to be done after some number of instructions, and what is due after so many (tn_instructions),
 * counted from the start on: REQUEST_DUMP, REQUEST_STOP, or REQUEST_UNKNOWN. Each is due once. recording_start says
 * when the start is. */
static inline bool options_wait(const struct engine_options *options)
{
    return options->dump_every | options->stop_after || start_counts(&options->start);
}
enum request options_due(struct engine_options *options, uint64_t instructions);

/* Some functions are inside a toggle, or collection is off at first: counters must ask whether it is on. */
bool options_toggle(const struct engine_options *options);

/* What to say behind "N counters are in use", when they are used up. */
const char *options_out_of_counters(const struct engine_options *options);

/* What the options say of a function (code_map_host.describe): its flags, separate_* and allocation, by info->name. */
void options_describe(const struct engine_options *options, uint32_t fb_flags, struct tn_function_info *info);

/* With this configuration the core asks the options which data objects are simulated elsewhere, and whose reads count
 * for the order in which elements are packed (tn_config.remap_of and remap_walks). */
void options_answer_core(struct engine_options *options, struct tn_config *config);

/* Writes into the profile's meta data what was simulated. */
void options_meta(const struct engine_options *options, tn_core *core);
/* Costs are collected now, after so many instructions: the start. */
void options_started(struct engine_options *options, tn_core *core, uint64_t instructions);
/* A number of the engine's own. */
void options_meta_number(tn_core *core, const char *key, uint64_t value);

/* Into the profile's meta data: `unmatched.1` and so on, each an option with a pattern that no function has matched. At
 * the end, once. */
void options_unmatched(const struct engine_options *options, tn_core *core);

bool options_matches(const char *pattern, const char *text);

#endif
