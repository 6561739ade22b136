/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * curves.c: what L2 and the last level would miss with other sizes, of profiles that have stack distances
 * (docs/model.md, section 21). A cache of the same sets and W ways misses what lies W lines or more down.
 *
 * For each size there is a formula, LLm@2M. Tables of reports (sections.c) call functions of the database, which are
 * given the events of distances in their order.
 */
#include "profile/read/formula.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/read/opened.h"

static const struct {
    const char *name;
    unsigned ways;
} distances[] = {
#define TN_DISTANCE(name, from, ...) {#name, from},
#include "core/events.inc"
};
enum { DISTANCES = sizeof distances / sizeof *distances };

static const struct cache {
    const char *name, *misses, *meta, *levels[3];
} caches[] = {{"LL", "LLm", "cache.LL", {"L"}}, {"L2", "L2m", "cache.L2", {"I2", "D2"}}};

static int64_t misses_of(sqlite3_value **distance, int64_t ways)
{
    int64_t misses = 0;

    for (size_t i = 0; i < DISTANCES; i++)
        misses += distances[i].ways >= ways ? sqlite3_value_int64(distance[i]) : 0;
    return misses;
}

/* curve_misses(WAYS, DISTANCES): what a cache of so many ways misses. */
static void misses(sqlite3_context *context, int count, sqlite3_value **argument)
{
    (void)count;
    sqlite3_result_int64(context, misses_of(argument + 1, sqlite3_value_int64(argument[0])));
}

/* curve_text(DISTANCES): the misses of each size, from small to large, as a line of bars; NULL: there are none. */
static void text(sqlite3_context *context, int count, sqlite3_value **argument)
{
    static const char bars[][4] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    int64_t most = misses_of(argument, 1);
    char out[DISTANCES * sizeof bars[0]] = "";

    (void)count;
    for (size_t i = 0; i < DISTANCES && most > 0; i++) {
        double part = (double)misses_of(argument, distances[i].ways) / (double)most;
        strcat(out, part > 0 ? bars[(int)(part * 7 + 0.5)] : " ");
    }
    if (most > 0)
        sqlite3_result_text(context, out, -1, SQLITE_TRANSIENT);
}

/* curve_fits(BYTES OF A WAY, DISTANCES): the smallest size with which nine tenths of what the largest saves are saved,
 * in bytes. NULL: the largest saves less than half of the misses of the smallest, so nothing fits. */
static void fits(sqlite3_context *context, int count, sqlite3_value **argument)
{
    int64_t most = misses_of(argument + 1, 1), least = misses_of(argument + 1, distances[DISTANCES - 1].ways);

    (void)count;
    for (size_t i = 0; i < DISTANCES && least < most / 2.0; i++) {
        if ((double)(misses_of(argument + 1, distances[i].ways) - least) > (double)(most - least) / 10)
            continue;
        sqlite3_result_int64(context, sqlite3_value_int64(argument[0]) * distances[i].ways);
        return;
    }
}

/* curve_size(BYTES): "512K". */
static void put_size(char *out, size_t size, uint64_t bytes)
{
    unsigned shift = bytes % (1 << 20) == 0 ? 20 : bytes % (1 << 10) == 0 ? 10 : 0;

    snprintf(out, size, "%" PRIu64 "%s", bytes >> shift, shift == 20 ? "M" : shift ? "K" : "");
}

static void size_text(sqlite3_context *context, int count, sqlite3_value **argument)
{
    char out[32];

    (void)count;
    put_size(out, sizeof out, (uint64_t)sqlite3_value_int64(argument[0]));
    if (sqlite3_value_type(argument[0]) != SQLITE_NULL)
        sqlite3_result_text(context, out, -1, SQLITE_TRANSIENT);
}

/* The formula of one size. */
static int define_size(tp_profile *profile, const struct cache *cache, size_t first, uint64_t way, struct tp_error *err)
{
    char size[32];
    put_size(size, sizeof size, way * distances[first].ways);
    sqlite3_str *sum = sqlite3_str_new(profile->db);
    sqlite3_str_appendf(sum, "%s@%s=", cache->misses, size);
    for (size_t i = first; i < DISTANCES; i++) {
        for (const char *const *level = cache->levels; *level; level++)
            sqlite3_str_appendf(sum, "%s%s%s", i > first || level > cache->levels ? "+" : "", distances[i].name,
                                *level);
    }
    char *definition = sqlite3_str_finish(sum);
    char *meaning = sqlite3_mprintf("misses of %s if it had %s", cache->name, size);
    int failed = !definition || !meaning ? TP_NO_MEMORY(err) : tp_define_count(profile, definition, meaning, err);
    sqlite3_free(definition);
    sqlite3_free(meaning);
    return failed;
}

int tp_define_curves(tp_profile *profile, struct tp_error *err)
{
    static const struct {
        const char *name;
        int arguments;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {{"curve_misses", 1 + DISTANCES, misses}, {"curve_text", DISTANCES, text},
                     {"curve_fits", 1 + DISTANCES, fits}, {"curve_size", 1, size_text}};

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (sqlite3_create_function(profile->db, functions[i].name, functions[i].arguments,
                                    SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, functions[i].call, NULL,
                                    NULL) != SQLITE_OK)
            return tp_sql_failed(profile, "cannot define curves", err);
    }
    for (size_t c = 0; c < sizeof caches / sizeof *caches; c++) {
        const char *shape = tp_meta(profile, caches[c].meta);
        uint64_t size, ways;
        char event[32];
        snprintf(event, sizeof event, "%s%s", distances[0].name, caches[c].levels[0]);
        if (!shape || !tp_event_find(profile, event) || sscanf(shape, "%" SCNu64 ",%" SCNu64, &size, &ways) != 2 ||
            ways == 0 || size / ways == 0 || size > (uint64_t)1 << 50)
            continue;
        for (size_t i = 0; i < DISTANCES; i++)
            if (define_size(profile, &caches[c], i, size / ways, err))
                return -1;
    }
    return 0;
}
