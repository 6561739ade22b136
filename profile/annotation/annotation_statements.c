/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotation_statements.c: which lines of the annotated files are one statement, and what part of the program's cost it
 * has.
 *
 * A statement that is in several objects (of a header), or in a file that has several names, is one here.
 */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "profile/annotation/annotation.h"
#include "profile/base/error.h"

static int annotated_by_place(const void *a, const void *b)
{
    const struct tp_annotated_statement *x = a, *y = b;
    int order = TP_COMPARE(x->file, y->file);

    order = order ? order : TP_COMPARE(x->line, y->line);
    return order ? order : TP_COMPARE(x->first_line, y->first_line);
}

/* Rows of equal lines into one: a file may have several names. */
static void annotated_join(struct tp_annotation *a)
{
    size_t to = 0;

    if (a->statements.count)
        qsort(a->statements.at, a->statements.count, sizeof *a->statements.at, annotated_by_place);
    for (size_t i = 0; i < a->statements.count; i++) {
        const struct tp_annotated_statement *next = &a->statements.at[i];
        if (to && a->statements.at[to - 1].file == next->file && a->statements.at[to - 1].line == next->line) {
            a->statements.at[to - 1].cost += next->cost;
            a->statements.at[to - 1].misses += next->misses;
        } else {
            a->statements.at[to++] = *next;
        }
    }
    a->statements.count = to;
}

static int take_statement(void *user, sqlite3_stmt *row)
{
    struct tp_annotation *a = user;
    uint32_t file = tp_idmap_find(&a->file_of_id, (uint64_t)sqlite3_column_int64(row, 0));
    int64_t first = sqlite3_column_int64(row, 1), line = sqlite3_column_int64(row, 2);
    double total = sqlite3_column_double(row, 5);

    if (file == TP_NOT_FOUND || first <= 0 || line < first || line > INT32_MAX || total == 0)
        return 0;
    return !TP_VECTOR_PUSH(&a->statements,
                           (struct tp_annotated_statement){.file = file, .first_line = (uint32_t)first,
                                                           .line = (uint32_t)line,
                                                           .cost = 100 * sqlite3_column_double(row, 3) / total,
                                                           .misses = 100 * sqlite3_column_double(row, 4) / total});
}

/* The first event stands for the cost where nothing is estimated: in a profile of another tool. */
static char *annotated_query_of(tp_profile *profile)
{
    const char *cost = tp_event_find(profile, "CEst") ? "CEst" : tp_event_at(profile, 0)->name;
    bool both = strcmp(cost, "CEst") == 0 && tp_event_find(profile, "Ir");

    return sqlite3_mprintf("SELECT file_id, first_line, line, sum(\"%w\"), sum(%s), (SELECT \"%w\" FROM totals) "
                           "FROM statements GROUP BY file_id, first_line, line",
                           cost, both ? "CEst - Ir" : "0", cost);
}

int tp_annotation_statements(struct tp_annotation *a, struct tp_error *err)
{
    int failed = tp_each(a->profile, annotated_query_of(a->profile), take_statement, a, err);

    annotated_join(a);
    return failed;
}

const struct tp_annotated_statement *tp_annotation_statement(const struct tp_annotation *a, uint32_t file,
                                                             uint32_t line)
{
    size_t low = 0, high = a->statements.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct tp_annotated_statement *at = &a->statements.at[middle];
        if (at->file < file || (at->file == file && at->line < line))
            low = middle + 1;
        else
            high = middle;
    }
    const struct tp_annotated_statement *found = low < a->statements.count ? &a->statements.at[low] : NULL;
    return found && found->file == file && found->first_line <= line ? found : NULL;
}
