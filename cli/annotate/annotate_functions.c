/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_functions.c: what each function costs in each file, grouped by file and by function.
 *
 * A group with one member is one row, "file:function". Rows below the threshold are left out; a group stays if it
 * reaches the threshold or something in it does. Which files are annotated follows from the table by files.
 */
#include "cli/annotate/annotate.h"

#include "cli/base/place.h"
#include "cli/base/term.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 4096 };

/* ------------------------------------------------------------------------------------------ groups */

/* What rows are sorted for. */
struct sorting {
    const struct annotate *an;
    bool by_file;
};

static const struct tp_annotated_pair *pair_at(const struct annotate *an, uint32_t i)
{
    return &an->costs.pairs.at[i];
}

static uint32_t group_of(const struct tp_annotated_pair *pair, bool by_file)
{
    return by_file ? pair->file : pair->function;
}

static const char *sort_name(const struct annotate *an, bool is_file, uint32_t index)
{
    const struct tp_annotated_file *file = &an->costs.files.at[is_file ? index : 0];

    if (!is_file)
        return an->costs.functions.at[index].name;
    return file->path != NULL ? file->place.name : file->object != NULL ? file->object : "";
}

static int compare_pairs(const void *a, const void *b, void *user)
{
    const struct sorting *sorting = user;
    const struct tp_annotated_pair *x = pair_at(sorting->an, *(const uint32_t *)a),
                                   *y = pair_at(sorting->an, *(const uint32_t *)b);
    uint32_t of_x = group_of(x, sorting->by_file), of_y = group_of(y, sorting->by_file);

    if (of_x != of_y)
        return of_x < of_y ? -1 : 1;
    int order = annotate_compare(sorting->an, x->cost, y->cost);
    return order != 0 ? order : strcmp(sort_name(sorting->an, !sorting->by_file, group_of(x, !sorting->by_file)),
                                       sort_name(sorting->an, !sorting->by_file, group_of(y, !sorting->by_file)));
}

static int compare_groups(const void *a, const void *b, void *user)
{
    const struct sorting *sorting = user;
    const struct annotate_group *x = a, *y = b;
    int order = annotate_compare(sorting->an, x->rank, y->rank);

    return order != 0 ? order : strcmp(sort_name(sorting->an, sorting->by_file, x->index),
                                       sort_name(sorting->an, sorting->by_file, y->index));
}

static void make_groups(struct annotate *an, bool by_file, struct annotate_groups *groups)
{
    bool by_inclusive = an->columns.at[an->key[0].column].inclusive;
    size_t pairs = an->costs.pairs.count, n;

    for (size_t i = 0; i < pairs; i += n) {
        uint32_t index = group_of(pair_at(an, groups->pair[i]), by_file);
        struct annotate_group group = {.index = index, .first = i};

        for (n = 0; i + n < pairs && group_of(pair_at(an, groups->pair[i + n]), by_file) == index; n++)
            ;
        group.all = n;
        group.cost = by_file ? an->costs.files.at[index].cost : an->costs.functions.at[index].cost;
        /* Files have no inclusive costs: they are sorted by that of their first function. */
        group.rank = by_file && by_inclusive ? pair_at(an, groups->pair[i])->cost : group.cost;
        groups->all++;
        for (size_t k = i; k < i + n; k++) { /* the members that are shown go to the front */
            uint32_t pair = groups->pair[k];

            if (annotate_reaches(an, pair_at(an, pair)->cost))
                groups->pair[i + group.count++] = pair;
        }
        if (group.count > 0 || annotate_reaches(an, group.cost))
            groups->group[groups->count++] = group;
    }
}

static void make_table(struct annotate *an, bool by_file, struct annotate_groups *groups)
{
    struct sorting sorting = {an, by_file};
    size_t pairs = an->costs.pairs.count;

    *groups = (struct annotate_groups){.by_file = by_file};
    groups->pair = term_have(malloc((pairs + 1) * sizeof *groups->pair));
    groups->group = term_have(malloc((pairs + 1) * sizeof *groups->group));
    for (size_t i = 0; i < pairs; i++)
        groups->pair[i] = (uint32_t)i;
    qsort_r(groups->pair, pairs, sizeof *groups->pair, compare_pairs, &sorting);
    make_groups(an, by_file, groups);
    qsort_r(groups->group, groups->count, sizeof *groups->group, compare_groups, &sorting);
}

/* ------------------------------------------------------------------------------------------ names */

void annotate_file_name(const struct annotate *an, uint32_t file, char *out, size_t size)
{
    const struct tp_annotated_file *f = &an->costs.files.at[file];
    const char *slash = f->object != NULL ? strrchr(f->object, '/') : NULL;

    if (f->path == NULL && f->object == NULL)
        snprintf(out, size, "???");
    else if (f->path == NULL)
        snprintf(out, size, "??? (%s)", slash != NULL && slash[1] != '\0' ? slash + 1 : f->object);
    else
        place_file(an->profile, out, size, f->place.directory != NULL ? f->path : f->place.name);
}

static void name_of(const struct annotate *an, bool is_file, uint32_t index, char *out)
{
    if (is_file)
        annotate_file_name(an, index, out, NAME);
    else
        snprintf(out, NAME, "%s", an->costs.functions.at[index].name);
}

/* ------------------------------------------------------------------------------------------ tables */

static void add_rows(struct annotate *an, struct table *table, const struct annotate_groups *groups,
                     const struct annotate_group *group)
{
    bool by_file = groups->by_file;
    const uint32_t *member = &groups->pair[group->first];
    const struct tp_annotated_pair *only = group->all == 1 ? &an->costs.pairs.at[*member] : NULL;
    char name[NAME], other[NAME] = "", text[2 * NAME + 8];

    name_of(an, by_file, group->index, name);
    if (only != NULL)
        name_of(an, !by_file, by_file ? only->function : only->file, other);
    snprintf(text, sizeof text, "%s:%s", name, other);
    annotate_cells(an, table, only != NULL ? only->cost : group->cost,
                   by_file && only == NULL ? ANNOTATE_SELF_ONLY : ANNOTATE_ALL,
                   by_file && only == NULL ? TP_SAMPLED_LINES : TP_SAMPLED_FUNCTIONS);
    table_text(table, text);
    if (only != NULL)
        return;
    table_style(table, TERM_BOLD);
    for (size_t i = 0; i < group->count; i++) {
        const struct tp_annotated_pair *pair = &an->costs.pairs.at[member[i]];

        annotate_cells(an, table, pair->cost, ANNOTATE_ALL, TP_SAMPLED_FUNCTIONS);
        name_of(an, !by_file, by_file ? pair->function : pair->file, name);
        table_text(table, name);
        table_indent(table, 2);
    }
}

static void print_table(struct annotate *an, const struct annotate_groups *groups)
{
    bool by_file = groups->by_file;
    struct table *table;

    annotate_section(an, by_file ? "File:function" : "Function:file");
    if (groups->count == 0) {
        puts("  none reaches the threshold");
        return;
    }
    table = annotate_table(an, TABLE_TEXT, by_file ? "file:function" : "function:file");
    for (size_t i = 0; i < groups->count; i++)
        add_rows(an, table, groups, &groups->group[i]);
    annotate_print(an, table);
    if (groups->count < groups->all)
        printf("  %zu of %zu %s; the others are below the threshold\n", groups->count, groups->all,
               by_file ? "files" : "functions");
}

void annotate_functions(struct annotate *an)
{
    struct annotate_groups groups;

    for (int by_file = 1; by_file >= 0; by_file--) {
        make_table(an, by_file, &groups);
        if (an->json)
            annotate_json_groups(an, &groups);
        else
            print_table(an, &groups);
        /* Files of the table are annotated, unless only those named by the user are. */
        for (size_t i = 0; by_file && an->automatic && i < groups.count; i++) {
            uint32_t file = groups.group[i].index;

            if (an->choice[file] != ANNOTATE_NOT)
                continue;
            an->choice[file] = ANNOTATE_AUTO;
            an->order[an->chosen++] = file;
        }
        free(groups.pair);
        free(groups.group);
    }
}
