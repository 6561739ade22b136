/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h: the profile library, as commands see it.
 *
 * A raw profile (core/raw_format.h) is what an engine wrote. tp_import turns it into a profile: one SQLite
 * database whose schema is docs/profile-format.md. Everything else reads profiles: through tp_db() with SQL, or
 * through the exporters.
 *
 * The library never prints and never exits. A function that can fail returns 0 for success and -1 for failure,
 * or a pointer that is NULL for failure, and fills in `err` (never NULL). Strings handed in are copied. One
 * profile may be used by one thread at a time.
 */
#ifndef TENURE_PROFILE_PROFILE_H
#define TENURE_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sqlite3;
struct sqlite3_stmt;

/* What went wrong: one line without a newline at its end, fit for "tenure: <message>". It names the file (and the
 * offset in it, where there is one) and, if there is one, the remedy. Bytes that a terminal might obey are
 * escaped. `source` and `line` say where in this library the error was found. */
struct tp_error {
    char message[1024];
    const char *source;
    int line;
};

/* ------------------------------------------------------------------------------------------ what a file is */

enum tp_kind {
    TP_KIND_UNREADABLE,      /* cannot be opened or read; err says why */
    TP_KIND_OTHER,           /* neither; err says what it looks like */
    TP_KIND_RAW,             /* a raw profile of this version of Tenure */
    TP_KIND_RAW_FOREIGN,     /* a raw profile of another version; err says which */
    TP_KIND_PROFILE,         /* a profile that tp_open takes */
    TP_KIND_CALLGRIND,       /* a file in Callgrind's format */
    TP_KIND_CACHEGRIND,      /* a file in Cachegrind's format */
    TP_KIND_PROFILE_FOREIGN, /* a profile of another version of the schema; err says which */
};

/* The versions that are read. */
extern const int tp_raw_version, tp_schema_version;
/* Functions of which it is known what they cost in an interval of a recording, at most. */
extern const int tp_interval_functions;

/* Look at the first bytes of `path`. `err` is filled in for every kind but RAW, PROFILE, CALLGRIND and
 * CACHEGRIND. */
enum tp_kind tp_kind(const char *path, struct tp_error *err);
/* Of Tenure, of this version or of another. */
bool tp_kind_is_profile(enum tp_kind kind);
bool tp_kind_is_raw(enum tp_kind kind);

/* ------------------------------------------------------------------------------------------ import */

/* `stage` is a few words ("reading", "symbols", "writing"); done <= total, in units of the stage. False: give up, and
 * leave nothing behind. */
typedef bool tp_progress(void *user, const char *stage, uint64_t done, uint64_t total);

/* All zero is a good default. */
struct tp_import_options {
    const char *sysroot;     /* put before every object's and source file's path; NULL: none */
    const char *debug_path;  /* folders with separate debug files, ':' between; NULL: /usr/lib/debug */
    bool embed_source;       /* keep the text of every source file that is found (table `sources`) */
    bool source_anywhere;    /* read the text of any source file (profile/objects/source.h) */
    bool keep_all;           /* all call paths and allocation paths, however little they cost */
    bool passing;            /* the profile is not kept: that the disk has it is not waited for */
    bool no_symbols;         /* leave debug information alone: no files, lines, inlined frames */
    tp_progress *progress;   /* may be NULL */
    void *user;              /* handed to progress */
    uint32_t machine;        /* of those that were simulated in the same run (docs/model.md, 23): 0: the recorded one */
    const char *const *meta; /* key, value, key, value, NULL: further rows for table `meta`; NULL: none */
};

/* What an import found, for a command to tell. */
enum { TP_MACHINES = 4 }; /* at most */
struct tp_import_result {
    uint32_t parts;        /* whole parts read */
    bool damaged;          /* the file goes on after the last whole part, with something unreadable */
    char damage[512];      /* what and at which offset; "" if not damaged */
    uint64_t instructions; /* rows */
    uint64_t functions;
    uint64_t paths;
    uint32_t objects_without_lines; /* objects with costs for which no line information was found */
    uint64_t warnings;     /* of a text format: what is odd, but no reason to refuse the file */
    char warning[512];     /* the first one */
    char absent[512];      /* an object with costs that is not where it was, or is another one now; "": there is none */
    const char *absent_why;
    uint32_t machines;     /* further machines in a raw profile, whose profiles can be made of it, too */
    char machine[TP_MACHINES][64]; /* their names: letters, digits and - _ . + */
    char split[512];       /* an object with costs whose split debug information was not found; "" if there is none */
};

/* Read the raw profile `raw` and write the profile `out`. It is written under a temporary name beside `out` and
 * renamed when it is whole; an existing `out` is replaced. `raw` is never changed. `result` may be NULL. A file of
 * Callgrind or Cachegrind is taken, too: tp_import_text of one. */
int tp_import(const char *raw, const char *out, const struct tp_import_options *options,
              struct tp_import_result *result, struct tp_error *err);

/* The same of files in the formats of Callgrind and Cachegrind: one, or several of one process (its parts, its
 * threads). Of the options meta, embed_source (with sysroot) and progress are looked at. */
int tp_import_text(const char *const *files, size_t count, const char *out, const struct tp_import_options *options,
                   struct tp_import_result *result, struct tp_error *err);

/* ------------------------------------------------------------------------------------------ reading */

typedef struct tp_profile tp_profile;

/* Open a profile for reading only. All of the file is read, and refused if it is damaged. */
tp_profile *tp_open(const char *path, struct tp_error *err);
void tp_close(tp_profile *profile); /* NULL is fine */
/* Whether somebody else has changed it since Tenure wrote it, so that damage of it is not noticed; to be told so. */
#define TP_CHANGED "it was changed by another program after Tenure wrote it, so that damage of it is not noticed"
bool tp_changed(const tp_profile *profile);

/* The database, owned by the profile. Read only. */
struct sqlite3 *tp_db(tp_profile *profile);
const char *tp_path(const tp_profile *profile);

/* Call it by the name of the file that it was made of. 0, or -1: out of memory. */
int tp_call(tp_profile *profile, const char *name, struct tp_error *err);

/* The value of a key of table `meta`, or NULL. Lives as long as the profile. */
const char *tp_meta(tp_profile *profile, const char *key);
/* Whether strides between misses are known: it was recorded with --strides=yes, or has some (a difference). */
bool tp_keeps_strides(tp_profile *profile);

/* Fill in `err` from the database's last error; `what` says what was tried. Always -1. */
int tp_sql_failed(tp_profile *profile, const char *what, struct tp_error *err);

/* Ask the database. `sql` is from sqlite3_mprintf or sqlite3_str_finish, and freed here; NULL: out of memory. */
struct sqlite3_stmt *tp_query(tp_profile *profile, char *sql, struct tp_error *err); /* NULL on failure */
int tp_row(tp_profile *profile, struct sqlite3_stmt *statement, struct tp_error *err); /* 1: a row, 0: no more, -1 */
/* All rows of a query. `take` gets each; it returns 0, 1 if it has no memory for it, or -1 if it has said in `err` what
 * else is wrong with it. */
typedef int tp_take(void *user, struct sqlite3_stmt *row);
int tp_each(tp_profile *profile, char *sql, tp_take *take, void *user, struct tp_error *err);
/* The first column of the first row; `otherwise` if there is no row, or NULL in it. -1 on failure. */
int tp_number(tp_profile *profile, char *sql, double otherwise, double *out, struct tp_error *err);
/* Run statements that give no rows; `what` says for a message what they are for. `sql` as for tp_query. */
int tp_execute(tp_profile *profile, char *sql, const char *what, struct tp_error *err);

/* Makes table temp.startup(id) of the functions that are start-up (startup.c); not `any`: it stays empty. */
int tp_startup(tp_profile *profile, bool any, struct tp_error *err);

/* Events: the columns of every table and view, in their order; real ones first, then those that views derive
 * (table `events`). */
struct tp_event {
    const char *name;      /* the column: "D1mr"; inclusive: "D1mr_incl" */
    const char *long_name; /* a few words; never NULL */
    const char *unit;      /* "bytes", or "": a count of what it is called */
    const char *formula;   /* of a derived event: what the views compute, "L1m + LLm"; NULL: none is known */
    bool derived;          /* made by the views from others: AcCost1, L1m, CEst, ... */
    bool real;             /* a REAL column (AcCost...): others are integers */
};
size_t tp_event_count(const tp_profile *profile);
const struct tp_event *tp_event_at(const tp_profile *profile, size_t i);
/* By name, upper or lower case; NULL if the profile has no such event. */
const struct tp_event *tp_event_find(const tp_profile *profile, const char *name);
/* What is sorted by where nothing is said: Time; without it, or with other weights, CEst; in a profile without that,
 * too (of another tool), the first event. */
const char *tp_event_usual(const tp_profile *profile);

/* Other weights in the cycle estimate: "L1m=12,LLm=180". Views then have the new CEst, as long as the profile is open;
 * its file does not change. An event that the estimate has no term for gets one. Once per profile at most. */
int tp_weigh(tp_profile *profile, const char *weights, struct tp_error *err);
/* Whether such a text is well formed, whatever events a profile has. */
int tp_weights_check(const char *weights, struct tp_error *err);
/* Whether it has an estimate of time, and nobody wanted CEst with other weights instead. */
bool tp_timed(const tp_profile *profile);
/* Where the estimated time goes: "31 % instructions, 11 % L1 misses, 58 % memory (30 % waiting for pointers)",
 * without
 * what is below half a percent: as Time has it, or, without that or with other weights, as CEst has. "" if CEst is
 * no sum of
 * several terms. */
int tp_time(tp_profile *profile, char *out, size_t size, struct tp_error *err);

/* ------------------------------------------------------------------------------------------ exports */

/* All zero is a good default. Which fields an exporter looks at, besides events, is in the table of formats. */
struct tp_export_options {
    const char *events; /* names, ',' between; NULL: the exporter's own choice; "all" */
    const char *table;  /* a table or view */
    bool instructions;  /* one line per instruction, not per source line */
    bool mangled;       /* names as in the symbol table */
    bool threads;       /* threads apart */
    double threshold;   /* what has less, in percent of the total, is part of its caller */
};

/* The formats that a profile is written in. Of each: its name, who reads it, which options it looks at, what a message
 * calls such a file, and the bytes that it begins with, if they tell it from any other; else NULL.
 *
 * "weights" are of those that have CEst unasked.
 *
 *   callgrind    Callgrind's format 1. Events: by default those that Callgrind itself has, which are no more than
 *                KCachegrind takes (13); a `desc:` line names what is left out. In it N = 1 is I1 and D1 together and
 *                N = 2 is LL: AcCost1, SpLoss1, AcCost2, SpLoss2
 *   cachegrind   self costs by file, function and line. Events: by default Cachegrind's own, and AcCost1, SpLoss1,
 *                AcCostL, SpLossL
 *   folded       "main;f;g 123": one event, Ir by default. Paths without self cost are left out
 *   pprof, speedscope, firefox
 *                call paths with several events
 *   openmetrics  totals
 *   json         one object: format, version, meta, events, totals, threads, functions, arcs, data objects and their
 *                fields, statements and their accesses, loops
 *   csv          RFC 4180 with a header row: a table or view, "functions" by default */
#define TP_METRICS_BEGIN "# TYPE tenure_profile_info gauge\n"
#define TP_FORMATS(FORMAT)                                                                                            \
    FORMAT(callgrind, "KCachegrind, callgrind_annotate", "instructions mangled weights",                              \
           "an export to Callgrind's format", "# callgrind format\nversion: 1\ncreator: tenure-")                     \
    FORMAT(cachegrind, "cg_annotate, cg_diff, cg_merge", "mangled", "an export to Cachegrind's format", NULL)         \
    FORMAT(folded, "flame graphs", "mangled threads threshold", "an export of folded stacks", NULL)                   \
    FORMAT(pprof, "pprof and what else reads profile.proto", "mangled threads threshold weights",                     \
           "an export to pprof", NULL)                                                                                \
    FORMAT(speedscope, "speedscope.app", "mangled threads threshold weights", "an export to speedscope",              \
           "{\"exporter\": \"tenure ")                                                                                \
    FORMAT(firefox, "profiler.firefox.com", "mangled threads threshold weights", "an export to Firefox Profiler",     \
           "{\"meta\": {\"importedFrom\": \"tenure ")                                                                 \
    FORMAT(openmetrics, "Prometheus and other monitoring: totals", "threads weights", "an export to OpenMetrics",     \
           TP_METRICS_BEGIN)                                                                                          \
    FORMAT(json, "programs", "weights", "an export to JSON", "{\"format\": \"tenure\", ")                             \
    FORMAT(csv, "spreadsheets", "table weights", "an export to CSV", NULL)

/* tp_export_callgrind, ... */
typedef int tp_exporter(tp_profile *profile, FILE *out, const struct tp_export_options *options, struct tp_error *err);
#define TP_EXPORTER(name, ...) tp_exporter tp_export_##name;
TP_FORMATS(TP_EXPORTER)

#endif
