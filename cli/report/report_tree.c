/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_tree.c: the call tree, down to a threshold.
 *
 * An inclusive cost is never above the parent's, so nodes above the threshold are a tree again. Of a difference, what
 * is below a node may be larger than the node, which then counts as much as the largest of them. Rows are in
 * depth-first order, children by size. A recursive call costs at the ancestor that runs the callee; here it shows as a
 * row with calls only. What start-up calls takes its place. A node whose descendants were pruned (--paths) is marked.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"
#include "profile/base/sound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Of the nodes that may be shown (`node`) all are kept; of a difference those that are large with all above them
 * (`large`), each as large as the largest size in its subtree (`up`). `tree` is what the roots lead to: SQLite goes on
 * with the first by the ORDER BY of the rows that a recursion has found, and the deepest, of these the largest, is the
 * next one in depth-first order. Nodes that are below themselves are in no tree; the first row, a count of all, tells.
 */
static const char tree_sql[] =
    "WITH RECURSIVE given(least, difference) AS (VALUES (%f, %d)), "
    "skip AS MATERIALIZED (SELECT id, parent FROM paths WHERE function_id IN (SELECT id FROM temp.startup)), "
    "above(id, parent) AS (SELECT id, parent FROM skip WHERE ifnull(parent, 0) NOT IN (SELECT id FROM skip)"
    " UNION ALL SELECT skip.id, above.parent FROM above JOIN skip ON skip.parent = above.id), "
    "node AS MATERIALIZED (SELECT p.id, CASE WHEN above.id IS NULL THEN p.parent ELSE above.parent END AS parent,"
    " abs(%s) AS size FROM given CROSS JOIN paths p LEFT JOIN above ON above.id = p.parent"
    " WHERE recursive = 0 AND function_id NOT IN (SELECT id FROM temp.startup)"
    " AND (difference OR (%s >= least AND %s > 0))), "
    "large(id) AS (SELECT id FROM node, given WHERE difference AND size >= least AND size > 0"
    " UNION SELECT parent FROM large JOIN node USING (id), given WHERE difference), "
    "up(id, size) AS (SELECT id, size FROM large JOIN node USING (id)"
    " UNION SELECT parent, up.size FROM up JOIN node USING (id), given WHERE difference), "
    "kept AS MATERIALIZED (SELECT id, parent, size FROM node, given WHERE NOT difference"
    " UNION ALL SELECT id, parent, max(up.size) FROM up JOIN node USING (id) GROUP BY id), "
    "tree(id, depth, size) AS (SELECT id, 0, size FROM kept WHERE ifnull(parent, 0) NOT IN (SELECT id FROM kept)"
    " UNION ALL SELECT kept.id, depth + 1, kept.size FROM tree JOIN kept ON kept.parent = tree.id"
    " ORDER BY 2 DESC, 3 DESC, 1) "
    "SELECT NULL AS place, count(*), NULL, NULL, NULL, NULL, NULL, NULL FROM kept "
    "UNION ALL SELECT place, calls, id, nullif(parent, 0), nth.depth,"
    " function || CASE WHEN handler THEN ' [signal handler]' ELSE '' END"
    " || CASE WHEN approximate THEN ' [approximate below]' ELSE '' END, %s, %s "
    "FROM (SELECT row_number() OVER () AS place, id, depth FROM tree) nth CROSS JOIN paths USING (id) ORDER BY place";

/* False with a line on stderr. */
static bool tree_rows(struct report *report, struct table *table, double least, const struct column_spec *incl,
                      const struct column_spec *self)
{
    enum { DEEPEST = 40 };
    int64_t all = 0;
    struct tp_error err;
    struct query q;

    query_begin(&q, report->profile, tree_sql, least, report->difference, incl->sql, incl->sql, incl->sql, incl->sql,
                self->sql);
    if (query_row(&q))
        all = query_int(&q, 1);
    while (query_row(&q)) { /* place, calls, id, parent, depth, name, inclusive and self cost */
        int64_t depth = query_int(&q, 4);

        column_cells(table, incl, &q, 6, 0);
        column_cells(table, self, &q, 7, incl->total);
        for (int i = 1; i <= 5; i++)
            query_cell(table, q.statement, i);
        table_indent(table, 2 * (int)(depth < DEEPEST ? depth : DEEPEST));
    }
    if (!query_end(&q))
        return false;
    if ((int64_t)table_rows(table) == all)
        return true;
    tp_damaged(report->file, "a call path is below itself", &err);
    term_error("%s", err.message);
    return false;
}

bool report_tree(struct report *report, const struct tp_section_group *group)
{
    double threshold = report->threshold >= 0 ? report->threshold : 1.0;
    const char *format = tp_meta(report->profile, "import.format");
    struct column_spec incl, self;
    char name[64], words[200], heading[256];
    struct column_list columns = {.most = 2};
    struct table *table;

    snprintf(name, sizeof name, "%s%s", report->sort.name, report->sort.inclusive ? "" : "_incl");
    if (!column_find(report->profile, "this profile", name, &incl))
        return false;
    name[strlen(name) - strlen("_incl")] = '\0';
    if (!column_find(report->profile, "this profile", name, &self))
        return false;
    table = table_new();
    column_headings(table, &incl, 0, 0);
    column_headings(table, &self, 2, 1);
    report_columns(report, table, group->sections[0]);
    bool good = tree_rows(report, table, threshold * fabs(incl.total) / 100, &incl, &self);
    tp_named(report->profile, incl.name, words, sizeof words);
    snprintf(heading, sizeof heading, "Call tree by %s, down to %g %%", words, threshold);
    bool any = table_rows(table) > 0;
    if (!any && format != NULL) {
        term_error("this profile has no call paths: a file of %s has none", format);
        table_free(table);
        free(columns.at);
        return false;
    }
    report_print(report, table, group->sections[0]->key, heading);
    column_keep(&columns, &incl);
    if (report->form == TABLE_TERMINAL && any)
        report_legend(report, &columns, false);
    report_left_out(report);
    free(columns.at);
    return good;
}
