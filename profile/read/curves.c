/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * curves.c: what L2 and the last level would miss with other sizes, of profiles that have stack distances
 * (docs/model.md, section 21). A cache of the same sets and W ways misses what lies W lines or more down.
 *
 * Tables of reports (sections.c) call functions of the database, which get the events of distances in their order.
 */
#include "profile/read/curves.h"

#include <sqlite3.h>
#include <string.h>

const struct tp_distance tp_distances[] = {
#define TN_DISTANCE(name, from, ...) {#name, from},
#include "core/events.inc"
    {NULL, 0},
};
enum { DISTANCES = sizeof tp_distances / sizeof *tp_distances - 1 };

static int64_t misses_of(sqlite3_value **distance, int64_t ways)
{
    size_t i = 0;

    while (i < DISTANCES && tp_distances[i].ways < ways)
        i++;
    return i < DISTANCES ? sqlite3_value_int64(distance[i]) : 0;
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
        double part = (double)misses_of(argument, tp_distances[i].ways) / (double)most;
        part = part < 1 ? part : 1; /* who made the file may have written anything */
        strcat(out, part > 0 ? bars[(int)(part * 7 + 0.5)] : " ");
    }
    if (most > 0)
        sqlite3_result_text(context, out, -1, SQLITE_TRANSIENT);
}

/* curve_fits(BYTES OF A WAY, DISTANCES): the smallest size with which nine tenths of what the largest saves are saved,
 * in bytes. NULL: the largest saves less than half of the misses of the smallest, so nothing fits. */
static void fits(sqlite3_context *context, int count, sqlite3_value **argument)
{
    int64_t most = misses_of(argument + 1, 1), least = misses_of(argument + 1, tp_distances[DISTANCES - 1].ways);

    (void)count;
    for (size_t i = 0; i < DISTANCES && least < most / 2.0; i++) {
        if ((double)misses_of(argument + 1, tp_distances[i].ways) - (double)least > ((double)most - (double)least) / 10)
            continue;
        sqlite3_result_int64(context, sqlite3_value_int64(argument[0]) * tp_distances[i].ways);
        return;
    }
}

/* curve_size(BYTES): "512K"; NULL of NULL. */
static void size_text(sqlite3_context *context, int count, sqlite3_value **argument)
{
    char out[32];

    (void)count;
    tp_size_text(out, sizeof out, (uint64_t)sqlite3_value_int64(argument[0]));
    if (sqlite3_value_type(argument[0]) != SQLITE_NULL)
        sqlite3_result_text(context, out, -1, SQLITE_TRANSIENT);
}

bool tp_curve_functions(sqlite3 *db)
{
    static const struct {
        const char *name;
        int arguments;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {{"curve_misses", 1 + DISTANCES, misses}, {"curve_text", DISTANCES, text},
                     {"curve_fits", 1 + DISTANCES, fits}, {"curve_size", 1, size_text}};
    bool good = true;

    for (size_t i = 0; good && i < sizeof functions / sizeof *functions; i++)
        good = sqlite3_create_function(db, functions[i].name, functions[i].arguments,
                                       SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, functions[i].call, NULL,
                                       NULL) == SQLITE_OK;
    return good;
}
