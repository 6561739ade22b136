/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sum.h: the tables of many profiles as one, in memory.
 *
 * Every table of the schema says of each of its columns what becomes of it where profiles are summed (store_schema.c),
 * but for those that merge.c and diff.c make themselves ("-"). What has the same natural key is one row, whose costs
 * are added up. Columns:
 *
 *   id      the row's number, given anew
 *   nth     the same; rows of one profile with equal keys stay apart: the key has their place in `order` too
 *   key     part of the natural key
 *   above   the same; refers to a row of its own table with a higher id (the call tree)
 *   group   a number that some rows share; equal where base, symbol, object's path and file are, and the place among
 *           those of one profile (functions)
 *   any     one value of those there are: the smallest tuple of all such columns, so that the order of the profiles
 *           does not matter
 *   sum max added up, the largest
 *   first last  follow from another table: ids of the first and the last of its rows that refer to this one
 *
 *   >table  refers to a row of another table;  @column  an address, kept relative to what the row referred to by
 *   that column has in its column marked *  (an object's bias, an instruction's address): so that runs which were
 *   loaded elsewhere fall together.
 *
 * A cost is NULL where an event cannot occur, which adds nothing. Where all costs of a kind are NULL, they are not
 * known (--inclusive=no, --paths), and neither is a sum with them.
 *
 * A row's costs are the events, then the columns `sum`, once for each lane: a merge has one lane, a difference has one
 * for each side, and more where sides have several runs (diff.c). What has not been in a lane is not present there.
 * Most costs are 0 or small, so a lane is packed (sum.c).
 *
 * Everything that is kept is independent of the order in which profiles come, but for the ids: merging is
 * associative and commutative.
 *
 * In memory are texts, keys and other values (some 150 bytes for each row of the sum), and less than that for each row
 * of the profile being read. Costs, which would be most of it, lie in a temporary file beyond a limit (spill.h).
 */
#ifndef TENURE_PROFILE_SUM_H
#define TENURE_PROFILE_SUM_H

#include <sqlite3.h>

#include "profile/base/mem.h"
#include "profile/base/spill.h"
#include "profile/profile.h"
#include "profile/raw/events.h"
#include "profile/read/formula.h"
#include "profile/store/store.h"

#define TP_NONE INT64_MIN /* NULL, as a value and as a cost */

enum { TP_MAX_TABLES = 64, TP_MAX_FIELDS = 20 };

enum tp_role {
    TP_ROLE_ID,
    TP_ROLE_NTH,
    TP_ROLE_KEY,
    TP_ROLE_ABOVE,
    TP_ROLE_GROUP,
    TP_ROLE_ANY,
    TP_ROLE_SUM,
    TP_ROLE_MAX,
    TP_ROLE_FIRST,
    TP_ROLE_LAST,
};

struct tp_field {
    char name[32];
    enum tp_role role;
    bool text, base; /* base: marked * */
    int refers;      /* table, or -1 */
    int relative_to; /* field, or -1 */
    int at;          /* place in a row; of `sum` behind the events of a lane; -1: not kept */
};

/* A table's columns, taken from its declaration. */
struct tp_shape {
    const struct tp_table *table;
    struct tp_field field[TP_MAX_FIELDS];
    int fields, keys, width; /* width: values of a row, keys first, without costs */
    int sums;                /* columns `sum` */
    int id, nth, base, above; /* fields, or -1; nth: place in a row */
};

/* Rows with unique keys: values (the first `keys` are the key), lanes present, and a place of costs for each lane. Rows
 * never move. */
struct tp_rows {
    size_t keys, width;
    TP_VECTOR(int64_t *) at;
    struct tp_slots slots;
    struct tp_arena arena;
};

/* The row with this key, made with zeroes behind the key if there is none. NULL: out of memory. */
int64_t *tp_rows_get(struct tp_rows *rows, const int64_t *key, uint32_t *index, bool *made);
void tp_rows_free(struct tp_rows *rows);

/* Texts, each once. */
struct tp_texts {
    TP_VECTOR(const char *) at;
    struct tp_slots slots;
    struct tp_arena arena;
};

int64_t tp_texts_add(struct tp_texts *texts, const char *text); /* TP_NONE: out of memory */

struct tp_sum {
    struct tp_shape shape[TP_MAX_TABLES];
    struct tp_rows rows[TP_MAX_TABLES];
    struct tp_spill *spill; /* their costs */
    int tables;
    struct tp_rows groups; /* base, symbol, path, file, place */
    struct tp_texts texts;
    struct tp_events events;
    size_t stored;  /* of the events: those that profiles have; what follows is derived */
    struct tp_weighted_sum *formula; /* of events from `stored` on, in terms of those; NULL: there are none */
    int lanes, lane; /* lane: that is read into */
    bool skip[TP_MAX_TABLES]; /* tables that nobody wants */
    bool by_thread; /* there is more than one thread: tables by thread are kept */
    bool by_unit;   /* so are those by unit */
};

/* What of the meta data says which caches were simulated, what it is called, and what a profile without it has. */
enum { TP_MODEL_KEYS = 14 };
struct tp_model_key {
    const char *key, *what, *absent;
};
extern const struct tp_model_key tp_model[TP_MODEL_KEYS];
const char *tp_model_of(tp_profile *profile, size_t i);
/* The same of what meta data have for this key, and for "cache-sim": without caches, all is as if it were absent. */
const char *tp_model_in(const char *value, const char *cache_sim, size_t i);

/* The shapes of all tables; by_name: names in the symbol table do not tell functions apart. -1 if one of them does
 * not say what is to become of its columns: a mistake in this program. */
int tp_sum_begin(struct tp_sum *sum, bool by_name, struct tp_error *err);
/* Once sum->events are known, before anything is read. */
void tp_sum_make_room(struct tp_sum *sum);
void tp_sum_free(struct tp_sum *sum);
int tp_sum_table(const struct tp_sum *sum, const char *name); /* -1: no such table */
int tp_sum_field(const struct tp_shape *shape, const char *name);
/* What a row (TP_NONE: none) has in a column that is kept with it, or TP_NONE; the same as a text, or NULL. */
int64_t tp_sum_value(const struct tp_sum *sum, int table, int64_t row, const char *column);
const char *tp_sum_text(const struct tp_sum *sum, int table, int64_t row, const char *column);

/* Costs of the events in a lane: self if the table has them, then inclusive. */
static inline size_t tp_sum_events(const struct tp_sum *sum, int table)
{
    int kinds = sum->shape[table].table->events;

    return sum->events.count * ((kinds & TP_SELF_EVENTS ? 1u : 0u) + (kinds & TP_INCL_EVENTS ? 1u : 0u));
}
/* All of a lane. */
static inline size_t tp_sum_costs(const struct tp_sum *sum, int table)
{
    return tp_sum_events(sum, table) + (size_t)sum->shape[table].sums;
}
/* In which lanes a row is present: a bit for each. */
static inline int64_t *tp_sum_present(const struct tp_sum *sum, int table, int64_t *row)
{
    return row + sum->shape[table].width;
}
/* The costs of a lane, tp_sum_costs of them; 0 where nothing was put. At most TP_SUM_COSTS. */
enum { TP_SUM_COSTS = 2 * TP_MAX_EVENTS + TP_MAX_FIELDS };
void tp_sum_get(const struct tp_sum *sum, int table, const int64_t *row, int lane, int64_t *costs);
int tp_sum_put(struct tp_sum *sum, int table, int64_t *row, int lane, const int64_t *costs); /* -1: out of memory */

int64_t tp_sum_counts(int64_t a, int64_t b); /* stops at INT64_MAX and -INT64_MAX */
bool tp_sum_is_key(const struct tp_field *field);
/* Add costs (TP_NONE: NULL) to a lane of a row. -1: out of memory. */
int tp_sum_add_costs(struct tp_sum *sum, int table, int64_t *row, int lane, const int64_t *costs);
/* A cost of event `column` as a number; 0 for TP_NONE. */
double tp_sum_number(const struct tp_sum *sum, size_t column, int64_t cost);
/* Two values of a field; rows by the texts and numbers of their keys, so that all orders of reading give the same. */
int tp_sum_compare_values(const struct tp_sum *sum, const struct tp_field *field, int64_t a, int64_t b);

/* Where a table is read from, if not from the table of its name: `from` is a query in brackets or a view. */
struct tp_sum_source {
    const char *table, *from;
};

/* How a profile is looked at, where rows that differ are to fall together; all NULL: as it is. */
struct tp_sum_lens {
    void *user;
    /* Another text in place of a column's; NULL: out of memory. It is good until the next call. */
    const char *(*rewrite)(void *user, const char *table, const char *column, const char *text);
    /* Change values (by field, references resolved) of a row that was read. */
    void (*adjust)(void *user, const struct tp_sum *sum, int table, int64_t *value);
    /* A function's group: change base, symbol, path, file (texts and a row of `files`). -1: out of memory. */
    int (*group)(void *user, struct tp_sum *sum, int64_t key[4]);
};

/* sum_read.c: add all tables of a profile whose events are those of the sum. `sources` ends with a table NULL. A
 * failure leaves the sum useless. */
int tp_sum_read(struct tp_sum *sum, tp_profile *profile, const struct tp_sum_source *sources,
                const struct tp_sum_lens *lens, struct tp_error *err);

/* sum_write.c: the tables as a profile, with the costs of a lane, and table `meta`, to which the SQL `more` may add
 * (NULL: nothing) once the other tables are written. Ids, and the order of rows, are those of every other lane. */
typedef TP_VECTOR(struct tp_pair) tp_sum_meta;
int tp_sum_write(struct tp_sum *sum, int lane, const char *path, const tp_sum_meta *meta, const char *more,
                 struct tp_error *err);

#endif
