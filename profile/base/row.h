/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row.h: texts of a row.
 *
 * Every column of a profile can be NULL, whatever is written there: the file may come from anywhere. Nothing else asks
 * SQLite for text (tests/rules/files.py sees to it). A text lives until the row is left.
 */
#ifndef TENURE_PROFILE_ROW_H
#define TENURE_PROFILE_ROW_H

#include <sqlite3.h>

static inline const char *tp_text_or_null(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

/* "" for NULL. */
static inline const char *tp_text(sqlite3_stmt *row, int column)
{
    const char *text = tp_text_or_null(row, column);

    return text ? text : "";
}

/* What a query calls its column. */
static inline const char *tp_column_name(sqlite3_stmt *row, int column)
{
    const char *name = sqlite3_column_name(row, column);

    return name ? name : "";
}

#endif
