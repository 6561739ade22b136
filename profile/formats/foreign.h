/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * foreign.h: a recording made of another tool's profile, line by line.
 *
 * The readers of text formats (import_callgrind.c, import_cachegrind.c) know the grammars; what they find they hand in
 * here, where it is added up: self costs by thread, function, file, line and address, calls by call site and callee.
 * So memory follows from how much different there is in a file, not from how long it is.
 *
 * A file is a sequence of sections, each of one part and one thread, with costs and perhaps their totals. Several files
 * of one process make one recording. Numbers below that name files, objects, functions are index + 1 of the recording;
 * 0 is the unknown one.
 */
#ifndef TENURE_PROFILE_FOREIGN_H
#define TENURE_PROFILE_FOREIGN_H

#include "profile/base/scan.h"
#include "profile/objects/names.h"

/* What a section says its costs add up to. */
struct tp_stated {
    const char *tag; /* "summary", "totals"; NULL: nothing */
    uint64_t line;
    uint64_t row[TP_MAX_EVENTS];
};

struct tp_given_event { /* of an `event:` line */
    const char *name, *formula, *long_name;
};

struct tp_named { /* a function's name in the file: "f", or "f'2", which is f at the second level of recursion */
    uint32_t object, file;
    const char *symbol;         /* interned */
    uint32_t function, context; /* + 1; 0: none made yet */
};

struct tp_name { /* a symbol or a path, each once */
    const char *text;
    uint32_t object, file; /* + 1; 0: not used for that */
};

struct tp_section {
    uint64_t part, thread;
    size_t file;
};

struct tp_foreign {
    struct tp_recording rec;
    const struct tp_import_options *options;
    struct tp_import_result *result;
    struct tp_error *err;
    struct tp_slots files; /* of the recording's */
    struct tp_arena scratch;
    struct tp_slots instrs, arcs, functions, names;
    TP_VECTOR(struct tp_name) name;
    TP_VECTOR(struct tp_named) named;
    TP_VECTOR(struct tp_given_event) described;
    const char *given[TP_MAX_EVENTS]; /* columns' names as the file has them */
    uint16_t column[TP_MAX_EVENTS];   /* of the section's events */
    size_t columns;
    bool dots;                        /* some counts were '.': cannot occur */
    bool difference;                  /* some were below 0, or the file says that it compares two */
    bool addresses;
    uint32_t thread, part;            /* of the section at hand */
    bool costs;                       /* the section has some */
    struct tp_stated stated[2];
    uint64_t sum[TP_MAX_EVENTS];
    const char *pid;
    unsigned descriptions;
    TP_VECTOR(struct tp_section) sections;
    size_t file; /* how many files were begun */
    const char *const *paths;
};

/* Free tp_foreign with tp_foreign_free in any case. All functions that return int: 0, or -1 with err. */
void tp_foreign_free(struct tp_foreign *f);

/* Header lines, behind their tag. */
int tp_foreign_event(struct tp_foreign *f, struct tp_scan *scan);       /* event: NAME [= FORMULA] [: LONG NAME] */
int tp_foreign_events(struct tp_foreign *f, struct tp_scan *scan);      /* events: NAME ... */
int tp_foreign_description(struct tp_foreign *f, struct tp_scan *scan); /* desc: TEXT */
int tp_foreign_meta(struct tp_foreign *f, const char *key, const char *value); /* the first file's counts */
int tp_foreign_pid(struct tp_foreign *f, struct tp_scan *scan);
int tp_foreign_stated(struct tp_foreign *f, struct tp_scan *scan, const char *tag); /* summary:, totals: COUNT ... */

/* A section: from here on costs are those of this part and thread; until the next one begins or the file ends. */
int tp_foreign_section(struct tp_foreign *f, struct tp_scan *scan, uint64_t part, uint64_t thread, const char *why);
/* Compare what was stated with what was added up. */
int tp_foreign_section_end(struct tp_foreign *f, struct tp_scan *scan);

/* Names, of an object or a file: "???" and "" are unknown, 0. Of a function the number of its context (tp_recording) is
 * returned. */
int tp_foreign_path(struct tp_foreign *f, bool object, const char *path, uint32_t *out);
int tp_foreign_function(struct tp_foreign *f, uint32_t object, uint32_t file, const char *name, uint32_t *out);

/* A count; one below 0 makes the profile that of a difference. False: there is none. */
bool tp_foreign_count(struct tp_foreign *f, struct tp_scan *scan, uint64_t *count);

/* The rest of the line, as counts: a row of the recording's columns, and TP_CAN_* of what can occur. `dots`: whether
 * the format has '.' for what cannot. */
int tp_foreign_counts(struct tp_foreign *f, struct tp_scan *scan, bool dots, uint64_t *row, uint8_t *can);

struct tp_place {
    uint32_t function, file; /* function: what tp_foreign_function returned */
    uint64_t address, line;
};
int tp_foreign_self(struct tp_foreign *f, const struct tp_place *place, const uint64_t *row, uint8_t can);
int tp_foreign_call(struct tp_foreign *f, const struct tp_place *site, uint32_t callee, uint64_t calls,
                    const uint64_t *row);

/* Call `take` for each line of the file; it returns 0, or anything else if it failed, which ends it. 0, or -1. */
int tp_foreign_lines(struct tp_foreign *f, struct tp_scan *scan, int (*take)(void *reader), void *reader);

/* Events that the file computes from others, when all events are known. */
int tp_foreign_formulas(struct tp_foreign *f);
/* Everything is read: inclusive costs, formulas. */
int tp_foreign_finish(struct tp_foreign *f);

/* The formats. The file is open, no line of it read. */
int tp_read_callgrind(struct tp_foreign *f, struct tp_scan *scan);
int tp_read_cachegrind(struct tp_foreign *f, struct tp_scan *scan);

#endif
