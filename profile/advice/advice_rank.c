/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_rank.c: from what rules have found to the tables that advice.h describes.
 *
 * Found advice is kept as it comes, in temp.advice_found and temp.advice_found_evidence. Then the best of each kind are
 * numbered by what they save, and what is meant by them is looked up: names, loops, who allocates.
 */
#include <sqlite3.h>

#include "profile/advice/advice_rule.h"
#include "profile/base/error.h"

static const char found[] =
    "DROP TABLE IF EXISTS temp.advice_found;"
    "DROP TABLE IF EXISTS temp.advice_found_evidence;"
    "CREATE TEMP TABLE advice_found(id INTEGER PRIMARY KEY, kind TEXT, title TEXT, fix TEXT, other TEXT,"
    " function_id INTEGER, file_id INTEGER, line INTEGER, loop_id INTEGER, data_id INTEGER,"
    " other_function_id INTEGER, other_file_id INTEGER, other_line INTEGER, other_loop_id INTEGER, fusion INTEGER,"
    " cest REAL, cest_share REAL, cycles REAL, share REAL, bytes INTEGER, memory_bytes INTEGER, confidence REAL);"
    "CREATE TEMP TABLE advice_found_evidence(found_id INTEGER, n INTEGER, key TEXT, value REAL, unit TEXT, words TEXT,"
    " text TEXT);";

/* One cause, one piece of advice: of what rules say of a whole data object, and of sites in it, what saves more. */
static const char alone[] =
    "DELETE FROM temp.advice_found WHERE id IN (WITH some AS (SELECT id, data_id, cycles, function_id IS NULL AS whole"
    " FROM temp.advice_found WHERE kind IN ('list', 'tree', 'chain', 'search', 'gaps', 'fields', 'stride', 'random',"
    " 'unused')), sums AS (SELECT data_id, whole, sum(cycles) AS cycles FROM some GROUP BY data_id, whole)"
    " SELECT some.id FROM some JOIN sums o ON o.data_id = some.data_id AND o.whole <> some.whole"
    " JOIN sums m ON m.data_id = some.data_id AND m.whole = some.whole"
    " WHERE o.cycles > m.cycles OR (o.cycles = m.cycles AND NOT some.whole));";

static const char ranked[] =
    "DROP TABLE IF EXISTS temp.advice;"
    "CREATE TEMP TABLE advice AS SELECT row_number() OVER (ORDER BY r.cycles DESC, r.confidence DESC, r.id) AS id,"
    " r.kind, r.title, r.fix, n.base AS function, r.function_id, f.path AS file, r.file_id, r.line, r.loop_id,"
    " r.fusion, d.name AS data, r.data_id, r.cest, r.cest_share, r.cycles, r.share, r.bytes, r.memory_bytes,"
    " r.confidence,"
    " CAST(CASE WHEN r.confidence >= 0.8 THEN 'high' WHEN r.confidence >= 0.5 THEN 'medium' ELSE 'low' END AS TEXT)"
    " AS certain, CAST(NULL AS TEXT) AS tried, CAST(NULL AS REAL) AS promised,"
    " CAST(NULL AS TEXT) AS remap, r.id AS found_id FROM"
    " (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY cycles DESC, confidence DESC, id) AS place"
    " FROM temp.advice_found) r LEFT JOIN t_functions n ON n.id = r.function_id LEFT JOIN files f ON f.id = r.file_id"
    " LEFT JOIN t_data d ON d.id = r.data_id WHERE r.place <= %d;"
    "DROP TABLE IF EXISTS temp.advice_evidence;"
    "CREATE TEMP TABLE advice_evidence AS SELECT a.id AS advice_id, e.key, e.value, e.unit, e.words, e.text"
    " FROM temp.advice a JOIN temp.advice_found_evidence e ON e.found_id = a.found_id ORDER BY a.id, e.n;"
    "DROP TABLE IF EXISTS temp.advice_places;"
    "CREATE TEMP TABLE advice_places(advice_id INTEGER, role TEXT, function TEXT, function_id INTEGER, file TEXT,"
    " file_id INTEGER, line INTEGER, last_line INTEGER, share REAL, object TEXT);";

#define INTO "INSERT INTO temp.advice_places "

/* What advice names itself: a line, the loops around it, and the same of the second place. */
static const char places[] =
    INTO "WITH found AS (SELECT a.id, r.* FROM temp.advice a JOIN temp.advice_found r ON r.id = a.found_id),"
    " place(advice_id, n, role, function_id, file_id, line, last_line) AS ("
    "SELECT id, 0, 'line', function_id, file_id, line, NULL FROM found WHERE function_id IS NOT NULL "
    "UNION ALL SELECT f.id, 1, 'loop', f.function_id, l.file_id, l.line, l.last_line FROM found f"
    " JOIN t_loops l ON l.id = f.loop_id "
    "UNION ALL SELECT f.id, 2, 'outer', f.function_id, p.file_id, p.line, p.last_line FROM found f"
    " JOIN t_loops l ON l.id = f.loop_id JOIN t_loops p ON p.id = l.parent "
    "UNION ALL SELECT id, 3, other, other_function_id, other_file_id, other_line, NULL FROM found"
    " WHERE other_function_id IS NOT NULL "
    "UNION ALL SELECT f.id, 4, 'loop', f.other_function_id, l.file_id, l.line, l.last_line FROM found f"
    " JOIN t_loops l ON l.id = f.other_loop_id AND l.id IS NOT f.loop_id "
    "UNION ALL SELECT f.id, 5, 'loop', l.function_id, l.file_id, l.line, l.last_line FROM found f"
    " JOIN (SELECT DISTINCT fusion, root_id FROM temp.advice_fusions) u ON u.fusion = f.fusion"
    " JOIN t_loops l ON l.id = u.root_id) "
    "SELECT advice_id, role, n.base, function_id, f.path, p.file_id, p.line, last_line, NULL, o.path FROM place p"
    " LEFT JOIN t_functions n ON n.id = function_id LEFT JOIN files f ON f.id = p.file_id"
    " LEFT JOIN objects o ON o.id = n.object_id ORDER BY advice_id, n, p.file_id, p.line;"

    /* Of advice on a whole data object: the lines that lose most in it. */
    INTO "SELECT advice_id, 'misses', n.base, function_id, f.path, p.file_id, p.line, NULL, share, o.path FROM"
    " (SELECT a.id AS advice_id, row_number() OVER (PARTITION BY a.id ORDER BY s.lost1 DESC, s.line) AS place,"
    " s.function_id, s.file_id, s.line, 100.0 * s.lost1 / nullif(o.lost1, 0) AS share FROM temp.advice a"
    " JOIN temp.advice_objects o ON o.data_id = a.data_id JOIN temp.advice_lines s ON s.data_id = a.data_id"
    " WHERE a.function_id IS NULL AND a.fusion IS NULL AND s.lost1 >= 0.05 * o.lost1) p"
    " LEFT JOIN t_functions n ON n.id = function_id"
    " LEFT JOIN files f ON f.id = p.file_id LEFT JOIN objects o ON o.id = n.object_id WHERE place <= 3"
    " ORDER BY advice_id, place;"

    /* Who allocates the data object, and who calls that, inline or not; not known where the path is folded. */
    INTO "SELECT a.id, 'allocated', d.function, NULL, f.path, d.file_id, d.line, NULL, NULL, NULL FROM temp.advice a"
    " JOIN t_data d ON d.id = a.data_id LEFT JOIN files f ON f.id = d.file_id"
    " WHERE d.kind IN ('heap', 'mapping') AND d.function IS NOT NULL AND a.fusion IS NULL;"
    INTO "SELECT a.id, 'called', coalesce(up.name, n.base), i.function_id, f.path, f.id, v.call_line, NULL, NULL, NULL"
    " FROM temp.advice a JOIN t_data d ON d.id = a.data_id JOIN t_data_paths p ON p.id = d.origin_id"
    " AND p.function = d.allocator JOIN t_instructions i ON i.id = p.site_id"
    " JOIN t_inlined v ON v.id = i.inlined_id AND v.name = d.function"
    " LEFT JOIN t_inlined up ON up.id = v.parent LEFT JOIN t_functions n ON n.id = v.function_id"
    " LEFT JOIN files f ON f.id = v.call_file_id WHERE a.fusion IS NULL;"
    INTO "SELECT a.id, 'called', g.function, NULL, f.path, p.file_id, p.line, NULL, NULL, NULL FROM temp.advice a"
    " JOIN t_data d ON d.id = a.data_id JOIN t_data_paths h ON h.id = d.origin_id AND h.function = d.allocator"
    " JOIN t_data_paths p ON p.id = h.parent AND p.function = d.function"
    " LEFT JOIN t_data_paths g ON g.id = p.parent LEFT JOIN files f ON f.id = p.file_id WHERE p.line IS NOT NULL"
    " AND a.fusion IS NULL AND d.function NOT IN ('main', 'MAIN__');";

int tp_advice_begin(tp_profile *profile, struct tp_error *err)
{
    return tp_execute(profile, sqlite3_mprintf("%s", found), "cannot gather advice", err);
}

int tp_advice_rank(tp_profile *profile, int most, struct tp_error *err)
{
    return tp_execute(profile, sqlite3_mprintf("%s", alone), "cannot gather advice", err) ||
                   tp_execute(profile, sqlite3_mprintf(ranked, most), "cannot gather advice", err) ||
                   tp_execute(profile, sqlite3_mprintf("%s", places), "cannot gather advice", err)
               ? -1
               : 0;
}
