/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sections.c: see sections.h. One group after the other, each with its tables; the list of groups is at the end.
 *
 * A new section is a descriptor here and its group's row in that list, and nothing else: options, help, text and JSON
 * follow. A view of the page that shows it says what stands in its columns (page/src/section.js).
 */
#include "profile/read/sections.h"

/* ------------------------------------------------------------------------------------------ what many share */

#define TEXT TP_COLUMN_TEXT
#define COUNT TP_COLUMN_COUNT
#define REAL TP_COLUMN_REAL
#define PERCENT TP_COLUMN_PERCENT
enum { CALLS = 85 }; /* the group of columns that go before most events do */

#define POINT(title, key, sql) {"file"}, {"line", COUNT}, {"object", TEXT, NULL, 0, "NULL"}, {key, TEXT, title, 0, sql}
#define STATEMENT(title, sql) \
    {"file"}, {"first_line", COUNT}, {"line", COUNT}, {"function", TEXT, title, 0, sql}
#define LOOP(sql) {"file"}, {"line", COUNT}, {"last_line", COUNT}, {"function", TEXT, "loop in", 0, sql}
#define DATA(group) {"data", TEXT, "data structure", group}
#define END {NULL}

/* A function that a user names; and one in a function or a source file that --in names: its path ends so. */
#define IS_CALLED \
    "(function = ?1 OR function GLOB ?1 OR function GLOB ?1 || '(*' OR function GLOB ?1 || '''*')"
#define IS_IN "(" IS_CALLED " OR file = ?1 OR file GLOB ?1 OR file GLOB '*/' || ?1)"

#define WAS_OFF(option) "EXISTS (SELECT 1 FROM meta WHERE key = '" option "' AND value IN ('no', 'none'))"
#define WAS_ON(option) "(EXISTS (SELECT 1 FROM meta WHERE key = '" option "') AND NOT " WAS_OFF(option) ")"
#define OWN_FORMAT "NOT EXISTS (SELECT 1 FROM meta WHERE key = 'import.format')"
#define ANY(view) "SELECT EXISTS (SELECT 1 FROM " view ")"
#define WITH_DATA "SELECT NOT " WAS_OFF("data")

#define NEED_DATA                                                                              \
    {"SELECT " OWN_FORMAT, "this profile has no data structures; files of $format know none"}, \
        {WITH_DATA, "this profile has no data structures; it was recorded with --data=no, "    \
                    "--inclusive=no, or without caches"}
#define NEED_SELF(words) {"SELECT NOT $inclusive", words ": --sort by an event without _incl"}
#define NEED_SUM {"SELECT NOT $ratio", "--$option: $sort is a ratio; sort by an event"}

const char *const tp_section_usual[] = {"SpLossD1", "spatialD1", "temporalD1", "L1m", "D1rate", "LLm", "Ir", NULL};
static const char *const nothing[] = {NULL};
static const char *const of_data[] = {"SpLossD1", "spatialD1", "temporalD1", "missD1", "L1m", "LLm", NULL};

/* ------------------------------------------------------------------------------------------ functions and calls */

static const struct tp_section_column function_columns[] = {
    {"calls", COUNT, "calls", CALLS, "CASE WHEN NOT EXISTS (SELECT 1 FROM meta WHERE key = 'import.format' AND "
     "value = 'cachegrind') THEN calls END", .about = "how often it was called"},
    {"file"}, {"line", COUNT}, {"object"}, {"function", TEXT, "function"}, END};

static const struct tp_section functions = {
    .key = "functions", .title = "Functions by $sort", .columns = function_columns, .place = TP_PLACE_POINT,
    .from = "functions", .function = "id", .in = IS_IN, .ties = "function", .sampled = TP_SAMPLED_FUNCTIONS};

static const struct tp_section lines = {
    .key = "lines", .title = "Lines by $sort", .place = TP_PLACE_POINT,
    .columns = (const struct tp_section_column[]){POINT("line of", "function", NULL), END},
    .from = "lines", .function = "function_id", .in = IS_IN, .ties = "file, line, function, id",
    .sampled = TP_SAMPLED_LINES};

/* What a name stands for: a function, one of its contexts, or all that match; of these the function with the highest
 * value of what is sorted by, an exact name before a pattern. */
#define MATCHES                                                                                      \
    "(function = ?1 OR symbol = ?1 OR base = ?1 OR function GLOB ?1 OR function GLOB ?1 || '(*' OR " \
    "symbol GLOB ?1 || '''*')"
#define CHOSEN                                                                                     \
    "FROM functions WHERE " MATCHES " AND base_id = (SELECT base_id FROM functions WHERE " MATCHES \
    " ORDER BY function = ?1 DESC, base = ?1 DESC, $size($sort) DESC NULLS LAST LIMIT 1)"

static const struct tp_section function = {
    .key = "function", .title = "Function $name", .columns = function_columns, .place = TP_PLACE_POINT,
    .rows = TP_ROWS_FIRST, .from = "functions", .where = "base_id = $id AND " MATCHES, .ties = "id",
    .sampled = TP_SAMPLED_FUNCTIONS,
    .each = "SELECT base_id, CASE WHEN count(*) = 1 THEN function ELSE base END " CHOSEN " GROUP BY base_id"};

/* Who calls a function, and whom it calls: a row for each call site and callee, with inclusive costs. Rows are never
 * added up, because with recursion one event is below several of them. Percentages are of the function's own inclusive
 * cost, so that the calls of a function that does not recurse sum, with its self cost, to 100.
 *
 * A function that is kept apart by callers or recursion is all its contexts, unless one is named. Then each row says
 * which context it belongs to, and percentages are of the program's cost: there is no sum of contexts, one of which may
 * be below another. */
#define ARCS(name, words, other, itself, id_of_itself)                                                          \
    static const struct tp_section_column name##_of_one_columns[] = {                                           \
        {"calls", COUNT, "calls"}, POINT(other ", called at", other, "ifnull(" other ", '(root)')"), END};      \
    static const struct tp_section name##_of_one = {                                                            \
        .key = #name, .title = words " $name", .events = TP_EVENTS_INCLUSIVE, .columns = name##_of_one_columns, \
        .place = TP_PLACE_POINT, .from = "arcs", .where = id_of_itself " = $id",                                \
        .sampled = TP_SAMPLED_ARCS,                                                                             \
        .ties = "calls DESC, id", .of = "functions WHERE id = $id",                                             \
        .each = "SELECT id, function " CHOSEN " GROUP BY base_id HAVING count(*) = 1"};                         \
    static const struct tp_section_column name##_of_all_columns[] = {                                           \
        {"calls", COUNT, "calls"}, {itself, TEXT, itself},                                                      \
        POINT(other ", called at", other, "ifnull(" other ", '(root)')"), END};                                 \
    static const struct tp_section name##_of_all = {                                                            \
        .key = #name, .title = words " $name; % of the program", .events = TP_EVENTS_INCLUSIVE,                 \
        .columns = name##_of_all_columns, .place = TP_PLACE_POINT,                                              \
        .from = "(SELECT a.*, c.context FROM (SELECT id AS context_id, row_number() OVER "                      \
                "(ORDER BY $size($sort) DESC NULLS LAST, id) AS context FROM functions "                        \
                "WHERE base_id = $id AND " MATCHES ") c JOIN arcs a ON a." id_of_itself " = c.context_id)",     \
        .order = "context, $size($by) DESC NULLS LAST, calls DESC, id", .sampled = TP_SAMPLED_ARCS,             \
        .each = "SELECT base_id, base " CHOSEN " GROUP BY base_id HAVING count(*) > 1"}
ARCS(callers, "Calls to", "caller", "callee", "callee_id");
ARCS(callees, "Calls from", "callee", "caller", "caller_id");

/* The call tree, of which rows are in depth-first order. */
static const struct tp_section tree = {
    .key = "tree",
    .columns = (const struct tp_section_column[]){{"calls", COUNT, "calls", 3}, {"id", COUNT}, {"parent", COUNT},
                                                  {"depth", COUNT}, {"function", TEXT, "function"}, END}};

/* ------------------------------------------------------------------------------------------ when */

#define SPAN(title) {"start", COUNT, title}, {"instructions", COUNT, "instructions"}
#define MILLISECONDS(key, title, ns) {key, REAL, title, 0, ns " / 1e6"}
static const struct tp_section intervals = {
    .key = "intervals", .title = "Intervals of the run", .events = TP_EVENTS_SELF, .rows = TP_ROWS_ALL, .order = "id",
    .columns = (const struct tp_section_column[]){
        {"id", COUNT, "interval"}, SPAN("from"), MILLISECONDS("start_ms", "from (ms)", "start_ns"),
        MILLISECONDS("ms", "ms", "duration_ns"), END},
    .from = "intervals"};

static const struct tp_section interval_functions = {
    .key = "interval_functions", .title = "The functions that cost most in each", .events = TP_EVENTS_SELF,
    .rows = TP_ROWS_ALL, .order = "interval_id, $size($sort) DESC NULLS LAST, function_id", .place = TP_PLACE_POINT,
    .columns = (const struct tp_section_column[]){
        {"interval_id", COUNT, "interval"}, POINT("function", "function", NULL), END},
    .from = "interval_functions"};

static const struct tp_section labels = {
    .key = "labels", .title = "Requests and parts", .events = TP_EVENTS_NONE, .rows = TP_ROWS_ALL, .order = "at, ns",
    .columns = (const struct tp_section_column[]){
        {"at", COUNT, "instructions"}, MILLISECONDS("ms", "ms", "ns"), {"label", TEXT, "what"}, END},
    .from = "labels"};

/* ------------------------------------------------------------------------------------------ threads and units */

/* A thread's own costs are the sum of the self costs of its functions. Ratios are made of sums, never averaged. */
static const struct tp_section threads = {
    .key = "threads", .title = "Threads", .events = TP_EVENTS_SELF, .rows = TP_ROWS_FIRST, .order = "own_id",
    .columns = (const struct tp_section_column[]){
        {"thread", TEXT, "thread", 0, "own_id || CASE WHEN own_id > 0 AND own_os_id = 0 THEN ' and all later ones' "
                                      "ELSE ' (system''s id ' || ifnull(own_os_id, 0) || ')' END"}, END},
    .from = "(SELECT id AS own_id, os_id AS own_os_id FROM threads) LEFT JOIN "
            "(SELECT thread[sum(\"%\")] FROM thread_functions GROUP BY thread) ON thread = own_id"};

/* Inclusive costs come from the call tree and are missing where that was pruned (--paths). */
static const struct tp_section thread_functions = {
    .key = "thread_$id", .title = "Functions of thread $id by $sort",
    .columns = (const struct tp_section_column[]){{"function", TEXT, "function"}, END},
    .from = "thread_functions", .function = "function_id", .where = "thread = $id", .ties = "function",
    .each = "SELECT id, NULL FROM threads ORDER BY id LIMIT $limit"};

/* How evenly the units of a merge share the work of each function. Units are what `tenure merge --keep` kept apart:
 * ranks, processes or threads; in a profile that is no such merge, its threads. A unit in which a function did not run
 * counts with 0. Imbalance is by how much the worst unit is above the mean. SQLite takes `unit` from the row that has
 * the maximum, as it is the only min or max of its query. */
static const struct tp_section balance = {
    .key = "balance", .title = "Balance of $sort over $name", .events = TP_EVENTS_NONE, .place = TP_PLACE_POINT,
    .columns = (const struct tp_section_column[]){
        {"min", TP_COLUMN_AS_SORTED, "least", 30, "CASE WHEN there < units THEN min(least, 0) ELSE least END",
         .about = "the least of all of them"},
        {"mean", REAL, "mean", 0, "1.0 * total / units",
         .about = "the mean over all of them, 0 where the function did not run"},
        {"max", TP_COLUMN_AS_SORTED, "most", 0, "CASE WHEN there < units THEN max(most, 0) ELSE most END",
         .about = "the most of all of them"},
        {"imbalance_percent", PERCENT, "imbalance\n%", 0,
         "100.0 * (max(most, 0) * units / nullif(1.0 * total, 0) - 1)",
         .about = "how much the most is above the mean: 100 (max / mean - 1)"},
        /* "rank 3", "rank 3, node7, process 4242", "thread 2": as far as the profile says. */
        {"max_unit", TEXT, "most in", 20,
         "ifnull((SELECT coalesce('rank ' || rank, '') || "
         "CASE WHEN rank IS NOT NULL AND pid IS NOT NULL THEN ', ' ELSE '' END || "
         "coalesce(coalesce(host || ', ', '') || 'process ' || pid, '') || "
         "coalesce(CASE WHEN pid IS NOT NULL THEN ', ' ELSE '' END || 'thread ' || thread, '') "
         "FROM units u WHERE u.id = unit), 'thread ' || unit)"},
        {"file"}, {"line", COUNT}, {"object"}, {"function", TEXT, "function"}, END},
    .from = "(WITH v AS (SELECT unit_id AS unit, function_id, ifnull($sort, 0) AS value FROM unit_functions UNION ALL "
            "SELECT thread, function_id, ifnull($sort, 0) FROM thread_functions "
            "WHERE NOT EXISTS (SELECT 1 FROM units)), "
            "most AS (SELECT function_id, max(value) AS most, unit FROM v GROUP BY function_id), "
            "rest AS (SELECT function_id, min(value) AS least, sum(value) AS total, count(*) AS there FROM v "
            "GROUP BY function_id) "
            "SELECT f.function, f.file, f.line, f.object, least, most, unit, total, there, $id AS units "
            "FROM most JOIN rest USING (function_id) JOIN functions f ON f.id = function_id)",
    .where = "total >= 1", .by = "total",
    .order = "CASE WHEN there < units THEN max(most, 0) ELSE most END - 1.0 * total / units DESC, function",
    .each = "SELECT * FROM (SELECT count(*) AS count, count(*) || ' units' FROM units UNION ALL "
            "SELECT count(*), count(*) || ' threads' FROM threads) WHERE count > 0 LIMIT 1"};

/* ------------------------------------------------------------------------------------------ data structures */

/* A data structure has no inclusive costs and executes nothing; so its columns are others than a function's: misses and
 * the use of the lines that were loaded for it. One that was not used is left out, as far as what was simulated tells.
 * The second table has the source lines whose accesses missed in it, for those of the first. */
static const struct tp_section data_structures = {
    .key = "data_structures", .title = "Data structures by $sort", .events = TP_EVENTS_SELF, .usual = of_data,
    .columns = (const struct tp_section_column[]){
        {"blocks", COUNT, "blocks", CALLS, .about = "how many were allocated"}, {"freed", COUNT}, {"largest", COUNT},
        {"bytes", COUNT, "bytes", CALLS + 1, "coalesce(size, bytes)",
         .about = "bytes of a variable; of all blocks allocated"}, {"kind"}, {"function"}, {"file"},
        {"line", COUNT}, {"data", TEXT, "data structure", 0, "name"}, END},
    .from = "data_objects", .where = "(blocks <> 0 OR {TchD1} <> 0 OR {D1mr} <> 0 OR {D1mw} <> 0)",
    .ties = "name, id", .sampled = TP_SAMPLED_DATA};

static const struct tp_section data_lines = {
    .key = "data_lines", .title = "What misses in them, by $sort", .events = TP_EVENTS_SELF, .usual = of_data,
    .columns = (const struct tp_section_column[]){DATA(0), POINT("missed by", "function", NULL), END},
    .place = TP_PLACE_POINT,
    .from = "(SELECT data, data_id, function, function_id, file, line[sum(\"%\")] FROM instruction_data "
            "GROUP BY data_id, function_id, file, line)",
    .ties = "data, function, file, line"};

/* What a function and all that it calls cost in data structures: each event once however deep the recursion. Rows of
 * several functions (or contexts) are never added up: one may be called by another. Events go without their _incl. */
static const struct tp_section data_under = {
    .key = "data_under", .title = "Data structures under $name, inclusive, by $sort", .events = TP_EVENTS_SELF,
    .usual = (const char *const[]){"SpLossD1", "spatialD1", "temporalD1", "L1m", "LLm", NULL},
    .columns = (const struct tp_section_column[]){DATA(0), POINT("under", "function", NULL), END},
    .place = TP_PLACE_POINT,
    .from = "(SELECT data, data_id, function, file, line[\"%_incl\"] FROM function_data WHERE " IS_CALLED ")",
    .ties = "data, function, file, line, data_id"};

/* The fields of a data structure in the order in which they lie: what of each was loaded and never touched, and
 * where misses arise. Of a field whose bytes are loaded but not touched it is the percentage that tells: 0 % used
 * is dead weight that the others drag along. What is lost in level 1 stays longest on a narrow terminal. */
#define IS_DATA "(name = ?1 OR name GLOB ?1 OR instr(name, ?1) OR type GLOB ?1)"
static const struct tp_section data_fields = {
    .key = "data_fields", .title = "Fields of $name", .events = TP_EVENTS_NONE, .place = TP_PLACE_TYPE,
    .columns = (const struct tp_section_column[]){
        {"data"}, {"kind"},
        {"SpLossD1", COUNT, "unused\nbytes", 3, NULL, "SpLossD1"},
        {"loadedD1", COUNT, "loaded\nbytes", 6, "SpLossD1 + UseD1", "SpLossD1"},
        {"usedD1", PERCENT, "used\n%", 4, "100.0 * UseD1 / nullif(SpLossD1 + UseD1, 0)", "SpLossD1"},
        {"D1m", COUNT, "D1\nmisses", 5, "{D1mr} + {D1mw}", "D1mr"},
        {"SpLossL", COUNT, "LL unused\nbytes", 9, NULL, "SpLossL"},
        {"usedL", PERCENT, "LL used\n%", 8, "100.0 * UseL / nullif(SpLossL + UseL, 0)", "SpLossL"},
        {"DLm", COUNT, "LL\nmisses", 7, "{DLmr} + {DLmw}", "DLmr"},
        {"offset", COUNT, "offset", .about = "bytes from the beginning of an element to it"},
        {"size", COUNT, "size", 2, .about = "bytes of it"}, {"type"}, {"field", TEXT, "field"}, END},
    .rows = TP_ROWS_ALL, .from = "data_fields", .where = "data_id = $id", .order = "offset IS NULL, offset, kind",
    .each = "SELECT id, substr(name, 1, 250) || ifnull(': ' || substr(ifnull(type, 'elements'), 1, 200) || ' of ' || "
            "element || ' bytes each', '') FROM data_objects WHERE " IS_DATA " AND id IN "
            "(SELECT data_id FROM t_data_fields) "
            "ORDER BY {SpLossD1|ifnull(D1mr, 0) + ifnull(D1mw, 0)} DESC NULLS LAST, id LIMIT $limit"};

/* ------------------------------------------------------------------------------------------ statements and loops */

/* A statement has no inclusive costs, and neither has what it touches. Each table is sorted by itself: the second one
 * has the most expensive kind of access in the program first, whichever statement it is of. */
static const char *const of_statements[] = {"SpLossD1", "spatialD1", "temporalD1", "D1rate", "LLrate", NULL};

static const struct tp_section statements = {
    .key = "statements", .title = "Statements by $sort", .events = TP_EVENTS_SELF, .usual = of_statements,
    .columns = (const struct tp_section_column[]){STATEMENT("statement in", NULL), END}, .place = TP_PLACE_RANGE,
    .from = "statements", .in = IS_IN, .ties = "file, line, id"};

static const struct tp_section statement_accesses = {
    .key = "statement_accesses", .title = "Their loads and stores, by $sort", .events = TP_EVENTS_SELF,
    .usual = of_statements,
    .columns = (const struct tp_section_column[]){{"type", TEXT, "type", 0, "ifnull(type, '?')"},
                                                  {"access", TEXT, "access"}, STATEMENT("statement in", NULL), END},
    .place = TP_PLACE_RANGE, .from = "statement_accesses", .in = IS_IN,
    .ties = "file, line, statement_id, access, type"};

static const struct tp_section statement_data = {
    .key = "statement_data", .title = "Data structures that they touch, by $sort", .events = TP_EVENTS_SELF,
    .usual = of_data,
    .columns = (const struct tp_section_column[]){DATA(0), STATEMENT("statement in", NULL), END},
    .place = TP_PLACE_RANGE, .from = "statement_data", .in = IS_IN, .ties = "file, line, statement_id, data, data_id",
    .there = WITH_DATA " AND " OWN_FORMAT};

/* A loop's self costs are those of its own instructions, without the loops in it; inclusive, these and what is called.
 * So --sort=CEst finds innermost loops, --sort=CEst_incl whole nests. What a loop walks is shown with the loops in it.
 * A loop also goes by the inlined function that it is in. */
#define IS_INLINED_IN "(inlined = ?1 OR inlined GLOB ?1 OR inlined GLOB ?1 || '(*')"
static const char *const of_loops[] = {"SpLossD1_incl", "spatialD1_incl", "temporalD1_incl", "D1rate_incl", NULL};

static const struct tp_section loops = {
    .key = "loops", .title = "Loops by $sort", .usual = of_loops, .place = TP_PLACE_RANGE,
    .columns = (const struct tp_section_column[]){
        {"entries", COUNT, "entries", CALLS, .about = "how often control came to it from outside"},
        {"iterations", COUNT, .about = "how often control came to the head of the loop"},
        {"trip_count", REAL, "trips", CALLS, .about = "how often around each time that it was entered, a mean"},
        {"depth", COUNT, "depth", CALLS + 1, .about = "1: in no other loop"},
        {"id", COUNT}, {"parent", COUNT}, {"estimate", COUNT}, LOOP("ifnull(inlined, function)"), END},
    .from = "loops", .function = "function_id", .in = "(" IS_IN " OR " IS_INLINED_IN ")", .ties = "file, line, id"};

static const struct tp_section loop_data = {
    .key = "loop_data", .title = "Data structures that they walk, by $sort", .usual = of_loops,
    .columns = (const struct tp_section_column[]){DATA(0), LOOP(NULL), END}, .place = TP_PLACE_RANGE,
    .from = "loop_data", .function = "(SELECT function_id FROM loops WHERE loops.id = loop_id)",
    .in = "(" IS_IN " OR loop_id IN (SELECT id FROM loops WHERE " IS_INLINED_IN "))",
    .ties = "file, line, loop_id, data, data_id", .there = WITH_DATA};

/* ------------------------------------------------------------------------------------------ patterns of misses */

/* What is recorded of misses beside their number: the strides between them, what kind they are, and in which sets those
 * are that conflict. A row is of one line of source in one data structure: instructions of the line are one. Its costs
 * are those of the instructions that have this stride, or these conflicts, there: so rows of one line with several
 * strides are not to be added up. Costs are self costs; of a fetch, which has no data structure, those of the
 * instruction.
 *
 * Groups of rows `p` (of an instruction in a data structure) with their costs. `own`: what is asked of them, `rows`: a
 * table `p`, `key`: what rows of a line and data structure differ in. */
#define BY_LINE(own, rows, key)                                                                               \
    "(SELECT c.function, c.file, c.line, c.data AS data, p.data_id, " own "[sum(c.\"%\")] FROM " rows         \
    " JOIN instruction_data c ON c.instruction_id = p.instruction_id AND c.data_id = p.data_id "              \
    "WHERE p.data_id IS NOT NULL GROUP BY c.function_id, c.file_id, c.line, p.data_id, " key                  \
    " UNION ALL SELECT c.function, c.file, c.line, NULL AS data, p.data_id, " own "[sum(c.\"%\")] FROM " rows \
    " JOIN instructions c ON c.id = p.instruction_id "                                                        \
    "WHERE p.data_id IS NULL GROUP BY c.function_id, c.file_id, c.line, p.data_id, " key ")"

static const struct tp_section strides = {
    .key = "strides", .title = "Strides between misses, by $sort", .events = TP_EVENTS_SELF,
    .usual = (const char *const[]){"spatialD1", NULL}, .place = TP_PLACE_POINT,
    .columns = (const struct tp_section_column[]){
        {"stride", TP_COLUMN_CHANGE, "stride\nbytes"}, {"count", COUNT, "how\noften", 70},
        {"share", PERCENT, "of all\n%", 0, "100.0 * count / nullif(strides, 0)"}, {"strides", COUNT}, {"lost", COUNT},
        DATA(60), POINT("missed by", "function", NULL), END},
    .from = BY_LINE("p.stride, sum(p.count) AS count, sum(p.strides) AS strides, sum(p.lost) AS lost",
                    "(SELECT t.instruction_id, t.data_id, t.stride, t.count, s.strides, s.lost FROM t_strides t "
                    "JOIN t_stride_sums s ON s.instruction_id = t.instruction_id AND s.data_id IS t.data_id) p",
                    "p.stride"),
    .in = IS_IN, .ties = "file, line, data, count DESC, stride"};

/* Cold, capacity and conflict misses of the program, a row for each cache of which they are known. */
#define KIND_EVENTS(cache) "'Cold" cache "', 'Cap" cache "', 'Conf" cache "'"
#define KINDS_OF(cache)                                                                                               \
    "SELECT '" cache "' AS cache, {Cold" cache "} AS cold, {Cap" cache "} AS capacity, {Conf" cache "} AS conflicts " \
    "FROM totals WHERE EXISTS (SELECT 1 FROM events WHERE name IN (" KIND_EVENTS(cache) "))"
#define KIND_SHARE(kind) {kind "_percent", PERCENT, "%", 0, "100.0 * " kind " / nullif(cold + capacity + conflicts, 0)"}
static const struct tp_section miss_kinds = {
    .key = "miss_kinds", .title = "Misses by kind", .events = TP_EVENTS_NONE, .rows = TP_ROWS_ALL, .in = "1",
    .columns = (const struct tp_section_column[]){
        {"cold", COUNT, "cold", 40}, KIND_SHARE("cold"), {"capacity", COUNT, "capacity", 41}, KIND_SHARE("capacity"),
        {"conflicts", COUNT, "conflicts", 42}, KIND_SHARE("conflicts"),
        {"misses", COUNT, "misses", 30, "cold + capacity + conflicts"}, {"cache", TEXT, "cache"}, END},
    .from = "(" KINDS_OF("I1") " UNION ALL " KINDS_OF("D1") " UNION ALL " KINDS_OF("I2") " UNION ALL " KINDS_OF("D2")
            " UNION ALL " KINDS_OF("L") ")"};

/* What L2 and the last level would miss with other sizes, and who needs how large a last level (curves.c). */
#define DISTANCES_OF(level) \
    "\"Dist1" level "\", \"Dist2" level "\", \"Dist3" level "\", \"Dist4" level "\", \"Dist6" level "\", " \
    "\"Dist8" level "\", \"Dist12" level "\", \"Dist16" level "\", \"Dist24" level "\", \"Dist32" level "\", " \
    "\"Dist48" level "\", \"Dist64" level "\""
#define WITH_DISTANCES(level, cache) \
    "SELECT EXISTS (SELECT 1 FROM events WHERE name = 'Dist1" level "') AND " OF_CACHE(cache, "count(*)")
#define OF_CACHE(cache, what) "(SELECT " what " FROM meta WHERE key = 'cache." cache "')"
#define WAYS "CAST(substr(value, instr(value, ',') + 1) AS INTEGER)"
#define BYTES_OF_A_WAY "CAST(value AS INTEGER) / " WAYS
#define SIZES "VALUES (1), (2), (3), (4), (6), (8), (12), (16), (24), (32), (48), (64)"
#define CURVE(name, cache, level, asked, now) \
    static const struct tp_section name = { \
        .key = #name, .title = "Misses of " cache " by its size (* is this recording's)", .events = TP_EVENTS_NONE, \
        .columns = (const struct tp_section_column[]){ \
            {"bytes", COUNT}, {"ways", COUNT, "ways", 60}, {"misses", COUNT, "misses"}, \
            {"share", PERCENT, "%", 50, "100.0 * misses / nullif(most, 0)"}, \
            {"size", TEXT, "with", 0, "curve_size(bytes) || iif(ways = " OF_CACHE(cache, WAYS) ", ' *', '')"}, \
            {"bar", TEXT, "", 40, "substr('████████████████████', 1, CAST(20.5 * misses / most AS INTEGER))"}, END}, \
        .rows = TP_ROWS_ALL, .order = "ways", .there = WITH_DISTANCES(level, cache), \
        .from = "(SELECT ways, ways * " OF_CACHE(cache, BYTES_OF_A_WAY) " AS bytes, iif(ways = " OF_CACHE(cache, WAYS) \
                ", " now ", " asked("ways") ") AS misses, " asked("1") " AS most FROM (SELECT column1 AS ways FROM (" \
                SIZES ") UNION SELECT " OF_CACHE(cache, WAYS) "), totals)"}
#define OF_LAST(ways) "curve_misses(" ways ", " DISTANCES_OF("L") ")"
#define OF_SECOND(ways) \
    "curve_misses(" ways ", " DISTANCES_OF("I2") ") + curve_misses(" ways ", " DISTANCES_OF("D2") ")"
#define LAST_NOW "{ILmr} + {DLmr} + {DLmw}"
CURVE(curves, "LL", "L", OF_LAST, LAST_NOW);
CURVE(second_curves, "L2", "D2", OF_SECOND, "{I2mr} + {D2mr} + {D2mw}");

/* Each of K equal processes has a K-th of the ways, where that is a number of ways of which misses are known. */
static const struct tp_section shared_curve = {
    .key = "shared_curve", .title = "Misses of LL if equal processes share it", .events = TP_EVENTS_NONE,
    .columns = (const struct tp_section_column[]){
        {"bytes", COUNT}, {"misses", COUNT, "misses\nof each"}, {"more", TP_COLUMN_CHANGE, "more", 0, "misses - alone"},
        {"more_percent", PERCENT, "%", 50, "100.0 * (misses - alone) / nullif(alone, 0)"},
        {"size", TEXT, "with", 60, "curve_size(bytes)"}, {"processes", COUNT, "processes"}, END},
    .rows = TP_ROWS_ALL, .order = "processes", .there = WITH_DISTANCES("L", "LL"),
    .from = "(SELECT ways / column1 AS processes, column1 * " OF_CACHE("LL", BYTES_OF_A_WAY) " AS bytes, "
            OF_LAST("column1") " AS misses, " LAST_NOW " AS alone FROM (" SIZES "), totals, (SELECT "
            OF_CACHE("LL", WAYS) " AS ways) WHERE ways % column1 = 0)"};

#define WHO_ASKS(name, words, view, more, ...) \
    static const struct tp_section name = { \
        .key = #name, .title = words, .events = TP_EVENTS_NONE, .from = view, more, \
        .columns = (const struct tp_section_column[]){ \
            {"misses", COUNT, "LL\nmisses", 0, LAST_NOW}, \
            {"curve", TEXT, "with 1 way\nto 64", 0, "curve_text(" DISTANCES_OF("L") ")", \
             .about = "what the last level would miss with 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48 and 64 ways"}, \
            {"fits", COUNT, NULL, 0, "curve_fits(" OF_CACHE("LL", BYTES_OF_A_WAY) ", " DISTANCES_OF("L") ")"}, \
            {"fits_in", TEXT, "fits\nin", 0, \
             "curve_size(curve_fits(" OF_CACHE("LL", BYTES_OF_A_WAY) ", " DISTANCES_OF("L") "))", \
             .about = "the size that saves nine tenths of what the largest saves"}, __VA_ARGS__, END}, \
        .where = OF_LAST("1") " > 0", .by = OF_LAST("1"), .total = "SELECT " OF_LAST("1") " FROM totals", \
        .there = WITH_DISTANCES("L", "LL")}
WHO_ASKS(function_curves, "Functions that ask LL", "functions", .ties = "function, id",
         POINT("function", "function", NULL));
WHO_ASKS(loop_curves, "Loops that ask LL", "loops", .ties = "file, line, id", LOOP("ifnull(inlined, function)"));
WHO_ASKS(data_curves, "Data structures that LL is asked for", "data_objects", .ties = "name, id",
         {"name", TEXT, "data structure"});

/* Unasked, by their number: there is no event that has conflicts of all caches. */
#define KIND_SUM(cache) " WHEN '" cache "' THEN {Cold" cache "} + {Cap" cache "} + {Conf" cache "}"
#define ALL_CONFLICTS "SELECT sum(abs(misses)) FROM t_conflicts"
static const struct tp_section conflicts = {
    .key = "conflicts", .title = "Conflict misses, by $by", .events = TP_EVENTS_SELF, .usual = nothing,
    .columns = (const struct tp_section_column[]){
        {"conflicts", COUNT, "conflicts"},
        {"share", PERCENT, "of misses\n%", 70,
         "100.0 * conflicts / nullif(CASE cache" KIND_SUM("I1") KIND_SUM("D1") KIND_SUM("I2") KIND_SUM("D2")
         KIND_SUM("L") " END, 0)"},
        {"cache", TEXT, "cache"}, {"set_count", TP_COLUMN_SET_COUNT, "sets\nof 64", 0, "ifnull(masks, '')"},
        {"sets", TP_COLUMN_SETS, "which", 65, "ifnull(masks, '')"}, DATA(60),
        POINT("missed by", "function", NULL), END},
    .place = TP_PLACE_POINT,
    .from = BY_LINE("p.cache, sum(p.misses) AS conflicts, group_concat(p.mask) AS masks",
                    "(SELECT instruction_id, data_id, cache, sum(misses) AS misses, "
                    "sum(CASE WHEN misses THEN 1 << set_bits END) AS mask "
                    "FROM t_conflicts GROUP BY instruction_id, data_id, cache) p",
                    "p.cache"),
    .in = IS_IN, .by = "conflicts", .total = ALL_CONFLICTS,
    .ties = "conflicts DESC, file, line, function, data, data_id, cache"};

static const struct tp_section conflict_sets = {
    .key = "conflict_sets", .title = "Sets in which they conflict (the low six bits of their numbers)",
    .events = TP_EVENTS_NONE,
    .columns = (const struct tp_section_column[]){
        {"conflicts", COUNT, "conflicts", 0, "misses"}, {"share", PERCENT, "%", 0, "100.0 * misses / $total"},
        {"cache", TEXT, "cache"}, {"set", COUNT, "set", 0, "set_bits"}, END},
    .from = "(SELECT cache, set_bits, sum(misses) AS misses FROM t_conflicts GROUP BY cache, set_bits)",
    .by = "misses", .total = ALL_CONFLICTS, .ties = "cache, set_bits"};

/* ------------------------------------------------------------------------------------------ pairs */

/* Who throws out what others need again, and who uses first what others have loaded: data structures, lines of source,
 * statements, and how long ago lines had been used that are loaded again. Rows are sorted by their misses or lines,
 * which are no event: all other columns say whose they are. Instructions of a line are one row. What there was no room
 * for has no names, and is a row as well, so that rows add up. */
#define NO_ROOM "ifnull(function, '(there was no room for more)')"
#define LATER(counted) "CAST(round(1.0 * distance / nullif(" counted ", 0)) AS INTEGER)"
#define AGAIN                                                                                                       \
    {"misses", COUNT, "loaded\nagain", .about = "misses of lines that had been in the cache, and were thrown out"}, \
        {"share", PERCENT, "%", 70, "100.0 * misses / $total"}, {"cache", TEXT, "cache"},                           \
        {"mean_distance", COUNT, "accesses\nlater", 60, LATER("timed"),                                             \
         .about = "mean reuse distance: accesses between the last use of the line and the miss"}
#define NEXT                                                                               \
    {"lines", COUNT, "used\nnext"}, {"share", PERCENT, "%", 70, "100.0 * lines / $total"}, \
        {"cache", TEXT, "cache"}, {"mean_distance", COUNT, "accesses\nlater", 60, LATER("lines")}
#define LOADER {"loader", TP_COLUMN_BRIEF, "loaded by", 50}, {"loader_file"}, {"loader_line", COUNT}
#define EVICTOR {"evictor", TP_COLUMN_BRIEF, "thrown out by"}, {"evictor_file"}, {"evictor_line", COUNT}
#define ALL_AGAIN "SELECT total(abs(1.0 * misses)) FROM t_pairs"
#define ALL_NEXT "SELECT total(abs(1.0 * lines)) FROM t_reuses"

static const struct tp_section data_pairs = {
    .key = "data_pairs", .title = "Data structures that are thrown out and loaded again", .events = TP_EVENTS_NONE,
    .columns = (const struct tp_section_column[]){AGAIN, {"evictor_data", TEXT, "thrown out by"}, DATA(0), END},
    .from = "data_pairs", .by = "misses", .total = ALL_AGAIN,
    .ties = "data, evictor_data, cache, data_id, evictor_data_id", .there = WITH_DATA};

static const struct tp_section pairs = {
    .key = "pairs", .title = "Who loads lines again, and who had thrown them out", .events = TP_EVENTS_NONE,
    .columns = (const struct tp_section_column[]){AGAIN, LOADER, EVICTOR, {"evictor_data"}, DATA(65),
                                                  POINT("and again by", "function", NO_ROOM), END},
    .place = TP_PLACE_POINT,
    .from = "(SELECT sum(misses) AS misses, sum(timed) AS timed, sum(distance) AS distance, cache, loader, "
            "loader_file, loader_line, evictor, evictor_file, evictor_line, evictor_data, function, file, line, "
            "data FROM pairs GROUP BY cache, loader, loader_file, loader_line, evictor, evictor_file, "
            "evictor_line, evictor_data_id, function, file, line, data_id)",
    .in = IS_IN, .by = "misses", .total = ALL_AGAIN,
    .ties = "file, line, function, data, evictor_file, evictor_line, evictor, evictor_data, loader_file, "
            "loader_line, loader, cache"};

/* Powers of two, of which the last one has all distances that are longer, too. */
static const struct tp_section pair_distances = {
    .key = "pair_distances", .title = "How long ago the lines were used that are loaded again",
    .events = TP_EVENTS_NONE,
    .columns = (const struct tp_section_column[]){
        {"misses", COUNT, "loaded\nagain"}, {"share", PERCENT, "%", 70, "100.0 * misses / $total"},
        {"cache", TEXT, "cache"},
        {"from", COUNT, "accesses\nlater: from", 0, "CASE WHEN power <= 0 THEN 0 ELSE 1 << min(power, 31) END"},
        {"to", COUNT, "to", 0, "CASE WHEN power < 31 THEN (2 << max(power, 0)) - 1 END"}, END},
    .from = "(SELECT sum(t.misses) AS misses, p.cache, t.power FROM t_pair_distances t "
            "JOIN t_pairs p ON p.id = t.pair_id GROUP BY p.cache, t.power)",
    .by = "misses", .total = ALL_AGAIN, .ties = "cache, power", .again = "3, 4"};

static const struct tp_section reuses = {
    .key = "reuses", .title = "Who uses lines first that others, or they themselves, have loaded",
    .events = TP_EVENTS_NONE,
    .columns = (const struct tp_section_column[]){NEXT, LOADER, DATA(65),
                                                  POINT("and used next by", "function", NO_ROOM), END},
    .place = TP_PLACE_POINT,
    .from = "(SELECT sum(lines) AS lines, sum(distance) AS distance, cache, loader, loader_file, loader_line, "
            "function, file, line, data FROM reuses GROUP BY cache, loader, loader_file, loader_line, function, "
            "file, line, data_id)",
    .in = IS_IN, .by = "lines", .total = ALL_NEXT,
    .ties = "file, line, function, data, loader_file, loader_line, loader, cache", .there = ALL_NEXT};

static const struct tp_section statement_pairs = {
    .key = "statement_pairs", .title = "Whom they depend on, by lines loaded again", .events = TP_EVENTS_NONE,
    .columns = (const struct tp_section_column[]){AGAIN, LOADER, EVICTOR,
                                                  STATEMENT("and again by statement in", NO_ROOM), END},
    .place = TP_PLACE_RANGE, .from = "statement_pairs", .in = IS_IN, .by = "misses", .total = ALL_AGAIN,
    .ties = "file, line, function, evictor_file, evictor_line, evictor, loader_file, loader_line, loader, cache",
    .there = ALL_AGAIN};

static const struct tp_section statement_reuses = {
    .key = "statement_reuses", .title = "Whom they profit from, by lines used next", .events = TP_EVENTS_NONE,
    .columns = (const struct tp_section_column[]){NEXT, LOADER, STATEMENT("and used next by statement in", NO_ROOM),
                                                  END},
    .place = TP_PLACE_RANGE, .from = "statement_reuses", .in = IS_IN, .by = "lines", .total = ALL_NEXT,
    .ties = "file, line, function, loader_file, loader_line, loader, cache", .there = ALL_NEXT};

/* ------------------------------------------------------------------------------------------ sharing */

/* The first table has the data structures whose lines threads take from one another, the second who took them from
 * whom: the line of source that wrote, and the one that missed. Instructions of one line of source are one row; the
 * bytes that are shown are those of the pair that missed most. */
#define SHARED                                                                                           \
    {"false_sharing", COUNT, "false\nsharing",                                                           \
     .about = "nothing that other threads had written was touched"},                                     \
        {"true_sharing", COUNT, "true\nsharing", 30,                                                     \
         .about = "something that other threads had written was touched"},                               \
        {"misses", COUNT, "coherence\nmisses", 40,                                                       \
         .about = "misses of lines that another thread's write had made invalid"}
#define SHARED_SUMS "sum(false_sharing) AS false_sharing, sum(true_sharing) AS true_sharing, sum(misses) AS misses"
#define ALL_SHARED "SELECT ifnull(sum(misses), 0) FROM sharing"

static const struct tp_section shared_data = {
    .key = "shared_data", .title = "What threads share, by false sharing", .events = TP_EVENTS_NONE,
    .columns = (const struct tp_section_column[]){
        SHARED, {"kind"}, {"bytes", COUNT, "bytes", 50, "coalesce(size, bytes)"},
        {"data", TEXT, "data structure", 50, "name"}, END},
    .from = "(SELECT " SHARED_SUMS ", data_id FROM sharing GROUP BY data_id) s "
            "LEFT JOIN data_objects d ON d.id = s.data_id",
    .by = "misses", .total = ALL_SHARED, .order = "false_sharing DESC, misses DESC, name, data_id"};

static const struct tp_section sharing = {
    .key = "sharing", .title = "Who took lines from whom, by false sharing", .events = TP_EVENTS_NONE,
    .columns = (const struct tp_section_column[]){
        SHARED, {"writer", TP_COLUMN_BRIEF, "written by", 0, "ifnull(writer, 'unknown')"}, {"writer_file"},
        {"writer_line", COUNT},
        {"written", TEXT, "bytes\nwritten", 60, .about = "bytes of the line that other threads had written"},
        {"touched", TEXT, "bytes\ntouched", 60, .about = "bytes of the line that were touched then"},
        DATA(50), POINT("missed by", "victim", "ifnull(victim, 'unknown')"), END},
    .place = TP_PLACE_POINT,
    .from = "(SELECT " SHARED_SUMS ", max(misses), writer, writer_file, writer_line, written, touched, data, victim, "
            "victim_file AS file, victim_line AS line FROM sharing GROUP BY writer, writer_file, writer_line, victim, "
            "victim_file, victim_line, data_id)",
    .by = "misses", .total = ALL_SHARED,
    .order = "false_sharing DESC, misses DESC, writer, writer_line, victim, line, data",
    .note = "Valgrind's engine gives threads long turns, in which they seldom take lines from one another: see\n"
            "`tenure record --engine=native`",
    .note_if = "SELECT EXISTS (SELECT 1 FROM meta WHERE key = 'engine' AND value = 'valgrind')"};

/* ------------------------------------------------------------------------------------------ groups */

#define BOTH(options) {options, options}
#define OWN_COLUMNS(more) BOTH("sort show define" more)
#define SECTIONS(...) (const struct tp_section *const[]){__VA_ARGS__, NULL}
#define NEED_FUNCTION                 \
    {ANY("functions WHERE " MATCHES), \
     "no function of this profile is called $name; * and ? match, as in '*$name*'"}

const struct tp_section_group tp_section_groups[] = {
    {.in = "functions", .sections = SECTIONS(&functions)},
    {.option = "function", .letter = 'f', .value = "NAME",
     .help = "one function, its callers and callees; * and ? match", .needs = {NEED_FUNCTION},
     .sections = SECTIONS(&function, &callers_of_one, &callers_of_all, &callees_of_one, &callees_of_all)},
    {.option = "callers", .value = "NAME", .help = "the calls to a function", .needs = {NEED_FUNCTION},
     .sections = SECTIONS(&callers_of_one, &callers_of_all)},
    {.option = "callees", .value = "NAME", .help = "the calls a function makes", .needs = {NEED_FUNCTION},
     .sections = SECTIONS(&callees_of_one, &callees_of_all)},
    {.option = "lines", .help = "lines of source, each in the function that it is of", .in = "lines",
     .needs = {{ANY("t_lines"), "this profile has no lines: nothing was executed"}},
     .sections = SECTIONS(&lines)},
    {.option = "tree", .letter = 't', .help = "the call tree", .ignores = BOTH("show limit"),
     .needs = {{"SELECT NOT (" WAS_OFF("inclusive") " AND " OWN_FORMAT ")",
                "--tree: $file was recorded with --inclusive=no and has no call tree"},
               NEED_SUM},
     .sections = SECTIONS(&tree)},
    {.option = "timeline", .help = "when the run cost what, and in which functions",
     .ignores = {"show", "limit threshold"},
     .needs = {{ANY("t_intervals"), "--timeline: this profile does not say when: it is no single recording, or one "
                                    "with --timeline=no, or without costs"},
               NEED_SUM, NEED_SELF("--timeline: what functions cost in a part of the run are self costs")},
     .sections = SECTIONS(&intervals, &interval_functions, &labels)},
    {.option = "threads", .help = "threads, and the functions of each",
     .sections = SECTIONS(&threads, &thread_functions)},
    {.option = "balance",
     .help = "how evenly the units of a merge (--keep), or threads, share\n"
             "each function: least, mean, most, imbalance",
     .ignores = BOTH("show"),
     .needs = {NEED_SUM,
               {"SELECT count(*) <> 1 FROM units", "--balance: there is one unit; `tenure merge --keep=rank` "
                                                   "(or process, thread) keeps the terms of a sum apart"},
               {"SELECT (SELECT count(*) FROM units) > 0 OR (SELECT count(*) FROM threads) > 1",
                "--balance: there is one thread; `tenure merge --keep=rank` (or process, thread) keeps the terms of a "
                "sum apart"}},
     .sections = SECTIONS(&balance)},
    {.option = "data", .help = "data structures, and which lines miss in them",
     .needs = {NEED_DATA, NEED_SELF("data structures have no inclusive costs")},
     .sections = SECTIONS(&data_structures, &data_lines)},
    {.option = "under", .value = "NAME",
     .help = "what a function and all that it calls cost in data structures;\n* and ? match",
     .needs = {NEED_DATA, NEED_SELF("all columns of --under are inclusive"),
               {ANY("function_data WHERE " IS_CALLED),
                "no function called $name misses in data structures, nor what it calls; * and ? match, "
                "as in '*$name*'"}},
     .sections = SECTIONS(&data_under)},
    {.option = "statements",
     .help = "statements, their loads and stores (integer, floating point),\n"
             "and the data structures that they touch",
     .in = "statements",
     .needs = {{ANY("statements"), "this profile has no statements: no source line is known of anything that was "
                                   "executed"},
               NEED_SELF("statements have no inclusive costs")},
     .sections = SECTIONS(&statements, &statement_accesses, &statement_data, &statement_pairs, &statement_reuses)},
    {.option = "loops", .help = "loops, how often they run, and the data structures they walk", .in = "loops",
     .needs = {{ANY("loops"), "this profile has no loops: none was executed, or no object file was there to be read at "
                              "the import"}},
     .sections = SECTIONS(&loops, &loop_data)},
    {.option = "strides", .help = "how far apart the misses of a line are in a data structure", .in = "strides",
     .needs = {{"SELECT " OWN_FORMAT, "--strides: files of $format do not say this of misses"},
               {"SELECT $strides", "--strides: this profile has no strides; record it with --strides=yes and "
                                                "--sample=1"},
               NEED_SELF("--strides: lines have self costs only in data structures")},
     .sections = SECTIONS(&strides)},
    {.option = "conflicts",
     .help = "cold, capacity and conflict misses, and the sets that conflict\n(--patterns=yes)", .in = "conflicts",
     .needs = {{"SELECT " OWN_FORMAT, "--conflicts: files of $format do not say this of misses"},
               {ANY("events WHERE name IN (" KIND_EVENTS("I1") ", " KIND_EVENTS("D1") ", " KIND_EVENTS("I2") ", "
                    KIND_EVENTS("D2") ", " KIND_EVENTS("L") ")"),
                "--conflicts: this profile does not tell misses apart; record it with --patterns=yes"},
               NEED_SELF("--conflicts: lines have self costs only in data structures")},
     .sections = SECTIONS(&miss_kinds, &conflicts, &conflict_sets)},
    {.option = "curves", .help = "what LL and L2 would miss with other sizes, and what would fit\n(--curves=yes)",
     .ignores = OWN_COLUMNS(""),
     .needs = {{"SELECT " OWN_FORMAT, "--curves: files of $format do not say this of misses"},
               {ANY("events WHERE name IN ('Dist1L', 'Dist1D2')"),
                "--curves: this profile does not have them; record it with --curves=yes"},
               {"SELECT NOT EXISTS (SELECT 1 FROM meta WHERE key = 'diff.baseline')",
                "--curves: a difference has none; `tenure diff --show=LLm@SIZE` compares one size"}},
     .sections = SECTIONS(&curves, &second_curves, &shared_curve, &function_curves, &loop_curves, &data_curves)},
    {.option = "pairs",
     .help = "who loads lines again, and who had thrown them out; who is the\n"
             "first to use a line behind its load (--interdependence=yes)",
     .in = "(SELECT function, file FROM pairs UNION ALL SELECT function, file FROM reuses)", .ignores = OWN_COLUMNS(""),
     .needs = {{"SELECT " OWN_FORMAT, "--pairs: files of $format do not say who loads lines again"},
               {"SELECT EXISTS (SELECT 1 FROM t_pairs) OR EXISTS (SELECT 1 FROM t_reuses) OR "
                WAS_ON("interdependence"),
                "--pairs: this profile does not say who loads lines again; record it with --interdependence=yes"}},
     .sections = SECTIONS(&data_pairs, &pairs, &pair_distances, &reuses)},
    {.option = "sharing", .help = "what threads share, truly and falsely (--coherence=mesi)",
     .ignores = OWN_COLUMNS(""),
     .needs = {{"SELECT " OWN_FORMAT, "this profile does not say what threads share; files of $format do not"},
               {"SELECT " WAS_ON("coherence"),
                "this profile does not say what threads share; record it with --coherence=mesi"}},
     .sections = SECTIONS(&shared_data, &sharing)},
    {.option = "fields", .value = "NAME", .ignores = OWN_COLUMNS(" threshold"),
     .help = "the fields of a data structure, or of those of a type,\n"
             "and what of each is never touched; * and ? match",
     .needs = {{WITH_DATA " AND " OWN_FORMAT, "this profile has no data structures; record without --data=no"},
               {ANY("data_objects WHERE " IS_DATA " AND id IN (SELECT data_id FROM t_data_fields)"),
                "no data structure with fields is called $name, nor is its type; * and ? match, as in '*$name*'"}},
     .sections = SECTIONS(&data_fields)},
    {.option = "advice", .letter = 'a', .help = "what to change, what that would save, and why",
     .ignores = OWN_COLUMNS("")},
};
const size_t tp_section_group_count = sizeof tp_section_groups / sizeof tp_section_groups[0];
_Static_assert(sizeof tp_section_groups / sizeof tp_section_groups[0] <= TP_SECTION_GROUPS, "no room for a group");
