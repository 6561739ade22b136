/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify.c: see verify.h.
 *
 * SQLite looks at its own structure; then each row that a column refers to must be there, and costs must add up as
 * docs/profile-format.md says ("Sums"). AcCost is rounded, and left out; so is an event whose total has stopped at the
 * largest number.
 */
#include "profile/sum/verify.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/base/sound.h"
#include "profile/raw/raw_read.h"
#include "profile/raw/recording.h"
#include "profile/sum/sum.h"

struct verify {
    tp_profile *profile;
    struct tp_sum *sum; /* for its shapes */
    struct tp_error *err;
};

static int is_wrong(const struct verify *v, const char *what)
{
    return tp_damaged(tp_path(v->profile), what, v->err);
}

/* In front of the first thing that is wrong there may be a line that names the database. */
static int take_structure(void *user, sqlite3_stmt *row)
{
    const char *said = tp_text(row, 0), *line = strchr(said, '\n');

    return strcmp(said, "ok") == 0 ? 0 : is_wrong(user, line ? line + 1 : said);
}

/* ------------------------------------------------------------------------------------------ references */

static int verify_reference(struct verify *v, const struct tp_table *table, const struct tp_field *field)
{
    const char *to = v->sum->shape[field->refers].table->name;
    char *sql = sqlite3_mprintf("SELECT count(*) FROM %s t WHERE \"%w\" IS NOT NULL AND NOT EXISTS "
                                "(SELECT 1 FROM %s r WHERE r.id = t.\"%w\")",
                                table->name, field->name, to, field->name);
    double lost;
    char what[200];

    if (tp_number(v->profile, sql, 0, &lost, v->err))
        return -1;
    snprintf(what, sizeof what, "%s.%s of %.0f rows refers to none of %s", table->name, field->name, lost, to);
    return lost > 0 ? is_wrong(v, what) : 0;
}

static int count_rows(struct verify *v, uint64_t *rows)
{
    size_t tables;
    const struct tp_table *table = tp_schema_tables(&tables);
    double count;

    for (size_t i = 0; i < tables; i++) {
        if (tp_number(v->profile, sqlite3_mprintf("SELECT count(*) FROM %s", table[i].name), 0, &count, v->err))
            return -1;
        *rows += (uint64_t)count;
    }
    return 0;
}

static int verify_references(struct verify *v)
{
    for (int i = 0; i < v->sum->tables; i++) {
        const struct tp_shape *shape = &v->sum->shape[i];
        for (int f = 0; f < shape->fields; f++) {
            if (shape->field[f].refers >= 0 && verify_reference(v, shape->table, &shape->field[f]))
                return -1;
        }
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ sums */

/* Whose rows sum to the totals, if there are any. INCL: their inclusive costs, which are not always known; SAMPLED: but
 * for events that were not sampled, which are 0. What is estimated is rounded for each row of INCL and of MEASURED. */
enum rule { SELF, INCL, SAMPLED, MEASURED };
static const struct whole {
    const char *name, *from;
    enum rule rule;
} wholes[] = {
    {"functions", "t_functions", SELF},
    {"lines", "t_lines", SELF},
    {"instructions", "t_instructions", SELF},
    {"costs by thread", "self", SELF},
    {"threads", "threads", SELF},
    {"parts", "parts", MEASURED},
    {"intervals", "t_intervals", MEASURED},
    {"groups of sampled sets", "t_total_groups", SAMPLED},
    {"roots of paths", "t_paths WHERE parent IS NULL", INCL},
};

static int verify_event(struct verify *v, const struct whole *whole, const char *event)
{
    const char *incl = whole->rule == INCL ? "_incl" : "";
    char *sql = sqlite3_mprintf("SELECT (SELECT ifnull(sum(\"%w%s\"), 0) <> t.total AND count(*) > 0 AND "
                                "(count(\"%w%s\") = count(*) OR %d) AND (ifnull(sum(\"%w%s\"), 0) <> 0 OR %d) FROM %s) "
                                "FROM (SELECT ifnull(\"%w\", 0) AS total FROM t_totals) t WHERE total < %lld",
                                event, incl, event, incl, whole->rule != INCL, event, incl, whole->rule != SAMPLED,
                                whole->from, event, (long long)INT64_MAX);
    double differs;
    char what[200];

    if (tp_number(v->profile, sql, 0, &differs, v->err))
        return -1;
    snprintf(what, sizeof what, "%s of all %s is not the total", event, whole->name);
    return differs > 0 ? is_wrong(v, what) : 0;
}

static int verify_sums(struct verify *v)
{
    if (tp_meta(v->profile, "diff.new")) /* what does not count is left out of its rows */
        return 0;
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        for (size_t e = 0; e < tp_event_count(v->profile); e++) {
            const struct tp_event *event = tp_event_at(v->profile, e);
            bool rounded = strcmp(event->name, "Time") == 0 && wholes[i].rule != SELF;
            if (!event->derived && !event->real && !rounded && verify_event(v, &wholes[i], event->name))
                return -1;
        }
    }
    return 0;
}

int tp_verify(tp_profile *profile, uint64_t *rows, struct tp_error *err)
{
    struct verify v = {.profile = profile, .sum = calloc(1, sizeof *v.sum), .err = err};

    *rows = 0;
    if (!v.sum)
        return TP_NO_MEMORY(err);
    int failed = tp_sum_begin(v.sum, false, err) ||
                 tp_each(profile, sqlite3_mprintf("PRAGMA integrity_check(1)"), take_structure, &v, err) ||
                 count_rows(&v, rows) || verify_references(&v) || verify_sums(&v) || tp_sound(err);
    tp_sum_free(v.sum);
    free(v.sum);
    return failed ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------ raw */

int tp_verify_raw(const char *path, uint64_t *parts, struct tp_error *err)
{
    static const struct tp_import_options options;
    struct tp_raw_file file;
    struct tp_raw_extent extent;
    struct tp_recording rec = {0};
    int failed = tp_raw_open(&file, path, err) || tp_raw_scan(&file, &extent, err) ||
                 tp_recording_read(&rec, &file, &extent, &options, err);

    if (!failed && *extent.damage)
        failed = TP_FAIL(err, "%s", extent.damage);
    *parts = failed ? 0 : extent.parts;
    tp_raw_close(&file);
    tp_recording_free(&rec);
    return failed ? -1 : 0;
}
