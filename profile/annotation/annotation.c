/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotation.c: see annotation.h. Files, functions, pairs and lines: rows of views, summed by keys, sorted at the end.
 *
 * A code location without a file belongs to a file of its own for each object, so that a table by files says at least
 * where it is.
 */
#include "profile/annotation/annotation.h"

#include <stdlib.h>
#include <string.h>

#include "profile/annotation/annotation_rows.h"
#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/read/margin.h"

/* ------------------------------------------------------------------------------------------ files */

/* Files by name, and unknown ones by their object's. */
static const char *annotation_name_of(const struct tp_annotated_file *file)
{
    return file->path ? file->place.name : file->object ? file->object : "";
}

static bool same_file(const void *annotation, uint32_t index, const void *key)
{
    const struct tp_annotated_file *file = &((const struct tp_annotation *)annotation)->files.at[index], *wanted = key;

    return !file->path == !wanted->path && strcmp(annotation_name_of(file), annotation_name_of(wanted)) == 0;
}

static uint32_t find_file(struct tp_annotation *a, const struct tp_annotated_file *wanted)
{
    uint64_t hash = tp_hash(tp_hash_text(annotation_name_of(wanted)), wanted->path != NULL);
    struct tp_slot *slot = tp_slots_find(&a->file_of_name, hash, same_file, a, wanted);

    if (!slot || slot->index)
        return slot ? slot->index - 1 : TP_NOT_FOUND;
    struct tp_annotated_file file = *wanted;
    file.cost = tp_annotation_row(a);
    if (!file.cost || !TP_VECTOR_PUSH(&a->files, file))
        return TP_NOT_FOUND;
    return tp_slots_fill(&a->file_of_name, slot, a->files.count) - 1;
}

static bool take_file(struct tp_reading *r)
{
    struct tp_annotation *a = r->a;
    struct tp_annotated_file wanted = {.path = tp_text_at(r, 1), .embedded = sqlite3_column_int64(r->row, 2)};

    if (!wanted.path)
        return true;
    if (tp_locate(&a->arena, a->search, wanted.path, &wanted.place))
        return false;
    uint32_t file = find_file(a, &wanted);
    if (file == TP_NOT_FOUND)
        return false;
    if (!a->files.at[file].embedded)
        a->files.at[file].embedded = wanted.embedded;
    return tp_remember(&a->file_of_id, sqlite3_column_int64(r->row, 0), file);
}

static const struct tp_view_rows file_rows = {"f.id, f.path, s.file_id", 3, "", TP_COLUMNS_NONE,
                                              "files f LEFT JOIN sources s ON s.file_id = f.id"};

uint32_t tp_file_at(struct tp_reading *r, int column, uint32_t function)
{
    uint32_t file = tp_index_at(r, column, &r->a->file_of_id);
    struct tp_annotated_file unknown = {.object = r->a->functions.at[function].object};

    return file != TP_NOT_FOUND ? file : find_file(r->a, &unknown);
}

/* ------------------------------------------------------------------------------------------ functions */

/* The self costs alone. */
static void add_self(const struct tp_annotation *a, union tp_cell *to, const union tp_cell *from)
{
    for (size_t i = 0; i < (1 + a->groups) * a->terms; i++) {
        if (!a->term[i % a->terms].inclusive)
            tp_add_cell(tp_is_real(a, i), &to[i], from[i]);
    }
}

static double magnitude(const struct tp_annotation *a, size_t term, union tp_cell cell)
{
    double value = tp_is_real(a, term) ? cell.real : (double)cell.count;

    return value < 0 ? -value : value;
}

/* A function by its number; one of another tool's, that is nowhere, by its names: it is told apart by files alone. */
static uint32_t find_function(struct tp_reading *r)
{
    struct tp_annotation *a = r->a;
    struct tp_idmap *base = r->user;
    struct tp_annotated_function wanted = {.name = tp_text_at(r, 2), .object = tp_text_at(r, 3),
                                           .address = (uint64_t)sqlite3_column_int64(r->row, 4),
                                           .size = (uint64_t)sqlite3_column_int64(r->row, 5)};
    bool nowhere = wanted.address == 0 && wanted.size == 0;
    uint64_t key = (uint64_t)sqlite3_column_int64(r->row, 1) & INT64_MAX;
    uint32_t i;

    wanted.name = wanted.name ? wanted.name : "???";
    if (nowhere || key == 0)
        key = tp_hash(tp_hash_text(wanted.name), tp_hash_text(wanted.object ? wanted.object : "")) | (uint64_t)1 << 63;
    for (; (i = tp_idmap_find(base, key)) != TP_NOT_FOUND; key += 2) {
        const struct tp_annotated_function *there = &a->functions.at[i];
        if (!nowhere || (strcmp(there->name, wanted.name) == 0 &&
                         strcmp(there->object ? there->object : "", wanted.object ? wanted.object : "") == 0))
            return i;
    }
    struct tp_annotated_function *function = TP_VECTOR_ADD(&a->functions);
    if (!function || tp_idmap_add(base, key, (uint32_t)(a->functions.count - 1)))
        return TP_NOT_FOUND;
    *function = wanted;
    function->cost = tp_annotation_row(a);
    return function->cost ? (uint32_t)(a->functions.count - 1) : TP_NOT_FOUND;
}

/* Inclusively, the largest of its contexts until the call tree says more. */
static bool take_function(struct tp_reading *r)
{
    struct tp_annotation *a = r->a;
    uint32_t i = find_function(r);

    if (i == TP_NOT_FOUND)
        return false;
    add_self(a, a->functions.at[i].cost, r->cell);
    for (size_t t = 0; t < a->terms; t++) {
        union tp_cell *cell = &a->functions.at[i].cost[t];
        if (a->term[t].inclusive && r->cell[t].count != TP_ABSENT &&
            (cell->count == TP_ABSENT || magnitude(a, t, *cell) < magnitude(a, t, r->cell[t])))
            *cell = r->cell[t];
        for (size_t g = 1; a->term[t].inclusive && g <= a->groups; g++)
            cell[g * a->terms].count = a->functions.at[i].contexts ? TP_ABSENT : r->cell[g * a->terms + t].count;
    }
    a->functions.at[i].contexts++;
    return tp_remember(&a->function_of_context, sqlite3_column_int64(r->row, 0), i);
}

/* Contexts have groups of their own, but not all of them together. */
static bool take_function_group(struct tp_reading *r)
{
    struct tp_annotation *a = r->a;
    const struct tp_annotated_function *function = &a->functions.at[tp_function_at(r, 0)];

    if (function->contexts == 1)
        tp_annotation_add(a, function->cost, r->cell);
    else
        add_self(a, function->cost, r->cell);
    return true;
}

/* The first function stands for what no row of `functions` explains. */
static int load_functions(struct tp_annotation *a)
{
    static const struct tp_view_rows rows = {"id, base_id, base, object, address, size", 6, "", TP_COLUMNS_AS_ASKED,
                                             "functions", .grouped = true},
                                     groups = {"function_id, sample_group", 2, "", TP_COLUMNS_AS_ASKED,
                                               "function_groups", .group = 1};
    struct tp_annotated_function *unknown = TP_VECTOR_ADD(&a->functions);
    struct tp_idmap base = {0};

    if (!unknown)
        return TP_NO_MEMORY(a->err);
    *unknown = (struct tp_annotated_function){.name = "???", .cost = tp_annotation_row(a)};
    if (!unknown->cost)
        return TP_NO_MEMORY(a->err);
    int status = tp_read_rows(a, &rows, take_function, &base);
    tp_idmap_free(&base);
    if (!status && a->groups)
        status = tp_read_rows(a, &groups, take_function_group, NULL);
    return status;
}

uint32_t tp_function_at(struct tp_reading *r, int column)
{
    uint32_t function = tp_index_at(r, column, &r->a->function_of_context);

    return function == TP_NOT_FOUND ? 0 : function;
}

/* ------------------------------------------------------------------------------------------ contexts, inclusively */

/* One context of a function may run below another, so their inclusive costs are no sum. From the call tree: those of
 * the topmost nodes that run any of them. A node's parent has a larger id, and comes first. */
struct node {
    uint32_t parent, function; /* parent: index + 1 */
};

struct nodes {
    struct tp_idmap of_id;
    TP_VECTOR(struct node) node;
};

static bool annotation_take_node(struct tp_reading *r)
{
    struct tp_annotation *a = r->a;
    struct nodes *nodes = r->user;
    uint32_t function = tp_function_at(r, 2), parent = tp_index_at(r, 1, &nodes->of_id) + 1; /* TP_NOT_FOUND + 1 is 0 */
    uint32_t above = parent; /* that runs the function, too; 0: none */
    size_t index = nodes->node.count;

    bool several = a->functions.at[function].contexts > 1;
    while (several && above && nodes->node.at[above - 1].function != function)
        above = nodes->node.at[above - 1].parent;
    a->pruned |= sqlite3_column_int(r->row, 3) != 0;
    if (several && !above) {
        union tp_cell *cost = a->functions.at[function].cost;
        for (size_t t = 0; t < a->terms && !a->functions.at[function].in_tree; t++)
            cost[t].count = a->term[t].inclusive ? TP_ABSENT : cost[t].count;
        a->functions.at[function].in_tree = true;
        tp_annotation_add(a, cost, r->cell);
    }
    return TP_VECTOR_PUSH(&nodes->node, (struct node){parent, function}) &&
           tp_remember(&nodes->of_id, sqlite3_column_int64(r->row, 0), index);
}

static int join_contexts(struct tp_annotation *a)
{
    static const struct tp_view_rows rows = {"id, parent, function_id, approximate", 4, "", TP_COLUMNS_BELOW,
                                             "paths ORDER BY id DESC"};
    struct nodes nodes = {0};
    bool several = false;

    for (size_t i = 0; i < a->functions.count; i++)
        several |= a->functions.at[i].contexts > 1;
    if (!tp_has_inclusive(a) || !several)
        return 0;
    int status = tp_read_rows(a, &rows, annotation_take_node, &nodes);
    for (size_t i = 0; i < a->functions.count; i++)
        a->pruned |= a->functions.at[i].contexts > 1 && !a->functions.at[i].in_tree;
    tp_idmap_free(&nodes.of_id);
    TP_VECTOR_FREE(&nodes.node);
    return status;
}

/* ------------------------------------------------------------------------------------------ lines and pairs */

static uint64_t key_of(uint32_t a, uint32_t b)
{
    return ((uint64_t)a + 1) << 32 | b;
}

static struct tp_annotated_pair *pair_of(struct tp_annotation *a, uint32_t file, uint32_t function)
{
    uint32_t i = tp_idmap_find(&a->pair_of, key_of(file, function));

    if (i != TP_NOT_FOUND)
        return &a->pairs.at[i];
    struct tp_annotated_pair *pair = TP_VECTOR_ADD(&a->pairs);
    if (!pair || tp_idmap_add(&a->pair_of, key_of(file, function), (uint32_t)(a->pairs.count - 1)))
        return NULL;
    *pair = (struct tp_annotated_pair){file, function, tp_annotation_row(a)};
    a->functions.at[function].pairs++;
    return pair->cost ? pair : NULL;
}

struct tp_annotated_line *tp_line_of(struct tp_annotation *a, uint32_t file, uint32_t number)
{
    uint32_t i = tp_idmap_find(&a->line_of, key_of(file, number));

    if (i != TP_NOT_FOUND)
        return &a->lines.at[i];
    struct tp_annotated_line *line = TP_VECTOR_ADD(&a->lines);
    if (!line || tp_idmap_add(&a->line_of, key_of(file, number), (uint32_t)(a->lines.count - 1)))
        return NULL;
    *line = (struct tp_annotated_line){.file = file, .line = number, .function = TP_NOT_FOUND};
    return line;
}

static bool annotation_add_costs(struct tp_reading *r, uint32_t file, uint32_t number, uint32_t function)
{
    struct tp_annotation *a = r->a;
    struct tp_annotated_line *line = file == TP_NOT_FOUND ? NULL : tp_line_of(a, file, number);
    struct tp_annotated_pair *pair = line ? pair_of(a, file, function) : NULL;

    if (!pair)
        return false;
    line->function = !line->cost || line->function == function ? function : TP_NOT_FOUND;
    if (!line->cost)
        line->cost = tp_annotation_row(a);
    if (!line->cost)
        return false;
    tp_annotation_add(a, line->cost, r->cell);
    tp_annotation_add(a, pair->cost, r->cell);
    add_self(a, a->files.at[file].cost, r->cell);
    return true;
}

static bool take_line(struct tp_reading *r)
{
    uint32_t function = tp_function_at(r, 2);

    return annotation_add_costs(r, tp_file_at(r, 0, function), tp_number_at(r, 1), function);
}

static const struct tp_view_rows line_rows = {"file_id, line, function_id", 3, "", TP_COLUMNS_AS_ASKED, "lines",
                                              .grouped = true},
                                 line_groups = {"l.file_id, l.line, l.function_id, g.sample_group", 4, "g.",
                                                TP_COLUMNS_AS_ASKED,
                                                "line_groups g JOIN t_lines l ON l.id = g.line_id", .group = 3};

/* A profile may know functions without their lines: a difference, for one. Their costs are on an unknown line of the
 * file they are defined in. */
static bool take_lineless(struct tp_reading *r)
{
    uint32_t function = tp_function_at(r, 1);
    bool any = false;

    for (size_t i = 0; i < r->a->terms; i++)
        any |= r->cell[i].count != TP_ABSENT && r->cell[i].count != 0;
    if (!any || function == 0 || r->a->functions.at[function].pairs)
        return true;
    return annotation_add_costs(r, tp_file_at(r, 0, function), 0, function);
}

static const struct tp_view_rows lineless_rows = {"t.file_id, v.id", 2, "v.", TP_COLUMNS_AS_ASKED,
                                                  "functions v JOIN t_functions t ON t.id = v.id"};

void tp_bound(const struct tp_annotation *a, union tp_cell *part, const union tp_cell *whole, bool all_of_it)
{
    for (size_t t = 0; t < a->terms; t++) {
        bool real = tp_is_real(a, t);
        double p = real ? part[t].real : (double)part[t].count, w = real ? whole[t].real : (double)whole[t].count;

        /* Of a difference both may be negative: what is nearer to 0. */
        if (a->term[t].inclusive && whole[t].count != TP_ABSENT && part[t].count != TP_ABSENT &&
            (all_of_it || (w >= 0 ? p > w : p < w))) {
            for (size_t g = 0; g <= a->groups; g++)
                part[g * a->terms + t] = whole[g * a->terms + t];
        }
    }
}

/* ------------------------------------------------------------------------------------------ order */

int tp_compare_places(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y; /* file and line */

    return a[0] != b[0] ? TP_COMPARE(a[0], b[0]) : TP_COMPARE(a[1], b[1]);
}

size_t tp_count_there(const void *list, size_t size, size_t count, size_t *at, const struct tp_annotated_line *line)
{
    const char *first = list;

    while (*at < count && tp_compare_places(first + *at * size, line) < 0)
        ++*at;
    size_t begin = *at;
    while (*at < count && tp_compare_places(first + *at * size, line) == 0)
        ++*at;
    return *at - begin;
}

/* ------------------------------------------------------------------------------------------ all of it */

static bool take_total(struct tp_reading *r)
{
    tp_annotation_add(r->a, r->a->total, r->cell);
    return true;
}

int tp_annotation_load(struct tp_annotation *a, tp_profile *profile, const struct tp_term *terms, size_t count,
                       const struct tp_search *search, struct tp_error *err)
{
    static const struct tp_view_rows totals = {"1", 1, "", TP_COLUMNS_PLAIN, "totals", .grouped = true},
                                     total_groups = {"1, sample_group", 2, "", TP_COLUMNS_PLAIN, "total_groups",
                                                     .group = 1};

    memset(a, 0, sizeof *a);
    a->profile = profile;
    a->term = terms;
    a->terms = count;
    a->groups = tp_sample(profile) > 1 ? TN_SAMPLE_GROUPS : 0;
    a->search = search;
    a->err = err;
    a->total = tp_annotation_row(a);
    if (!a->total)
        return TP_NO_MEMORY(err);
    if (tp_read_rows(a, &totals, take_total, NULL) || tp_read_rows(a, &file_rows, take_file, NULL) ||
        load_functions(a) || join_contexts(a) || tp_read_rows(a, &line_rows, take_line, NULL) ||
        (a->groups && (tp_read_rows(a, &total_groups, take_total, NULL) ||
                       tp_read_rows(a, &line_groups, take_line, NULL))) ||
        tp_read_rows(a, &lineless_rows, take_lineless, NULL) || tp_load_inlined(a) || tp_load_calls(a))
        return -1;
    /* In its only file a function costs what it costs; nothing costs more than the program. */
    for (size_t i = 0; i < a->pairs.count; i++) {
        const struct tp_annotated_function *function = &a->functions.at[a->pairs.at[i].function];
        tp_bound(a, a->pairs.at[i].cost, function->cost, function->pairs == 1);
    }
    for (size_t i = 0; i < a->lines.count; i++) {
        const struct tp_annotated_line *line = &a->lines.at[i];
        bool alone = line->function != TP_NOT_FOUND;
        if (line->cost)
            tp_bound(a, line->cost, alone ? a->functions.at[line->function].cost : a->total, false);
    }
    size_t inlined = 0, call = 0;
    if (a->lines.count)
        qsort(a->lines.at, a->lines.count, sizeof *a->lines.at, tp_compare_places);
    for (size_t i = 0; i < a->lines.count; i++) {
        struct tp_annotated_line *line = &a->lines.at[i];
        struct tp_annotated_file *file = &a->files.at[line->file];
        if (file->lines++ == 0)
            file->first_line = i;
        line->inlined = tp_count_there(a->inlined.at, sizeof *a->inlined.at, a->inlined.count, &inlined, line);
        line->first_inlined = inlined - line->inlined;
        line->calls = tp_count_there(a->calls.at, sizeof *a->calls.at, a->calls.count, &call, line);
        line->first_call = call - line->calls;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ statements */

/* Which lines of the annotated files are one statement, and what part of the program's cost it has. A statement that is
 * in several objects (of a header), or in a file that has several names, is one here. */

static int by_statement(const void *a, const void *b)
{
    const struct tp_annotated_statement *x = a, *y = b;
    int order = tp_compare_places(a, b);

    return order ? order : TP_COMPARE(x->first_line, y->first_line);
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

int tp_annotation_statements(struct tp_annotation *a, struct tp_error *err)
{
    /* The first event stands for the cost where nothing is estimated: in a profile of another tool. */
    const char *cost = tp_event_find(a->profile, "CEst") ? "CEst" : tp_event_at(a->profile, 0)->name;
    bool both = strcmp(cost, "CEst") == 0 && tp_event_find(a->profile, "Ir");
    char *sql = sqlite3_mprintf("SELECT file_id, first_line, line, sum(\"%w\"), sum(%s), (SELECT \"%w\" FROM totals) "
                                "FROM statements GROUP BY file_id, first_line, line",
                                cost, both ? "CEst - Ir" : "0", cost);
    int failed = tp_each(a->profile, sql, take_statement, a, err);

    /* Rows of equal lines into one: a file may have several names. */
    size_t to = 0;
    if (a->statements.count)
        qsort(a->statements.at, a->statements.count, sizeof *a->statements.at, by_statement);
    for (size_t i = 0; i < a->statements.count; i++) {
        const struct tp_annotated_statement *next = &a->statements.at[i];
        if (to && tp_compare_places(&a->statements.at[to - 1], next) == 0) {
            a->statements.at[to - 1].cost += next->cost;
            a->statements.at[to - 1].misses += next->misses;
        } else {
            a->statements.at[to++] = *next;
        }
    }
    a->statements.count = to;
    return failed;
}

const struct tp_annotated_statement *tp_annotation_statement(const struct tp_annotation *a, uint32_t file,
                                                             uint32_t line)
{
    const struct tp_annotated_statement wanted = {.file = file, .line = line};
    size_t low = 0, high = a->statements.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tp_compare_places(&a->statements.at[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct tp_annotated_statement *found = low < a->statements.count ? &a->statements.at[low] : NULL;
    return found && found->file == file && found->first_line <= line ? found : NULL;
}

/* ------------------------------------------------------------------------------------------ the end of it */

void tp_annotation_free(struct tp_annotation *a)
{
    TP_VECTOR_FREE(&a->files);
    TP_VECTOR_FREE(&a->functions);
    TP_VECTOR_FREE(&a->pairs);
    TP_VECTOR_FREE(&a->lines);
    TP_VECTOR_FREE(&a->inlined);
    TP_VECTOR_FREE(&a->calls);
    TP_VECTOR_FREE(&a->instructions);
    TP_VECTOR_FREE(&a->statements);
    tp_idmap_free(&a->file_of_id);
    tp_slots_free(&a->file_of_name);
    tp_idmap_free(&a->function_of_context);
    tp_idmap_free(&a->pair_of);
    tp_idmap_free(&a->line_of);
    tp_idmap_free(&a->instruction_of_id);
    tp_arena_free(&a->arena);
}

const char *tp_embedded_text(tp_profile *profile, struct tp_arena *arena, int64_t file_id, struct tp_error *err)
{
    sqlite3_stmt *row = tp_query(
        profile, sqlite3_mprintf("SELECT text FROM sources WHERE file_id = %lld", (long long)file_id), err);
    const char *found = row && sqlite3_step(row) == SQLITE_ROW ? tp_text_or_null(row, 0) : NULL;
    const char *text = found ? tp_arena_copy(arena, found, strlen(found)) : NULL;

    sqlite3_finalize(row);
    if (!text)
        TP_FAIL(err, "%s: cannot read the text of source file %lld", tp_path(profile), (long long)file_id);
    return text;
}
