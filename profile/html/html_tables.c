/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_tables.c: see html_tables.h.
 *
 * Derived events are left out: the page makes them of their formulas. What data structures cost is there by source
 * line (html_data.h).
 *
 * Instructions, and their text (html_code.h), are cut small, since a page shows those of one function at a time; texts
 * of sources file by file.
 */
#include "profile/html/html_tables.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"

enum { CHUNK = 65536, SMALL_CHUNK = 8192 };

/* Events: of the row itself, inclusive; of a difference also what was before and after. In a table that is made for the
 * page, SIDES means columns "Ir@before"; in others, the tables of that name in schemas `before` and `after`. */
enum { SELF = 1, INCL = 2, SIDES = 4, BOTH = SELF | INCL };

struct table {
    const char *name, *from;
    const char *columns; /* '#' before: text; '~': real; '^': depth in a tree */
    const char *rest;    /* of the query; the table is `t` */
    unsigned events;
    size_t chunk;
};

/* Of lines loaded again. */
#define ARC \
    "misses timed distance misses@before timed@before distance@before misses@after timed@after distance@after"

static const struct table tables[] = {
    {"meta", "meta", "#key #value", "ORDER BY t.key", 0, CHUNK},
    {"events", "events", "#name #long_name derived #formula #type", "ORDER BY t.rowid", 0, CHUNK},
    {"totals", "t_totals", "", "ORDER BY t.rowid", SELF | SIDES, CHUNK},
    {"threads", "threads", "id os_id parent", "ORDER BY t.id", SELF | SIDES, CHUNK},
    {"parts", "parts", "part #why", "ORDER BY t.part", SELF, CHUNK},
    {"objects", "objects", "id #path #build_id #debug_file #note", "ORDER BY t.id", 0, CHUNK},
    {"files", "files", "id #path", "ORDER BY t.id", 0, CHUNK},
    {"functions", "t_functions", "id #function object_id file_id line calls first_instruction last_instruction",
     "ORDER BY t.id", BOTH | SIDES, CHUNK},
    {"lines", "t_lines", "file_id line function_id estimate", "ORDER BY t.file_id, t.line, t.function_id",
     BOTH | SIDES, CHUNK},
    {"arcs", "t_arcs", "caller_id callee_id file_id line calls",
     "ORDER BY t.caller_id, t.file_id, t.line, t.id", INCL | SIDES, CHUNK},
    {"inlined", "t_inlined", "id parent function_id #name file_id line call_file_id call_line", "ORDER BY t.id",
     BOTH | SIDES, CHUNK},
    {"thread_functions", "t_thread_functions", "thread function_id", "ORDER BY t.function_id, t.thread",
     BOTH | SIDES, CHUNK},
    {"units", "units", "id #kind rank #host pid thread", "ORDER BY t.id", SELF | SIDES, CHUNK},
    {"unit_functions", "t_unit_functions", "unit_id function_id", "ORDER BY t.function_id, t.unit_id", BOTH | SIDES,
     CHUNK},
    {"paths", "t_paths", "^depth function_id calls thread approximate handler recursive", "ORDER BY t.id", BOTH | SIDES,
     CHUNK},
    {"statements", "temp.page_statements", "file_id first_line line", "ORDER BY t.file_id, t.first_line, t.line", 0,
     CHUNK},
    {"accesses", "temp.page_accesses", "file_id first_line line store floating",
     "ORDER BY t.file_id, t.first_line, t.line, t.store, t.floating", SELF | SIDES, CHUNK},
    {"loops", "t_loops", "id parent function_id file_id line last_line depth iterations entries estimate",
     "WHERE t.id IN (SELECT id FROM temp.page_loops) ORDER BY t.id", BOTH | SIDES, CHUNK},
    {"coded", "temp.page_coded", "function_id", "ORDER BY t.function_id", 0, CHUNK},
    {"instructions", "t_instructions", "id address length file_id line",
     "WHERE t.function_id IN (SELECT function_id FROM temp.page_coded) ORDER BY t.id", SELF | SIDES, SMALL_CHUNK},
    {"code", "temp.page_code", "instruction_id #text", "ORDER BY t.instruction_id", 0, SMALL_CHUNK},
    {"data", "t_data",
     "id #kind #name #path file_id line thread origin_id address size blocks freed bytes largest element #type",
     "ORDER BY t.id", SELF | SIDES, CHUNK},
    {"data_fields", "t_data_fields", "id data_id #kind #field #type offset size",
     "WHERE t.data_id IN (SELECT data_id FROM temp.page_inside) ORDER BY t.id", SELF | SIDES, CHUNK},
    {"data_offsets", "t_data_offsets", "data_id field_id offset",
     "WHERE t.data_id IN (SELECT data_id FROM temp.page_inside) ORDER BY t.data_id, t.offset, t.field_id", SELF | SIDES,
     CHUNK},
    {"data_lines", "temp.page_data_lines", "data_id file_id line function_id",
     "ORDER BY t.data_id, t.file_id, t.line, t.function_id", SELF | SIDES, CHUNK},
    {"strides", "temp.page_strides", "data_id file_id line function_id stride count count@before count@after",
     "ORDER BY t.data_id, t.file_id, t.line, t.function_id, t.count DESC, t.stride", 0, CHUNK},
    {"conflicts", "temp.page_conflicts",
     "data_id file_id line function_id #cache set_bits misses misses@before misses@after",
     "ORDER BY t.data_id, t.file_id, t.line, t.function_id, t.cache, t.set_bits", 0, CHUNK},
    {"data_pairs", "temp.page_data_pairs", "#cache evictor_data_id data_id " ARC,
     "ORDER BY t.cache, t.place", 0, CHUNK},
    {"statement_pairs", "temp.page_statement_pairs",
     "#cache loader_file_id loader_first_line loader_line loader_function_id evictor_file_id evictor_first_line "
     "evictor_line evictor_function_id file_id first_line line function_id " ARC,
     "ORDER BY t.cache, t.place", 0, CHUNK},
    {"pair_sums", "temp.page_pair_sums", "#cache misses data_pairs statement_pairs misses@before misses@after",
     "ORDER BY t.cache", 0, CHUNK},
    {"under", "temp.page_under", "data_id function_id", "ORDER BY t.data_id, t.function_id", INCL | SIDES, CHUNK},
    {"under_sums", "temp.page_under_sums", "pairs", "ORDER BY t.rowid", 0, CHUNK},
    {"shared_data", "temp.page_shared_data", "data_id false_sharing true_sharing misses",
     "ORDER BY t.place", 0, CHUNK},
    {"sharing", "temp.page_sharing",
     "writer_function_id writer_file_id writer_line writer_address function_id file_id line address data_id "
     "false_sharing true_sharing misses #written #touched", "ORDER BY t.place", 0, CHUNK},
    {"sharing_sums", "temp.page_sharing_sums", "pairs false_sharing true_sharing misses",
     "ORDER BY t.rowid", 0, CHUNK},
    {"advice", "temp.page_advice",
     "id #kind #title #fix function_id file_id line data_id ~cest ~share bytes memory_bytes ~confidence #certain",
     "ORDER BY t.id", 0, CHUNK},
    {"advice_places", "temp.page_advice_places",
     "advice_id #role function_id #function file_id line last_line ~share", "ORDER BY t.rowid", 0, CHUNK},
    {"advice_evidence", "temp.page_advice_evidence", "advice_id #key ~value #unit #words #text", "ORDER BY t.rowid",
     0, CHUNK},
    {"data_paths", "temp.page_data_paths", "id parent function_id #function file_id line inlined_id",
     "ORDER BY t.id", 0, CHUNK},
};

static const struct table sources[] = {
    {"sources", "temp.page_sources", "file_id newer", "ORDER BY t.file_id", 0, CHUNK},
    {"source_text", "temp.page_sources", "#text", "ORDER BY t.file_id", 0, 1},
    {"refused", "temp.page_refused", "file_id #why", "ORDER BY t.file_id", 0, CHUNK},
};

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
    bool sides, made; /* made for the page: has columns for the sides itself */
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

static int add_fixed(struct making *m)
{
    const char *p = m->table->columns;

    for (size_t n; (n = strcspn(p, " ")) > 0; p += n + strspn(p + n, " ")) {
        bool marked = *p == '#' || *p == '~' || *p == '^';
        enum tp_sheet_kind kind = *p == '#' ? TP_TEXT : *p == '~' ? TP_REAL : TP_NUMBER;
        if (add_column(m, p + marked, n - marked, kind, 't', NULL))
            return -1;
        m->sheet->column[m->sheet->columns - 1].depth = *p == '^';
    }
    return 0;
}

static int add_group(struct making *m, const struct group *group)
{
    char from = "tba"[m->made ? 0 : group->side];

    for (size_t i = 0; i < tp_event_count(m->profile); i++) {
        const struct tp_event *event = tp_event_at(m->profile, i);
        char name[96], as[96];

        if (event->derived)
            continue;
        snprintf(as, sizeof as, "%s%s", event->name, group->incl);
        snprintf(name, sizeof name, "%s%s", as, group->suffix);
        if (add_column(m, name, strlen(name), event->real ? TP_REAL : TP_NUMBER, from, m->made ? name : as))
            return -1;
    }
    return 0;
}

static int make_columns(struct making *m)
{
    size_t room = 16 + GROUPS * tp_event_count(m->profile);
    const struct table *table = m->table;

    m->sheet->column = tp_arena_alloc(&m->tables->arena, room * sizeof *m->sheet->column);
    if (!m->sheet->column)
        return TP_NO_MEMORY(m->err);
    if (add_fixed(m))
        return -1;
    for (size_t g = 0; g < GROUPS; g++) {
        if (!(table->events & groups[g].of) || (groups[g].side && !m->sides))
            continue;
        if (add_group(m, &groups[g]))
            return -1;
    }
    sqlite3_str_appendf(m->sql, " FROM %s%s t", m->made ? "" : "main.", table->from);
    if (m->sides && !m->made)
        sqlite3_str_appendf(m->sql, " JOIN before.%s b ON b.rowid = t.rowid JOIN after.%s a ON a.rowid = t.rowid",
                            table->from, table->from);
    sqlite3_str_appendf(m->sql, " %s", table->rest);
    return 0;
}

static int write_table(tp_profile *profile, struct tp_pack *pack, struct tp_html_tables *to, const struct table *table,
                       bool sides)
{
    struct tp_sheet *sheet = TP_VECTOR_ADD(&to->sheets);
    struct making m = {.profile = profile,
                       .tables = to,
                       .table = table,
                       .sheet = sheet,
                       .sides = sides && table->events & SIDES,
                       .made = strncmp(table->from, "temp.", 5) == 0,
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
                         const struct tp_html_choice *choice)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (write_table(profile, pack, to, &tables[i], choice->sides))
            return -1;
    }
    for (size_t i = 0; choice->sources && i < sizeof sources / sizeof *sources; i++) {
        if (write_table(profile, pack, to, &sources[i], false))
            return -1;
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
