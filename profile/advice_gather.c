/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_gather.c: what rules ask, in three temporary tables (advice_rule.h).
 *
 *   advice_sites    what a source line pays in a data object
 *   advice_objects  what all pay in a data object, and how large its blocks are
 *   advice_code     what a source line executes
 *
 * Costs have names that are the same whatever was simulated: misses1, misses2, missesL, and of the lines that they
 * loaded used1, lost1 (bytes touched, and never touched), touched1 (bytes touched, each time), tenures1; the same for
 * levels 2 and L; and `spatial`, the spatial use of level 1 in percent. What was not recorded is 0. Contexts of a
 * function are one.
 */
#include <sqlite3.h>

#include "profile/advice_rule.h"
#include "profile/error.h"
#include "profile/export.h"

/* "sum(x) AS name": of those of the events that the profile has. */
static void add(tp_profile *profile, sqlite3_str *sql, const char *name, const char *const *events)
{
    const char *plus = "";

    sqlite3_str_appendall(sql, ", 1.0 * sum(");
    for (; *events; events++) {
        if (!tp_event_find(profile, *events))
            continue;
        sqlite3_str_appendf(sql, "%sifnull(t.\"%w\", 0)", plus, *events);
        plus = " + ";
    }
    sqlite3_str_appendf(sql, "%s) AS %s", *plus ? "" : "0", name);
}

static void add_data_costs(tp_profile *profile, sqlite3_str *sql)
{
    static const struct {
        const char *name, *event[3];
    } costs[] = {
        {"misses1", {"D1mr", "D1mw"}}, {"misses2", {"D2mr", "D2mw"}}, {"missesL", {"DLmr", "DLmw"}},
        {"stores1", {"D1mw"}},         {"stores2", {"D2mw"}},         {"storesL", {"DLmw"}},
        {"used1", {"UseD1"}},          {"used2", {"UseD2"}},          {"usedL", {"UseL"}},
        {"lost1", {"SpLossD1"}},       {"lost2", {"SpLossD2"}},       {"lostL", {"SpLossL"}},
        {"touched1", {"BytD1"}},       {"touched2", {"BytD2"}},       {"touchedL", {"BytL"}},
        {"tenures1", {"EvD1"}},        {"tenures2", {"EvD2"}},        {"tenuresL", {"EvL"}},
    };

    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        add(profile, sql, costs[i].name, costs[i].event);
    if (tp_event_find(profile, "UseD1") && tp_event_find(profile, "SpLossD1"))
        sqlite3_str_appendall(sql, ", 100.0 * sum(t.UseD1) / nullif(sum(t.UseD1) + sum(t.SpLossD1), 0) AS spatial");
    else
        sqlite3_str_appendall(sql, ", NULL AS spatial");
}

static void add_code_costs(tp_profile *profile, sqlite3_str *sql)
{
    static const char *const names[] = {"Ir", "Dr", "Dw", "Bc", "Bcm", "Bi", "Bim"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add(profile, sql, names[i], (const char *const[]){names[i], NULL});
}

static int make(tp_profile *profile, sqlite3_str *sql, struct tp_error *err)
{
    char *text = sqlite3_str_finish(sql);
    int code = text ? sqlite3_exec(tp_db(profile), text, NULL, NULL, NULL) : SQLITE_NOMEM;

    sqlite3_free(text);
    return code == SQLITE_OK ? 0 : tp_sql_failed(profile, "cannot gather costs", err);
}

static int make_sites(tp_profile *profile, struct tp_error *err)
{
    sqlite3_str *sql = sqlite3_str_new(tp_db(profile));

    sqlite3_str_appendall(
        sql, "PRAGMA temp_store = MEMORY; DROP TABLE IF EXISTS temp.advice_sites;"
             "CREATE TEMP TABLE advice_sites AS SELECT t.data_id, min(i.function_id) AS function_id,"
             " i.file_id, i.line");
    add_data_costs(profile, sql);
    sqlite3_str_appendall(sql, " FROM t_instruction_data t JOIN t_instructions i ON i.id = t.instruction_id"
                               " JOIN t_functions n ON n.id = i.function_id"
                               " GROUP BY t.data_id, n.base_id, i.file_id, i.line;"
                               "CREATE INDEX temp.i_advice_sites ON advice_sites(data_id);");
    return make(profile, sql, err);
}

static int make_objects(tp_profile *profile, struct tp_error *err)
{
    sqlite3_str *sql = sqlite3_str_new(tp_db(profile));

    sqlite3_str_appendall(
        sql, "DROP TABLE IF EXISTS temp.advice_objects;"
             "CREATE TEMP TABLE advice_objects AS SELECT t.id AS data_id, t.kind, t.blocks, t.bytes,"
             " coalesce(t.size, t.bytes) AS size, 1.0 * t.bytes / nullif(t.blocks, 0) AS mean");
    add_data_costs(profile, sql);
    sqlite3_str_appendall(sql, " FROM t_data t GROUP BY t.id;"
                               "CREATE INDEX temp.i_advice_objects ON advice_objects(data_id);");
    return make(profile, sql, err);
}

static int make_code(tp_profile *profile, struct tp_error *err)
{
    sqlite3_str *sql = sqlite3_str_new(tp_db(profile));

    sqlite3_str_appendall(
        sql, "DROP TABLE IF EXISTS temp.advice_code;"
             "CREATE TEMP TABLE advice_code AS SELECT min(t.function_id) AS function_id, t.file_id,"
             " t.line");
    add_code_costs(profile, sql);
    sqlite3_str_appendall(sql, " FROM t_lines t JOIN t_functions n ON n.id = t.function_id"
                               " GROUP BY n.base_id, t.file_id, t.line;"
                               "CREATE INDEX temp.i_advice_code ON advice_code(function_id, file_id, line);");
    return make(profile, sql, err);
}

int tp_advice_gather(tp_profile *profile, struct tp_error *err)
{
    return make_sites(profile, err) || make_objects(profile, err) || make_code(profile, err) ? -1 : 0;
}

bool tp_advice_has(tp_profile *profile, const char *name)
{
    struct tp_error ignored;
    sqlite3_stmt *statement;
    bool has = tp_event_find(profile, name) != NULL;

    if (has)
        return true;
    statement = tp_query(profile, sqlite3_mprintf("SELECT 1 FROM pragma_table_info(%Q)", name), &ignored);
    has = statement && tp_row(profile, statement, &ignored) == 1;
    sqlite3_finalize(statement);
    return has;
}
