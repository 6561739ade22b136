/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_folded.c: folded stacks, for flame graphs: one line per node of the call tree that has self cost.
 *
 *     main;compress;match 12345
 *
 * ';' in a name would begin a new frame and is written \x3b. Real events (AcCost) are rounded.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/mem.h"
#include "profile/base/row.h"
#include "profile/formats/export.h"

struct frame {
    uint32_t parent; /* index + 1 */
    const char *name;
};

struct folded {
    tp_profile *profile;
    struct tp_arena arena;
    struct tp_idmap named;         /* a function's id -> its name */
    TP_VECTOR(const char *) names;
    TP_VECTOR(struct frame) nodes; /* by path id */
};

static int load_names(struct folded *f, bool mangled, struct tp_error *err)
{
    sqlite3_stmt *statement =
        tp_query(f->profile,
                 sqlite3_mprintf(
                     "SELECT id, coalesce(%s, function) FROM t_functions ORDER BY id",
                     mangled ? "symbol" : "function"),
                 err);
    int more = -1;

    while (statement && (more = tp_row(f->profile, statement, err)) == 1) {
        const char *text = tp_text_or_null(statement, 1);
        uint64_t id = (uint64_t)sqlite3_column_int64(statement, 0);
        const char **name = TP_VECTOR_ADD(&f->names);
        if (name)
            *name = tp_arena_copy(&f->arena, text ? text : "???", strlen(text ? text : "???"));
        if (!name || !*name || (id && tp_idmap_add(&f->named, id, (uint32_t)f->names.count - 1))) {
            more = TP_NO_MEMORY(err);
            break;
        }
    }
    sqlite3_finalize(statement);
    return more;
}

/* Parents have larger ids than their children, so all are read before any is written. */
static int load_nodes(struct folded *f, struct tp_error *err)
{
    sqlite3_stmt *statement =
        tp_query(f->profile, sqlite3_mprintf("SELECT id, parent, function_id FROM t_paths ORDER BY id"), err);
    int more = -1;

    while (statement && (more = tp_row(f->profile, statement, err)) == 1) {
        uint32_t name = tp_idmap_find(&f->named, (uint64_t)sqlite3_column_int64(statement, 2));
        struct frame *node = TP_VECTOR_ADD(&f->nodes);
        if (!node) {
            more = TP_NO_MEMORY(err);
            break;
        }
        node->parent = (uint32_t)sqlite3_column_int64(statement, 1);
        node->name = name != TP_NOT_FOUND ? f->names.at[name] : "???";
        if (sqlite3_column_int64(statement, 0) != (int64_t)f->nodes.count ||
            (node->parent && node->parent <= f->nodes.count)) {
            more = TP_FAIL(err, "%s: damaged: paths are not in post-order", tp_path(f->profile));
            break;
        }
    }
    sqlite3_finalize(statement);
    return more;
}

static int write_stack(struct folded *f, FILE *out, uint32_t node, uint32_t *stack)
{
    size_t depth = 0;

    for (; node; node = f->nodes.at[node - 1].parent) {
        if (node > f->nodes.count)
            return -1;
        stack[depth++] = node;
    }
    while (depth) {
        tp_write_clean(out, f->nodes.at[stack[--depth] - 1].name, ";");
        if (depth)
            putc(';', out);
    }
    return 0;
}

static int write_stacks(struct folded *f, FILE *out, const struct tp_event *event, bool threads,
                        struct tp_error *err)
{
    uint32_t *stack = calloc(f->nodes.count + 1, sizeof *stack);
    sqlite3_stmt *statement =
        stack ? tp_query(f->profile,
                         sqlite3_mprintf("SELECT id, thread, \"%w\" FROM paths WHERE \"%w\" > 0 ORDER BY id",
                                         event->name, event->name),
                         err)
              : NULL;
    int more = stack ? -1 : TP_NO_MEMORY(err);

    while (statement && (more = tp_row(f->profile, statement, err)) == 1) {
        long long value = llround(sqlite3_column_double(statement, 2));
        if (!event->real)
            value = sqlite3_column_int64(statement, 2);
        if (!value)
            continue;
        if (threads)
            fprintf(out, "thread %lld;", (long long)sqlite3_column_int64(statement, 1));
        if (write_stack(f, out, (uint32_t)sqlite3_column_int64(statement, 0), stack)) {
            more = TP_FAIL(err, "%s: damaged: a path without its parent", tp_path(f->profile));
            break;
        }
        fprintf(out, " %lld\n", value);
    }
    sqlite3_finalize(statement);
    free(stack);
    return more;
}

int tp_export_folded(tp_profile *profile, FILE *out, const struct tp_export_options *options,
                     struct tp_error *err)
{
    struct folded f = {.profile = profile};
    struct tp_choice choice;
    const char *list = options->events ? options->events : "Ir";

    if (tp_meta(profile, "import.format"))
        return TP_FAIL(err, "folded stacks are made from call paths, which a file of %s does not have",
                       tp_meta(profile, "import.format"));
    if (tp_choose(profile, list, &choice, err))
        return -1;
    if (choice.count != 1)
        return TP_FAIL(err, "folded stacks are of one event, not of %zu", choice.count);
    int failed = load_names(&f, options->mangled, err) || load_nodes(&f, err) ||
                 write_stacks(&f, out, choice.event[0], options->threads, err);
    tp_idmap_free(&f.named);
    TP_VECTOR_FREE(&f.names);
    TP_VECTOR_FREE(&f.nodes);
    tp_arena_free(&f.arena);
    return failed ? -1 : tp_written(out, err);
}
