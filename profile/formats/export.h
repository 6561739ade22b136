/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h: what the exporters share: choice of events, clean text, rows that know what went wrong.
 *
 * Exporters read the documented views of a profile, as anybody could, and write to a stream that the caller opened
 * and will close.
 */
#ifndef TENURE_PROFILE_EXPORT_H
#define TENURE_PROFILE_EXPORT_H

#include <sqlite3.h>

#include "profile/base/json.h"
#include "profile/profile.h"

enum { TP_MAX_CHOICE = 512 };

struct tp_choice {
    size_t count;
    const struct tp_event *event[TP_MAX_CHOICE];
};

/* The events of a list "Ir,D1mr", in its order; "all": every one of the profile. A formula that counts something
 * (LLm@2M) is an event, too, but none of all. */
int tp_choose(tp_profile *profile, const char *list, struct tp_choice *choice, struct tp_error *err);

/* Those of a list of names that the profile has. */
void tp_choose_usual(tp_profile *profile, const char *const *names, size_t count, struct tp_choice *choice);

/* "SELECT columns, <each event of self>, <each of incl>_incl rest", for tp_query. `columns` may be "", choices NULL. */
char *tp_select_events(tp_profile *profile, const char *columns, const struct tp_choice *self,
                       const struct tp_choice *incl, const char *rest);

/* Its name with _ for @, where readers know no other characters. */
enum { TP_PLAIN_NAME = 128 };
const char *tp_plain_name(const struct tp_event *event, char out[TP_PLAIN_NAME]);

/* Whole numbers of self costs. A real event is rounded so that what is lost in one line is made up in the next. */
struct tp_sums {
    double rest[TP_MAX_CHOICE];   /* of real events: what rounding still owes */
    long long sum[TP_MAX_CHOICE]; /* of what was returned */
};
/* Of event `i` of the choice, in a column of a row. */
long long tp_self_cost(struct tp_sums *sums, const struct tp_choice *choice, size_t i, sqlite3_stmt *row, int column);

/* A line "tag: sum sum ..." of all that was returned. */
void tp_write_sums(FILE *out, const char *tag, const struct tp_sums *sums, const struct tp_choice *choice);

/* `desc:` lines: the caches, in the words of Cachegrind and Callgrind; of an imported profile, those of its file. */
void tp_write_descriptions(tp_profile *profile, FILE *out);

/* The same lines as a text to free; NULL: no memory. */
char *tp_descriptions(tp_profile *profile);

/* The sum; in a damaged profile, whose sums are beyond all bounds, the end that it is beyond. */
int64_t tp_add(int64_t a, int64_t b);

/* The next character of a text as tp_write_clean writes it, and how many bytes that is. */
enum { TP_CLEAN_ROOM = 20 };
size_t tp_clean_next(const char **text, const char *also, char *out);
/* Write text so that a line stays a line: control characters, bytes that are not UTF-8, and what is in `also` as \xNN.
 * NULL as "???". */
void tp_write_clean(FILE *out, const char *text, const char *also);
/* A line "tag: value" of a key of table `meta`, if the profile has it. */
void tp_write_header(tp_profile *profile, FILE *out, const char *tag, const char *key);

/* 0 if everything written to `out` has gone out, and all that it was made of could be read; else why not. Of a stream
 * that is in the words of the system: its name is the caller's. */
int tp_written(FILE *out, struct tp_error *err);

#endif
