/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_paths.c: see export_paths.h; and folded stacks.
 */
#include "profile/formats/export_paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"

static const char *paths_text(struct tp_paths *p, sqlite3_stmt *row, int column)
{
    const char *text = tp_text_or_null(row, column), *copy = text ? tp_arena_copy(&p->arena, text, strlen(text)) : NULL;

    p->no_memory |= text && !copy;
    return copy;
}

static int paths_object(void *user, sqlite3_stmt *row)
{
    struct tp_paths *p = user;
    struct tp_path_object *object = TP_VECTOR_ADD(&p->objects);

    if (!object)
        return 1;
    *object = (struct tp_path_object){.id = (uint64_t)sqlite3_column_int64(row, 0),
                                      .start = (uint64_t)sqlite3_column_int64(row, 1),
                                      .size = (uint64_t)sqlite3_column_int64(row, 2),
                                      .bias = (uint64_t)sqlite3_column_int64(row, 3),
                                      .path = paths_text(p, row, 4),
                                      .build_id = paths_text(p, row, 5)};
    return p->no_memory ||
           (object->id && tp_idmap_add(&p->object_at, object->id, (uint32_t)p->objects.count));
}

static int paths_function(void *user, sqlite3_stmt *row)
{
    struct tp_paths *p = user;
    struct tp_path_function *function = TP_VECTOR_ADD(&p->functions);
    uint32_t object = tp_idmap_find(&p->object_at, (uint64_t)sqlite3_column_int64(row, 1));

    if (!function)
        return 1;
    *function = (struct tp_path_function){.id = (uint64_t)sqlite3_column_int64(row, 0),
                                          .object = object == TP_NOT_FOUND ? 0 : object,
                                          .address = (uint64_t)sqlite3_column_int64(row, 2),
                                          .line = sqlite3_column_int64(row, 3),
                                          .file = paths_text(p, row, 4),
                                          .symbol = paths_text(p, row, 5),
                                          .name = paths_text(p, row, p->options->mangled ? 5 : 6)};
    if (!function->name)
        function->name = "???";
    return p->no_memory ||
           (function->id && tp_idmap_add(&p->function_at, function->id, (uint32_t)p->functions.count - 1));
}

static bool paths_enough(const struct tp_paths *p, sqlite3_stmt *row, int column)
{
    bool enough = p->options->threshold <= 0;

    for (size_t i = 0; i < p->choice.count && !enough; i++) {
        double cost = fabs(sqlite3_column_double(row, column + (int)i));
        enough = cost > 0 && cost >= p->least[i];
    }
    return enough;
}

/* Parents have larger ids than their children, and come first. Between ids there may be gaps. */
static int paths_node(void *user, sqlite3_stmt *row)
{
    enum { ID, PARENT, FUNCTION, THREAD, ARC, COSTS };
    struct tp_paths *p = user;
    size_t events = p->choice.count, number = p->nodes.count + 1;
    uint64_t id = (uint64_t)sqlite3_column_int64(row, ID), above = (uint64_t)sqlite3_column_int64(row, PARENT);
    uint32_t function = tp_idmap_find(&p->function_at, (uint64_t)sqlite3_column_int64(row, FUNCTION));
    uint32_t parent = above ? tp_idmap_find(&p->node_at, above) : 0;
    int64_t thread = p->options->threads ? sqlite3_column_int64(row, THREAD) : 0;
    struct tp_path_thread *last = p->threads.count ? &p->threads.at[p->threads.count - 1] : NULL;

    if (last && last->thread != thread)
        last = NULL;
    if (parent == TP_NOT_FOUND || (parent && (!last || parent <= last->first)) || !id)
        return TP_FAIL(p->err, "%s: damaged: a path without %s", tp_path(p->profile), id ? "its parent" : "a number");
    if (!last && !TP_VECTOR_PUSH(&p->threads, (struct tp_path_thread){thread, number - 1, number}))
        return 1;
    p->threads.at[p->threads.count - 1].end = number;
    if (tp_vector_grow((void **)&p->cost, &p->room, number - 1, events * sizeof *p->cost) ||
        tp_idmap_add(&p->node_at, id, (uint32_t)number) ||
        !TP_VECTOR_PUSH(&p->nodes, (struct tp_path){parent, (uint32_t)number, function == TP_NOT_FOUND ? 0 : function,
                                                    (uint64_t)sqlite3_column_int64(row, ARC)}))
        return 1;
    struct tp_path *node = &p->nodes.at[number - 1];
    uint32_t caller = parent ? p->nodes.at[parent - 1].shown : 0;
    if (parent && (caller != parent || !paths_enough(p, row, COSTS + (int)events)))
        node->shown = caller;
    int64_t *payer = &p->cost[(node->shown - 1) * events];
    for (size_t i = 0; i < events; i++)
        payer[i] = tp_add(payer[i], tp_self_cost(&p->sums, &p->choice, i, row, COSTS + (int)i));
    return 0;
}

static int paths_choose(struct tp_paths *p, const char *usual)
{
    char name[32];

    if (p->options->events)
        return tp_choose(p->profile, p->options->events, &p->choice, p->err);
    for (; *usual; usual += strcspn(usual, ","), usual += *usual == ',') {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(usual, ","), usual);
        tp_choose_usual(p->profile, (const char *const[]){name}, 1, &p->choice);
    }
    return p->choice.count ? 0 : tp_choose(p->profile, "all", &p->choice, p->err);
}

static int paths_totals(void *user, sqlite3_stmt *row)
{
    struct tp_paths *p = user;

    for (size_t i = 0; i < p->choice.count; i++)
        p->least[i] = fabs(sqlite3_column_double(row, (int)i)) * p->options->threshold / 100;
    return 0;
}

static int paths_read_all(struct tp_paths *p)
{
    tp_profile *profile = p->profile;

    if (!TP_VECTOR_PUSH(&p->functions, (struct tp_path_function){.name = "???"}))
        return TP_NO_MEMORY(p->err);
    if (tp_each(profile, tp_select_events(profile, "", &p->choice, NULL, "FROM totals LIMIT 1"), paths_totals, p,
                p->err) ||
        tp_each(profile,
                sqlite3_mprintf("SELECT id, start, size, bias, ifnull(path, ''), ifnull(build_id, '') FROM objects "
                                "ORDER BY id <> (SELECT min(object_id) FROM t_functions WHERE base = 'main'), id"),
                paths_object, p, p->err) ||
        tp_each(profile,
                sqlite3_mprintf("SELECT id, object_id, address, line, file, coalesce(symbol, function), function FROM "
                                "functions WHERE id IN (SELECT function_id FROM t_paths) ORDER BY id"),
                paths_function, p, p->err) ||
        tp_each(profile,
                tp_select_events(profile, "id, parent, function_id, thread, arc_id", &p->choice, &p->choice,
                                 p->options->threads ? "FROM paths ORDER BY thread, id DESC"
                                                     : "FROM paths ORDER BY id DESC"),
                paths_node, p, p->err))
        return -1;
    return p->nodes.count ? 0
                          : TP_FAIL(p->err, "%s: the format %s is made of call paths, and there are none",
                                    tp_path(profile), p->format);
}

struct tp_paths *tp_paths_read(tp_profile *profile, const char *format, const char *usual,
                               const struct tp_export_options *options, struct tp_error *err)
{
    struct tp_paths *p = calloc(1, sizeof *p);
    const char *from = tp_meta(profile, "import.format");

    if (!p || from) {
        free(p);
        from ? TP_FAIL(err, "the format %s is made of call paths, which a file of %s does not have", format, from)
             : TP_NO_MEMORY(err);
        return NULL;
    }
    p->profile = profile;
    p->format = format;
    p->options = options;
    p->err = err;
    if (paths_choose(p, usual) == 0 && paths_read_all(p) == 0)
        return p;
    tp_paths_free(p);
    return NULL;
}

void tp_paths_free(struct tp_paths *p)
{
    if (!p)
        return;
    TP_VECTOR_FREE(&p->objects);
    TP_VECTOR_FREE(&p->functions);
    TP_VECTOR_FREE(&p->nodes);
    TP_VECTOR_FREE(&p->threads);
    tp_idmap_free(&p->object_at);
    tp_idmap_free(&p->function_at);
    tp_idmap_free(&p->node_at);
    tp_arena_free(&p->arena);
    free(p->cost);
    free(p);
}

void tp_path_title(const struct tp_paths *p, size_t k, const struct tp_path_thread *thread, char *out)
{
    int n = snprintf(out, TP_PATH_TITLE, "%s: %.150s", p->choice.event[k]->name, p->choice.event[k]->long_name);

    if (thread)
        snprintf(out + n, TP_PATH_TITLE - (size_t)n, ", thread %lld", (long long)thread->thread);
}

int tp_paths_not_negative(const struct tp_paths *p, struct tp_error *err)
{
    for (size_t i = 0; i < p->nodes.count * p->choice.count; i++) {
        if (p->cost[i] < 0)
            return TP_FAIL(err, "%s: %s has less than 0 of %s, which the format %s cannot say; pprof and firefox can",
                           tp_path(p->profile), p->functions.at[p->nodes.at[i / p->choice.count].function].name,
                           p->choice.event[i % p->choice.count]->name, p->format);
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ folded stacks */

/* For flame graphs: one line per path that has self cost, "main;compress;match 12345". ';' in a name would begin a new
 * frame and is written \x3b. */
static int folded_write(const struct tp_paths *p, FILE *out, bool threads)
{
    uint32_t *stack = calloc(p->nodes.count, sizeof *stack);

    for (const struct tp_path_thread *of = p->threads.at; stack && of < p->threads.at + p->threads.count; of++) {
        for (size_t i = of->end; i > of->first; i--) {
            size_t depth = 0;

            if (p->cost[i - 1] == 0)
                continue;
            if (threads)
                fprintf(out, "thread %lld;", (long long)of->thread);
            for (uint32_t at = (uint32_t)i; at; at = p->nodes.at[at - 1].parent)
                stack[depth++] = at;
            while (depth) {
                tp_write_clean(out, p->functions.at[p->nodes.at[stack[--depth] - 1].function].name, ";");
                if (depth)
                    putc(';', out);
            }
            fprintf(out, " %lld\n", (long long)p->cost[i - 1]);
        }
    }
    free(stack);
    return stack ? 0 : -1;
}

int tp_export_folded(tp_profile *profile, FILE *out, const struct tp_export_options *options, struct tp_error *err)
{
    struct tp_paths *p = tp_paths_read(profile, "folded", "Ir", options, err);
    int failed = !p ? -1
                 : p->choice.count != 1
                     ? TP_FAIL(err, "folded stacks are of one event, not of %zu", p->choice.count)
                     : tp_paths_not_negative(p, err);

    if (!failed && folded_write(p, out, options->threads))
        failed = TP_NO_MEMORY(err);
    tp_paths_free(p);
    return failed ? -1 : tp_written(out, err);
}
