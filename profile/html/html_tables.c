/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_tables.c: see html_tables.h.
 *
 * Derived events are left out, the page makes them of their formulas. What can nearly be told from other columns is
 * predicted from them (html_sheet.h): bytes never touched from tenures and bytes touched, tenures and capacity misses
 * from misses, AcCost from touches, inclusive costs from self costs or from the tree. A prediction that is wrong costs
 * bytes, not truth.
 *
 * What data structures cost is there by source line (html_data.h).
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
    const char *columns; /* '#' before: text; '~': real; '-': predicted from the row before */
    const char *rest;    /* of the query; the table is `t` */
    unsigned events;
    size_t chunk;
    const char *key; /* the column with the id of a function whose costs rows share, or are like; or NULL */
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
    {"files", "files", "-id #path", "ORDER BY t.id", 0, CHUNK},
    {"functions", "t_functions", "-id #function -object_id -file_id line calls -first_instruction -last_instruction",
     "ORDER BY t.id", BOTH | SIDES, CHUNK},
    {"lines", "t_lines", "-file_id -line -function_id estimate", "ORDER BY t.file_id, t.line, t.function_id",
     BOTH | SIDES, CHUNK, "function_id"},
    {"arcs", "t_arcs", "-caller_id -callee_id -file_id -line calls",
     "ORDER BY t.caller_id, t.file_id, t.line, t.id", INCL | SIDES, CHUNK, "callee_id"},
    {"inlined", "t_inlined", "-id -parent -function_id #name -file_id -line -call_file_id -call_line", "ORDER BY t.id",
     BOTH | SIDES, CHUNK},
    {"thread_functions", "t_thread_functions", "-thread -function_id", "ORDER BY t.function_id, t.thread",
     BOTH | SIDES, CHUNK, "function_id"},
    {"units", "units", "-id #kind rank #host pid thread", "ORDER BY t.id", SELF | SIDES, CHUNK},
    {"unit_functions", "t_unit_functions", "-unit_id -function_id", "ORDER BY t.function_id, t.unit_id", BOTH | SIDES,
     CHUNK, "function_id"},
    {"paths", "t_paths", "depth function_id calls -thread approximate handler recursive", "ORDER BY t.id", BOTH | SIDES,
     CHUNK, "function_id"},
    {"statements", "temp.page_statements", "-file_id -first_line -line", "ORDER BY t.file_id, t.first_line, t.line", 0,
     CHUNK},
    {"accesses", "temp.page_accesses", "-file_id -first_line -line store floating",
     "ORDER BY t.file_id, t.first_line, t.line, t.store, t.floating", SELF | SIDES, CHUNK},
    {"loops", "t_loops", "-id -parent -function_id -file_id -line -last_line depth iterations entries estimate",
     "WHERE t.id IN (SELECT id FROM temp.page_loops) ORDER BY t.id", BOTH | SIDES, CHUNK},
    {"coded", "temp.page_coded", "-function_id", "ORDER BY t.function_id", 0, CHUNK},
    {"instructions", "t_instructions", "-id -address length -file_id -line",
     "WHERE t.function_id IN (SELECT function_id FROM temp.page_coded) ORDER BY t.id", SELF | SIDES, SMALL_CHUNK},
    {"code", "temp.page_code", "-instruction_id #text", "ORDER BY t.instruction_id", 0, SMALL_CHUNK},
    {"data", "t_data",
     "-id #kind #name #path -file_id -line thread -origin_id -address size blocks freed bytes largest element #type",
     "ORDER BY t.id", SELF | SIDES, CHUNK},
    {"data_fields", "t_data_fields", "-id -data_id #kind #field #type -offset size",
     "WHERE t.data_id IN (SELECT data_id FROM temp.page_inside) ORDER BY t.id", SELF | SIDES, CHUNK},
    {"data_offsets", "t_data_offsets", "-data_id -field_id -offset",
     "WHERE t.data_id IN (SELECT data_id FROM temp.page_inside) ORDER BY t.data_id, t.offset, t.field_id", SELF | SIDES,
     CHUNK},
    {"data_lines", "temp.page_data_lines", "-data_id -file_id -line -function_id",
     "ORDER BY t.data_id, t.file_id, t.line, t.function_id", SELF | SIDES, CHUNK},
    {"strides", "temp.page_strides", "-data_id -file_id -line -function_id stride count count@before count@after",
     "ORDER BY t.data_id, t.file_id, t.line, t.function_id, t.count DESC, t.stride", 0, CHUNK},
    {"conflicts", "temp.page_conflicts",
     "-data_id -file_id -line -function_id #cache -set_bits misses misses@before misses@after",
     "ORDER BY t.data_id, t.file_id, t.line, t.function_id, t.cache, t.set_bits", 0, CHUNK},
    {"data_pairs", "temp.page_data_pairs", "#cache evictor_data_id data_id " ARC,
     "ORDER BY t.cache, t.place", 0, CHUNK},
    {"statement_pairs", "temp.page_statement_pairs",
     "#cache loader_file_id loader_first_line loader_line loader_function_id evictor_file_id evictor_first_line "
     "evictor_line evictor_function_id file_id first_line line function_id " ARC,
     "ORDER BY t.cache, t.place", 0, CHUNK},
    {"pair_sums", "temp.page_pair_sums", "#cache misses data_pairs statement_pairs misses@before misses@after",
     "ORDER BY t.cache", 0, CHUNK},
    {"under", "temp.page_under", "-data_id -function_id", "ORDER BY t.data_id, t.function_id", INCL | SIDES, CHUNK},
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
    {"data_paths", "temp.page_data_paths", "-id -parent -function_id #function -file_id -line inlined_id",
     "ORDER BY t.id", 0, CHUNK},
};

static const struct table sources[] = {
    {"sources", "temp.page_sources", "-file_id newer", "ORDER BY t.file_id", 0, CHUNK},
    {"source_text", "temp.page_sources", "#text", "ORDER BY t.file_id", 0, 1},
    {"refused", "temp.page_refused", "-file_id #why", "ORDER BY t.file_id", 0, CHUNK},
};

/* ------------------------------------------------------------------------------------------ predictions */

static struct tp_sheet_column *find(const struct tp_sheet *sheet, const char *event, const char *level,
                                    const char *suffix)
{
    char name[64];

    snprintf(name, sizeof name, "%s%s%s", event, level, suffix);
    for (size_t i = 0; i < sheet->columns; i++) {
        if (strcmp(sheet->column[i].name, name) == 0)
            return &sheet->column[i];
    }
    return NULL;
}

static void add_term(const struct tp_sheet *sheet, struct tp_sheet_column *column, const struct tp_sheet_column *of,
                     int64_t factor)
{
    if (!column || !of || column->terms == TP_TERMS)
        return;
    column->term[column->terms].column = (size_t)(of - sheet->column);
    column->term[column->terms++].factor = factor;
    column->prediction = TP_SUM;
}

/* Bytes of a line of this cache; 0 if the profile does not say. */
static int64_t line_size(tp_profile *profile, const char *cache)
{
    const char *value = tp_meta(profile, cache);
    const char *last = value ? strrchr(value, ',') : NULL;

    return last ? strtoll(last + 1, NULL, 10) : 0;
}

/* What the events of a level say of one another. */
static const struct {
    const char *level, *cache, *misses[3];
} levels[] = {
    {"I1", "cache.I1", {"I1mr"}},         {"D1", "cache.D1", {"D1mr", "D1mw"}},
    {"I2", "cache.L2", {"I2mr"}},         {"D2", "cache.L2", {"D2mr", "D2mw"}},
    {"L", "cache.LL", {"ILmr", "DLmr", "DLmw"}},
};

static void only_where(const struct tp_sheet *sheet, struct tp_sheet_column *column, const struct tp_sheet_column *of)
{
    if (column && of)
        column->where = (size_t)(of - sheet->column) + 1;
}

/* NULL and 0 where that one is. */
static void occurs_with(const struct tp_sheet *sheet, struct tp_sheet_column *column, const struct tp_sheet_column *of)
{
    add_term(sheet, column, of, 0);
    only_where(sheet, column, of);
}

/* Counted of tenures: they cannot occur where these cannot. */
static const char *const of_tenures[] = {"Use", "Byt", "Age", "Wb", "Wrt", "Pf"};
/* And misses where there is no access, or no miss above. */
static const char *const of_accesses[][2] = {{"D1mr", "Dr"},   {"D2mr", "D1mr"}, {"DLmr", "D1mr"}, {"D1mw", "Dw"},
                                             {"D2mw", "D1mw"}, {"DLmw", "D1mw"}, {"I2mr", "I1mr"}, {"ILmr", "I1mr"},
                                             {"Bcm", "Bc"},    {"Bim", "Bi"}};

static void predict_level(tp_profile *profile, struct tp_sheet *sheet, size_t at, const char *suffix)
{
    const char *level = levels[at].level;
    struct tp_sheet_column *ended = find(sheet, "Ev", level, suffix), *used = find(sheet, "Use", level, suffix);
    struct tp_sheet_column *lost = find(sheet, "SpLoss", level, suffix);
    struct tp_sheet_column *cost = find(sheet, "AcCost", level, suffix), *touches = find(sheet, "Tch", level, suffix);
    int64_t line = line_size(profile, levels[at].cache);

    if (ended && used && line > 0 && line <= 1024) {
        add_term(sheet, lost, ended, line);
        add_term(sheet, lost, used, -1);
    }
    struct tp_sheet_column *cold = find(sheet, "Cold", level, suffix), *capacity = find(sheet, "Cap", level, suffix);
    bool last = strcmp(level, "L") == 0; /* which holds so much that most of its misses are cold */
    for (int i = 0; i < 3 && levels[at].misses[i]; i++) {
        const struct tp_sheet_column *misses = find(sheet, levels[at].misses[i], "", suffix);
        add_term(sheet, ended, misses, 1);
        add_term(sheet, last ? cold : NULL, misses, 1);
        add_term(sheet, capacity, misses, 1);
    }
    add_term(sheet, capacity, cold, -1);
    add_term(sheet, capacity, find(sheet, "Conf", level, suffix), -1);
    for (size_t i = 0; i < sizeof of_tenures / sizeof *of_tenures; i++)
        occurs_with(sheet, find(sheet, of_tenures[i], level, suffix), ended);
    add_term(sheet, touches, ended, 1);
    only_where(sheet, touches, ended);
    only_where(sheet, cost, ended);
    if (ended && touches && cost) {
        add_term(sheet, cost, ended, 1);
        add_term(sheet, cost, touches, 1);
        cost->prediction = TP_HARMONIC;
    }
}

static void predict_events(tp_profile *profile, struct tp_sheet *sheet, const char *suffix)
{
    for (size_t i = 0; i < sizeof of_accesses / sizeof *of_accesses; i++)
        occurs_with(sheet, find(sheet, of_accesses[i][0], "", suffix), find(sheet, of_accesses[i][1], "", suffix));
    for (size_t at = 0; at < sizeof levels / sizeof *levels; at++)
        predict_level(profile, sheet, at, suffix);
}

/* Inclusive columns that are not told from others of their kind: from the tree, or from the self cost. */
static void predict_inclusive(struct tp_sheet *sheet, size_t self, size_t incl)
{
    struct tp_sheet_column *column = &sheet->column[incl];
    struct tp_sheet_column *depth = find(sheet, "depth", "", "");

    if (depth) {
        column->terms = 0;
        column->where = 0;
        add_term(sheet, column, &sheet->column[self], 1);
        add_term(sheet, column, depth, 1);
        column->prediction = TP_BELOW;
    } else if (column->prediction != TP_SUM || !column->term[0].factor) {
        column->terms = 0;
        add_term(sheet, column, &sheet->column[self], 1);
    }
}

static void predict_instructions(struct tp_sheet *sheet)
{
    static const char *const sides[] = {"", "@before"};

    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        struct tp_sheet_column *executed = find(sheet, "Ir", "", sides[i]);
        add_term(sheet, find(sheet, "Dr", "", sides[i]), executed, 1);
        add_term(sheet, find(sheet, "Dw", "", sides[i]), executed, 1);
        if (executed)
            executed->prediction = TP_PREVIOUS;
    }
    add_term(sheet, find(sheet, "address", "", ""), find(sheet, "length", "", ""), 1);
    find(sheet, "address", "", "")->prediction = TP_FOLLOWING;
}

/* What is better told by misses of the row itself. */
static const char *const from_misses[] = {"SpLoss", "Ev", "Cold", "Cap"};

/* A function's costs are shared by its lines, or by its callers, as that is of which they are a part: misses as
 * accesses, use as tenures, accesses as instructions executed, these as calls, if they are known. */
static void predict_share(const struct tp_sheet *sheet, size_t at, const char *suffix)
{
    struct tp_sheet_column *column = &sheet->column[at];
    const struct tp_sheet_column *executed = find(sheet, "Ir", "", suffix), *of = executed;

    for (size_t i = 0; i < sizeof from_misses / sizeof *from_misses; i++) {
        if (strncmp(column->name, from_misses[i], strlen(from_misses[i])) == 0)
            return;
    }
    if (column->where)
        of = &sheet->column[column->where - 1];
    else if (column == executed)
        of = strchr(suffix, '@') ? NULL : find(sheet, "calls", "", "");
    column->terms = 0;
    add_term(sheet, column, of, 1);
    column->prediction = TP_SHARE;
}

/* What a function executes on one path it mostly does on others, call by call. */
static void predict_like(const struct tp_sheet *sheet, const char *event, const char *of, const char *suffix)
{
    struct tp_sheet_column *column = find(sheet, event, "", suffix);
    const struct tp_sheet_column *base = find(sheet, of, "", suffix);

    if (!column || !base || column->prediction == TP_BELOW)
        return;
    column->terms = 0;
    add_term(sheet, column, base, 1);
    column->prediction = TP_LIKE;
}

static void predict_by_id(struct tp_sheet *sheet, size_t start, size_t events, const char *suffix)
{
    if (find(sheet, "depth", "", "")) {
        predict_like(sheet, "Ir", "calls", suffix); /* of which sides of a difference have none */
        predict_like(sheet, "Dr", "Ir", suffix);
        predict_like(sheet, "Dw", "Ir", suffix);
        return;
    }
    for (size_t i = 0; i < events; i++) {
        if (tp_kept_find(sheet->totals, sheet->column[start + i].name))
            predict_share(sheet, start + i, suffix);
    }
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
    bool sides, made; /* made for the page: has columns for the sides itself */
    bool there[GROUPS];
    size_t start[GROUPS]; /* columns of the groups */
    size_t events;
    sqlite3_str *sql;
    struct tp_error *err;
};

/* `from`: the table that has it, under the name `as`. */
static int add_column(struct making *m, const char *name, size_t length, enum tp_sheet_kind kind,
                      enum tp_prediction prediction, char from, const char *as)
{
    char *copy = tp_arena_copy(&m->tables->arena, name, length);

    if (!copy)
        return TP_NO_MEMORY(m->err);
    m->sheet->column[m->sheet->columns++] =
        (struct tp_sheet_column){.name = copy, .kind = kind, .prediction = prediction};
    sqlite3_str_appendf(m->sql, "%s%c.\"%w\"", m->sheet->columns > 1 ? ", " : "SELECT ", from, as ? as : copy);
    return 0;
}

static int add_fixed(struct making *m)
{
    const char *p = m->table->columns;

    for (size_t n; (n = strcspn(p, " ")) > 0; p += n + strspn(p + n, " ")) {
        bool marked = *p == '#' || *p == '-' || *p == '~';
        enum tp_sheet_kind kind = *p == '#' ? TP_TEXT : *p == '~' ? TP_REAL : TP_NUMBER;
        if (add_column(m, p + marked, n - marked, kind, *p == '-' ? TP_PREVIOUS : TP_ZERO, 't', NULL))
            return -1;
    }
    return 0;
}

static int add_group(struct making *m, const struct group *group)
{
    char from = "tba"[m->made ? 0 : group->side];

    m->events = 0;
    for (size_t i = 0; i < tp_event_count(m->profile); i++) {
        const struct tp_event *event = tp_event_at(m->profile, i);
        char name[96], as[96];

        if (event->derived)
            continue;
        snprintf(as, sizeof as, "%s%s", event->name, group->incl);
        snprintf(name, sizeof name, "%s%s", as, group->suffix);
        if (add_column(m, name, strlen(name), event->real ? TP_REAL : TP_NUMBER, TP_ZERO, from, m->made ? name : as))
            return -1;
        m->events++;
    }
    return 0;
}

/* What was after is what was before and the difference. */
static void predict_after(struct making *m, size_t group)
{
    for (size_t i = 0; i < m->events; i++) {
        struct tp_sheet_column *column = &m->sheet->column[m->start[group] + i];
        column->terms = 0;
        add_term(m->sheet, column, &m->sheet->column[m->start[group - 4] + i], 1);
        add_term(m->sheet, column, &m->sheet->column[m->start[group - 2] + i], 1);
    }
}

static void predict(struct making *m)
{
    for (size_t g = 0; g < GROUPS; g++) {
        char suffix[32];

        if (!m->there[g])
            continue;
        if (groups[g].side == 2) {
            predict_after(m, g);
            continue;
        }
        snprintf(suffix, sizeof suffix, "%s%s", groups[g].incl, groups[g].suffix);
        predict_events(m->profile, m->sheet, suffix);
        for (size_t i = 0; groups[g].of == INCL && m->there[g - 1] && i < m->events; i++)
            predict_inclusive(m->sheet, m->start[g - 1] + i, m->start[g] + i);
        if (m->sheet->totals)
            predict_by_id(m->sheet, m->start[g], m->events, suffix);
    }
    if (strcmp(m->table->name, "instructions") == 0)
        predict_instructions(m->sheet);
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
        m->there[g] = true;
        m->start[g] = m->sheet->columns;
        if (add_group(m, &groups[g]))
            return -1;
    }
    m->sheet->totals = table->key ? &m->tables->functions : NULL;
    m->sheet->key = table->key ? (size_t)(find(m->sheet, table->key, "", "") - m->sheet->column) : 0;
    m->sheet->keep = strcmp(table->name, "functions") == 0 ? &m->tables->functions : NULL;
    predict(m);
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
    tp_kept_free(&to->functions);
    tp_arena_free(&to->arena);
}
