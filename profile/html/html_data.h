/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_data.h: what a page says of data structures beside the rows of t_data.
 *
 * A profile has the costs of (instruction, data object); a page shows them by source line. And each step of an
 * allocation path leads to a function.
 *
 * A large program has more pairs of line and object than a page has room for, and most cost next to nothing. Where
 * there are more than TP_HTML_DATA_LINES, only those are kept that cost more than one in TP_HTML_DATA_SHARE of some
 * event's total. Where there are more than TP_HTML_FIELDS fields, those of objects are kept, with their bytes, that
 * cost more than one in TP_HTML_INSIDE_SHARE of some event's total.
 */
#ifndef TENURE_PROFILE_HTML_DATA_H
#define TENURE_PROFILE_HTML_DATA_H

#include "profile/formats/export.h"

enum { TP_HTML_DATA_LINES = 8192, TP_HTML_DATA_SHARE = 10000, TP_HTML_FIELDS = 16384, TP_HTML_INSIDE_SHARE = 200 };

/*
 * Makes temp.page_data_lines(data_id, function_id, file_id, line, stored events) and temp.page_data_paths(id, parent,
 * function_id, function, file_id, line, inlined_id), where `function` is NULL if it is the name that the function has,
 * and inlined_id is the innermost inlined frame of the call. temp.page_inside(data_id) are the objects
 * whose fields are shown. `sides`: with those of schemas `before` and `after`, too.
 */
int tp_html_gather_data(tp_profile *profile, bool sides, struct tp_error *err);

/* For tables of sums: ", sum(schema.Ir) AS "Ir<behind>", ..." of all stored events. */
void tp_html_add_sums(tp_profile *profile, sqlite3_str *sql, const char *schema, const char *behind);
/* Delete the rows of a temporary table with self costs that are not worth their bytes. */
int tp_html_leave_out_small(tp_profile *profile, const char *table, struct tp_error *err);

#endif
