/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h: what two programs, or two versions of one, cost: a baseline against something new.
 *
 * Each side is one profile or several runs. Values of a side are means over its runs. A difference counts if it is not
 * 0 and, where a side has several runs, if the two sides' values do not overlap: every run of one is above every run of
 * the other. Where not all sets of the caches were simulated, it counts only if it is larger than its margin
 * (profile/read/margin.h).
 *
 * What is compared: functions by name and source file (by name and object, where the file is not known), calls, and
 * lines where the sources match: in objects of one build id, or where both profiles have the source text; lines that
 * were moved by an edit are found again. Names may be changed before they are compared (rename.h).
 * Data structures of one name are one, unless something is written; where an object was built anew, the lines are left
 * out of their names, and how large and where they are does not matter.
 * docs/profile-format.md has the rules.
 */
#ifndef TENURE_PROFILE_DIFF_H
#define TENURE_PROFILE_DIFF_H

#include "profile/profile.h"
#include "profile/sum/rename.h"

enum tp_diff_side { TP_BASELINE, TP_NEW, TP_SIDES };

struct tp_diff_options {
    const struct tp_rename *filename, *funcname; /* of source files and objects; of functions. NULL: as they are */
    bool whole; /* it will be written: instructions and paths are needed too */
};

struct tp_diff_runs {
    tp_profile *const *profile;
    size_t count; /* at least 1 */
};

typedef struct tp_diff tp_diff;

/* The profiles are read now, and not needed afterwards. They must have at least one event in common; NULL: `err`. */
tp_diff *tp_diff_make(const struct tp_diff_runs runs[TP_SIDES], const struct tp_diff_options *options,
                      struct tp_error *err);
void tp_diff_free(tp_diff *diff); /* NULL is fine */

/* Notes for the user: what could not be compared, in a few words. NULL: there is no i-th. */
const char *tp_diff_note(const tp_diff *diff, size_t i);

/* Of so many sets of the caches one was simulated, on the side where it were fewest; 1: all were. */
unsigned tp_diff_sample(const tp_diff *diff);

/* Events that all profiles have, the derived ones behind the others. */
size_t tp_diff_events(const tp_diff *diff);
const struct tp_event *tp_diff_event(const tp_diff *diff, size_t i);
/* By name, upper or lower case, "_incl" behind it left off and told; -1: there is none. */
int tp_diff_find(const tp_diff *diff, const char *name, bool *inclusive);

enum tp_diff_table { TP_DIFF_TOTALS, TP_DIFF_FUNCTIONS, TP_DIFF_LINES, TP_DIFF_ARCS, TP_DIFF_DATA, TP_DIFF_TABLES };

struct tp_diff_row {
    const char *function, *base, *symbol; /* of the line; of an arc, the callee; what a data structure is called */
    const char *caller;                   /* of an arc; NULL: a root */
    const char *file, *object;            /* NULL: unknown; of an arc, where it is called */
    int64_t line;                         /* 0: unknown */
    bool there[TP_SIDES];
};
size_t tp_diff_rows(const tp_diff *diff, enum tp_diff_table table);
void tp_diff_row(const tp_diff *diff, enum tp_diff_table table, size_t i, struct tp_diff_row *out);

struct tp_diff_value {
    double side[TP_SIDES], difference;
    bool known;  /* on both sides, as far as they are there */
    bool counts; /* beyond the spread of the runs, and its margin */
};
struct tp_diff_value tp_diff_value(const tp_diff *diff, enum tp_diff_table table, size_t i, size_t event,
                                   bool inclusive);
/* The same of a formula over events (formula.h). It counts where one of its events does; it is not known where it lacks
 * a value on one side. */
struct tp_formula;
struct tp_diff_value tp_diff_formula(const tp_diff *diff, enum tp_diff_table table, size_t i,
                                     const struct tp_formula *formula, bool inclusive);

/* The differences as a profile, 0 where they do not count. options.whole was given. */
int tp_diff_write(tp_diff *diff, const char *path, struct tp_error *err);
/*
 * The same open for reading, with what each side costs (means over its runs, rounded) beside it: schemas `before` and
 * `after` have all tables of a profile, with the same rows in the same order and the same ids. Costs are NULL where the
 * side does not have the row. Of files in `folder` nothing is left. The last call: values are gone afterwards.
 */
tp_profile *tp_diff_open(tp_diff *diff, const char *folder, struct tp_error *err);

#endif
