/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_fusion.c: loops that walk the same data one after the other.
 *
 *   temp.advice_walks     what an outermost loop pays in a data object that it walks from end to end, in the order of
 *                         memory, each time it is entered, because the object does not fit into the cache
 *   temp.advice_reloads   lines of an object that one loop had to load again, and another had loaded before, where the
 *                         recording has pairs (--interdependence=yes)
 *   temp.advice_fusions   walks that belong together: a number for all loops that are entered equally often, take as
 *                         many rounds, and have data in common, directly or through others; where there are pairs,
 *                         only if half of what one of two such walks misses, the other one had loaded
 *
 * If such loops were one, each object would be walked once: what the walk that misses most pays would remain, and what
 * the others pay would not.
 */
#include <sqlite3.h>

#include "profile/advice/advice_rule.h"
#include "profile/base/error.h"

/* Half of the object at least, and as often as advice's limit `again`; nine of ten strides are one, shorter than
 * `far`. */
static const char walks[] =
    "DROP TABLE IF EXISTS temp.advice_walks; CREATE TEMP TABLE advice_walks AS SELECT s.data_id, n.root_id,"
    " n.entries, n.rounds, s.function_id, s.file_id, s.line, max(s.misses1) AS most, sum(s.misses1) AS misses1,"
    " sum(s.misses2) AS misses2, sum(s.missesL) AS missesL, o.size FROM temp.advice_sites s"
    " JOIN temp.advice_nests n ON n.loop_id = s.loop_id JOIN temp.advice_objects o ON o.data_id = s.data_id"
    " WHERE s.capacity1 >= 0.5 * s.misses1 AND s.regular >= 0.9 * s.strides AND abs(s.stride) < %!.15g AND n.entries"
    " >= %!.15g AND 2 * s.misses1 * %!.15g >= n.entries * o.size GROUP BY s.data_id, n.root_id;";

static const char reloads[] =
    "DROP TABLE IF EXISTS temp.advice_reloads; CREATE TEMP TABLE advice_reloads AS SELECT l.root_id AS loader,"
    " r.root_id AS root_id, p.data_id, sum(p.misses) AS misses1 FROM t_pairs p"
    " JOIN t_instructions i ON i.id = p.loader_id JOIN t_instructions j ON j.id = p.instruction_id"
    " JOIN temp.advice_nests l ON l.loop_id = i.loop_id JOIN temp.advice_nests r ON r.loop_id = j.loop_id"
    " WHERE p.cache = 'D1' AND p.data_id IN (SELECT data_id FROM temp.advice_walks) AND l.root_id <> r.root_id"
    " GROUP BY l.root_id, r.root_id, p.data_id;";

static const char fusions[] =
    "DROP TABLE IF EXISTS temp.advice_fusions; CREATE TEMP TABLE advice_fusions AS WITH RECURSIVE pair(a, b) AS"
    " (SELECT a.root_id, b.root_id FROM temp.advice_walks a"
    " JOIN temp.advice_walks b ON b.data_id = a.data_id AND b.root_id <> a.root_id AND abs(b.entries - a.entries) <="
    " 0.1 * a.entries AND abs(b.rounds - a.rounds) <= 0.1 * a.rounds WHERE NOT EXISTS (SELECT 1 FROM t_pairs)"
    " OR EXISTS (SELECT 1 FROM temp.advice_reloads m WHERE m.data_id = a.data_id AND ((m.loader = a.root_id AND"
    " m.root_id = b.root_id AND 2 * m.misses1 >= b.misses1) OR (m.loader = b.root_id AND m.root_id = a.root_id AND"
    " 2 * m.misses1 >= a.misses1)))), reach(a, b) AS (SELECT a, a"
    " FROM pair UNION SELECT a, b FROM pair UNION SELECT r.a, p.b FROM reach r"
    " JOIN pair p ON p.a = r.b) SELECT min(r.b) AS fusion, w.* FROM temp.advice_walks w"
    " JOIN reach r ON r.a = w.root_id GROUP BY w.data_id, w.root_id;";

int tp_advice_fusions(tp_profile *profile, const struct tp_advice_worth *worth, struct tp_error *err)
{
    char *sql = sqlite3_mprintf(walks, worth->far, worth->again, worth->line);
    bool made = sql && sqlite3_exec(tp_db(profile), sql, NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_exec(tp_db(profile), reloads, NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_exec(tp_db(profile), fusions, NULL, NULL, NULL) == SQLITE_OK;

    sqlite3_free(sql);
    return made ? 0 : tp_sql_failed(profile, "cannot gather loops", err);
}
