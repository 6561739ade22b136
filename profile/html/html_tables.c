/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_tables.c: see html_tables.h.
 *
 * Derived events are left out: the page makes them of their formulas. Most tables are those of the profile. Others are
 * made for the page, by a query: a profile has the costs of (instruction, data object), for instance, and a page shows
 * them by source line. In the SQL here, words in braces are replaced (add_sql):
 *
 *     {sums}          , sum(t."Ir") AS "Ir", ... of all stored events; of a difference with both sides also
 *                     , sum(b."Ir") AS "Ir@before", sum(a."Ir") AS "Ir@after", ...
 *     {sides T}       joins row by row what table T `t` was before (`b`) and after (`a`) in such a difference
 *     {before c}      b.c in such a difference, else NULL; {after c} likewise
 *     {over _incl N}  OR, for each stored event: its column with _incl is more than one Nth of the event's total;
 *                     {over N}: its column of self costs
 *
 * A large program has more rows than a page has room for, and most cost next to nothing: the conditions say how many
 * rows a table may have, and which are kept of more. What is left out is in functions, lines and call paths all the
 * same.
 *
 * Instructions, and their text (html_code.c), are cut small, since a page shows those of one function at a time; texts
 * of sources file by file.
 */
#include "profile/html/html_tables.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/read/margin.h"

enum { CHUNK = 65536, SMALL_CHUNK = 8192 };

/* Events: of the row itself, inclusive; of a difference also what was before and after. In a query of the page, SIDES
 * means columns "Ir@before"; in tables, those of that name in schemas `before` and `after`. */
enum { SELF = 1, INCL = 2, SIDES = 4, BOTH = SELF | INCL };
/* Rows are a tree in post-order, and the first column is their depth. */
enum { TREE = 8 };

struct table {
    const char *name, *from; /* a table, or "(SELECT ..." or "temp.page_..." */
    const char *columns; /* their names; what is declared as TEXT is text */
    const char *rest;    /* of the query; the table is `t` */
    unsigned events;
    size_t chunk;
};

/* Objects whose fields are shown. */
#define INSIDE \
    "WHERE t.data_id IN (SELECT t.id FROM main.t_data t WHERE (SELECT count(*) FROM main.t_data_fields) <= 16384" \
    "{over 200}) "
/* Of rows with self costs that are sums: there are few, or these are worth their bytes. */
#define WORTH "WHERE t.all_rows <= 8192{over 10000} "

/* Strides and conflicts: instructions of a line are one. `of_line` is what a line has in all, so that a line that is
 * left out goes with all its rows. A stride that is NULL stands for those that the recording did not keep. */
#define PLACE "t.data_id, i.file_id, i.line, i.function_id"
#define COUNTED(count, as)                                                                                   \
    "sum(t." count ") AS " count ", sum(t.before) AS \"" count "@before\", sum(t.after) AS \"" count "@after\""  \
    ", sum(sum(max(abs(t." count "), ifnull(t.before, 0), ifnull(t.after, 0))))"                             \
    " OVER (PARTITION BY " PLACE ") AS of_line,"                                                             \
    " sum(abs(sum(t." count "))) OVER () AS total, count(*) OVER () AS all_rows FROM " as                    \
    " t LEFT JOIN main.t_instructions i ON i.id = t.instruction_id GROUP BY " PLACE
#define THERE(count) " HAVING sum(t." count ") <> 0 OR sum(t.before) <> 0 OR sum(t.after) <> 0)"
static const char strides[] =
    "(WITH kept AS (SELECT t.instruction_id, t.data_id, t.stride, t.count, {before count} AS before,"
    " {after count} AS after FROM main.t_strides t{sides t_strides}),"
    " every AS (SELECT * FROM kept UNION ALL"
    " SELECT t.instruction_id, t.data_id, NULL, t.strides - ifnull(k.count, 0),"
    " {before strides} - ifnull(k.before, 0), {after strides} - ifnull(k.after, 0)"
    " FROM main.t_stride_sums t{sides t_stride_sums} LEFT JOIN (SELECT instruction_id, data_id,"
    " sum(count) AS count, sum(before) AS before, sum(after) AS after FROM kept GROUP BY 1, 2) k"
    " ON k.instruction_id = t.instruction_id AND k.data_id IS t.data_id)"
    " SELECT " PLACE ", t.stride, " COUNTED("count", "every") ", t.stride" THERE("count");
static const char conflicts[] =
    "(SELECT " PLACE ", t.cache, t.set_bits, "
    COUNTED("misses", "(SELECT t.*, {before misses} AS before, {after misses} AS after"
                      " FROM main.t_conflicts t{sides t_conflicts})") ", t.cache, t.set_bits" THERE("misses");
#define WORTH_LINE "WHERE t.all_rows <= 8192 OR t.of_line * 10000.0 > t.total "

/* Of lines loaded again: the heaviest of each cache. What the recording had no room for is nobody's: no cache. */
#define ARC \
    "misses timed distance misses@before timed@before distance@before misses@after timed@after distance@after"
#define HEAVIEST "WHERE t.place <= 2000 AND t.cache IS NOT NULL ORDER BY t.cache, t.place"

/* Of rows `s` of lines that threads take from one another. */
#define SHARED \
    "sum(s.false_sharing) AS false_sharing, sum(s.true_sharing) AS true_sharing, sum(s.misses) AS misses"

#define LINE_ORDER "t.file_id, t.line, t.function_id, t.id"
#define ARC_ORDER "t.caller_id, t.file_id, t.line, t.id"

static const struct table tables[] = {
    {"meta", "meta", "key value", "ORDER BY t.key", 0, CHUNK},
    {"events", "temp.page_events", "name title long_name category unit derived formula type", "ORDER BY t.rowid", 0,
     CHUNK},
    {"ratios", "temp.page_ratios", "name title long_name unit formula", "ORDER BY t.rowid", 0, CHUNK},
    {"totals", "t_totals", "", "ORDER BY t.rowid", SELF | SIDES, CHUNK},
    {"threads", "threads", "id os_id parent", "ORDER BY t.id", SELF | SIDES, CHUNK},
    {"parts", "parts", "part why", "ORDER BY t.part", SELF, CHUNK},
    {"intervals", "t_intervals", "id start instructions start_ns duration_ns", "ORDER BY t.id", SELF, CHUNK},
    {"interval_functions", "t_interval_functions", "interval_id function_id", "ORDER BY t.interval_id, t.function_id",
     SELF, CHUNK},
    {"labels", "labels", "at ns label", "ORDER BY t.at, t.ns", 0, CHUNK},
    {"objects", "objects", "id path build_id debug_file note", "ORDER BY t.id", 0, CHUNK},
    {"files", "files", "id path", "ORDER BY t.id", 0, CHUNK},
    {"functions", "t_functions", "id function object_id file_id line calls first_instruction last_instruction",
     "ORDER BY t.id", BOTH | SIDES, CHUNK},
    {"startup", "temp.startup", "id", "ORDER BY t.id", 0, CHUNK},
    {"lines", "t_lines", "file_id line function_id estimate", "ORDER BY " LINE_ORDER, BOTH | SIDES, CHUNK},
    {"arcs", "t_arcs", "caller_id callee_id file_id line calls",
     "ORDER BY " ARC_ORDER, INCL | SIDES, CHUNK},
    {"inlined", "t_inlined", "id parent function_id name file_id line call_file_id call_line", "ORDER BY t.id",
     BOTH | SIDES, CHUNK},
    {"thread_functions", "t_thread_functions", "thread function_id", "ORDER BY t.function_id, t.thread",
     BOTH | SIDES, CHUNK},
    {"units", "units", "id kind rank host pid thread", "ORDER BY t.id", SELF | SIDES, CHUNK},
    {"unit_functions", "t_unit_functions", "unit_id function_id", "ORDER BY t.function_id, t.unit_id", BOTH | SIDES,
     CHUNK},
    {"paths", "t_paths", "depth function_id calls thread approximate handler recursive", "ORDER BY t.id",
     BOTH | SIDES | TREE, CHUNK},
    {"statements", "(SELECT DISTINCT file_id, first_line, line FROM main.t_statements WHERE file_id IS NOT NULL)",
     "file_id first_line line", "ORDER BY t.file_id, t.first_line, t.line", 0, CHUNK},
    {"accesses",
     "(SELECT s.file_id, s.first_line, s.line, t.access = 'store' AS store,"
     " CASE t.type WHEN 'floating' THEN 1 WHEN 'integer' THEN 0 END AS floating, count(*) OVER () AS all_rows{sums}"
     " FROM main.t_statement_accesses t{sides t_statement_accesses} JOIN main.t_statements s ON s.id = t.statement_id"
     " WHERE s.file_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5)",
     "file_id first_line line store floating",
     WORTH "ORDER BY t.file_id, t.first_line, t.line, t.store, t.floating", SELF | SIDES, CHUNK},
    {"loops", "t_loops", "id parent function_id file_id line last_line depth iterations entries estimate",
     "WHERE (SELECT count(*) FROM main.t_loops) <= 4096{over _incl 1000} ORDER BY t.id", BOTH | SIDES, CHUNK},
    {"lineless", "temp.lineless", "text", "ORDER BY t.rowid", 0, CHUNK},
    {"coded", "temp.page_coded", "function_id", "ORDER BY t.function_id", 0, CHUNK},
    {"instructions", "t_instructions", "id address length file_id line",
     "WHERE t.function_id IN (SELECT function_id FROM temp.page_coded) ORDER BY t.id", SELF | SIDES, SMALL_CHUNK},
    {"code", "temp.page_code", "instruction_id text", "ORDER BY t.instruction_id", 0, SMALL_CHUNK},
    {"data", "t_data",
     "id kind name path file_id line thread origin_id address size blocks freed bytes largest element type",
     "ORDER BY t.id", SELF | SIDES, CHUNK},
    {"data_fields", "t_data_fields", "id data_id kind field type offset size", INSIDE "ORDER BY t.id", SELF | SIDES,
     CHUNK},
    {"data_offsets", "t_data_offsets", "data_id field_id offset", INSIDE "ORDER BY t.data_id, t.offset, t.field_id",
     SELF | SIDES, CHUNK},
    {"data_lines",
     "(SELECT t.data_id, i.function_id, i.file_id, i.line, count(*) OVER () AS all_rows{sums}"
     " FROM main.t_instruction_data t{sides t_instruction_data}"
     " LEFT JOIN main.t_instructions i ON i.id = t.instruction_id"
     " GROUP BY t.data_id, i.file_id, i.line, i.function_id)",
     "data_id file_id line function_id", WORTH "ORDER BY t.data_id, t.file_id, t.line, t.function_id", SELF | SIDES,
     CHUNK},
    {"strides", strides, "data_id file_id line function_id stride count count@before count@after",
     WORTH_LINE "ORDER BY t.data_id, t.file_id, t.line, t.function_id, t.count DESC, t.stride", 0, CHUNK},
    {"conflicts", conflicts,
     "data_id file_id line function_id cache set_bits misses misses@before misses@after",
     WORTH_LINE "ORDER BY t.data_id, t.file_id, t.line, t.function_id, t.cache, t.set_bits", 0, CHUNK},
    {"data_pairs", "temp.page_data_pairs", "cache evictor_data_id data_id " ARC, HEAVIEST, 0, CHUNK},
    {"statement_pairs", "temp.page_statement_pairs",
     "cache loader_file_id loader_first_line loader_line loader_function_id evictor_file_id evictor_first_line "
     "evictor_line evictor_function_id file_id first_line line function_id " ARC,
     HEAVIEST, 0, CHUNK},
    {"pair_sums",
     "(SELECT p.cache, sum(p.misses) AS misses, sum(p.misses_before) AS \"misses@before\","
     " sum(p.misses_after) AS \"misses@after\","
     " (SELECT count(*) FROM temp.page_data_pairs d WHERE d.cache IS p.cache) AS data_pairs,"
     " (SELECT count(*) FROM temp.page_statement_pairs s WHERE s.cache IS p.cache) AS statement_pairs"
     " FROM temp.page_pairs p GROUP BY p.cache)",
     "cache misses data_pairs statement_pairs misses@before misses@after", "ORDER BY t.cache", 0, CHUNK},
    {"under", "t_function_data", "data_id function_id",
     "WHERE (SELECT count(*) FROM main.t_function_data) <= 8192{over _incl 500} ORDER BY t.data_id, t.function_id",
     INCL | SIDES, CHUNK},
    {"under_sums", "(SELECT count(*) AS pairs FROM main.t_function_data)", "pairs", "", 0, CHUNK},
    {"shared_data", "(SELECT s.data_id, " SHARED " FROM main.t_sharing s GROUP BY s.data_id)",
     "data_id false_sharing true_sharing misses", "ORDER BY t.false_sharing DESC, t.misses DESC, t.data_id", 0, CHUNK},
    {"sharing", "temp.page_sharing",
     "writer_function_id writer_file_id writer_line writer_address function_id file_id line address data_id "
     "false_sharing true_sharing misses written touched", "WHERE t.place <= 1000 ORDER BY t.place", 0, CHUNK},
    {"sharing_sums", "(SELECT (SELECT count(*) FROM temp.page_sharing) AS pairs, " SHARED " FROM main.t_sharing s)",
     "pairs false_sharing true_sharing misses", "", 0, CHUNK},
    {"data_paths", "temp.page_data_paths", "id parent function_id function file_id line inlined_id", "ORDER BY t.id", 0,
     CHUNK},
};

/* Where sets were sampled: what groups have of the rows of those tables, by their number in the page, from 0. */
#define GROUPED(groups, id, table, order)                                                              \
    "(SELECT o.row, g.* FROM main." groups " g JOIN (SELECT t.id, row_number() OVER (ORDER BY " order ") - 1" \
    " AS row FROM main." table " t) o ON o.id = g." id ")", "row sample_group", "ORDER BY t.row, t.sample_group"
static const struct table sampled[] = {
    {"totals_groups", "(SELECT 0 AS row, g.* FROM main.t_total_groups g)", "row sample_group",
     "ORDER BY t.sample_group", SELF, CHUNK},
    {"functions_groups", GROUPED("t_function_groups", "function_id", "t_functions", "t.id"), BOTH, CHUNK},
    {"lines_groups", GROUPED("t_line_groups", "line_id", "t_lines", LINE_ORDER), BOTH, CHUNK},
    {"arcs_groups", GROUPED("t_arc_groups", "arc_id", "t_arcs", ARC_ORDER), INCL, CHUNK},
    {"data_groups", GROUPED("t_data_groups", "data_id", "t_data", "t.id"), SELF, CHUNK},
};

/* The tables of advice.h, without the names that the page knows by number. Advice may speak of a function that was
 * inlined: of functions there is the name, too. */
static const struct table advice[] = {
    {"advice", "temp.advice",
     "id kind title fix function_id file_id line data_id cycles share bytes memory_bytes confidence certain "
     "tried promised remap",
     "ORDER BY t.id", 0, CHUNK},
    {"advice_places", "temp.advice_places",
     "advice_id role function_id function file_id line last_line share", "ORDER BY t.rowid", 0, CHUNK},
    {"advice_evidence", "temp.advice_evidence", "advice_id key value unit words text", "ORDER BY t.rowid",
     0, CHUNK},
};

static const struct table sources[] = {
    {"sources", "temp.page_sources", "file_id newer", "ORDER BY t.file_id", 0, CHUNK},
    {"source_text", "temp.page_sources", "text", "ORDER BY t.file_id", 0, 1},
    {"refused", "temp.page_refused", "file_id why", "ORDER BY t.file_id", 0, CHUNK},
};

/* Of pairs `p`. */
#define SIDE(side)                                                                                              \
    "sum(p.misses_" #side ") AS \"misses@" #side "\", sum(p.timed_" #side ") AS \"timed@" #side "\", " \
    "sum(p.distance_" #side ") AS \"distance@" #side "\""
#define SUMS \
    "sum(p.misses) AS misses, sum(p.timed) AS timed, sum(p.distance) AS distance, " SIDE(before) ", " SIDE(after)
#define WEIGHT "max(abs(sum(p.misses)), ifnull(sum(p.misses_before), 0), ifnull(sum(p.misses_after), 0))"
#define HEAVY(keys) ", row_number() OVER (PARTITION BY p.cache ORDER BY " WEIGHT " DESC, " keys ") AS place"
#define SOME " HAVING " WEIGHT " <> 0"

/* An instruction of the pair, as columns, as what makes a row, and as tables. Statements of the same lines are one,
 * whatever object they are in; what has no statement is told by its function. */
#define COLUMNS(prefix, s, i)                                                                                     \
    #s ".file_id AS " prefix "file_id, " #s ".first_line AS " prefix "first_line, " #s ".line AS " prefix "line, " \
    "min(" #i ".function_id) AS " prefix "function_id, "
#define KEYS(s, i)                                       \
    #s ".file_id, " #s ".first_line, " #s ".line, "      \
    "CASE WHEN " #s ".id IS NULL THEN " #i ".function_id END"
#define TABLES(id, s, i)                                            \
    " LEFT JOIN main.t_instructions " #i " ON " #i ".id = p." id    \
    " LEFT JOIN main.t_statements " #s " ON " #s ".id = " #i ".statement_id AND " #s ".file_id IS NOT NULL"
#define ALL_KEYS KEYS(s, i) ", " KEYS(t, j) ", " KEYS(u, k)

/* What several of the tables ask, made before any of them is written; in this order. */
static const struct {
    const char *name, *select;
} made[] = {
    {"page_coded", /* functions whose instructions are shown */
     "SELECT t.id AS function_id FROM main.t_functions t WHERE (SELECT count(*) FROM main.t_instructions) <= 65536"
     "{over 200}"},
    {"page_pairs",
     "SELECT t.*, {before misses} AS misses_before, {before timed} AS timed_before,"
     " {before distance} AS distance_before, {after misses} AS misses_after, {after timed} AS timed_after,"
     " {after distance} AS distance_after FROM main.t_pairs t{sides t_pairs}"},
    {"page_data_pairs",
     "SELECT p.cache, p.evictor_data_id, p.data_id, " SUMS HEAVY("p.data_id, p.evictor_data_id")
     " FROM temp.page_pairs p GROUP BY p.cache, p.evictor_data_id, p.data_id" SOME},
    {"page_statement_pairs",
     "SELECT p.cache, " COLUMNS("loader_", t, j) COLUMNS("evictor_", u, k) COLUMNS("", s, i) SUMS HEAVY(ALL_KEYS)
     " FROM temp.page_pairs p" TABLES("instruction_id", s, i) TABLES("loader_id", t, j) TABLES("evictor_id", u, k)
     " GROUP BY p.cache, " ALL_KEYS SOME},
    /* Rows are those of `tenure report --sharing`: lines of functions of one name are one. Addresses and bytes are
     * those of the pair of instructions that missed most. */
    {"page_sharing",
     "SELECT min(w.function_id) AS writer_function_id, w.file_id AS writer_file_id,"
     " w.line AS writer_line, w.address AS writer_address, min(v.function_id) AS function_id, v.file_id, v.line,"
     " v.address, s.data_id, " SHARED ", s.written, s.touched, max(s.misses) AS most,"
     " row_number() OVER (ORDER BY sum(s.false_sharing) DESC, sum(s.misses) DESC, m.function, w.line, n.function,"
     " v.line, s.data_id) AS place"
     " FROM main.t_sharing s LEFT JOIN main.t_instructions w ON w.id = s.writer_id"
     " LEFT JOIN main.t_functions m ON m.id = w.function_id LEFT JOIN main.t_instructions v ON v.id = s.victim_id"
     " LEFT JOIN main.t_functions n ON n.id = v.function_id"
     " GROUP BY m.function, w.file_id, w.line, n.function, v.file_id, v.line, s.data_id"},
    /* A step of an allocation path has a name and the place that called it, no function. The function is the one in
     * which the call to the next step is made; of a path's last step, which calls nothing, the first one of that name.
     * There is no name if it is that of the function. */
    {"page_data_paths",
     "WITH calling AS ("
     "SELECT p.id, min(n.id) AS function_id FROM main.t_data_paths c JOIN main.t_data_paths p ON p.id = c.parent"
     " JOIN main.t_instructions i ON i.id = c.site_id"
     " JOIN main.t_functions n ON n.id = i.function_id AND n.base = p.function GROUP BY p.id), found AS ("
     "SELECT p.id, p.parent, p.function, p.file_id, p.line, i.inlined_id,"
     " coalesce(c.function_id, (SELECT min(id) FROM main.t_functions WHERE function = p.function)) AS function_id"
     " FROM main.t_data_paths p LEFT JOIN calling c ON c.id = p.id"
     " LEFT JOIN main.t_instructions i ON i.id = p.site_id) "
     "SELECT p.id, p.parent, p.function_id, CAST(nullif(p.function, n.function) AS TEXT) AS function, p.file_id,"
     " p.line, p.inlined_id FROM found p LEFT JOIN main.t_functions n ON n.id = p.function_id"},
};

/* ------------------------------------------------------------------------------------------ queries */

/* What a word in braces stands for. */
static void add_word(sqlite3_str *sql, tp_profile *profile, bool sides, const char *word)
{
    static const char *const behind[] = {"", "@before", "@after"};
    char what[8], of[32] = "", suffix[8] = "";
    int share = 0;

    sscanf(word, "%7[^ }] %31[^ }]", what, of);
    if (strcmp(what, "sides") == 0 && sides)
        sqlite3_str_appendf(sql, " JOIN before.%s b ON b.rowid = t.rowid JOIN after.%s a ON a.rowid = t.rowid", of, of);
    if (strcmp(what, "before") == 0 || strcmp(what, "after") == 0)
        sqlite3_str_appendf(sql, sides ? "%c.%s" : "NULL", what[0], of);
    if (strcmp(what, "over") == 0 && sscanf(word, "over %d", &share) != 1)
        sscanf(word, "over %7s %d", suffix, &share);
    for (int side = 0; strcmp(what, "sums") == 0 && side < (sides ? 3 : 1); side++) {
        for (size_t i = 0; i < tp_event_count(profile); i++) {
            const struct tp_event *event = tp_event_at(profile, i);
            if (!event->derived)
                sqlite3_str_appendf(sql, ", sum(%c.\"%w\") AS \"%w%s\"", "tba"[side], event->name, event->name,
                                    behind[side]);
        }
    }
    for (size_t i = 0; share && i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);
        if (!event->derived)
            sqlite3_str_appendf(sql, " OR abs(t.\"%w%s\") * %d.0 > (SELECT abs(ifnull(\"%w\", 0)) FROM main.t_totals)",
                                event->name, suffix, share, event->name);
    }
}

static void add_sql(sqlite3_str *sql, tp_profile *profile, bool sides, const char *text)
{
    for (size_t n; *text; text += n) {
        if (*text == '{')
            add_word(sql, profile, sides, text + 1);
        n = *text == '{' ? strcspn(text, "}") + 1 : strcspn(text, "{");
        if (*text != '{')
            sqlite3_str_append(sql, text, (int)n);
    }
}

int tp_html_tables_make(tp_profile *profile, bool sides, struct tp_error *err)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);

    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        sqlite3_str_appendf(sql, "DROP TABLE IF EXISTS temp.%s; CREATE TEMP TABLE %s AS ", made[i].name, made[i].name);
        add_sql(sql, profile, sides, made[i].select);
        sqlite3_str_appendall(sql, ";");
    }
    return tp_execute(profile, sqlite3_str_finish(sql), "cannot gather what the page shows", err);
}

/* ------------------------------------------------------------------------------------------ columns */

/* Groups of columns, a column for each event in each: of the difference, or the profile itself; of its sides. */
static const struct group {
    unsigned of;
    int side;
    const char *incl, *suffix;
} groups[] = {
    {SELF, 0, "", ""},        {INCL, 0, "_incl", ""},        {SELF, 1, "", "@before"},
    {INCL, 1, "_incl", "@before"}, {SELF, 2, "", "@after"},  {INCL, 2, "_incl", "@after"},
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

struct making {
    tp_profile *profile;
    struct tp_html_tables *tables;
    const struct table *table;
    struct tp_sheet *sheet;
    bool difference; /* with both its sides */
    bool sides, made; /* by a query of the page: it has columns for the sides itself */
    sqlite3_str *sql;
    struct tp_error *err;
};

/* `from`: the table that has it, under the name `as`. */
static int add_column(struct making *m, const char *name, size_t length, enum tp_sheet_kind kind, char from,
                      const char *as)
{
    char *copy = tp_arena_copy(&m->tables->arena, name, length);

    if (!copy)
        return TP_NO_MEMORY(m->err);
    m->sheet->column[m->sheet->columns++] = (struct tp_sheet_column){.name = copy, .kind = kind};
    sqlite3_str_appendf(m->sql, "%s%c.\"%w\"", m->sheet->columns > 1 ? ", " : "SELECT ", from, as ? as : copy);
    return 0;
}

static int make_columns(struct making *m)
{
    size_t room = 16 + GROUPS * tp_event_count(m->profile);
    const struct table *table = m->table;

    m->sheet->column = tp_arena_alloc(&m->tables->arena, room * sizeof *m->sheet->column);
    if (!m->sheet->column)
        return TP_NO_MEMORY(m->err);
    const char *p = m->table->columns;
    for (size_t n; (n = strcspn(p, " ")) > 0; p += n + strspn(p + n, " ")) {
        if (add_column(m, p, n, TP_NUMBER, 't', NULL))
            return -1;
    }
    m->sheet->column[0].depth = m->table->events & TREE;
    for (size_t g = 0; g < GROUPS; g++) {
        if (!(table->events & groups[g].of) || (groups[g].side && !m->sides))
            continue;
        char from = "tba"[m->made ? 0 : groups[g].side];
        for (size_t i = 0; i < tp_event_count(m->profile); i++) {
            const struct tp_event *event = tp_event_at(m->profile, i);
            char name[96], as[96];

            if (event->derived)
                continue;
            snprintf(as, sizeof as, "%s%s", event->name, groups[g].incl);
            snprintf(name, sizeof name, "%s%s", as, groups[g].suffix);
            if (add_column(m, name, strlen(name), event->real ? TP_REAL : TP_NUMBER, from, m->made ? name : as))
                return -1;
        }
    }
    sqlite3_str_appendall(m->sql, m->made ? " FROM " : " FROM main.");
    add_sql(m->sql, m->profile, m->difference, table->from);
    sqlite3_str_appendall(m->sql, " t");
    if (m->sides && !m->made)
        sqlite3_str_appendf(m->sql, " JOIN before.%s b ON b.rowid = t.rowid JOIN after.%s a ON a.rowid = t.rowid",
                            table->from, table->from);
    sqlite3_str_appendall(m->sql, " ");
    add_sql(m->sql, m->profile, m->difference, table->rest);
    return 0;
}

static int write_table(tp_profile *profile, struct tp_pack *pack, struct tp_html_tables *to, const struct table *table,
                       bool difference)
{
    struct tp_sheet *sheet = TP_VECTOR_ADD(&to->sheets);
    struct making m = {.profile = profile,
                       .tables = to,
                       .table = table,
                       .sheet = sheet,
                       .difference = difference,
                       .sides = difference && table->events & SIDES,
                       .made = *table->from == '(' || strncmp(table->from, "temp.", 5) == 0,
                       .sql = sqlite3_str_new(NULL),
                       .err = pack->err};

    if (!sheet) {
        sqlite3_free(sqlite3_str_finish(m.sql));
        return TP_NO_MEMORY(pack->err);
    }
    sheet->name = table->name;
    sheet->chunk = table->chunk;
    int failed = make_columns(&m);
    char *sql = sqlite3_str_finish(m.sql);
    if (failed) {
        sqlite3_free(sql);
        return -1;
    }
    return tp_sheet_write(profile, pack, sheet, sql);
}

int tp_html_tables_write(tp_profile *profile, struct tp_pack *pack, struct tp_html_tables *to,
                         const struct tp_html_options *options, bool advised)
{
    const struct {
        const struct table *table;
        size_t count;
    } lists[] = {{tables, sizeof tables / sizeof *tables},
                 {sampled, tp_sample(profile) > 1 ? sizeof sampled / sizeof *sampled : 0},
                 {advice, advised ? sizeof advice / sizeof *advice : 0},
                 {sources, !options->no_source ? sizeof sources / sizeof *sources : 0}};

    size_t done = 0, count = 0;

    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
        count += lists[list].count;
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++) {
        for (size_t i = 0; i < lists[list].count; i++) {
            if (options->progress)
                options->progress("writing the page", done++, count);
            if (write_table(profile, pack, to, &lists[list].table[i], options->sides))
                return -1;
        }
    }
    return 0;
}

void tp_html_tables_free(struct tp_html_tables *to)
{
    for (size_t i = 0; i < to->sheets.count; i++)
        tp_sheet_free(&to->sheets.at[i]);
    TP_VECTOR_FREE(&to->sheets);
    tp_arena_free(&to->arena);
}
