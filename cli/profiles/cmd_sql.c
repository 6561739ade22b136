/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_sql.c: a query on a profile, as a table, JSON or CSV.
 *
 * A query only reads. The profile is open for reading only, so it cannot change, but SQL can write other files; so
 * SQLite asks here before a statement does something that might. Temporary tables and views are nobody else's, and
 * allowed. Several statements run one after the other.
 */
#include "cli/base/given.h"
#include "cli/base/opt.h"
#include "cli/base/query.h"
#include "cli/base/table.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "profile/base/row.h"
#include "profile/profile.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sql {
    const char *weights;
    bool json, csv;
};

static const struct opt rows[] = {
    {OPT_FLAG, "json", 0, NULL, "write an array of objects", offsetof(struct sql, json)},
    {OPT_FLAG, "csv", 0, NULL, "write RFC 4180, with a header", offsetof(struct sql, csv)},
    GIVEN_WEIGHTS("", offsetof(struct sql, weights)),
};

static const struct opt_command command = {
    "sql",
    "[options] [FILE] QUERY",
    "Runs an SQL query on a profile; `tenure help profile-format` describes the views.\n"
    "FILE is a profile or a raw profile; without it, the newest tenure.out.* here. QUERY may be - for\n"
    "standard input.",
    OPT_ROWS(rows),
};

enum { MAX_SQL_COLUMNS = 2000 };

/* ------------------------------------------------------------------------------------------ what is allowed */

static const char *const asking_pragmas[] = {
    "application_id", "collation_list", "compile_options", "database_list", "encoding", "foreign_key_list",
    "freelist_count", "function_list", "index_info", "index_list", "index_xinfo", "integrity_check", "module_list",
    "page_count", "page_size", "pragma_list", "quick_check", "schema_version", "table_info", "table_list",
    "table_xinfo", "user_version"};
static const char *const taking_a_name[] = {"foreign_key_list", "index_info", "index_list", "index_xinfo",
                                            "integrity_check", "quick_check", "table_info", "table_list",
                                            "table_xinfo"};

static const char *const running_code[] = {"edit",     "fts3_tokenizer", "load_extension",
                                           "readfile", "sqlite_log",     "writefile"};

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    size_t i;

    for (i = 0; i < count && sqlite3_stricmp(name, names[i]) != 0; i++) {
    }
    return i < count;
}

/* A pragma that tells something; with a value most would set it instead. */
static bool only_asks(const char *pragma, const char *value)
{
    if (value != NULL)
        return is_one_of(pragma, taking_a_name, sizeof taking_a_name / sizeof taking_a_name[0]);
    return is_one_of(pragma, asking_pragmas, sizeof asking_pragmas / sizeof asking_pragmas[0]);
}

/* SQLite's authorizer; `into`: set to what is wrong with a statement that is not allowed. */
static int allow(void *into, int action, const char *first, const char *second, const char *database, const char *view)
{
    const char **wrong = into;

    (void)database;
    (void)view;
    if (action == SQLITE_ATTACH) /* VACUUM does, too */
        *wrong = "ATTACH and VACUUM write files";
    else if (action == SQLITE_PRAGMA && !only_asks(first, second))
        *wrong = "this PRAGMA may change something";
    else if (action == SQLITE_CREATE_VTABLE)
        *wrong = "virtual tables run code that may write";
    else if (action == SQLITE_FUNCTION && is_one_of(second, running_code, sizeof running_code / sizeof running_code[0]))
        *wrong = "this function runs code that may write";
    else
        return SQLITE_OK;
    return SQLITE_DENY;
}

/* ------------------------------------------------------------------------------------------ running */

static const char *wrong; /* with the statement, which was not allowed; NULL: it was */

static int failed(tp_profile *profile)
{
    if (wrong != NULL)
        term_error("a query only reads: %s", wrong);
    else
        term_error("%s", sqlite3_errmsg(tp_db(profile)));
    return CLI_ERROR;
}

static int run_one(const struct sql *options, tp_profile *profile, sqlite3_stmt *statement)
{
    int columns = sqlite3_column_count(statement), status = sqlite3_step(statement);
    bool decided[MAX_SQL_COLUMNS] = {false};

    if (columns > MAX_SQL_COLUMNS) {
        term_error("the query has %d columns, the most that can be shown is %d; name those you need", columns,
                   MAX_SQL_COLUMNS);
        return CLI_ERROR;
    }
    struct table *table = table_new();
    table_exact(table);
    for (int i = 0; i < columns; i++)
        table_column(table, TABLE_TEXT, tp_column_name(statement, i), tp_column_name(statement, i), 0);
    for (; status == SQLITE_ROW; status = sqlite3_step(statement)) {
        for (int i = 0; i < columns; i++) {
            int type = sqlite3_column_type(statement, i);

            /* A column is what its first value is that is not NULL. */
            if (!decided[i] && type != SQLITE_NULL)
                table_kind(table, (size_t)i, type == SQLITE_INTEGER ? TABLE_COUNT
                                             : type == SQLITE_FLOAT ? TABLE_RATE
                                                                    : TABLE_TEXT);
            decided[i] |= type != SQLITE_NULL;
            query_cell(table, statement, i);
        }
    }
    if (status == SQLITE_DONE && columns > 0 && options->json) {
        table_json(table, &(struct tp_json){.out = stdout}, NULL);
        putchar('\n');
    } else if (status == SQLITE_DONE && columns > 0 && options->csv) {
        table_csv(table, stdout);
    } else if (status == SQLITE_DONE && columns > 0) {
        table_print(table, stdout, false);
    }
    table_free(table);
    return status == SQLITE_DONE ? CLI_GOOD : failed(profile);
}

static int run(const struct sql *options, tp_profile *profile, const char *text)
{
    int status = CLI_GOOD, results = 0;

    sqlite3_set_authorizer(tp_db(profile), allow, &wrong);
    while (status == CLI_GOOD && *text != '\0') {
        sqlite3_stmt *statement;

        if (sqlite3_prepare_v2(tp_db(profile), text, -1, &statement, &text) != SQLITE_OK)
            return failed(profile);
        results += statement != NULL && sqlite3_column_count(statement) > 0;
        if (options->json && results > 1) {
            term_error("--json writes one document, so the query may have one result; --csv writes several");
            status = CLI_ERROR;
        } else if (statement != NULL) {
            status = run_one(options, profile, statement);
        }
        sqlite3_finalize(statement);
    }
    return status;
}

static char *read_all(FILE *in)
{
    size_t size = 0, room = 0;
    char *text = NULL;

    do {
        room = room * 2 + 4096;
        text = term_have(realloc(text, room));
        size += fread(text + size, 1, room - size - 1, in);
    } while (size == room - 1);
    text[size] = '\0';
    return text;
}

int cmd_sql(int argc, char **argv)
{
    struct sql options = {0};
    int first = opt_parse(&command, &options, argc, argv);
    const char *file = NULL;
    char *input = NULL, word[TERM_WORD];

    if (first < 0)
        return term_finish(-1 - first);
    if (options.json && options.csv)
        return opt_misused(&command, "--json or --csv, not both");
    if (first == argc || argc - first > 2)
        return opt_misused(&command, first == argc ? "name a query" : "a profile and a query, not more");
    const char *query = argv[argc - 1];
    if (argc - first == 2)
        file = argv[first];
    else if (access(query, F_OK) == 0)
        return opt_misused(&command, "name a query, too, as in `tenure sql %s \"SELECT * FROM totals\"`",
                           term_word(word, query));
    if (strcmp(query, "-") == 0)
        query = input = read_all(stdin);
    if (ferror(stdin)) {
        term_error("cannot read the query from standard input: %s", strerror(errno));
        free(input);
        return CLI_ERROR;
    }
    tp_profile *profile = given_open_weighed(file, options.weights);
    int status = profile != NULL ? run(&options, profile, query) : CLI_ERROR;
    given_close(profile);
    free(input);
    return term_finish(status);
}
