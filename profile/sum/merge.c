/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.c: what must be equal in profiles that are summed, and what becomes of what no table sums: meta data.
 *
 * A key of `meta` keeps its value as long as all profiles that have it agree; then it is "various". The command is that
 * of table `runs`, which lists all of them. Both depend on the set of profiles only, not on their order.
 *
 * A profile without units is one unit (or, by thread, as many as it has threads): the queries below show it as if it
 * had the tables. Units finer than asked for are joined by leaving out what tells them apart.
 */
#include "profile/sum/merge.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/raw/events.h"
#include "profile/sum/sum.h"

static const char various[] = "various";
static const char *const kinds[] = {"", "rank", "process", "thread"};

struct tp_merge {
    enum tp_keep keep;
    struct tp_sum sum;
    struct tp_arena arena;
    const char *first; /* path of the first profile; NULL: none yet */
    tp_sum_meta meta;
};

tp_merge *tp_merge_new(enum tp_keep keep, struct tp_error *err)
{
    tp_merge *merge = calloc(1, sizeof *merge);

    if (!merge) {
        TP_NO_MEMORY(err);
        return NULL;
    }
    merge->keep = keep;
    if (tp_sum_begin(&merge->sum, false, err)) {
        tp_merge_free(merge);
        return NULL;
    }
    merge->sum.by_unit = keep != TP_KEEP_NONE;
    merge->sum.skip[tp_sum_table(&merge->sum, "units")] = !merge->sum.by_unit;
    merge->sum.skip[tp_sum_table(&merge->sum, "t_unit_functions")] = !merge->sum.by_unit;
    return merge;
}

void tp_merge_free(tp_merge *merge)
{
    if (!merge)
        return;
    tp_sum_free(&merge->sum);
    TP_VECTOR_FREE(&merge->meta);
    tp_arena_free(&merge->arena);
    free(merge);
}

/* ------------------------------------------------------------------------------------------ what must be equal */

static int merge_take_events(tp_merge *merge, tp_profile *profile, struct tp_error *err)
{
    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);
        if (!event->derived && tp_events_add(&merge->sum.events, event->name, event->long_name, event->real))
            return TP_FAIL(err, "%s: has no proper events; the file is damaged", tp_path(profile));
    }
    if (!merge->sum.events.count)
        return TP_FAIL(err, "%s: has no events; the file is damaged", tp_path(profile));
    merge->sum.stored = merge->sum.events.count;
    tp_sum_make_room(&merge->sum);
    return 0;
}

/* Only one of two profiles has an event. Returns -1. */
static int fail_event(struct tp_error *err, const char *with, const char *event, const char *without)
{
    struct tp_declared declared;
    bool needs = tp_declared_find(event, &declared) != TP_UNDECLARED && *declared.option;

    return TP_FAIL(err, "%s: has event %s%s%s%s, which %s has not; only profiles with the same events can be summed",
                   with, event, needs ? " (" : "", needs ? declared.option : "", needs ? ")" : "", without);
}

static int check_events(const tp_merge *merge, tp_profile *profile, struct tp_error *err)
{
    size_t count = 0;

    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);
        size_t k = 0;
        if (event->derived)
            continue;
        while (k < merge->sum.events.count && strcmp(merge->sum.events.column[k].name, event->name) != 0)
            k++;
        if (k == merge->sum.events.count)
            return fail_event(err, tp_path(profile), event->name, merge->first);
        if (merge->sum.events.column[k].real != event->real)
            return TP_FAIL(err, "%s: event %s is of another type than in %s", tp_path(profile), event->name,
                           merge->first);
        count++;
    }
    for (size_t k = 0; count < merge->sum.events.count && k < merge->sum.events.count; k++) {
        const struct tp_event *event = tp_event_find(profile, merge->sum.events.column[k].name);
        if (!event || event->derived)
            return fail_event(err, merge->first, merge->sum.events.column[k].name, tp_path(profile));
    }
    return 0;
}

static struct tp_pair *meta_of(const tp_merge *merge, const char *key)
{
    for (size_t i = 0; i < merge->meta.count; i++) {
        if (strcmp(merge->meta.at[i].key, key) == 0)
            return &merge->meta.at[i];
    }
    return NULL;
}

static const char *value_of(const struct tp_merge *merge, const char *key)
{
    const struct tp_pair *pair = meta_of(merge, key);

    return pair ? pair->value : NULL;
}

static int check_model(const tp_merge *merge, tp_profile *profile, struct tp_error *err)
{
    for (size_t i = 0; i < TP_MODEL_KEYS; i++) {
        const struct tp_model_key *model = &tp_model[i];
        const char *ours = tp_model_in(value_of(merge, model->key), value_of(merge, "cache-sim"), i);
        const char *theirs = tp_model_of(profile, i);
        if (strcmp(ours, theirs) != 0)
            return TP_FAIL(err, "%s: %s is %s, in %s it is %s; only profiles of the same caches can be summed",
                           tp_path(profile), model->what, theirs, merge->first, ours);
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ meta */

static int join_meta(tp_merge *merge, const char *key, const char *value)
{
    struct tp_pair *pair = meta_of(merge, key);

    if (pair) {
        if (strcmp(pair->value, value) != 0)
            pair->value = various;
        return 0;
    }
    pair = TP_VECTOR_ADD(&merge->meta);
    if (!pair)
        return -1;
    pair->key = tp_arena_copy(&merge->arena, key, strlen(key));
    pair->value = tp_arena_copy(&merge->arena, value, strlen(value));
    return pair->key && pair->value ? 0 : -1;
}

int tp_merge_meta(tp_merge *merge, const char *key, const char *value, struct tp_error *err)
{
    struct tp_pair *pair = meta_of(merge, key);
    char *copy = tp_arena_copy(&merge->arena, value, strlen(value));

    if (!copy || (!pair && join_meta(merge, key, value)))
        return TP_NO_MEMORY(err);
    if (pair)
        pair->value = copy;
    return 0;
}

/* One key of a profile's meta data, added to those of the profiles before; cmd, runs and keep are made anew when the
 * sum is written. */
static int merge_take_meta(void *user, sqlite3_stmt *row)
{
    const char *key = tp_text_or_null(row, 0), *value = tp_text_or_null(row, 1);

    if (!key || !value || strcmp(key, "cmd") == 0 || strcmp(key, "runs") == 0 || strcmp(key, "keep") == 0)
        return 0;
    return join_meta(user, key, value);
}

/* ------------------------------------------------------------------------------------------ units */

static int cannot_keep(const tp_merge *merge, tp_profile *profile, struct tp_error *err)
{
    static const char *const many[] = {"", "ranks", "processes", "threads"};

    return TP_FAIL(err, "--keep=%s: %s is a merge that did not keep %s apart; merge the recordings", kinds[merge->keep],
                   tp_path(profile), many[merge->keep]);
}

/* The unit or units that a recording is. */
static char *units_of_recording(const tp_merge *merge, tp_profile *profile)
{
    const char *rank = tp_meta(profile, "rank"), *host = tp_meta(profile, "host"), *pid = tp_meta(profile, "pid");
    sqlite3_str *sql = sqlite3_str_new(NULL);

    sqlite3_str_appendf(sql, "(SELECT %s AS id, %Q AS kind, ", merge->keep == TP_KEEP_THREAD ? "id" : "1",
                        kinds[merge->keep]);
    if (rank)
        sqlite3_str_appendf(sql, "CAST(%Q AS INTEGER) AS rank, ", rank);
    else
        sqlite3_str_appendall(sql, "NULL AS rank, ");
    sqlite3_str_appendf(sql, "%Q AS host, ", merge->keep >= TP_KEEP_PROCESS ? host : NULL);
    if (pid && merge->keep >= TP_KEEP_PROCESS)
        sqlite3_str_appendf(sql, "CAST(%Q AS INTEGER) AS pid, ", pid);
    else
        sqlite3_str_appendall(sql, "NULL AS pid, ");
    sqlite3_str_appendall(sql, merge->keep == TP_KEEP_THREAD ? "id AS thread, * FROM threads)"
                                                             : "NULL AS thread, * FROM t_totals)");
    return sqlite3_str_finish(sql);
}

/* Whether what the profile keeps apart is at least what is asked for. */
static bool is_fine_enough(const tp_merge *merge, tp_profile *profile)
{
    const char *keep = tp_meta(profile, "keep");
    int kind = TP_KEEP_THREAD;

    while (keep && kind > TP_KEEP_NONE && strcmp(kinds[kind], keep) != 0)
        kind--;
    return keep && kind >= (int)merge->keep;
}

/* `source` gets queries for `units` and `t_unit_functions`; NULL: the table itself. What is not NULL is SQLite's. */
static int choose_units(const tp_merge *merge, tp_profile *profile, char **units, const char **functions,
                        struct tp_error *err)
{
    double runs, own;

    if (tp_number(profile, sqlite3_mprintf("SELECT sum(recordings) FROM runs"), 0, &runs, err) ||
        tp_number(profile, sqlite3_mprintf("SELECT count(*) FROM units"), 0, &own, err))
        return -1;
    if (own > 0) {
        if (!is_fine_enough(merge, profile))
            return cannot_keep(merge, profile, err);
        *units = sqlite3_mprintf("(SELECT id, %Q AS kind, rank, %s AS host, %s AS pid, %s AS thread, * FROM units)",
                                 kinds[merge->keep], merge->keep >= TP_KEEP_PROCESS ? "host" : "NULL",
                                 merge->keep >= TP_KEEP_PROCESS ? "pid" : "NULL",
                                 merge->keep >= TP_KEEP_THREAD ? "thread" : "NULL");
    } else {
        const char *rank = tp_meta(profile, "rank");
        bool one = merge->keep == TP_KEEP_RANK && rank && strcmp(rank, various) != 0; /* several runs of one rank */
        if (runs > 1 && !one)
            return cannot_keep(merge, profile, err);
        if (merge->keep == TP_KEEP_RANK && !rank)
            return TP_FAIL(err, "--keep=rank: %s has no rank: OMPI_COMM_WORLD_RANK, PMI_RANK and SLURM_PROCID were not "
                           "set when it was recorded, and neither was --rank", tp_path(profile));
        *units = units_of_recording(merge, profile);
        *functions = merge->keep == TP_KEEP_THREAD ? "(SELECT thread AS unit_id, * FROM thread_functions)"
                                                   : "(SELECT 1 AS unit_id, id AS function_id, * FROM t_functions)";
    }
    return *units ? 0 : TP_NO_MEMORY(err);
}

/* ------------------------------------------------------------------------------------------ all */

static int add_tables(tp_merge *merge, tp_profile *profile, struct tp_error *err)
{
    char *units = NULL;
    const char *functions = "t_unit_functions";

    if (merge->keep != TP_KEEP_NONE && choose_units(merge, profile, &units, &functions, err))
        return -1;
    struct tp_sum_source sources[] = {
        {"t_self", "self"}, /* the views: a table is empty where there is one thread */
        {"t_thread_functions", "thread_functions"},
        {"stats", "(SELECT * FROM stats WHERE name NOT LIKE '% average' AND name NOT LIKE '% maximum')"},
        {"t_unit_functions", functions},
        {units ? "units" : NULL, units},
        {NULL, NULL},
    };
    int failed = tp_sum_read(&merge->sum, profile, sources, &(struct tp_sum_lens){0}, err);
    sqlite3_free(units);
    return failed;
}

int tp_merge_add(tp_merge *merge, tp_profile *profile, struct tp_error *err)
{
    bool is_next = merge->first != NULL, had_rank = meta_of(merge, "rank") != NULL;

    if (!is_next) {
        merge->first = tp_arena_copy(&merge->arena, tp_path(profile), strlen(tp_path(profile)));
        if (!merge->first)
            return TP_NO_MEMORY(err);
        if (merge_take_events(merge, profile, err))
            return -1;
    } else if (check_events(merge, profile, err) || check_model(merge, profile, err)) {
        return -1;
    }
    if (tp_each(profile, sqlite3_mprintf("SELECT key, value FROM meta"), merge_take_meta, merge, err))
        return -1;
    struct tp_pair *rank = meta_of(merge, "rank");
    if (is_next && rank && (!had_rank || !tp_meta(profile, "rank")))
        rank->value = various; /* one of those without a rank is not of that rank */
    return add_tables(merge, profile, err) ? -1 : 0;
}

static int merge_by_key(const void *a, const void *b)
{
    return strcmp(((const struct tp_pair *)a)->key, ((const struct tp_pair *)b)->key);
}

int tp_merge_write(tp_merge *merge, const char *path, struct tp_error *err)
{
    /* The commands of all runs, sorted: the first few of them, or the only one. */
    static const char commands[] =
        "INSERT INTO meta SELECT 'runs', CAST(total(recordings) AS INTEGER) FROM runs;"
        "INSERT INTO meta SELECT 'cmd', (SELECT group_concat(cmd, '; ') FROM "
        "(SELECT DISTINCT cmd FROM runs WHERE cmd NOT NULL ORDER BY cmd LIMIT 3)) || "
        "iif(n > 3, '; and ' || (n - 3) || ' more', '') FROM (SELECT count(DISTINCT cmd) AS n FROM runs) WHERE n";

    if (merge->keep != TP_KEEP_NONE && join_meta(merge, "keep", kinds[merge->keep]))
        return TP_NO_MEMORY(err);
    if (merge->meta.count > 0)
        qsort(merge->meta.at, merge->meta.count, sizeof *merge->meta.at, merge_by_key);
    return tp_sum_write(&merge->sum, 0, path, &merge->meta, commands, err);
}
