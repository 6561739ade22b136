/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_schema.c: the tables and views of docs/profile-format.md.
 *
 * A table is its fixed columns, and one column per event, self and/or inclusive. A view is the table, joined with
 * names, plus the derived events. What differs between tables is in the list `tables` alone.
 *
 * Most rows of a profile are instructions, paths and data objects for which most events are 0, or cannot occur. SQLite
 * lets a row end before its last columns, which then have their default. So what seldom differs from that comes last
 * (tp_schema_stored): behind instructions executed, what only reads and writes cause, which is NULL for all other
 * instructions; then misses of the last level, and of fetches. Views have the order of the recording.
 */
#include "profile/store/store.h"

#include <string.h>
#include <strings.h>

#include "profile/base/error.h"

enum { SELF = TP_SELF_EVENTS, INCL = TP_INCL_EVENTS, PLACE = TP_PLACE_EVENTS };

static const struct tp_table tables[] = {
    {"meta", "key TEXT PRIMARY KEY -, value TEXT -", 0, NULL},
    {"stats", "name TEXT PRIMARY KEY key, value INTEGER sum", 0, NULL},
    {"time_parts", "part TEXT PRIMARY KEY key, cycles INTEGER sum", 0, NULL},
    {"events",
     "name TEXT PRIMARY KEY -, title TEXT -, long_name TEXT -, category TEXT -, unit TEXT -, derived INTEGER -, "
     "formula TEXT -, type TEXT -, option TEXT -", 0, NULL},
    {"objects",
     "id INTEGER PRIMARY KEY nth, path TEXT key, start INTEGER any, size INTEGER any, bias INTEGER any*, "
     "build_id TEXT key, debug_file TEXT any, note TEXT any",
     0,
     "t.path NULLS LAST, t.build_id NULLS LAST, t.start NULLS LAST, t.size NULLS LAST"},
    {"files", "id INTEGER PRIMARY KEY id, path TEXT key", 0, NULL},
    {"sources", "file_id INTEGER PRIMARY KEY key>files, text TEXT any", 0, NULL},
    {"runs", "cmd TEXT key, host TEXT key, pid INTEGER key, rank INTEGER key, recordings INTEGER sum", 0, NULL},
    {"units",
     "id INTEGER PRIMARY KEY id, kind TEXT key, rank INTEGER key, host TEXT key, pid INTEGER key, "
     "thread INTEGER key", SELF, NULL},
    {"threads", "id INTEGER PRIMARY KEY key, os_id INTEGER any, parent INTEGER any", SELF, NULL},
    {"parts", "part INTEGER key, why TEXT key", SELF, NULL},
    {"t_totals", "", SELF, NULL},
    {"t_functions",
     "id INTEGER PRIMARY KEY id, function TEXT key, base TEXT key, base_id INTEGER group, symbol TEXT key, "
     "context TEXT key, object_id INTEGER any>objects, file_id INTEGER key>files, line INTEGER any, "
     "address INTEGER any@object_id, size INTEGER any, calls INTEGER sum, "
     "first_instruction INTEGER first>t_instructions, last_instruction INTEGER last>t_instructions",
     SELF | INCL,
     "(SELECT path FROM objects WHERE id = t.object_id) NULLS LAST, "
     "(SELECT build_id FROM objects WHERE id = t.object_id) NULLS LAST, "
     "(SELECT start FROM objects WHERE id = t.object_id) NULLS LAST, t.line NULLS LAST, t.address NULLS LAST, "
     "t.size NULLS LAST, t.id"},
    {"t_lines",
     "id INTEGER PRIMARY KEY id, function_id INTEGER key>t_functions, file_id INTEGER key>files, "
     "line INTEGER key, estimate INTEGER max", SELF | INCL, NULL},
    {"t_instructions",
     "id INTEGER PRIMARY KEY id, function_id INTEGER key>t_functions, object_id INTEGER key>objects, "
     "address INTEGER key@object_id*, length INTEGER key, | file_id INTEGER key>files, line INTEGER key, "
     "inlined_id INTEGER key>t_inlined, statement_id INTEGER any>t_statements, loop_id INTEGER any>t_loops, "
     "floating INTEGER any", SELF, NULL},
    {"t_self", "instruction_id INTEGER key>t_instructions, thread INTEGER key", SELF, NULL},
    {"t_thread_functions", "thread INTEGER key, function_id INTEGER key>t_functions", SELF | INCL, NULL},
    {"t_unit_functions", "unit_id INTEGER key>units, function_id INTEGER key>t_functions", SELF | INCL, NULL},
    {"t_inlined",
     "id INTEGER PRIMARY KEY id, parent INTEGER key>t_inlined, function_id INTEGER key>t_functions, "
     "name TEXT key, file_id INTEGER key>files, line INTEGER key, call_file_id INTEGER key>files, "
     "call_line INTEGER key", SELF | INCL, NULL},
    {"t_arcs",
     "id INTEGER PRIMARY KEY id, caller_id INTEGER key>t_functions, callee_id INTEGER key>t_functions, "
     "site_id INTEGER key>t_instructions, address INTEGER key@site_id, file_id INTEGER key>files, "
     "line INTEGER key, calls INTEGER sum", INCL, NULL},
    {"t_data_paths",
     "id INTEGER PRIMARY KEY id, parent INTEGER key>t_data_paths, function TEXT key, file_id INTEGER key>files, "
     "line INTEGER key, site_id INTEGER key>t_instructions", SELF | INCL, NULL},
    {"t_data",
     "id INTEGER PRIMARY KEY id, kind TEXT key, name TEXT key, allocator TEXT any, function TEXT any, "
     "file_id INTEGER any>files, line INTEGER any, symbol TEXT key, path TEXT key, thread INTEGER key, "
     "origin_id INTEGER key>t_data_paths, address INTEGER key, size INTEGER key, blocks INTEGER sum, "
     "freed INTEGER sum, bytes INTEGER sum, largest INTEGER max, pages INTEGER sum, element INTEGER any, type TEXT any",
     SELF, NULL},
    {"t_data_fields",
     "id INTEGER PRIMARY KEY id, data_id INTEGER key>t_data, kind TEXT key, field TEXT key, type TEXT key, "
     "offset INTEGER key, size INTEGER key", SELF | PLACE, NULL},
    {"t_data_offsets",
     "data_id INTEGER key>t_data, field_id INTEGER key>t_data_fields, offset INTEGER key", SELF | PLACE, NULL},
    {"t_instruction_data", "instruction_id INTEGER key>t_instructions, data_id INTEGER key>t_data", SELF, NULL},
    {"t_sharing",
     "writer_id INTEGER key>t_instructions, victim_id INTEGER key>t_instructions, data_id INTEGER key>t_data, "
     "misses INTEGER sum, false_sharing INTEGER sum, true_sharing INTEGER sum, written TEXT any, "
     "touched TEXT any", 0, NULL},
    {"t_statements",
     "id INTEGER PRIMARY KEY id, object_id INTEGER key>objects, file_id INTEGER key>files, line INTEGER key, "
     "first_line INTEGER key, function TEXT any", SELF, NULL},
    {"t_statement_accesses",
     "statement_id INTEGER key>t_statements, access TEXT key, type TEXT key", SELF, NULL},
    {"t_statement_data", "statement_id INTEGER key>t_statements, data_id INTEGER key>t_data", SELF, NULL},
    {"t_loops",
     "id INTEGER PRIMARY KEY id, parent INTEGER key>t_loops, function_id INTEGER key>t_functions, "
     "object_id INTEGER key>objects, address INTEGER key@object_id, inlined_id INTEGER key>t_inlined, "
     "file_id INTEGER key>files, line INTEGER key, last_line INTEGER key, depth INTEGER max, "
     "iterations INTEGER sum, entries INTEGER sum, estimate INTEGER max", SELF | INCL, NULL},
    {"t_loop_data", "loop_id INTEGER key>t_loops, data_id INTEGER key>t_data", SELF | INCL, NULL},
    {"t_address_loads",
     "instruction_id INTEGER key>t_instructions, load_id INTEGER key>t_instructions, circular INTEGER max", 0, NULL},
    {"t_total_groups", "sample_group INTEGER key", SELF, NULL},
    {"t_function_groups", "function_id INTEGER key>t_functions, sample_group INTEGER key", SELF | INCL, NULL},
    {"t_line_groups", "line_id INTEGER key>t_lines, sample_group INTEGER key", SELF | INCL, NULL},
    {"t_arc_groups", "arc_id INTEGER key>t_arcs, sample_group INTEGER key", INCL, NULL},
    {"t_data_groups", "data_id INTEGER key>t_data, sample_group INTEGER key", SELF, NULL},
    {"t_path_data", "path_id INTEGER key>t_paths, data_id INTEGER key>t_data", SELF, NULL},
    {"t_function_data", "function_id INTEGER key>t_functions, data_id INTEGER key>t_data", INCL, NULL},
    {"t_stride_sums",
     "instruction_id INTEGER key>t_instructions, data_id INTEGER key>t_data, strides INTEGER sum, "
     "covered INTEGER sum, far INTEGER sum, lost INTEGER sum", 0, NULL},
    {"t_strides",
     "instruction_id INTEGER key>t_instructions, data_id INTEGER key>t_data, stride INTEGER key, "
     "count INTEGER sum", 0, NULL},
    {"t_conflicts",
     "instruction_id INTEGER key>t_instructions, data_id INTEGER key>t_data, cache TEXT key, "
     "set_bits INTEGER key, misses INTEGER sum", 0, NULL},
    {"t_pairs",
     "id INTEGER PRIMARY KEY id, loader_id INTEGER key>t_instructions, evictor_id INTEGER key>t_instructions, "
     "evictor_data_id INTEGER key>t_data, instruction_id INTEGER key>t_instructions, "
     "data_id INTEGER key>t_data, cache TEXT key, misses INTEGER sum, timed INTEGER sum, distance INTEGER sum",
     0, NULL},
    {"t_pair_distances", "pair_id INTEGER key>t_pairs, power INTEGER key, misses INTEGER sum", 0, NULL},
    {"t_reuses",
     "id INTEGER PRIMARY KEY id, loader_id INTEGER key>t_instructions, "
     "instruction_id INTEGER key>t_instructions, data_id INTEGER key>t_data, cache TEXT key, lines INTEGER sum, "
     "distance INTEGER sum", 0, NULL},
    {"t_reuse_distances", "reuse_id INTEGER key>t_reuses, power INTEGER key, lines INTEGER sum", 0, NULL},
    {"t_paths",
     "id INTEGER PRIMARY KEY id, parent INTEGER above>t_paths, function_id INTEGER key>t_functions, "
     "arc_id INTEGER key>t_arcs, calls INTEGER sum, depth INTEGER max, thread INTEGER key, "
     "approximate INTEGER max, handler INTEGER key, recursive INTEGER key", SELF | INCL, NULL},
    {"t_intervals",
     "id INTEGER PRIMARY KEY -, start INTEGER -, instructions INTEGER -, start_ns INTEGER -, duration_ns INTEGER -",
     SELF, NULL},
    {"t_interval_functions", "interval_id INTEGER -, function_id INTEGER -", SELF, NULL},
    {"labels", "at INTEGER -, ns INTEGER -, label TEXT -", 0, NULL},
};

const struct tp_table *tp_schema_tables(size_t *count)
{
    *count = sizeof tables / sizeof *tables;
    return tables;
}

/* Behind a table of instructions in data objects. */
#define OF_PAYER                                                                                         \
    "LEFT JOIN t_data d ON d.id = t.data_id LEFT JOIN t_instructions i ON i.id = t.instruction_id "      \
    "LEFT JOIN files f ON f.id = i.file_id LEFT JOIN t_functions n ON n.id = i.function_id"

/* Of pairs: the sums, behind a row's own columns. */
#define OF_PAIR                                                                                          \
    "t.misses, t.timed, t.distance, 1.0 * t.distance / nullif(t.timed, 0) AS mean_distance"
#define SUMS_OF_PAIRS "sum(p.misses) AS misses, sum(p.timed) AS timed, sum(p.distance) AS distance FROM t_pairs p"
/* The same of reuses. */
#define OF_REUSE "t.lines, t.distance, 1.0 * t.distance / nullif(t.lines, 0) AS mean_distance"
/* Which function a statement is not known of: its instructions stay apart by that. */
#define FUNCTION_OF(i) "CASE WHEN " #i ".statement_id IS NULL THEN " #i ".function_id END"

/* `t` is the table. Joined by primary keys only: a view row costs little more than the table's. */
static const struct tp_view views[] = {
    {"totals", "", "t_totals t", SELF},
    {"functions",
     "t.id, t.function, t.base, t.base_id, t.symbol, t.context, o.path AS object, t.object_id, f.path AS file, t.line, "
     "t.address, t.size, t.calls, t.first_instruction, t.last_instruction",
     "t_functions t LEFT JOIN objects o ON o.id = t.object_id LEFT JOIN files f ON f.id = t.file_id",
     SELF | INCL},
    {"lines",
     "t.id, f.path AS file, t.line, n.function, n.base, o.path AS object, t.estimate, t.function_id, t.file_id",
     "t_lines t LEFT JOIN files f ON f.id = t.file_id LEFT JOIN t_functions n ON n.id = t.function_id "
     "LEFT JOIN objects o ON o.id = n.object_id",
     SELF | INCL},
    {"instructions",
     "t.id, t.address, t.address - coalesce(o.bias, 0) AS offset, t.length, n.function, "
     "n.base, o.path AS object, f.path AS file, t.line, t.function_id, t.object_id, t.file_id, "
     "t.inlined_id, t.statement_id, t.loop_id, "
     "CASE t.floating WHEN 1 THEN 'floating' WHEN 0 THEN 'integer' END AS type",
     "t_instructions t LEFT JOIN files f ON f.id = t.file_id LEFT JOIN t_functions n ON n.id = t.function_id "
     "LEFT JOIN objects o ON o.id = t.object_id",
     SELF},
    {"self", "t.thread, t.instruction_id", "t_self t", SELF},
    {"thread_functions", "t.thread, n.function, t.function_id",
     "t_thread_functions t LEFT JOIN t_functions n ON n.id = t.function_id", SELF | INCL},
    {"unit_functions", "t.unit_id, u.kind, u.rank, u.host, u.pid, u.thread, n.function, t.function_id",
     "t_unit_functions t LEFT JOIN units u ON u.id = t.unit_id LEFT JOIN t_functions n ON n.id = t.function_id",
     SELF | INCL},
    {"inlined",
     "t.id, t.parent, n.function, t.name, f.path AS file, t.line, c.path AS call_file, t.call_line, "
     "t.function_id",
     "t_inlined t LEFT JOIN t_functions n ON n.id = t.function_id LEFT JOIN files f ON f.id = t.file_id "
     "LEFT JOIN files c ON c.id = t.call_file_id",
     SELF | INCL},
    {"arcs",
     "t.id, p.function AS caller, n.function AS callee, t.calls, t.caller_id, t.callee_id, t.address, "
     "f.path AS file, t.line, t.file_id, t.site_id",
     "t_arcs t LEFT JOIN t_functions p ON p.id = t.caller_id LEFT JOIN t_functions n ON n.id = t.callee_id "
     "LEFT JOIN files f ON f.id = t.file_id",
     INCL},
    {"data_objects",
     "t.id, t.name, t.kind, t.allocator, t.function, f.path AS file, t.line, t.symbol, t.path, t.thread, t.address, "
     "t.size, t.blocks, t.freed, t.bytes, t.largest, t.pages, t.element, t.type, t.origin_id, t.file_id",
     "t_data t LEFT JOIN files f ON f.id = t.file_id", SELF},
    {"data_fields", "t.id, t.data_id, d.name AS data, t.kind, t.field, t.type, t.offset, t.size",
     "t_data_fields t LEFT JOIN t_data d ON d.id = t.data_id", SELF},
    {"data_offsets", "t.data_id, d.name AS data, t.offset, f.field, t.field_id",
     "t_data_offsets t LEFT JOIN t_data d ON d.id = t.data_id LEFT JOIN t_data_fields f ON f.id = t.field_id", SELF},
    {"instruction_data",
     "t.instruction_id, t.data_id, d.name AS data, n.function, f.path AS file, i.line, i.address, i.function_id, "
     "i.file_id",
     "t_instruction_data t LEFT JOIN t_data d ON d.id = t.data_id "
     "LEFT JOIN t_instructions i ON i.id = t.instruction_id LEFT JOIN files f ON f.id = i.file_id "
     "LEFT JOIN t_functions n ON n.id = i.function_id",
     SELF},
    {"statements", "t.id, f.path AS file, t.line, t.first_line, t.function, o.path AS object, t.file_id, t.object_id",
     "t_statements t LEFT JOIN files f ON f.id = t.file_id LEFT JOIN objects o ON o.id = t.object_id", SELF},
    {"statement_accesses",
     "t.statement_id, f.path AS file, s.line, s.first_line, s.function, t.access, t.type, s.file_id",
     "t_statement_accesses t LEFT JOIN t_statements s ON s.id = t.statement_id "
     "LEFT JOIN files f ON f.id = s.file_id", SELF},
    {"statement_data",
     "t.statement_id, t.data_id, d.name AS data, f.path AS file, s.line, s.first_line, s.function, s.file_id",
     "t_statement_data t LEFT JOIN t_data d ON d.id = t.data_id LEFT JOIN t_statements s ON s.id = t.statement_id "
     "LEFT JOIN files f ON f.id = s.file_id", SELF},
    {"loops",
     "t.id, t.parent, n.function, i.name AS inlined, o.path AS object, f.path AS file, t.line, t.last_line, t.depth, "
     "t.iterations, t.entries, 1.0 * t.iterations / nullif(t.entries, 0) AS trip_count, t.estimate, t.address, "
     "t.function_id, t.inlined_id, t.object_id, t.file_id",
     "t_loops t LEFT JOIN t_functions n ON n.id = t.function_id LEFT JOIN t_inlined i ON i.id = t.inlined_id "
     "LEFT JOIN objects o ON o.id = t.object_id LEFT JOIN files f ON f.id = t.file_id",
     SELF | INCL},
    {"loop_data",
     "t.loop_id, t.data_id, d.name AS data, n.function, f.path AS file, l.line, l.last_line, l.function_id, l.file_id",
     "t_loop_data t LEFT JOIN t_data d ON d.id = t.data_id LEFT JOIN t_loops l ON l.id = t.loop_id "
     "LEFT JOIN t_functions n ON n.id = l.function_id LEFT JOIN files f ON f.id = l.file_id",
     SELF | INCL},
    {"function_data", "t.function_id, n.function, f.path AS file, n.line, t.data_id, d.name AS data, n.file_id",
     "t_function_data t LEFT JOIN t_data d ON d.id = t.data_id LEFT JOIN t_functions n ON n.id = t.function_id "
     "LEFT JOIN files f ON f.id = n.file_id", INCL},
    {"path_data", "t.path_id, n.function, t.data_id, d.name AS data, p.function_id",
     "t_path_data t LEFT JOIN t_data d ON d.id = t.data_id LEFT JOIN t_paths p ON p.id = t.path_id "
     "LEFT JOIN t_functions n ON n.id = p.function_id", SELF},
    {"total_groups", "t.sample_group", "t_total_groups t", SELF},
    {"function_groups", "t.function_id, n.function, t.sample_group",
     "t_function_groups t LEFT JOIN t_functions n ON n.id = t.function_id", SELF | INCL},
    {"line_groups", "t.line_id, f.path AS file, l.line, n.function, t.sample_group",
     "t_line_groups t LEFT JOIN t_lines l ON l.id = t.line_id LEFT JOIN files f ON f.id = l.file_id "
     "LEFT JOIN t_functions n ON n.id = l.function_id", SELF | INCL},
    {"arc_groups", "t.arc_id, p.function AS caller, n.function AS callee, t.sample_group",
     "t_arc_groups t LEFT JOIN t_arcs a ON a.id = t.arc_id LEFT JOIN t_functions p ON p.id = a.caller_id "
     "LEFT JOIN t_functions n ON n.id = a.callee_id", INCL},
    {"data_groups", "t.data_id, d.name AS data, t.sample_group",
     "t_data_groups t LEFT JOIN t_data d ON d.id = t.data_id", SELF},
    {"address_loads",
     "n.function, f.path AS file, i.line, a.function AS load_function, g.path AS load_file, l.line AS load_line, "
     "t.circular, t.instruction_id, t.load_id",
     "t_address_loads t LEFT JOIN t_instructions i ON i.id = t.instruction_id "
     "LEFT JOIN t_functions n ON n.id = i.function_id LEFT JOIN files f ON f.id = i.file_id "
     "LEFT JOIN t_instructions l ON l.id = t.load_id LEFT JOIN t_functions a ON a.id = l.function_id "
     "LEFT JOIN files g ON g.id = l.file_id", 0},
    {"intervals", "t.id, t.start, t.instructions, t.start_ns, t.duration_ns", "t_intervals t", SELF},
    {"interval_functions", "t.interval_id, n.function, f.path AS file, n.line, t.function_id, n.file_id",
     "t_interval_functions t LEFT JOIN t_functions n ON n.id = t.function_id LEFT JOIN files f ON f.id = n.file_id",
     SELF},
    {"strides",
     "t.instruction_id, t.data_id, t.stride, t.count, s.strides, s.covered, s.far, s.lost, d.name AS data, "
     "n.function, f.path AS file, "
     "i.line, i.address, i.function_id, i.file_id",
     "t_strides t JOIN t_stride_sums s ON s.instruction_id = t.instruction_id AND s.data_id IS t.data_id " OF_PAYER, 0},
    {"conflicts",
     "t.instruction_id, t.data_id, t.cache, t.set_bits, t.misses, d.name AS data, n.function, f.path AS file, i.line, "
     "i.address, i.function_id, i.file_id",
     "t_conflicts t " OF_PAYER, 0},
    {"data_paths", "t.id, t.parent, t.function, f.path AS file, t.line, t.site_id, t.file_id",
     "t_data_paths t LEFT JOIN files f ON f.id = t.file_id", SELF | INCL},
    {"sharing",
     "m.function AS writer, g.path AS writer_file, w.line AS writer_line, n.function AS victim, f.path AS victim_file, "
     "v.line AS victim_line, d.name AS data, t.misses, t.false_sharing, t.true_sharing, t.written, t.touched, "
     "t.writer_id, t.victim_id, t.data_id",
     "t_sharing t LEFT JOIN t_instructions w ON w.id = t.writer_id LEFT JOIN t_functions m ON m.id = w.function_id "
     "LEFT JOIN files g ON g.id = w.file_id LEFT JOIN t_instructions v ON v.id = t.victim_id "
     "LEFT JOIN t_functions n ON n.id = v.function_id LEFT JOIN files f ON f.id = v.file_id "
     "LEFT JOIN t_data d ON d.id = t.data_id", 0},
    {"pairs",
     "t.id, t.cache, a.function AS loader, g.path AS loader_file, l.line AS loader_line, b.function AS evictor, "
     "h.path AS evictor_file, e.line AS evictor_line, c.name AS evictor_data, n.function, f.path AS file, i.line, "
     "d.name AS data, " OF_PAIR ", t.loader_id, t.evictor_id, t.evictor_data_id, t.instruction_id, t.data_id",
     "t_pairs t " OF_PAYER " LEFT JOIN t_instructions l ON l.id = t.loader_id "
     "LEFT JOIN t_functions a ON a.id = l.function_id LEFT JOIN files g ON g.id = l.file_id "
     "LEFT JOIN t_instructions e ON e.id = t.evictor_id LEFT JOIN t_functions b ON b.id = e.function_id "
     "LEFT JOIN files h ON h.id = e.file_id LEFT JOIN t_data c ON c.id = t.evictor_data_id", 0},
    {"pair_distances", "t.pair_id, t.power, t.misses", "t_pair_distances t", 0},
    {"reuses",
     "t.id, t.cache, a.function AS loader, g.path AS loader_file, l.line AS loader_line, n.function, f.path AS file, "
     "i.line, d.name AS data, " OF_REUSE ", t.loader_id, t.instruction_id, t.data_id",
     "t_reuses t " OF_PAYER " LEFT JOIN t_instructions l ON l.id = t.loader_id "
     "LEFT JOIN t_functions a ON a.id = l.function_id LEFT JOIN files g ON g.id = l.file_id", 0},
    {"reuse_distances", "t.reuse_id, t.power, t.lines", "t_reuse_distances t", 0},
    {"statement_reuses",
     "t.cache, ifnull(l.function, a.function) AS loader, g.path AS loader_file, l.line AS loader_line, "
     "ifnull(s.function, n.function) AS function, f.path AS file, s.first_line, s.line, " OF_REUSE ", "
     "t.loader_statement_id, t.statement_id",
     "(SELECT r.cache, l.statement_id AS loader_statement_id, i.statement_id, "
     FUNCTION_OF(l) " AS loader_function_id, " FUNCTION_OF(i) " AS function_id, sum(r.lines) AS lines, "
     "sum(r.distance) AS distance FROM t_reuses r "
     "LEFT JOIN t_instructions l ON l.id = r.loader_id LEFT JOIN t_instructions i ON i.id = r.instruction_id "
     "GROUP BY 1, 2, 3, 4, 5) t "
     "LEFT JOIN t_statements l ON l.id = t.loader_statement_id LEFT JOIN files g ON g.id = l.file_id "
     "LEFT JOIN t_functions a ON a.id = t.loader_function_id "
     "LEFT JOIN t_statements s ON s.id = t.statement_id LEFT JOIN files f ON f.id = s.file_id "
     "LEFT JOIN t_functions n ON n.id = t.function_id", 0},
    {"statement_pairs",
     "t.cache, ifnull(l.function, a.function) AS loader, g.path AS loader_file, l.line AS loader_line, "
     "ifnull(e.function, b.function) AS evictor, h.path AS evictor_file, e.line AS evictor_line, "
     "ifnull(s.function, n.function) AS function, f.path AS file, s.first_line, s.line, " OF_PAIR ", "
     "t.loader_statement_id, t.evictor_statement_id, t.statement_id",
     "(SELECT p.cache, l.statement_id AS loader_statement_id, e.statement_id AS evictor_statement_id, i.statement_id, "
     FUNCTION_OF(l) " AS loader_function_id, " FUNCTION_OF(e) " AS evictor_function_id, "
     FUNCTION_OF(i) " AS function_id, " SUMS_OF_PAIRS " LEFT JOIN t_instructions l ON l.id = p.loader_id "
     "LEFT JOIN t_instructions e ON e.id = p.evictor_id LEFT JOIN t_instructions i ON i.id = p.instruction_id "
     "GROUP BY 1, 2, 3, 4, 5, 6, 7) t "
     "LEFT JOIN t_statements l ON l.id = t.loader_statement_id LEFT JOIN files g ON g.id = l.file_id "
     "LEFT JOIN t_functions a ON a.id = t.loader_function_id "
     "LEFT JOIN t_statements e ON e.id = t.evictor_statement_id LEFT JOIN files h ON h.id = e.file_id "
     "LEFT JOIN t_functions b ON b.id = t.evictor_function_id "
     "LEFT JOIN t_statements s ON s.id = t.statement_id LEFT JOIN files f ON f.id = s.file_id "
     "LEFT JOIN t_functions n ON n.id = t.function_id", 0},
    {"data_pairs", "t.cache, e.name AS evictor_data, d.name AS data, " OF_PAIR ", t.evictor_data_id, t.data_id",
     "(SELECT p.cache, p.evictor_data_id, p.data_id, " SUMS_OF_PAIRS " GROUP BY 1, 2, 3) t "
     "LEFT JOIN t_data e ON e.id = t.evictor_data_id LEFT JOIN t_data d ON d.id = t.data_id", 0},
    {"paths",
     "t.id, t.parent, n.function, t.calls, t.depth, t.thread, t.approximate, t.handler, t.recursive, "
     "t.function_id, t.arc_id",
     "t_paths t LEFT JOIN t_functions n ON n.id = t.function_id", SELF | INCL},
};

const struct tp_view *tp_schema_views(size_t *count)
{
    *count = sizeof views / sizeof *views;
    return views;
}

/* The sources of views whose table holds nothing when there is one thread only. */
static const char self_of_one[] = "(SELECT id AS instruction_id, (SELECT min(id) FROM threads) AS thread, * "
                                  "FROM t_instructions) t";
static const char thread_functions_of_one[] =
    "(SELECT id AS function_id, (SELECT min(id) FROM threads) AS thread, * FROM t_functions) t "
    "LEFT JOIN t_functions n ON n.id = t.id";

/* One event's row of `balance` for each function; a unit in which it did not run has 0. */
static const char balance_of_event[] =
    "SELECT function_id, '%s' AS event, (SELECT count(*) FROM units) AS units, "
    "CASE WHEN count(*) < (SELECT count(*) FROM units) THEN min(0, min(ifnull(%s, 0))) ELSE min(ifnull(%s, 0)) END "
    "AS min, 1.0 * sum(ifnull(%s, 0)) / (SELECT count(*) FROM units) AS mean, "
    "CASE WHEN count(*) < (SELECT count(*) FROM units) THEN max(0, max(ifnull(%s, 0))) ELSE max(ifnull(%s, 0)) END "
    "AS max FROM unit_functions GROUP BY function_id";

/* Of one column of numbers, among a table's first: filled in bulk, as the table is. */
static const char bulk_indices[] = "CREATE INDEX i_lines_function ON t_lines(function_id);"
                                   "CREATE INDEX i_lines_file ON t_lines(file_id);"
                                   "CREATE INDEX i_arcs_caller ON t_arcs(caller_id);"
                                   "CREATE INDEX i_arcs_callee ON t_arcs(callee_id);"
                                   "CREATE INDEX i_arcs_site ON t_arcs(site_id);"
                                   "CREATE INDEX i_inlined_function ON t_inlined(function_id);"
                                   "CREATE INDEX i_instruction_data ON t_instruction_data(instruction_id);"
                                   "CREATE INDEX i_instruction_data_data ON t_instruction_data(data_id);"
                                   "CREATE INDEX i_data_fields_data ON t_data_fields(data_id);"
                                   "CREATE INDEX i_data_offsets_data ON t_data_offsets(data_id);"
                                   "CREATE INDEX i_pairs_evictor ON t_pairs(evictor_id);"
                                   "CREATE INDEX i_pair_distances ON t_pair_distances(pair_id);"
                                   "CREATE INDEX i_reuses_loader ON t_reuses(loader_id);"
                                   "CREATE INDEX i_reuse_distances ON t_reuse_distances(reuse_id);"
                                   "CREATE INDEX i_data_paths_parent ON t_data_paths(parent);"
                                   "CREATE INDEX i_statements_file ON t_statements(file_id);"
                                   "CREATE INDEX i_statement_accesses ON t_statement_accesses(statement_id);"
                                   "CREATE INDEX i_statement_data ON t_statement_data(statement_id);"
                                   "CREATE INDEX i_loops_function ON t_loops(function_id);"
                                   "CREATE INDEX i_loop_data ON t_loop_data(loop_id);"
                                   "CREATE INDEX i_function_data ON t_function_data(function_id);"
                                   "CREATE INDEX i_function_groups ON t_function_groups(function_id);"
                                   "CREATE INDEX i_line_groups ON t_line_groups(line_id);"
                                   "CREATE INDEX i_arc_groups ON t_arc_groups(arc_id);"
                                   "CREATE INDEX i_data_groups ON t_data_groups(data_id);"
                                   "CREATE INDEX i_paths_parent ON t_paths(parent);"
                                   "CREATE INDEX i_unit_functions ON t_unit_functions(function_id);";

static const char indices[] = "CREATE INDEX i_functions_name ON t_functions(function);"
                              "CREATE INDEX i_stride_sums ON t_stride_sums(instruction_id, data_id);"
                              "CREATE INDEX i_strides ON t_strides(instruction_id, data_id);"
                              "CREATE INDEX i_conflicts ON t_conflicts(instruction_id, data_id);"
                              "CREATE INDEX i_pairs ON t_pairs(instruction_id, data_id);"
                              "CREATE INDEX i_reuses ON t_reuses(instruction_id, data_id);";

/* The column behind this one of a table, or the end. */
static const char *next_column(const char *column)
{
    column += strcspn(column, ",");
    return column + strspn(column, ", |");
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (; *text; text += strspn(text, "., ()=")) {
        size_t n = strcspn(text, "., ()=");
        if (n == length && strncasecmp(text, word, n) == 0)
            return true;
        text += n;
    }
    return false;
}

bool tp_store_names_column(const char *name)
{
    bool found = false;

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const char *column = tables[i].columns; *column; column = next_column(column))
            found |= strncasecmp(column, name, strlen(name)) == 0 && column[strlen(name)] == ' ';
    }
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        found |= has_word(views[i].columns, name);
    return found;
}

/* ------------------------------------------------------------------------------------------ derived events */

static size_t column_named(const struct tp_events *events, const char *name)
{
    size_t i = 0;

    while (i < tp_events_shown(events) && strcasecmp(events->column[i].name, name) != 0)
        i++;
    return i;
}

/* Adds up how often each column is in a declared sum, whose parts may be sums; `text`, if it is not NULL, gets those
 * parts that the recording has. How many there are. */
static size_t read_sum(const struct tp_events *events, const char *sum, uint64_t times, uint64_t *weight,
                       sqlite3_str *text)
{
    struct tp_addend term;
    size_t found = 0;

    while (*sum && tp_addend_next(&sum, &term)) {
        struct tp_declared part;
        char name[TP_EVENT_NAME];
        snprintf(name, sizeof name, "%.*s", (int)term.length, term.event);
        size_t column = column_named(events, name);
        tp_declared_find(name, &part);
        bool is_sum = part.kind == TP_SUM;
        if (is_sum ? !read_sum(events, part.formula, times * term.weight, weight, NULL)
                   : column == tp_events_shown(events))
            continue;
        if (!is_sum)
            weight[column] += times * term.weight;
        if (text)
            sqlite3_str_appendall(text, found ? " + " : "");
        if (text && term.weight != 1)
            sqlite3_str_appendf(text, "%d * ", (int)term.weight);
        if (text)
            sqlite3_str_appendall(text, name);
        found++;
    }
    return found;
}

/* Declared sums, in front of those of an imported file. Not if it has the event itself, or a formula for it. */
static int add_sums(struct tp_store *store)
{
    struct tp_recording *rec = store->rec;
    struct tp_declared declared;

    for (size_t place = 0, sums = 0; tp_declared_next(TP_SUM, &place, &declared);) {
        bool given = column_named(&rec->events, declared.name) < tp_events_shown(&rec->events);
        for (size_t i = sums; i < rec->formulas.count; i++)
            given |= strcasecmp(rec->formulas.at[i].name, declared.name) == 0;
        uint64_t *weight = tp_arena_alloc(&rec->arena, rec->events.count * sizeof *weight + 1);
        sqlite3_str *made = sqlite3_str_new(NULL);
        size_t parts = weight && !given ? read_sum(&rec->events, declared.formula, 1, weight, made) : 0;
        char *text = sqlite3_str_finish(made);
        struct tp_sum_event sum = {.name = tp_arena_copy(&rec->arena, declared.name, strlen(declared.name)),
                                   .long_name = tp_arena_copy(&rec->arena, declared.long_name,
                                                              strlen(declared.long_name)),
                                   .text = text ? tp_arena_copy(&rec->arena, text, strlen(text)) : NULL,
                                   .weight = weight,
                                   .real = declared.real};
        sqlite3_free(text);
        if (weight && !parts)
            continue;
        struct tp_sum_event *to = TP_VECTOR_ADD(&rec->formulas);
        if (!to || !sum.name || !sum.long_name || !sum.text)
            return TP_NO_MEMORY(store->err);
        to = &rec->formulas.at[sums];
        memmove(to + 1, to, (rec->formulas.count - 1 - sums++) * sizeof *to);
        *to = sum;
    }
    return 0;
}

/* The sum for a view; NULL where all its terms are. An event that can always occur is NULL only where costs are not
 * known. */
static void expression(sqlite3_str *sql, const struct tp_events *events, const uint64_t *weight, const char *suffix)
{
    const char *plus = "";
    bool always = false;

    for (size_t i = 0; i < tp_events_shown(events); i++)
        always |= weight[i] && events->column[i].needs == 0;
    if (!always) {
        sqlite3_str_appendall(sql, "CASE WHEN coalesce(");
        for (size_t i = 0; i < tp_events_shown(events); i++) {
            if (weight[i])
                sqlite3_str_appendf(sql, "t.\"%s%s\", ", events->column[i].name, suffix);
        }
        sqlite3_str_appendall(sql, "NULL) IS NOT NULL THEN ");
    }
    for (size_t i = 0; i < tp_events_shown(events); i++) {
        if (!weight[i])
            continue;
        sqlite3_str_appendall(sql, plus);
        if (weight[i] != 1)
            sqlite3_str_appendf(sql, "%llu * ", (unsigned long long)weight[i]);
        sqlite3_str_appendf(sql, events->column[i].needs ? "coalesce(t.\"%s%s\", 0)" : "t.\"%s%s\"",
                            events->column[i].name, suffix);
        plus = " + ";
    }
    if (!always)
        sqlite3_str_appendall(sql, " END");
}

/* ------------------------------------------------------------------------------------------ statements */

static void view_events(sqlite3_str *sql, const struct tp_recording *rec, const char *suffix)
{
    for (size_t i = 0; i < tp_events_shown(&rec->events); i++)
        sqlite3_str_appendf(sql, ", t.\"%s%s\"", rec->events.column[i].name, suffix);
    for (size_t i = 0; i < rec->formulas.count; i++) {
        sqlite3_str_appendall(sql, ", ");
        expression(sql, &rec->events, rec->formulas.at[i].weight, suffix);
        sqlite3_str_appendf(sql, " AS \"%s%s\"", rec->formulas.at[i].name, suffix);
    }
}

static int run(struct tp_store *store, sqlite3_str *sql, const char *what)
{
    char *text = sqlite3_str_finish(sql);
    int failed = text ? tp_store_sql(store, text, what) : TP_NO_MEMORY(store->err);

    sqlite3_free(text);
    return failed;
}

/* Where the fixed columns are none, the first event's comma has nothing before it. */
static void without_leading_comma(sqlite3_str *to, sqlite3_str *columns)
{
    char *text = sqlite3_str_finish(columns);

    if (text)
        sqlite3_str_appendall(to, strncmp(text, ", ", 2) == 0 ? text + 2 : text);
    sqlite3_free(text);
}

/* When an event's columns come: 0 first. */
enum { FIRST, CAUSED, ALWAYS, RANKS };
static int event_rank(const struct tp_table *table, const struct tp_events *events, size_t event)
{
    if (table->events & PLACE)
        return tp_counted_by_place(events->column[event].name) ? FIRST : CAUSED;
    bool first = event == 0 || strcmp(events->column[event].name, "Time") == 0; /* what most rows have */
    return first ? FIRST : events->column[event].cause ? CAUSED : ALWAYS;
}

/* Documented tables have the order of views; they are small. */
size_t tp_schema_stored(const struct tp_table *table, const struct tp_events *events, struct tp_stored *stored)
{
    size_t shown = tp_events_shown(events), often = 0, fixed = 0, count = 0;
    bool large = strncmp(table->name, "t_", 2) == 0;

    for (const char *column = table->columns; *column; column = next_column(column), fixed++)
        often += !memchr(table->columns, '|', (size_t)(column - table->columns));
    for (; count < often; count++)
        stored[count] = (struct tp_stored){(uint16_t)count, TP_ABSENT_NULL};
    for (int rank = 0; table->events && rank < RANKS; rank++) {
        for (size_t i = 0; i < shown; i++) {
            size_t event = rank == ALWAYS && large ? shown - 1 - i : i;
            bool zero = large && rank != CAUSED && !(table->events & PLACE);
            if (rank != (large ? event_rank(table, events, event) : FIRST))
                continue;
            for (size_t put = fixed + event, kind = SELF; kind <= INCL; kind *= 2) {
                if (!(table->events & (int)kind))
                    continue;
                stored[count++] = (struct tp_stored){(uint16_t)put, zero ? TP_ABSENT_ZERO : TP_ABSENT_NULL};
                put += shown;
            }
        }
        for (size_t i = often; rank == FIRST && i < fixed; i++)
            stored[count++] = (struct tp_stored){(uint16_t)i, TP_ABSENT_NULL};
    }
    return count;
}

void tp_schema_table(sqlite3_str *sql, const struct tp_table *table, const struct tp_events *events)
{
    struct tp_stored stored[TP_STORED];
    size_t count = tp_schema_stored(table, events, stored), shown = tp_events_shown(events), fixed = 0;

    for (const char *column = table->columns; *column; column = next_column(column))
        fixed++;
    sqlite3_str_appendf(sql, "CREATE TABLE %s(", table->name);
    for (size_t i = 0; i < count; i++) {
        sqlite3_str_appendall(sql, i ? ", " : "");
        if (stored[i].put >= fixed) {
            size_t put = stored[i].put - fixed;
            const struct tp_column *event = &events->column[put % shown];
            bool incl = put >= shown || !(table->events & SELF);
            sqlite3_str_appendf(sql, "\"%s%s\" %s%s", event->name, incl ? "_incl" : "",
                                event->real ? "REAL" : "INTEGER",
                                stored[i].absent == TP_ABSENT_ZERO ? " DEFAULT 0" : "");
            continue;
        }
        const char *column = table->columns;
        for (size_t k = 0; k < stored[i].put; k++)
            column = next_column(column);
        int length = (int)strcspn(column, ",");
        while (column[length - 1] != ' ') /* without what merge does with it */
            length--;
        sqlite3_str_appendf(sql, "%.*s", length - 1, column);
    }
    sqlite3_str_appendall(sql, ")");
}

int tp_store_tables(struct tp_store *store)
{
    if (add_sums(store))
        return -1;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        sqlite3_str *sql = sqlite3_str_new(store->db);
        tp_schema_table(sql, &tables[i], &store->rec->events);
        if (run(store, sql, tables[i].name))
            return -1;
    }
    return tp_store_sql(store, bulk_indices, "indices");
}

const char *tp_schema_source(const struct tp_view *view, bool one_thread)
{
    if (one_thread && strcmp(view->name, "self") == 0)
        return self_of_one;
    if (one_thread && strcmp(view->name, "thread_functions") == 0)
        return thread_functions_of_one;
    return view->from;
}

/* View `balance`: a row for each function and event, so that a query for one event computes no other. `event`: the
 * name of event `i`, NULL behind the last. */
void tp_schema_balance(sqlite3_str *sql, const char *(*event)(const void *user, size_t i), const void *user)
{
    static const char *const suffixes[] = {"", "_incl"};
    const char *join = "", *name;

    sqlite3_str_appendall(sql, "CREATE VIEW balance AS SELECT n.function, t.function_id, t.event, t.units, t.min, "
                               "t.mean, t.max, 100.0 * (t.max / nullif(t.mean, 0) - 1) AS imbalance FROM (");
    for (size_t i = 0; (name = event(user, i)) != NULL; i++) {
        for (size_t k = 0; k < 2; k++, join = " UNION ALL ") {
            char column[TP_EVENT_NAME + 8];
            snprintf(column, sizeof column, "%s%s", name, suffixes[k]);
            sqlite3_str_appendall(sql, join);
            sqlite3_str_appendf(sql, balance_of_event, column, column, column, column, column, column);
        }
    }
    sqlite3_str_appendall(sql, ") t LEFT JOIN t_functions n ON n.id = t.function_id");
}

/* In the order of table `events`. */
static const char *event_of_recording(const void *user, size_t i)
{
    const struct tp_recording *rec = user;
    size_t stored = tp_events_shown(&rec->events);

    if (i < stored)
        return rec->events.column[i].name;
    return i - stored < rec->formulas.count ? rec->formulas.at[i - stored].name : NULL;
}

/* As CREATE VIEW does, but that SQLite does not read the text: nobody asks a view here, and to read all of them would
 * take longer than what is written of a small profile. */
static int write_view(struct tp_store *store, sqlite3_str *sql, const char *name)
{
    char *text = sqlite3_str_finish(sql);
    sqlite3_str *insert = sqlite3_str_new(store->db);

    sqlite3_str_appendf(insert, "INSERT INTO sqlite_schema VALUES('view', %Q, %Q, 0, %Q)", name, name, text);
    int failed = text ? 0 : TP_NO_MEMORY(store->err);
    failed |= run(store, insert, name);
    sqlite3_free(text);
    return failed;
}

int tp_store_views(struct tp_store *store)
{
    int failed = tp_store_sql(store, "PRAGMA writable_schema = ON", "views");

    for (size_t i = 0; !failed && i < sizeof views / sizeof *views; i++) {
        sqlite3_str *sql = sqlite3_str_new(store->db), *columns = sqlite3_str_new(store->db);
        sqlite3_str_appendall(columns, views[i].columns);
        if (views[i].events & SELF)
            view_events(columns, store->rec, "");
        if (views[i].events & INCL)
            view_events(columns, store->rec, "_incl");
        sqlite3_str_appendf(sql, "CREATE VIEW %s AS SELECT ", views[i].name);
        without_leading_comma(sql, columns);
        sqlite3_str_appendf(sql, " FROM %s", tp_schema_source(&views[i], store->rec->threads.count < 2));
        failed = write_view(store, sql, views[i].name);
    }
    if (!failed && store->has_units) {
        sqlite3_str *sql = sqlite3_str_new(store->db);
        tp_schema_balance(sql, event_of_recording, store->rec);
        failed = run(store, sql, "balance"); /* SQLite reads it: names of events have no quotes, and it may be long */
    }
    return failed || tp_store_sql(store, indices, "indices");
}

/* A row; `sum`: of a derived event, else NULL. */
static int write_event(struct tp_store *store, struct tp_insert *insert, const char *name, const char *long_name,
                       bool real, const char *sum)
{
    struct tp_declared known;
    tp_declared_find(name, &known);
    bool found = known.kind != TP_RATIO && strcmp(known.name, name) == 0;
    const char *title = found ? tp_arena_copy(&store->rec->arena, known.title, strlen(known.title)) : long_name;
    const char *option = found ? tp_arena_copy(&store->rec->arena, known.option, strlen(known.option)) : "";

    if (!title || !option)
        return TP_NO_MEMORY(store->err);
    tp_put_text(insert, name);
    tp_put_text(insert, title);
    tp_put_text(insert, long_name);
    tp_put_text(insert, found ? known.group : "Others");
    tp_put_text(insert, found ? known.unit : "");
    tp_put_integer(insert, sum != NULL);
    tp_put_text(insert, sum);
    tp_put_text(insert, real ? "REAL" : "INTEGER");
    tp_put_text(insert, *option ? option : NULL);
    return tp_insert_row(store, insert);
}

int tp_store_events(struct tp_store *store)
{
    const struct tp_recording *rec = store->rec;
    struct tp_insert insert;
    int failed = tp_insert_open(store, &insert, "events");

    for (size_t i = 0; !failed && i < tp_events_shown(&rec->events); i++) {
        const struct tp_column *column = &rec->events.column[i];
        failed = write_event(store, &insert, column->name, column->long_name, column->real, NULL);
    }
    for (size_t i = 0; !failed && i < rec->formulas.count; i++) {
        const struct tp_sum_event *sum = &rec->formulas.at[i];
        failed = write_event(store, &insert, sum->name, sum->long_name, sum->real, sum->text);
    }
    return tp_insert_close(store, &insert, failed);
}
