/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_speedscope.c: speedscope's own format, JSON: a profile for each event, and each thread where they are apart.
 *
 *     {"exporter": ..., "$schema": ..., "name": ..., "shared": {"frames": [{"name": ..., "file": ..., "line": ...}]},
 *      "profiles": [{"type": "evented", "name": "Ir", "unit": "none", "startValue": 0, "endValue": 12,
 *                    "events": [{"type": "O", "frame": 1, "at": 0}, {"type": "C", "frame": 1, "at": 12}]}]}
 *
 * A path is opened where its own cost begins, what it calls follows, and it is closed behind that: so the file is as
 * long as the tree, however deep it is. Speedscope adds up what is inclusive.
 */
#include <stdlib.h>

#include "profile/base/error.h"
#include "profile/base/sound.h"
#include "profile/formats/export_paths.h"
#include "profile/read/margin.h"
#include "tenure_config.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct speedscope {
    const struct tp_paths *paths;
    struct tp_json json;
    uint32_t *open;   /* of the paths from the root to here: index + 1 */
    int64_t *incl;    /* of each path, of the event at hand */
};

static void speedscope_event(struct speedscope *s, const char *type, uint32_t node, int64_t at)
{
    tp_json_begin(&s->json, NULL, '{', ", ");
    tp_json_text(&s->json, "type", type);
    tp_json_integer(&s->json, "frame", s->paths->nodes.at[node - 1].function);
    tp_json_integer(&s->json, "at", at);
    tp_json_end(&s->json);
}

/* The paths of a thread, and the sum of their costs: of event `k`. -1: not in the order of a tree. */
static int speedscope_events(struct speedscope *s, const struct tp_path_thread *of, size_t k, int64_t *at)
{
    const struct tp_paths *p = s->paths;
    size_t events = p->choice.count, depth = 0;

    for (size_t i = of->end; i > of->first; i--)
        s->incl[i - 1] = p->cost[(i - 1) * events + k];
    for (size_t i = of->end; i > of->first; i--) {
        if (p->nodes.at[i - 1].parent)
            s->incl[p->nodes.at[i - 1].parent - 1] = tp_add(s->incl[p->nodes.at[i - 1].parent - 1], s->incl[i - 1]);
    }
    for (size_t i = of->first; i < of->end; i++) {
        uint32_t parent = p->nodes.at[i].parent;

        if (!s->incl[i])
            continue;
        while (depth && s->open[depth - 1] != parent)
            speedscope_event(s, "C", s->open[--depth], *at);
        if (parent && !depth)
            return -1;
        s->open[depth++] = (uint32_t)i + 1;
        speedscope_event(s, "O", (uint32_t)i + 1, *at);
        *at = tp_add(*at, p->cost[i * events + k]);
    }
    while (depth)
        speedscope_event(s, "C", s->open[--depth], *at);
    return 0;
}

static int speedscope_write(struct speedscope *s, const char *name, bool threads, struct tp_error *err)
{
    const struct tp_paths *p = s->paths;
    struct tp_json *json = &s->json;
    char title[TP_PATH_TITLE];

    tp_json_begin(json, NULL, '{', ", ");
    tp_json_text(json, "exporter", "tenure " TENURE_VERSION);
    tp_json_text(json, "$schema", SCHEMA);
    tp_json_text(json, "name", name);
    tp_json_begin(json, "shared", '{', ", ");
    tp_json_begin(json, "frames", '[', ",\n");
    for (size_t i = 0; i < p->functions.count; i++) {
        const struct tp_path_function *function = &p->functions.at[i];

        tp_json_begin(json, NULL, '{', ", ");
        tp_json_text(json, "name", function->name);
        if (function->file)
            tp_json_text(json, "file", function->file);
        if (function->line)
            tp_json_integer(json, "line", function->line);
        tp_json_end(json);
    }
    tp_json_end(json);
    tp_json_end(json);
    tp_json_begin(json, "profiles", '[', ",\n");
    for (size_t k = 0; k < p->choice.count; k++) {
        for (const struct tp_path_thread *of = p->threads.at; of < p->threads.at + p->threads.count; of++) {
            const char *unit = p->choice.event[k]->unit;
            int64_t at = 0;

            tp_json_begin(json, NULL, '{', ", ");
            tp_json_text(json, "type", "evented");
            tp_path_title(p, k, threads ? of : NULL, title);
            tp_json_text(json, "name", title);
            tp_json_text(json, "unit", *unit ? unit : "none");
            tp_json_integer(json, "startValue", 0);
            tp_json_begin(json, "events", '[', ",\n");
            if (speedscope_events(s, of, k, &at))
                return tp_damaged(tp_path(p->profile), "call paths are not in the order of a tree", err);
            tp_json_end(json);
            tp_json_integer(json, "endValue", at);
            tp_json_end(json);
        }
    }
    tp_json_end(json);
    tp_json_end(json);
    putc('\n', json->out);
    return tp_written(json->out, err);
}

int tp_export_speedscope(tp_profile *profile, FILE *out, const struct tp_export_options *options, struct tp_error *err)
{
    struct tp_paths *p = tp_paths_read(profile, "speedscope", TP_PATHS_USUAL, options, err);
    struct speedscope s = {.paths = p, .json = {.out = out}};
    int failed = p ? tp_paths_not_negative(p, err) : -1;

    if (!failed) {
        const char *name = tp_meta(profile, "cmd") ? tp_meta(profile, "cmd") : tp_path(profile);
        if (tp_sample(profile) > 1)
            name = tp_arena_print(&p->arena, "%s (caches: estimates from one set in %llu)", name,
                                  (unsigned long long)tp_sample(profile));
        s.open = calloc(p->nodes.count, sizeof *s.open);
        s.incl = calloc(p->nodes.count, sizeof *s.incl);
        failed = name && s.open && s.incl ? speedscope_write(&s, name, options->threads, err) : TP_NO_MEMORY(err);
    }
    free(s.open);
    free(s.incl);
    tp_paths_free(p);
    return failed;
}
