/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_gather.c: what rules ask, in temporary tables (advice_rule.h).
 *
 *   advice_objects  what all pay in a data object, and how large its blocks are
 *   advice_shares   what an instruction pays in one; its strides; and whether its address was loaded
 *   advice_sites    the same by innermost loop, or by source line where there is no loop: the line that misses most
 *   advice_allocations  what the calls cost that allocate a data object's blocks, and that free them
 *   advice_reasons  what of a data object's loss is around its blocks, and in which fields of its elements
 *   advice_orders   what of a data object's loss is in walks through it: misses that follow each other at one distance
 *   advice_around   of the loops of sites, and of those around them: each with itself and each loop around it
 *   advice_nests    of the loops of sites: the outermost one around them, how often that was entered and how many
 *                   rounds it took; and how many loops are beside them
 *   advice_sizes    what all would miss in a data object with twice the L2, and with twice the last level; NULL: not
 *                   known
 *   advice_beside   of the loops of sites: bytes of L2 (of the last level, where there is none) that what they use
 *                   besides a data object needs; 0: none, or it would not fit into any. Both tables are empty without
 *                   --curves=yes
 *   advice_code     what a source line executes
 *   advice_walks    what a loop pays in a data object that it walks from end to end, in the order of memory, each time
 *                   it is entered, because the object does not fit into the cache: the innermost loop that does
 *   advice_reloads  lines of an object that one loop had to load again, and another had loaded before, where the
 *                   recording has pairs (--interdependence=yes)
 *   advice_fusions  walks that belong together: a number for all loops that are entered equally often, take about as
 *                   many rounds (one may be unrolled, or vectorised), have data in common, directly or through others,
 *                   and are in the same loop, or in the same function, or in functions one of which calls the other,
 *                   or that one calls both; where there are pairs, only if half of what one of two such walks misses,
 *                   the other one had loaded. If such loops were one, each object would be walked once: what the walk
 *                   that misses most pays would remain, and what the others pay would not.
 *
 * Costs have names that are the same whatever was simulated: misses1, of these cold1, capacity1 and conflict1;
 * stores1, of the misses those of stores; and of the lines that they loaded used1, lost1 (bytes touched, and never
 * touched), touched1 (bytes touched, each time), tenures1; the same for levels 2 and L; of this also touchesL
 * and rareL (the sum of 1000 / touches over all lines); `walks`, page walks; `time`, the estimate of time; and
 * `spatial`, the spatial use of level 1 in percent. What was not recorded is 0. Of misses1, chased1 are of accesses
 * whose address comes from loads that follow pointers (address_loads), forked1 of those that several such loads may
 * lead to, and entered1 of those whose address another load brings, which misses as often; that one's misses of the
 * last level are enteredL.
 *
 * Only data objects are looked at whose misses and page walks cost at least a tenth of what is worth saying: no advice
 * can save more of an object. Contexts of a function are one. What the dynamic linker pays is nobody's to change, and
 * left out.
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "profile/advice/advice_rule.h"
#include "profile/base/error.h"
#include "profile/formats/export.h"
#include "profile/objects/names.h"
#include "profile/read/curves.h"

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
    {"touchesL", {"TchL"}},        {"rareL", {"AcCostL"}},       {"walks", {"DTwr", "DTww"}},
    {"time", {"Time"}},
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
    " t.bytes, t.element, coalesce(t.size, 1.0 * t.bytes / (SELECT max(1, sum(recordings)) FROM runs)) AS size,"
    " 1.0 * t.bytes / nullif(t.blocks, 0) AS mean%s FROM t_data t WHERE kind NOT IN ('rest', 'other', 'folded'))"
    " WHERE %!.15g * misses1 + %!.15g * misses2 + %!.15g * missesL + %!.15g * walks >= %!.15g;"
    "CREATE INDEX temp.i_advice_objects ON advice_objects(data_id);";

/* Of the strides of an instruction in a data object: how many, how often the most frequent one, and which, and how
 * often all that are kept. Whether it turns: the next frequent one, which leads from the end of a walk to the beginning
 * of another one, is no multiple, so that the other walk is along other places; NULL: not known. Where some steps find
 * their line, the walk itself has multiples, too: those in its direction are asked last. */
static const char with_strides[] =
    " LEFT JOIN (SELECT z.instruction_id, z.data_id, z.strides, max(iif(place = 1, count, 0)) AS regular,"
    " max(iif(place = 1, stride, NULL)) AS stride, sum(count) AS kept, max(iif(place = 2 AND count > 1, stride, NULL))"
    " %% max(iif(place = 1, nullif(stride, 0), NULL)) <> 0 AS turns FROM t_stride_sums z"
    " LEFT JOIN (SELECT *, row_number() OVER (PARTITION BY instruction_id, data_id ORDER BY stride <> most AND"
    " ifnull(stride %% most = 0 AND stride / most > 0, 0), count DESC, stride) AS place FROM (SELECT *,"
    " first_value(stride) OVER (PARTITION BY instruction_id, data_id ORDER BY count DESC, stride) AS most"
    " FROM t_strides WHERE data_id IN (SELECT data_id FROM temp.advice_objects))) k"
    " ON k.instruction_id = z.instruction_id AND k.data_id = z.data_id"
    " WHERE z.data_id IN (SELECT data_id FROM temp.advice_objects) GROUP BY z.instruction_id, z.data_id) p"
    " ON p.instruction_id = t.instruction_id AND p.data_id = t.data_id"
    " LEFT JOIN (SELECT a.instruction_id, sum(circular) AS links, max(iif(circular, 0, n.misses1)) AS waits,"
    " max(iif(circular, 0, n.missesL)) AS waitsL"
    " FROM t_address_loads a JOIN (SELECT t.id%s FROM t_instructions t) n ON n.id = a.load_id"
    " WHERE circular < 3 GROUP BY a.instruction_id) c ON c.instruction_id = t.instruction_id";

static const char shares[] =
    "SELECT t.data_id, t.instruction_id, i.function_id, n.base_id, i.file_id, i.line, i.loop_id,"
    " ifnull(p.regular, 0) AS regular, p.stride, ifnull(p.strides, 0) AS strides, ifnull(p.kept, 0) AS kept,"
    " p.turns, ifnull(c.links, 0) AS links, ifnull(c.waits, 0) AS waits,"
    " ifnull(c.waitsL, 0) AS waitsL%s"
    " FROM temp.advice_objects o CROSS JOIN t_instruction_data t ON t.data_id = o.data_id"
    " JOIN t_instructions i ON i.id = t.instruction_id JOIN t_functions n ON n.id = i.function_id%s"
    " WHERE NOT EXISTS (SELECT 1 FROM objects x WHERE x.id = n.object_id AND (x.path LIKE '%%/ld-linux%%' OR x.path"
    " LIKE '%%/ld-musl%%'))";

/* tenure_system(path) */
static void system_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *path = (const char *)sqlite3_value_text(values[0]);

    (void)count;
    sqlite3_result_int(context, path && tp_is_system_source(path));
}

/* Code that was inlined from a system's header stands for the user's line that it was inlined in. */
static const char users_lines[] =
    "WITH RECURSIVE up(id, frame_id, file_id, line, own) AS (SELECT DISTINCT s.instruction_id, i.inlined_id, s.file_id,"
    " s.line, 0 FROM temp.advice_shares s JOIN t_instructions i ON i.id = s.instruction_id JOIN files f ON f.id ="
    " s.file_id AND tenure_system(f.path) UNION ALL SELECT up.id, v.parent, v.call_file_id, v.call_line,"
    " NOT tenure_system(f.path) FROM up JOIN t_inlined v ON v.id = up.frame_id JOIN files f ON f.id = v.call_file_id"
    " WHERE NOT up.own)"
    " UPDATE temp.advice_shares SET (file_id, line) = (SELECT file_id, line FROM up WHERE up.id = instruction_id AND"
    " own)"
    " WHERE instruction_id IN (SELECT id FROM up WHERE own);";

static int gather_shares(tp_profile *profile, const char *events, struct tp_error *err)
{
    char *joined = sqlite3_mprintf(with_strides, events);
    int failed = joined ? gather_make(profile, "advice_shares", sqlite3_mprintf(shares, events, joined), err)
                        : TP_NO_MEMORY(err);

    sqlite3_free(joined);
    if (!failed && sqlite3_create_function(tp_db(profile), "tenure_system", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                           system_function, NULL, NULL) != SQLITE_OK)
        failed = tp_sql_failed(profile, "cannot gather costs", err);
    return failed || tp_execute(profile, sqlite3_mprintf("%s", users_lines), "cannot gather costs", err) ? -1 : 0;
}

/* Of a group with one max(), the other columns are those of its row: the line, and the stride, that miss most. */
#define MISS_MOST                                                                                            \
    "SELECT data_id, function_id, base_id, file_id, line, loop_id, stride, turns, max(misses1) AS most,"     \
    " sum(regular) AS regular, sum(strides) AS strides, sum(kept) AS kept, "
static const char lines[] =
    MISS_MOST "total(iif(links > 0, misses1, 0)) AS chased1, total(iif(links > 1, misses1, 0)) AS forked1,"
    " total(min(waits, misses1)) AS entered1, total(waitsL) AS enteredL%s"
    " FROM temp.advice_shares GROUP BY data_id, base_id, loop_id, file_id, line";
static const char sites[] =
    MISS_MOST "sum(chased1) AS chased1, sum(forked1) AS forked1, sum(entered1) AS entered1,"
    " sum(enteredL) AS enteredL%s"
    " FROM temp.advice_lines GROUP BY data_id, base_id, ifnull(loop_id, -line),"
    " iif(loop_id IS NULL, file_id, 0); CREATE INDEX temp.i_advice_sites ON advice_sites(data_id);"
    " CREATE INDEX temp.i_advice_places ON advice_sites(function_id, line);";

static const char orders[] =
    "SELECT data_id, total(iif(100 * regular >= %!.15g * strides AND abs(stride) < %!.15g, lost1, 0)) /"
    " nullif(total(lost1), 0) AS walked FROM temp.advice_sites GROUP BY data_id;";

/* A field is idle if it is hardly touched in lines that are loaded, and another one is hot. */
#define LOST(level, what) \
    ", ifnull(sum(lost" level ") FILTER (WHERE is_what = '" what "'), 0.0) AS " what level
static const char reasons[] =
    "WITH costs AS (SELECT t.data_id, t.field, t.size, t.kind = 'around' OR (t.kind = 'bytes' AND t.offset >= o.mean)"
    " AS outside, t.kind IN ('around', 'beyond') AS nowhere%s FROM temp.advice_objects o"
    " JOIN t_data_fields t ON t.data_id = o.data_id), hot AS (SELECT *, NOT outside AND NOT nowhere AND used1 >= lost1"
    " AND used1 > 0 AS is_hot FROM costs), f AS (SELECT *, CASE WHEN outside THEN 'around' WHEN nowhere THEN NULL"
    " WHEN is_hot THEN 'hot' WHEN 100.0 * used1 < %!.15g * (used1 + lost1) AND max(is_hot)"
    " OVER (PARTITION BY data_id) THEN 'idle' END AS is_what FROM hot ORDER BY data_id, lost1 DESC) SELECT data_id"
    LOST("1", "around") LOST("2", "around") LOST("L", "around") LOST("1", "idle") LOST("2", "idle") LOST("L", "idle")
    ", group_concat(field, ', ') FILTER (WHERE is_what = 'idle') AS idle_fields,"
    " total(size) FILTER (WHERE is_what = 'idle') AS idle_bytes, total(size) FILTER (WHERE is_what = 'hot') AS"
    " hot_bytes,"
    " iif(2 * total(lost1) FILTER (WHERE nowhere) < total(lost1),"
    " group_concat(field, ', ') FILTER (WHERE is_what = 'hot'), NULL) AS hot_fields FROM f GROUP BY data_id;"
    /* Fields have no costs of L2: the same part is lost there as in level 1. */
    "UPDATE temp.advice_reasons SET (around2, idle2) = (SELECT lost2 * around1 / max(lost1, 1), lost2 * idle1 /"
    " max(lost1, 1) FROM temp.advice_objects o WHERE o.data_id = advice_reasons.data_id);";

/* Loops that are deeper in one another than any program's have none around them: in a damaged profile they may be
 * around themselves. */
static const char around[] =
    "WITH RECURSIVE site(loop_id) AS (SELECT DISTINCT loop_id FROM temp.advice_sites WHERE loop_id IS NOT NULL),"
    " of(loop_id, depth) AS (SELECT loop_id, 0 FROM site UNION SELECT l.parent, of.depth + 1 FROM of JOIN t_loops l"
    " ON l.id = of.loop_id WHERE l.parent IS NOT NULL AND of.depth < 100),"
    " up(loop_id, around_id, steps) AS (SELECT DISTINCT loop_id, loop_id, 0 FROM of UNION ALL SELECT up.loop_id,"
    " l.parent, up.steps + 1 FROM up JOIN t_loops l ON l.id = up.around_id WHERE l.parent IS NOT NULL AND up.steps <"
    " 100) SELECT * FROM up; CREATE INDEX temp.i_advice_around ON advice_around(loop_id);";

static const char nests[] =
    "SELECT a.loop_id, r.id AS root_id, r.entries, r.iterations AS rounds, l.parent IS NOT NULL AS is_inner,"
    " ifnull(siblings, 0) AS siblings FROM temp.advice_around a JOIN t_loops r ON r.id = a.around_id AND r.parent IS"
    " NULL"
    " JOIN t_loops l ON l.id = a.loop_id LEFT JOIN (SELECT parent, count(*) AS siblings FROM t_loops GROUP BY parent) c"
    " ON c.parent = l.parent;";

/* ------------------------------------------------------------------------------------------ other sizes */

/* The ways of a cache, and the bytes of one; 0: there is no such cache, or what it would miss with other sizes is not
 * known. `level`: of the events of its data. */
static unsigned curve_of(tp_profile *profile, const char *cache, const char *level, uint64_t *way)
{
    const char *shape = tp_meta(profile, cache);
    uint64_t size;
    unsigned ways;
    bool known = shape && sscanf(shape, "%" SCNu64 ",%u", &size, &ways) == 2 && ways > 0 && ways <= UINT16_MAX &&
                 size <= (uint64_t)1 << 50;

    for (const struct tp_distance *distance = tp_distances; known && distance->name; distance++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", distance->name, level);
        known = tp_event_find(profile, name) != NULL;
    }
    *way = known ? size / ways : 0;
    return known ? ways : 0;
}

/* Whether the misses with so many ways are counted. */
static bool is_counted(unsigned ways)
{
    const struct tp_distance *distance = tp_distances;

    while (distance->name && distance->ways != ways)
        distance++;
    return distance->name != NULL;
}

/* ", total(t.Dist1L), total(t.Dist2L) ..." */
static void append_distances(sqlite3_str *sql, const char *level)
{
    for (const struct tp_distance *distance = tp_distances; distance->name; distance++)
        sqlite3_str_appendf(sql, ", CAST(total(t.%s%s) AS INTEGER)", distance->name, level);
}

static char *sizes(tp_profile *profile)
{
    static const struct {
        const char *cache, *level, *name;
    } caches[] = {{"cache.L2", "D2", "doubled2"}, {"cache.LL", "L", "doubledL"}};
    sqlite3_str *sql = sqlite3_str_new(tp_db(profile));
    bool known = false;

    sqlite3_str_appendall(sql, "SELECT t.id AS data_id");
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        uint64_t way;
        unsigned ways = curve_of(profile, caches[i].cache, caches[i].level, &way);
        bool kept = ways > 0 && is_counted(2 * ways);
        sqlite3_str_appendf(sql, kept ? ", curve_misses(%u" : ", NULL", 2 * ways);
        if (kept)
            append_distances(sql, caches[i].level);
        sqlite3_str_appendf(sql, "%s AS %s", kept ? ")" : "", caches[i].name);
        known |= kept;
    }
    sqlite3_str_appendf(sql, " FROM temp.advice_objects o JOIN t_data t ON t.id = o.data_id%s GROUP BY t.id",
                        known ? "" : " WHERE 0");
    return sqlite3_str_finish(sql);
}

static char *beside(tp_profile *profile)
{
    uint64_t way;
    bool second = tp_meta(profile, "cache.L2") != NULL;
    const char *level = second ? "D2" : "L";
    bool known = curve_of(profile, second ? "cache.L2" : "cache.LL", level, &way) > 0;
    sqlite3_str *sql = sqlite3_str_new(tp_db(profile));

    sqlite3_str_appendf(sql, "SELECT s.data_id, s.loop_id, ifnull(%s(%llu", known ? "curve_fits" : "max", way);
    if (known)
        append_distances(sql, level);
    sqlite3_str_appendf(sql, "), 0) AS needs FROM (SELECT DISTINCT data_id, loop_id FROM temp.advice_sites) s"
                             " JOIN temp.advice_around a ON a.around_id = s.loop_id"
                             " LEFT JOIN t_instructions i ON i.loop_id = a.loop_id"
                             " LEFT JOIN t_instruction_data t ON t.instruction_id = i.id AND t.data_id <> s.data_id"
                             " WHERE %d GROUP BY s.data_id, s.loop_id", known);
    return sqlite3_str_finish(sql);
}

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

/* What the calls cost that allocate an object's blocks; of a call that does so for several objects, a part for each.
 * And its part, by blocks, of what free() takes, which does not know whose they are. But new pages of memory, which
 * these calls are often the first to touch, one block would need, too. */
static char *allocations(tp_profile *profile)
{
    const char *time = tp_timed(profile) ? "x.Time_incl" : "0", *page = tp_meta(profile, "time.page");

    return sqlite3_mprintf(
        "WITH freed AS (SELECT total(x.CEst_incl) AS cest, total(%s) AS time, (SELECT max(1, total(blocks)) FROM t_data"
        " WHERE kind = 'heap') AS blocks FROM functions x WHERE x.function = 'free')"
        " SELECT o.data_id, total(x.CEst_incl * o.blocks / max(1, o.blocks, x.calls)) + o.blocks * f.cest / f.blocks AS"
        " cest, max(0, total(%s * o.blocks / max(1, o.blocks, x.calls)) + o.blocks * f.time / f.blocks -"
        " %!.15g * o.size / 4096) AS time FROM"
        " temp.advice_objects o JOIN freed f JOIN t_data t ON t.id = o.data_id JOIN t_data_paths p ON p.id ="
        " t.origin_id AND p.function = t.allocator JOIN arcs x ON x.site_id = p.site_id GROUP BY o.data_id",
        time, time, page ? strtod(page, NULL) : 0);
}

/* ------------------------------------------------------------------------------------------ fusions */

/* Half of the object at least; nine of ten strides are one, shorter than `far`. */
static const char walks[] =
    "WITH walk AS (SELECT s.data_id, l.id AS root_id, l.parent, l.function_id AS owner_id, l.entries,"
    " l.iterations AS rounds, s.function_id, s.file_id, s.line, max(s.misses1) AS most, sum(s.misses1) AS misses1,"
    " sum(s.misses2) AS misses2, sum(s.missesL) AS missesL, o.size FROM temp.advice_sites s"
    " JOIN temp.advice_around a ON a.loop_id = s.loop_id JOIN t_loops l ON l.id = a.around_id"
    " JOIN temp.advice_objects o ON o.data_id = s.data_id"
    " WHERE s.capacity1 >= 0.5 * s.misses1 AND s.regular >= 0.9 * s.strides AND abs(s.stride) < %!.15g AND l.entries"
    " > 0"
    " GROUP BY s.data_id, l.id HAVING 2 * sum(s.misses1) * %!.15g >= l.entries * o.size)"
    " SELECT * FROM walk w WHERE NOT EXISTS (SELECT 1 FROM walk i JOIN temp.advice_around a ON a.loop_id = i.root_id"
    " WHERE i.data_id = w.data_id AND a.around_id = w.root_id AND a.steps > 0);";

static const char reloads[] =
    "SELECT l.root_id AS loader,"
    " r.root_id AS root_id, p.data_id, sum(p.misses) AS misses1 FROM t_pairs p"
    " JOIN t_instructions i ON i.id = p.loader_id JOIN t_instructions j ON j.id = p.instruction_id"
    " JOIN temp.advice_around a ON a.loop_id = i.loop_id JOIN temp.advice_around b ON b.loop_id = j.loop_id"
    " JOIN (SELECT DISTINCT root_id FROM temp.advice_walks) l ON l.root_id = a.around_id"
    " JOIN (SELECT DISTINCT root_id FROM temp.advice_walks) r ON r.root_id = b.around_id"
    " WHERE p.cache = 'D1' AND p.data_id IN (SELECT data_id FROM temp.advice_walks) AND l.root_id <> r.root_id"
    " GROUP BY l.root_id, r.root_id, p.data_id;";

static const char fusions[] =
    "WITH RECURSIVE pair(a, b) AS"
    " (SELECT a.root_id, b.root_id FROM temp.advice_walks a"
    " JOIN temp.advice_walks b ON b.data_id = a.data_id AND b.root_id <> a.root_id AND abs(b.entries - a.entries) <="
    " 0.1 * a.entries AND b.rounds <= 9 * a.rounds AND a.rounds <= 9 * b.rounds AND (a.parent = b.parent OR"
    " (a.parent IS NULL AND b.parent IS NULL AND (a.owner_id = b.owner_id OR EXISTS (SELECT 1 FROM t_arcs p LEFT JOIN"
    " t_arcs q ON q.caller_id = p.caller_id AND q.callee_id = b.owner_id WHERE p.callee_id = a.owner_id AND"
    " (q.id IS NOT NULL OR p.caller_id = b.owner_id)) OR EXISTS (SELECT 1 FROM t_arcs p WHERE p.callee_id = b.owner_id"
    " AND p.caller_id = a.owner_id))))"
    " WHERE NOT EXISTS (SELECT 1 FROM t_pairs) OR EXISTS (SELECT 1 FROM temp.advice_reloads m WHERE m.data_id ="
    " a.data_id AND ((m.loader = a.root_id AND"
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
                          sqlite3_mprintf(objects, events, weight[0], weight[1], weight[2], weight[3],
                                          worth->least / 10),
                          err) ||
                  gather_shares(profile, events, err) ||
                  gather_make(profile, "advice_lines", sqlite3_mprintf(lines, sums), err) ||
                  gather_make(profile, "advice_sites", sqlite3_mprintf(sites, sums), err) ||
                  gather_make(profile, "advice_around", sqlite3_mprintf("%s", around), err) ||
                  gather_make(profile, "advice_nests", sqlite3_mprintf("%s", nests), err) ||
                  gather_make(profile, "advice_orders", sqlite3_mprintf(orders, worth->regular, worth->far), err) ||
                  gather_make(profile, "advice_reasons", sqlite3_mprintf(reasons, events, worth->cold), err) ||
                  gather_make(profile, "advice_allocations", allocations(profile), err) ||
                  gather_make(profile, "advice_sizes", sizes(profile), err) ||
                  gather_make(profile, "advice_beside", beside(profile), err) ||
                  gather_make(profile, "advice_code", code(profile), err) ||
                  gather_make(profile, "advice_walks", sqlite3_mprintf(walks, worth->far, worth->line), err) ||
                  gather_make(profile, "advice_reloads", sqlite3_mprintf("%s", reloads), err) ||
                  gather_make(profile, "advice_fusions", sqlite3_mprintf("%s", fusions), err);

    sqlite3_free(events);
    sqlite3_free(sums);
    return failed ? -1 : 0;
}
