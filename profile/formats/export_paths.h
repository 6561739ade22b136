/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_paths.h: the call tree, as the formats need it that are made of call paths.
 *
 * Self costs of the chosen events by call path, as whole numbers: a real event is rounded so that what is lost in one
 * path is made up in the next. A path with less of each event, all that it calls included, than the threshold is not
 * shown: what it costs is its caller's. Callers stand before what they call, and a path's subtree right behind it.
 */
#ifndef TENURE_PROFILE_EXPORT_PATHS_H
#define TENURE_PROFILE_EXPORT_PATHS_H

#include "profile/base/mem.h"
#include "profile/formats/export.h"

struct tp_path_object {
    uint64_t id, start, size, bias;
    const char *path, *build_id; /* "" if unknown */
};

struct tp_path_function {
    uint64_t id, address;
    const char *name, *symbol, *file; /* NULL: unknown, but for the name */
    int64_t line;                     /* where it is defined; 0: unknown */
    uint32_t object;                  /* index + 1; 0: unknown */
};

struct tp_path {
    uint32_t parent, shown; /* index + 1; shown: the path itself, or what it is part of */
    uint32_t function;
    uint64_t arc; /* id; 0: none */
};

struct tp_path_thread {
    int64_t thread;
    size_t first, end; /* of its paths */
};

struct tp_paths {
    tp_profile *profile;
    const char *format;
    struct tp_choice choice;
    TP_VECTOR(struct tp_path_object) objects; /* the one with `main` first */
    TP_VECTOR(struct tp_path_function) functions; /* the first one: unknown */
    TP_VECTOR(struct tp_path) nodes;
    TP_VECTOR(struct tp_path_thread) threads; /* one, of all paths, where they are not asked for */
    int64_t *cost; /* of a node and what is part of it: choice.count for each node */
    /* While it is read. */
    struct tp_error *err;
    const struct tp_export_options *options;
    struct tp_arena arena;
    struct tp_idmap object_at, function_at, node_at;
    bool no_memory;
    struct tp_sums sums;
    double least[TP_MAX_CHOICE]; /* inclusive costs, of which one is enough to be shown */
    size_t room;                 /* nodes that `cost` has room for */
};

/* NULL if it cannot be: a profile may have no call paths. `format` is its name, for messages. `usual`: the events where
 * none are asked for; if the profile has none of these, all. */
struct tp_paths *tp_paths_read(tp_profile *profile, const char *format, const char *usual,
                               const struct tp_export_options *options, struct tp_error *err);
void tp_paths_free(struct tp_paths *paths); /* NULL is fine */

/* The events of most interest, for formats that have room for several. */
#define TP_PATHS_USUAL "Ir,CEst,Dr,Dw,L1m,L2m,LLm,Bm,AcCost1,SpLoss1,AcCostL,SpLossL"

/* What readers are shown of event `k` of the choice, and of a thread, if it is not NULL. */
enum { TP_PATH_TITLE = 224 };
void tp_path_title(const struct tp_paths *paths, size_t k, const struct tp_path_thread *thread, char *out);

/* -1 if something costs less than nothing, as in a difference, which the format cannot say. */
int tp_paths_not_negative(const struct tp_paths *paths, struct tp_error *err);

#endif
