/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query.h: SQL on a profile, with errors printed.
 *
 *   struct query q;
 *   if (!query_begin(&q, profile, "SELECT function, %s FROM functions", column))
 *       return CLI_ERROR;
 *   while (query_row(&q)) ...
 *   if (!query_end(&q)) return CLI_ERROR;
 *
 * The format is sqlite3_mprintf's (%w: a quoted name). Names that go into the text are columns of table
 * `events`, never a user's words; those are bound.
 */
#ifndef TENURE_CLI_QUERY_H
#define TENURE_CLI_QUERY_H

#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/base/table.h"
#include "profile/base/json.h"
#include "profile/profile.h"

struct query {
    tp_profile *profile;
    sqlite3_stmt *statement;
    bool failed;
};

bool query_begin(struct query *q, tp_profile *profile, const char *format, ...);
void query_bind_text(struct query *q, int parameter, const char *text);
bool query_row(struct query *q);
bool query_end(struct query *q);

/* Column `i` (from 0). Text is never NULL: "" for NULL. */
const char *query_text(struct query *q, int i);
int64_t query_int(struct query *q, int i);
double query_real(struct query *q, int i);
bool query_null(struct query *q, int i);

/* The next cell of a table: column `i` of a statement's row, as what SQLite has there. */
void query_cell(struct table *table, sqlite3_stmt *row, int i);

/* The first column of the first row of a query without parameters; `otherwise` if there is none or it is
 * NULL. */
double query_value(tp_profile *profile, const char *sql, double otherwise);

/* Whether the recording was told no: table `meta` has the engine's options. */
bool query_was_off(tp_profile *profile, const char *option);

/* Write column `i` of the row as a member of a JSON object, under its own name. */
void query_json(struct query *q, int i, struct tp_json *json);
/* Begin the document of a profile on stdout: an object with its format, version, file and what table `meta` has. */
void query_json_head(tp_profile *profile, struct tp_json *json, const char *format, const char *file);

/* Version of the SQLite that is used. */
const char *query_library(void);

#endif
