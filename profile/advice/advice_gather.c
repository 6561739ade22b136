/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_gather.c: what rules ask, in temporary tables (advice_rule.h).
 *
 *   advice_objects  what all pay in a data object, and how large its blocks are
 *   advice_shares   what an instruction pays in one, and its strides
 *   advice_sites    the same by innermost loop, or by source line where there is no loop: the line that misses most
 *   advice_reasons  what of a data object's loss is around its blocks, and in which fields of its elements
 *   advice_nests    of loops: the outermost one around them, how often that was entered and how many rounds it took;
 *                   and how many loops are beside them
 *   advice_code     what a source line executes
 *   advice_walks    what an outermost loop pays in a data object that it walks from end to end, in the order of memory,
 *                   each time it is entered, because the object does not fit into the cache
 *   advice_reloads  lines of an object that one loop had to load again, and another had loaded before, where the
 *                   recording has pairs (--interdependence=yes)
 *   advice_fusions  walks that belong together: a number for all loops that are entered equally often, take as many
 *                   rounds, and have data in common, directly or through others; where there are pairs, only if half
 *                   of what one of two such walks misses, the other one had loaded. If such loops were one, each object
 *                   would be walked once: what the walk that misses most pays would remain, and what the others pay
 *                   would not.
 *
 * Costs have names that are the same whatever was simulated: misses1, of these cold1, capacity1 and conflict1;
 * stores1, of the misses those of stores; and of the lines that they loaded used1, lost1 (bytes touched, and never
 * touched), touched1 (bytes touched, each time), tenures1; the same for levels 2 and L; and `spatial`, the spatial use
 * of level 1 in percent. What was not recorded is 0.
 *
 * Only data objects are looked at whose misses cost at least a tenth of what is worth saying: no advice can save more
 * of an object than its misses cost. Contexts of a function are one.
 */
#include <sqlite3.h>

#include "profile/advice/advice_rule.h"
#include "profile/base/error.h"
#include "profile/formats/export.h"

/* ------------------------------------------------------------------------------------------ columns */

static const struct {
    const char *name, *event[3];
} costs[] = {
    {"misses1", {"D1mr", "D1mw"}}, {"misses2", {"D2mr", "D2mw"}}, {"missesL", {"DLmr", "DLmw"}},
    {"stores1", {"D1mw"}},         {"stores2", {"D2mw"}},         {"storesL", {"DLmw"}},
    {"cold1", {"ColdD1"}},         {"cold2", {"ColdD2"}},         {"coldL", {"ColdL"}},
    {"capacity1", {"CapD1"}},      {"capacity2", {"CapD2"}},      {"capacityL", {"CapL"}},
    {"conflict1", {"ConfD1"}},     {"conflict2", {"ConfD2"}},     {"conflictL", {"ConfL"}},
    {"used1", {"UseD1"}},          {"used2", {"UseD2"}},          {"usedL", {"UseL"}},
    {"lost1", {"SpLossD1"}},       {"lost2", {"SpLossD2"}},       {"lostL", {"SpLossL"}},
    {"touched1", {"BytD1"}},       {"touched2", {"BytD2"}},       {"touchedL", {"BytL"}},
    {"tenures1", {"EvD1"}},        {"tenures2", {"EvD2"}},        {"tenuresL", {"EvL"}},
};
enum { COSTS = sizeof costs / sizeof *costs };

/* "x AS name" for each: of those of its events that the profile has. */
static char *costs_of_events(tp_profile *profile)
{
    sqlite3_str *sql = sqlite3_str_new(tp_db(profile));

    for (size_t i = 0; i < COSTS; i++) {
        const char *between = ", 1.0 * (";
        for (size_t e = 0; e < 2 && costs[i].event[e]; e++) {
            if (!tp_event_find(profile, costs[i].event[e]))
                continue;
            sqlite3_str_appendf(sql, "%sifnull(t.\"%w\", 0)", between, costs[i].event[e]);
            between = " + ";
        }
        sqlite3_str_appendf(sql, *between == ',' ? ", 0.0 AS %s" : ") AS %s", costs[i].name);
    }
    return sqlite3_str_finish(sql);
}

static char *sums_of_costs(tp_profile *profile)
{
    sqlite3_str *sql = sqlite3_str_new(tp_db(profile));

    for (size_t i = 0; i < COSTS; i++)
        sqlite3_str_appendf(sql, ", sum(%s) AS %s", costs[i].name, costs[i].name);
    sqlite3_str_appendall(sql, ", 100.0 * sum(used1) / nullif(sum(used1) + sum(lost1), 0) AS spatial");
    return sqlite3_str_finish(sql);
}

/* ------------------------------------------------------------------------------------------ tables */

/* `select` is from sqlite3_mprintf, and freed here. */
static int gather_make(tp_profile *profile, const char *table, char *select, struct tp_error *err)
{
    char *sql = select ? sqlite3_mprintf("DROP TABLE IF EXISTS temp.%s;"
                                         "CREATE TEMP TABLE %s AS %s", table, table, select) : NULL;

    sqlite3_free(select);
    return tp_execute(profile, sql, "cannot gather costs", err);
}

static const char objects[] =
    "SELECT *, 100.0 * used1 / nullif(used1 + lost1, 0) AS spatial FROM (SELECT t.id AS data_id, t.kind, t.blocks,"
    " t.bytes, coalesce(t.size, 1.0 * t.bytes / (SELECT max(1, sum(recordings)) FROM runs)) AS size,"
    " 1.0 * t.bytes / nullif(t.blocks, 0) AS mean%s FROM t_data t WHERE kind NOT IN ('rest', 'other', 'folded'))"
    " WHERE %!.15g * misses1 + %!.15g * misses2 + %!.15g * missesL >= %!.15g;"
    "CREATE INDEX temp.i_advice_objects ON advice_objects(data_id);";

/* Of the strides of an instruction in a data object: how many, how often the most frequent one, and which, and how
 * often all that are kept. */
static const char with_strides[] =
    " LEFT JOIN (SELECT instruction_id, data_id, max(count) AS regular, stride, strides, sum(count) AS kept"
    " FROM strides WHERE data_id IN (SELECT data_id FROM temp.advice_objects)"
    " GROUP BY instruction_id, data_id) p ON p.instruction_id = t.instruction_id AND p.data_id = t.data_id";

static const char shares[] =
    "SELECT t.data_id, t.instruction_id, i.function_id, n.base_id, i.file_id, i.line, i.loop_id,"
    " ifnull(p.regular, 0) AS regular, p.stride, ifnull(p.strides, 0) AS strides, ifnull(p.kept, 0) AS kept%s"
    " FROM temp.advice_objects o CROSS JOIN t_instruction_data t ON t.data_id = o.data_id"
    " JOIN t_instructions i ON i.id = t.instruction_id JOIN t_functions n ON n.id = i.function_id%s";

/* Of a group with one max(), the other columns are those of its row: the line, and the stride, that miss most. */
#define MISS_MOST                                                                                            \
    "SELECT data_id, function_id, base_id, file_id, line, loop_id, stride, max(misses1) AS most,"            \
    " sum(regular) AS regular, sum(strides) AS strides, sum(kept) AS kept%s "
static const char lines[] = MISS_MOST "FROM temp.advice_shares GROUP BY data_id, base_id, loop_id, file_id, line";
static const char sites[] =
    MISS_MOST "FROM temp.advice_lines GROUP BY data_id, base_id, ifnull(loop_id, -line),"
    " iif(loop_id IS NULL, file_id, 0); CREATE INDEX temp.i_advice_sites ON advice_sites(data_id);";

/* A field is idle if it is hardly touched in lines that are loaded, and another one is hot. */
#define LOST(level, what) \
    ", ifnull(sum(lost" level ") FILTER (WHERE is_what = '" what "'), 0.0) AS " what level
static const char reasons[] =
    "WITH costs AS (SELECT t.data_id, t.field, t.kind = 'around' OR (t.kind = 'bytes' AND t.offset >= o.mean)"
    " AS outside, t.kind IN ('around', 'beyond') AS nowhere%s FROM temp.advice_objects o"
    " JOIN t_data_fields t ON t.data_id = o.data_id), hot AS (SELECT *, NOT outside AND NOT nowhere AND used1 >= lost1"
    " AND used1 > 0 AS is_hot FROM costs), f AS (SELECT *, CASE WHEN outside THEN 'around' WHEN nowhere THEN NULL"
    " WHEN is_hot THEN 'hot' WHEN 100.0 * used1 < %!.15g * (used1 + lost1) AND max(is_hot)"
    " OVER (PARTITION BY data_id) THEN 'idle' END AS is_what FROM hot ORDER BY data_id, lost1 DESC) SELECT data_id"
    LOST("1", "around") LOST("2", "around") LOST("L", "around") LOST("1", "idle") LOST("2", "idle") LOST("L", "idle")
    ", group_concat(field, ', ') FILTER (WHERE is_what = 'idle') AS idle_fields,"
    " group_concat(field, ', ') FILTER (WHERE is_what = 'hot') AS hot_fields FROM f GROUP BY data_id";

/* Loops, with the outermost loop around each. Loops that are deeper in one another than any program's have none: in a
 * damaged profile they may be around themselves. */
static const char nests[] =
    "WITH RECURSIVE up(loop_id, root_id, parent, entries, rounds, depth) AS (SELECT id, id, parent, entries,"
    " iterations, 0 FROM t_loops WHERE id IN (SELECT loop_id FROM temp.advice_sites)"
    " UNION ALL SELECT up.loop_id, l.id, l.parent, l.entries, l.iterations, up.depth + 1 FROM up"
    " JOIN t_loops l ON l.id = up.parent WHERE up.depth < 100) SELECT loop_id, root_id, up.entries, rounds,"
    " l.parent IS NOT NULL AS is_inner, ifnull(siblings, 0) AS siblings FROM up JOIN t_loops l ON l.id = loop_id"
    " LEFT JOIN (SELECT parent, count(*) AS siblings FROM t_loops GROUP BY parent) c ON c.parent = l.parent"
    " WHERE up.parent IS NULL";

static char *code(tp_profile *profile)
{
    static const char *const names[] = {"Ir", "Bc", "Bcm", "Bi", "Bim"};
    sqlite3_str *sql = sqlite3_str_new(tp_db(profile));

    sqlite3_str_appendall(sql, "SELECT min(t.function_id) AS function_id, t.file_id, t.line");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        sqlite3_str_appendf(sql, tp_event_find(profile, names[i]) ? ", sum(t.%s) AS %s" : ", 0 AS %.0s%s", names[i],
                            names[i]);
    sqlite3_str_appendall(sql, " FROM t_lines t JOIN t_functions n ON n.id = t.function_id"
                               " GROUP BY n.base_id, t.file_id, t.line");
    return sqlite3_str_finish(sql);
}

/* ------------------------------------------------------------------------------------------ fusions */

/* Half of the object at least, and as often as advice's limit `again`; nine of ten strides are one, shorter than
 * `far`. */
static const char walks[] =
    "SELECT s.data_id, n.root_id,"
    " n.entries, n.rounds, s.function_id, s.file_id, s.line, max(s.misses1) AS most, sum(s.misses1) AS misses1,"
    " sum(s.misses2) AS misses2, sum(s.missesL) AS missesL, o.size FROM temp.advice_sites s"
    " JOIN temp.advice_nests n ON n.loop_id = s.loop_id JOIN temp.advice_objects o ON o.data_id = s.data_id"
    " WHERE s.capacity1 >= 0.5 * s.misses1 AND s.regular >= 0.9 * s.strides AND abs(s.stride) < %!.15g AND n.entries"
    " >= %!.15g AND 2 * s.misses1 * %!.15g >= n.entries * o.size GROUP BY s.data_id, n.root_id;";

static const char reloads[] =
    "SELECT l.root_id AS loader,"
    " r.root_id AS root_id, p.data_id, sum(p.misses) AS misses1 FROM t_pairs p"
    " JOIN t_instructions i ON i.id = p.loader_id JOIN t_instructions j ON j.id = p.instruction_id"
    " JOIN temp.advice_nests l ON l.loop_id = i.loop_id JOIN temp.advice_nests r ON r.loop_id = j.loop_id"
    " WHERE p.cache = 'D1' AND p.data_id IN (SELECT data_id FROM temp.advice_walks) AND l.root_id <> r.root_id"
    " GROUP BY l.root_id, r.root_id, p.data_id;";

static const char fusions[] =
    "WITH RECURSIVE pair(a, b) AS"
    " (SELECT a.root_id, b.root_id FROM temp.advice_walks a"
    " JOIN temp.advice_walks b ON b.data_id = a.data_id AND b.root_id <> a.root_id AND abs(b.entries - a.entries) <="
    " 0.1 * a.entries AND abs(b.rounds - a.rounds) <= 0.1 * a.rounds WHERE NOT EXISTS (SELECT 1 FROM t_pairs)"
    " OR EXISTS (SELECT 1 FROM temp.advice_reloads m WHERE m.data_id = a.data_id AND ((m.loader = a.root_id AND"
    " m.root_id = b.root_id AND 2 * m.misses1 >= b.misses1) OR (m.loader = b.root_id AND m.root_id = a.root_id AND"
    " 2 * m.misses1 >= a.misses1)))), reach(a, b) AS (SELECT a, a"
    " FROM pair UNION SELECT a, b FROM pair UNION SELECT r.a, p.b FROM reach r"
    " JOIN pair p ON p.a = r.b) SELECT min(r.b) AS fusion, w.* FROM temp.advice_walks w"
    " JOIN reach r ON r.a = w.root_id GROUP BY w.data_id, w.root_id;";

int tp_advice_gather(tp_profile *profile, const struct tp_advice_worth *worth, struct tp_error *err)
{
    const double *weight = worth->weight;
    char *events = costs_of_events(profile), *sums = sums_of_costs(profile);
    int failed =
        !events || !sums
            ? TP_NO_MEMORY(err)
            : gather_make(profile, "advice_objects",
                          sqlite3_mprintf(objects, events, weight[0], weight[1], weight[2], worth->least / 10), err) ||
                  gather_make(profile, "advice_shares", sqlite3_mprintf(shares, events, with_strides), err) ||
                  gather_make(profile, "advice_lines", sqlite3_mprintf(lines, sums), err) ||
                  gather_make(profile, "advice_sites", sqlite3_mprintf(sites, sums), err) ||
                  gather_make(profile, "advice_nests", sqlite3_mprintf("%s", nests), err) ||
                  gather_make(profile, "advice_reasons", sqlite3_mprintf(reasons, events, worth->cold), err) ||
                  gather_make(profile, "advice_code", code(profile), err) ||
                  gather_make(profile, "advice_walks",
                              sqlite3_mprintf(walks, worth->far, worth->again, worth->line), err) ||
                  gather_make(profile, "advice_reloads", sqlite3_mprintf("%s", reloads), err) ||
                  gather_make(profile, "advice_fusions", sqlite3_mprintf("%s", fusions), err);

    sqlite3_free(events);
    sqlite3_free(sums);
    return failed ? -1 : 0;
}
