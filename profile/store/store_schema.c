/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_schema.c: the tables and views of docs/profile-format.md.
 *
 * A table is its fixed columns, then one column per event, self and/or inclusive. A view is the table, joined
 * with names, plus the derived events. Both lists of columns are written by the same function, so that they
 * cannot drift apart; what differs between tables is in the list `tables` alone.
 */
#include "profile/store/store.h"

#include <string.h>
#include <strings.h>

#include "profile/base/error.h"

enum { SELF = TP_SELF_EVENTS, INCL = TP_INCL_EVENTS };

/* The last string is for merge (sum.h): what becomes of each column where profiles are summed. */
static const struct tp_table tables[] = {
    {"meta", "key TEXT PRIMARY KEY, value TEXT", 0, NULL, NULL},
    {"stats", "name TEXT PRIMARY KEY, value INTEGER", 0, "name:key value:sum", NULL},
    {"events",
     "name TEXT PRIMARY KEY, title TEXT, long_name TEXT, category TEXT, unit TEXT, derived INTEGER, formula TEXT, "
     "type TEXT, option TEXT", 0, NULL, NULL},
    {"objects",
     "id INTEGER PRIMARY KEY, path TEXT, start INTEGER, size INTEGER, bias INTEGER, build_id TEXT, "
     "debug_file TEXT, note TEXT",
     0, "id:nth path:key start:any size:any bias:any* build_id:key debug_file:any note:any",
     "t.path NULLS LAST, t.build_id NULLS LAST, t.start NULLS LAST, t.size NULLS LAST"},
    {"files", "id INTEGER PRIMARY KEY, path TEXT", 0, "id:id path:key", NULL},
    {"sources", "file_id INTEGER PRIMARY KEY, text TEXT", 0, "file_id:key>files text:any", NULL},
    {"runs", "cmd TEXT, host TEXT, pid INTEGER, rank INTEGER, recordings INTEGER", 0,
     "cmd:key host:key pid:key rank:key recordings:sum", NULL},
    {"units", "id INTEGER PRIMARY KEY, kind TEXT, rank INTEGER, host TEXT, pid INTEGER, thread INTEGER", SELF,
     "id:id kind:key rank:key host:key pid:key thread:key", NULL},
    {"threads", "id INTEGER PRIMARY KEY, os_id INTEGER, parent INTEGER", SELF, "id:key os_id:any parent:any", NULL},
    {"parts", "part INTEGER, why TEXT", SELF, "part:key why:key", NULL},
    {"t_totals", "", SELF, "", NULL},
    {"t_functions",
     "id INTEGER PRIMARY KEY, function TEXT, base TEXT, base_id INTEGER, symbol TEXT, context TEXT, object_id INTEGER, "
     "file_id INTEGER, line INTEGER, address INTEGER, size INTEGER, calls INTEGER, "
     "first_instruction INTEGER, last_instruction INTEGER",
     SELF | INCL,
     "id:id function:key base:key base_id:group symbol:key context:key object_id:any>objects file_id:key>files "
     "line:any address:any@object_id size:any calls:sum first_instruction:first>t_instructions "
     "last_instruction:last>t_instructions",
     "(SELECT path FROM objects WHERE id = t.object_id) NULLS LAST, "
     "(SELECT build_id FROM objects WHERE id = t.object_id) NULLS LAST, "
     "(SELECT start FROM objects WHERE id = t.object_id) NULLS LAST, t.line NULLS LAST, t.address NULLS LAST, "
     "t.size NULLS LAST, t.id"},
    {"t_lines", "id INTEGER PRIMARY KEY, function_id INTEGER, file_id INTEGER, line INTEGER, estimate INTEGER",
     SELF | INCL, "id:id function_id:key>t_functions file_id:key>files line:key estimate:max", NULL},
    {"t_instructions",
     "id INTEGER PRIMARY KEY, function_id INTEGER, object_id INTEGER, address INTEGER, length INTEGER, "
     "file_id INTEGER, line INTEGER, inlined_id INTEGER, statement_id INTEGER, loop_id INTEGER, floating INTEGER",
     SELF,
     "id:id function_id:key>t_functions object_id:key>objects address:key@object_id* length:key file_id:key>files "
     "line:key inlined_id:key>t_inlined statement_id:any>t_statements loop_id:any>t_loops floating:any", NULL},
    {"t_self", "instruction_id INTEGER, thread INTEGER", SELF, "instruction_id:key>t_instructions thread:key", NULL},
    {"t_thread_functions", "thread INTEGER, function_id INTEGER", SELF | INCL,
     "thread:key function_id:key>t_functions", NULL},
    {"t_unit_functions", "unit_id INTEGER, function_id INTEGER", SELF | INCL,
     "unit_id:key>units function_id:key>t_functions", NULL},
    {"t_inlined",
     "id INTEGER PRIMARY KEY, parent INTEGER, function_id INTEGER, name TEXT, file_id INTEGER, "
     "line INTEGER, call_file_id INTEGER, call_line INTEGER",
     SELF | INCL,
     "id:id parent:key>t_inlined function_id:key>t_functions name:key file_id:key>files line:key "
     "call_file_id:key>files call_line:key", NULL},
    {"t_arcs",
     "id INTEGER PRIMARY KEY, caller_id INTEGER, callee_id INTEGER, site_id INTEGER, address INTEGER, "
     "file_id INTEGER, line INTEGER, calls INTEGER",
     INCL,
     "id:id caller_id:key>t_functions callee_id:key>t_functions site_id:key>t_instructions address:key@site_id "
     "file_id:key>files line:key calls:sum", NULL},
    {"t_data_paths",
     "id INTEGER PRIMARY KEY, parent INTEGER, function TEXT, file_id INTEGER, line INTEGER, site_id INTEGER",
     SELF | INCL, "id:id parent:key>t_data_paths function:key file_id:key>files line:key site_id:key>t_instructions",
     NULL},
    {"t_data",
     "id INTEGER PRIMARY KEY, kind TEXT, name TEXT, allocator TEXT, function TEXT, file_id INTEGER, line INTEGER, "
     "symbol TEXT, path TEXT, thread INTEGER, origin_id INTEGER, address INTEGER, size INTEGER, blocks INTEGER, "
     "freed INTEGER, bytes INTEGER, largest INTEGER, element INTEGER, type TEXT",
     SELF,
     "id:id kind:key name:key allocator:any function:any file_id:any>files line:any symbol:key path:key thread:key "
     "origin_id:key>t_data_paths address:key size:key blocks:sum freed:sum bytes:sum largest:max "
     "element:any type:any",
     NULL},
    {"t_data_fields",
     "id INTEGER PRIMARY KEY, data_id INTEGER, kind TEXT, field TEXT, type TEXT, offset INTEGER, size INTEGER", SELF,
     "id:id data_id:key>t_data kind:key field:key type:key offset:key size:key", NULL},
    {"t_data_offsets", "data_id INTEGER, field_id INTEGER, offset INTEGER", SELF,
     "data_id:key>t_data field_id:key>t_data_fields offset:key", NULL},
    {"t_instruction_data", "instruction_id INTEGER, data_id INTEGER", SELF,
     "instruction_id:key>t_instructions data_id:key>t_data", NULL},
    {"t_sharing",
     "writer_id INTEGER, victim_id INTEGER, data_id INTEGER, misses INTEGER, false_sharing INTEGER, "
     "true_sharing INTEGER, written TEXT, touched TEXT",
     0,
     "writer_id:key>t_instructions victim_id:key>t_instructions data_id:key>t_data misses:sum false_sharing:sum "
     "true_sharing:sum written:any touched:any", NULL},
    {"t_statements",
     "id INTEGER PRIMARY KEY, object_id INTEGER, file_id INTEGER, line INTEGER, first_line INTEGER, function TEXT",
     SELF,
     "id:id object_id:key>objects file_id:key>files line:key first_line:key function:any", NULL},
    {"t_statement_accesses", "statement_id INTEGER, access TEXT, type TEXT", SELF,
     "statement_id:key>t_statements access:key type:key", NULL},
    {"t_statement_data", "statement_id INTEGER, data_id INTEGER", SELF,
     "statement_id:key>t_statements data_id:key>t_data", NULL},
    {"t_loops",
     "id INTEGER PRIMARY KEY, parent INTEGER, function_id INTEGER, object_id INTEGER, address INTEGER, "
     "inlined_id INTEGER, file_id INTEGER, line INTEGER, last_line INTEGER, depth INTEGER, iterations INTEGER, "
     "entries INTEGER, estimate INTEGER",
     SELF | INCL,
     "id:id parent:key>t_loops function_id:key>t_functions object_id:key>objects address:key@object_id "
     "inlined_id:key>t_inlined file_id:key>files line:key last_line:key depth:max iterations:sum entries:sum "
     "estimate:max", NULL},
    {"t_loop_data", "loop_id INTEGER, data_id INTEGER", SELF | INCL, "loop_id:key>t_loops data_id:key>t_data", NULL},
    {"t_path_data", "path_id INTEGER, data_id INTEGER", SELF, "path_id:key>t_paths data_id:key>t_data", NULL},
    {"t_function_data", "function_id INTEGER, data_id INTEGER", INCL,
     "function_id:key>t_functions data_id:key>t_data", NULL},
    {"t_stride_sums", "instruction_id INTEGER, data_id INTEGER, strides INTEGER, lost INTEGER", 0,
     "instruction_id:key>t_instructions data_id:key>t_data strides:sum lost:sum", NULL},
    {"t_strides", "instruction_id INTEGER, data_id INTEGER, stride INTEGER, count INTEGER", 0,
     "instruction_id:key>t_instructions data_id:key>t_data stride:key count:sum", NULL},
    {"t_conflicts", "instruction_id INTEGER, data_id INTEGER, cache TEXT, set_bits INTEGER, misses INTEGER", 0,
     "instruction_id:key>t_instructions data_id:key>t_data cache:key set_bits:key misses:sum", NULL},
    {"t_pairs",
     "id INTEGER PRIMARY KEY, loader_id INTEGER, evictor_id INTEGER, evictor_data_id INTEGER, instruction_id INTEGER, "
     "data_id INTEGER, cache TEXT, misses INTEGER, timed INTEGER, distance INTEGER",
     0,
     "id:id loader_id:key>t_instructions evictor_id:key>t_instructions evictor_data_id:key>t_data "
     "instruction_id:key>t_instructions data_id:key>t_data cache:key misses:sum timed:sum distance:sum", NULL},
    {"t_pair_distances", "pair_id INTEGER, power INTEGER, misses INTEGER", 0,
     "pair_id:key>t_pairs power:key misses:sum", NULL},
    {"t_reuses",
     "id INTEGER PRIMARY KEY, loader_id INTEGER, instruction_id INTEGER, data_id INTEGER, cache TEXT, lines INTEGER, "
     "distance INTEGER",
     0,
     "id:id loader_id:key>t_instructions instruction_id:key>t_instructions data_id:key>t_data cache:key lines:sum "
     "distance:sum", NULL},
    {"t_reuse_distances", "reuse_id INTEGER, power INTEGER, lines INTEGER", 0,
     "reuse_id:key>t_reuses power:key lines:sum", NULL},
    {"t_paths",
     "id INTEGER PRIMARY KEY, parent INTEGER, function_id INTEGER, arc_id INTEGER, calls INTEGER, "
     "depth INTEGER, thread INTEGER, approximate INTEGER, handler INTEGER, recursive INTEGER",
     SELF | INCL,
     "id:id parent:above>t_paths function_id:key>t_functions arc_id:key>t_arcs calls:sum depth:max thread:key "
     "approximate:max handler:key recursive:key", NULL},
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
    {"lines", "f.path AS file, t.line, n.function, n.base, o.path AS object, t.estimate, t.function_id, t.file_id",
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
     "t.size, t.blocks, t.freed, t.bytes, t.largest, t.element, t.type, t.origin_id, t.file_id",
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
    {"strides",
     "t.instruction_id, t.data_id, t.stride, t.count, s.strides, s.lost, d.name AS data, n.function, f.path AS file, "
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
                                   "CREATE INDEX i_paths_parent ON t_paths(parent);"
                                   "CREATE INDEX i_unit_functions ON t_unit_functions(function_id);";

static const char indices[] = "CREATE INDEX i_functions_name ON t_functions(function);"
                              "CREATE INDEX i_stride_sums ON t_stride_sums(instruction_id, data_id);"
                              "CREATE INDEX i_strides ON t_strides(instruction_id, data_id);"
                              "CREATE INDEX i_conflicts ON t_conflicts(instruction_id, data_id);"
                              "CREATE INDEX i_pairs ON t_pairs(instruction_id, data_id);"
                              "CREATE INDEX i_reuses ON t_reuses(instruction_id, data_id);";

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

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        found |= has_word(tables[i].columns, name);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        found |= has_word(views[i].columns, name);
    return found;
}

/* ------------------------------------------------------------------------------------------ derived events */

static size_t column_named(const struct tp_events *events, const char *name)
{
    size_t i = 0;

    while (i < events->count && strcasecmp(events->column[i].name, name) != 0)
        i++;
    return i;
}

/* Adds up how often each column is in a declared sum, whose parts may be sums; `text`, if it is not NULL, gets those
 * parts that the recording has. How many there are. */
static size_t read_sum(const struct tp_events *events, const char *sum, uint64_t times, uint64_t *weight,
                       sqlite3_str *text)
{
    size_t found = 0;

    while (*sum) {
        struct tp_declared part;
        char name[TP_EVENT_NAME];
        int factor = 1, length = 0;
        if (sscanf(sum, "%d * %n", &factor, &length) == 1)
            sum += length;
        sscanf(sum, "%31s%n", name, &length);
        sum += length;
        sum += strspn(sum, " +");
        size_t column = column_named(events, name);
        tp_declared_find(name, &part);
        if (part.kind == TP_SUM && !read_sum(events, part.formula, times * (uint64_t)factor, weight, NULL))
            continue;
        if (part.kind != TP_SUM && column == events->count)
            continue;
        if (part.kind != TP_SUM)
            weight[column] += times * (uint64_t)factor;
        if (text && factor != 1)
            sqlite3_str_appendf(text, "%s%d * %s", found ? " + " : "", factor, name);
        else if (text)
            sqlite3_str_appendf(text, "%s%s", found ? " + " : "", name);
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
        bool given = column_named(&rec->events, declared.name) < rec->events.count;
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

    for (size_t i = 0; i < events->count; i++)
        always |= weight[i] && events->column[i].needs == 0;
    if (!always) {
        sqlite3_str_appendall(sql, "CASE WHEN coalesce(");
        for (size_t i = 0; i < events->count; i++) {
            if (weight[i])
                sqlite3_str_appendf(sql, "t.\"%s%s\", ", events->column[i].name, suffix);
        }
        sqlite3_str_appendall(sql, "NULL) IS NOT NULL THEN ");
    }
    for (size_t i = 0; i < events->count; i++) {
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

static void event_columns(sqlite3_str *sql, const struct tp_events *events, const char *suffix)
{
    for (size_t i = 0; i < events->count; i++)
        sqlite3_str_appendf(sql, ", \"%s%s\" %s", events->column[i].name, suffix,
                            events->column[i].real ? "REAL" : "INTEGER");
}

static void view_events(sqlite3_str *sql, const struct tp_recording *rec, const char *suffix)
{
    for (size_t i = 0; i < rec->events.count; i++)
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

void tp_schema_table(sqlite3_str *sql, const struct tp_table *table, const struct tp_events *events)
{
    sqlite3_str *columns = sqlite3_str_new(NULL);

    sqlite3_str_appendall(columns, table->columns);
    if (table->events & SELF)
        event_columns(columns, events, "");
    if (table->events & INCL)
        event_columns(columns, events, "_incl");
    sqlite3_str_appendf(sql, "CREATE TABLE %s(", table->name);
    without_leading_comma(sql, columns);
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

/* Of one event. */
static void balance_arms(sqlite3_str *sql, const char *name, const char **join)
{
    static const char *const suffixes[] = {"", "_incl"};

    for (size_t i = 0; i < 2; i++, *join = " UNION ALL ") {
        char column[TP_EVENT_NAME + 8];
        snprintf(column, sizeof column, "%s%s", name, suffixes[i]);
        sqlite3_str_appendall(sql, *join);
        sqlite3_str_appendf(sql, balance_of_event, column, column, column, column, column, column);
    }
}

/* View `balance`: a row for each function and event, so that a query for one event computes no other. `event`: the
 * name of event `i`, NULL behind the last. */
void tp_schema_balance(sqlite3_str *sql, const char *(*event)(const void *user, size_t i), const void *user)
{
    const char *join = "", *name;

    sqlite3_str_appendall(sql, "CREATE VIEW balance AS SELECT n.function, t.function_id, t.event, t.units, t.min, "
                               "t.mean, t.max, 100.0 * (t.max / nullif(t.mean, 0) - 1) AS imbalance FROM (");
    for (size_t i = 0; (name = event(user, i)) != NULL; i++)
        balance_arms(sql, name, &join);
    sqlite3_str_appendall(sql, ") t LEFT JOIN t_functions n ON n.id = t.function_id");
}

/* In the order of table `events`. */
static const char *event_of_recording(const void *user, size_t i)
{
    const struct tp_recording *rec = user;
    size_t stored = rec->events.count;

    if (i < stored)
        return rec->events.column[i].name;
    return i - stored < rec->formulas.count ? rec->formulas.at[i - stored].name : NULL;
}

static int balance_view(struct tp_store *store)
{
    sqlite3_str *sql = sqlite3_str_new(store->db);

    tp_schema_balance(sql, event_of_recording, store->rec);
    return run(store, sql, "balance");
}

int tp_store_views(struct tp_store *store)
{
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        sqlite3_str *sql = sqlite3_str_new(store->db), *columns = sqlite3_str_new(store->db);
        sqlite3_str_appendall(columns, views[i].columns);
        if (views[i].events & SELF)
            view_events(columns, store->rec, "");
        if (views[i].events & INCL)
            view_events(columns, store->rec, "_incl");
        sqlite3_str_appendf(sql, "CREATE VIEW %s AS SELECT ", views[i].name);
        without_leading_comma(sql, columns);
        sqlite3_str_appendf(sql, " FROM %s", tp_schema_source(&views[i], store->rec->threads.count < 2));
        if (run(store, sql, views[i].name))
            return -1;
    }
    if (store->has_units && balance_view(store))
        return -1;
    return tp_store_sql(store, indices, "indices");
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

    for (size_t i = 0; !failed && i < rec->events.count; i++) {
        const struct tp_column *column = &rec->events.column[i];
        failed = write_event(store, &insert, column->name, column->long_name, column->real, NULL);
    }
    for (size_t i = 0; !failed && i < rec->formulas.count; i++) {
        const struct tp_sum_event *sum = &rec->formulas.at[i];
        failed = write_event(store, &insert, sum->name, sum->long_name, sum->real, sum->text);
    }
    return tp_insert_close(store, &insert, failed);
}
