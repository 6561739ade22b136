/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_tree.c: the call tree, down to a threshold.
 *
 * Only the nodes above the threshold are read: an inclusive cost is never above the parent's, so what is read
 * is a tree again. Rows are in depth-first order, children by cost. A recursive call costs at the ancestor
 * that runs the callee; here it shows as a row with calls only. A node whose descendants were pruned
 * (--paths) is marked. Of a difference all are read, since what is below a node may be larger than the node.
 */
#include "cli/report/report.h"

#include "cli/base/term.h"
#include "profile/base/sound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int64_t id, parent, calls;
    double cost;
    char *name;
    bool approximate, handler;
    bool has_self;
    double self;
    double size; /* that it is kept and sorted by */
    size_t first_child, next; /* indices into the array, 0: none; index 0 is unused */
};

struct tree {
    struct node *node;
    size_t count, room;
};

static struct node *add(struct tree *tree)
{
    if (tree->count + 1 >= tree->room) {
        tree->room = tree->room * 2 + 256;
        tree->node = realloc(tree->node, tree->room * sizeof *tree->node);
        if (tree->node == NULL)
            term_no_memory();
    }
    tree->count++;
    memset(&tree->node[tree->count], 0, sizeof *tree->node);
    return &tree->node[tree->count];
}

/* The array is sorted by id. */
static size_t find(const struct tree *tree, int64_t id)
{
    size_t low = 1, high = tree->count;

    while (low <= high) {
        size_t middle = low + (high - low) / 2;

        if (tree->node[middle].id == id)
            return middle;
        if (tree->node[middle].id < id)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return 0;
}

/* Of a difference, what is below a node may be larger than the node: it is as large as the largest of them. Nodes
 * smaller than `least` go. Children come before their parents. */
static void keep_large(struct tree *tree, double least)
{
    size_t kept = 0, i;

    for (i = 1; i <= tree->count; i++) {
        size_t parent = tree->node[i].parent ? find(tree, tree->node[i].parent) : 0;

        if (parent != 0 && tree->node[parent].size < tree->node[i].size)
            tree->node[parent].size = tree->node[i].size;
    }
    for (i = 1; i <= tree->count; i++) {
        if (tree->node[i].size > 0 && tree->node[i].size >= least)
            tree->node[++kept] = tree->node[i];
        else
            free(tree->node[i].name);
    }
    tree->count = kept;
}

static bool read_nodes(struct report *report, const struct column_spec *incl, const struct column_spec *self,
                       struct tree *tree)
{
    double least = (report->threshold >= 0 ? report->threshold : 1.0) * fabs(incl->total) / 100;
    struct query q;

    query_begin(&q, report->profile,
                "SELECT id, parent, function, calls, approximate, handler, %s, %s FROM paths "
                "WHERE recursive = 0 AND (%d OR (%s >= %f AND %s > 0)) ORDER BY id",
                incl->sql, self->sql, report->difference, incl->sql, least, incl->sql);
    while (query_row(&q)) {
        struct node *node = add(tree);

        node->id = query_int(&q, 0);
        node->parent = query_int(&q, 1);
        node->name = strdup(query_text(&q, 2));
        node->calls = query_int(&q, 3);
        node->approximate = query_int(&q, 4) != 0;
        node->handler = query_int(&q, 5) != 0;
        node->cost = query_real(&q, 6);
        node->size = fabs(node->cost);
        node->has_self = !query_null(&q, 7);
        node->self = query_real(&q, 7);
        if (node->name == NULL)
            term_no_memory();
    }
    if (!query_end(&q))
        return false;
    if (report->difference)
        keep_large(tree, least);
    return true;
}

struct by_cost {
    double cost;
    size_t index;
};

static int cheaper_first(const void *a, const void *b)
{
    const struct by_cost *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return x->index < y->index ? 1 : -1;
}

/* Puts the nodes into their parents' lists, cheapest first, so that each list begins with the most expensive.
 * */
static size_t link_nodes(struct tree *tree)
{
    struct by_cost *order = calloc(tree->count + 1, sizeof *order);
    size_t roots = 0, i;

    if (order == NULL)
        term_no_memory();
    for (i = 0; i < tree->count; i++)
        order[i] = (struct by_cost){tree->node[i + 1].size, i + 1};
    qsort(order, tree->count, sizeof *order, cheaper_first);
    for (i = 0; i < tree->count; i++) {
        struct node *node = &tree->node[order[i].index];
        size_t parent = node->parent ? find(tree, node->parent) : 0;
        size_t *head = parent ? &tree->node[parent].first_child : &roots;

        node->next = *head;
        *head = order[i].index;
    }
    free(order);
    return roots;
}

static void number_or_dot(struct table *table, bool known, double value, const struct column_spec *spec)
{
    if (!known)
        table_null(table);
    else if (spec->is_real)
        table_number(table, value);
    else
        table_count(table, (int64_t)value);
}

static double percent_of(double cost, double total)
{
    return cost == 0 || total == 0 ? 0 : 100 * cost / fabs(total);
}

static void row(struct table *table, const struct node *node, int depth, const struct column_spec *incl)
{
    char name[4096];

    number_or_dot(table, true, node->cost, incl);
    table_number(table, percent_of(node->cost, incl->total));
    number_or_dot(table, node->has_self, node->self, incl);
    table_number(table, percent_of(node->self, incl->total));
    table_count(table, node->calls);
    table_count(table, node->id);
    if (node->parent)
        table_count(table, node->parent);
    else
        table_null(table);
    table_count(table, depth);
    snprintf(name, sizeof name, "%s%s%s", node->name, node->handler ? " [signal handler]" : "",
             node->approximate ? " [approximate below: --paths]" : "");
    table_text(table, name);
    table_indent(table, depth < 40 ? depth * 2 : 80);
}

/* Depth-first without recursion: call trees may be deeper than a stack. How many there are; those that are below
 * themselves are not met. */
static size_t rows(struct table *table, struct tree *tree, size_t at, const struct column_spec *incl)
{
    size_t *stack = calloc(tree->count + 1, sizeof *stack), depth = 0, count = 0;

    if (stack == NULL)
        term_no_memory();
    while (at != 0 || depth > 0) {
        if (at == 0) {
            at = tree->node[stack[--depth]].next;
            continue;
        }
        row(table, &tree->node[at], (int)depth, incl);
        count++;
        stack[depth++] = at;
        at = tree->node[at].first_child;
    }
    free(stack);
    return count;
}

static void tree_free(struct tree *tree)
{
    size_t i;

    for (i = 1; i <= tree->count; i++)
        free(tree->node[i].name);
    free(tree->node);
}

bool report_tree(struct report *report, const struct tp_section_group *group)
{
    const char *format = tp_meta(report->profile, "import.format");
    struct column_spec incl, self;
    struct tree tree = {0};
    struct tp_error err;
    char name[64], heading[160];
    struct table *table;
    bool good;

    snprintf(name, sizeof name, "%s%s", report->sort.name, report->sort.inclusive ? "" : "_incl");
    if (!column_find(report->profile, name, &incl))
        return false;
    name[strlen(name) - 5] = '\0';
    good = column_find(report->profile, name, &self) && read_nodes(report, &incl, &self, &tree);
    table = table_new();
    column_headings(table, &incl, 0, 0);
    column_headings(table, &self, 2, 1);
    report_columns(report, table, group->sections[0]);
    if (good && tree.count > 0 && rows(table, &tree, link_nodes(&tree), &incl) < tree.count) {
        tp_damaged(report->file, "a call path is below itself", &err);
        term_error("%s", err.message);
        good = false;
    }
    snprintf(heading, sizeof heading, "Call tree by %s, down to %g %%", incl.name,
             report->threshold >= 0 ? report->threshold : 1.0);
    if (tree.count == 0 && format != NULL)
        snprintf(heading, sizeof heading, "Call tree (a file of %s has no call paths)", format);
    report_print(report, table, group->sections[0]->key, heading);
    tree_free(&tree);
    return good;
}
