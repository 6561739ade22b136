/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_sheet.h: rows of a query as columns in blocks.
 *
 * A sheet is cut into chunks of rows; each column of a chunk is a block (html_pack.h), so that a reader decodes only
 * the columns that it shows. A block begins with a byte that says what follows:
 *
 *     0  counts: a varint `minus`, a varint `where`, then a varint for each row that is there. 0 stands for NULL, and
 *        c + 1 for the difference whose zigzag is c (0, -1, 1, -2, ... are 0, 1, 2, 3, ...). It is added to
 *            0                        if `minus` is 0,
 *            the row before           if `minus` is 1: of those rows that are there; in the first one it is 0
 *            column `minus` - 2       of the sheet, in this row
 *        where NULL counts as 0. If `where` is 0, all rows are there; else those in which column `where` - 1 of the
 *        sheet is neither 0 nor NULL, and in all other rows this column is 0 or NULL as that one is.
 *        Reals are in units of 1/65536.
 *     1  IEEE doubles, low byte first, NaN for NULL: reals that have no such unit, and columns in which some count (or
 *        number of units) is 2^50 or more, or less than -2^50. So every sum here is exact in a double.
 *     2  texts: a varint for each row, its bytes + 1, 0 for NULL; then the bytes.
 *     3  counts of a tree whose rows are in post-order: a varint, the column that has their depth; then as 0, but what
 *        the rows directly below have in this column is added, too: those of the chunk that are one deeper and come
 *        behind the last row before that is not deeper. NULL counts as 0.
 *
 * The columns that a block refers to come before its own and have counts. Costs are like one another (misses and what
 * they load, a function's own costs and those with callees), and most are 0 where some other one is. Which columns are
 * alike, the writer finds out by trying; nothing here knows what they mean.
 */
#ifndef TENURE_PROFILE_HTML_SHEET_H
#define TENURE_PROFILE_HTML_SHEET_H

#include "profile/formats/export.h"
#include "profile/html/html_pack.h"

/* TP_TEXT is what tp_sheet_write makes of the number columns that are declared as TEXT where they come from. */
enum tp_sheet_kind { TP_NUMBER, TP_REAL, TP_TEXT };

struct tp_sheet_column {
    const char *name;
    enum tp_sheet_kind kind;
    bool depth; /* of the row in a tree, in post-order: sums over what is below may be made */
};

struct tp_sheet {
    const char *name;
    size_t chunk; /* rows of one */
    struct tp_sheet_column *column;
    size_t columns;
    /* the rest is made by tp_sheet_write */
    uint64_t rows;
    struct tp_block *block; /* block[chunk number * columns + column] */
    size_t blocks;
};

/* Read all rows of `sql` (from sqlite3_mprintf, freed here), whose columns are the sheet's, and write their blocks. */
int tp_sheet_write(tp_profile *profile, struct tp_pack *pack, struct tp_sheet *sheet, char *sql);
/* The sheet in the page's directory: {"rows": ..., "chunk": ..., "columns": [...]}, as JSON. */
void tp_sheet_describe(const struct tp_sheet *sheet, FILE *out);
void tp_sheet_free(struct tp_sheet *sheet); /* what tp_sheet_write made */

#endif
