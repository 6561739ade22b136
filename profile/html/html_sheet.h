/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_sheet.h: rows of a query as columns in blocks.
 *
 * A sheet is cut into chunks of rows; each column of a chunk is a block (html_pack.h), so that a reader decodes only
 * the columns that it shows. A number is written as its difference from a prediction that the reader can make too:
 *
 *     TP_ZERO      0
 *     TP_PREVIOUS  the row before in the chunk; 0 in the first, and where that is NULL
 *     TP_FOLLOWING the row before in the chunk and column a of that row; 0 in the first
 *     TP_SUM       a sum of other columns times factors, NULL counting 0; NULL where all are (factor 0: only that)
 *     TP_HARMONIC  floor(65536000 a a / b), NULL where a is, 0 where b is: AcCost of a tenures with b touches in all
 *     TP_BELOW     of a tree in post-order: column a and this column of all rows directly below, NULL where all are;
 *                  column b is the depth
 *     TP_SHARE     of what another sheet has in this column for the row's id, the part that no row before took: as
 *                  much as column b is of what is left of its own there, rounded down; all that is left where it is
 *                  all of that, 0 where there is nothing (or less) left of that; NULL where b is, or where there is no
 *                  such id, or it has NULL. Without b, rows of the chunk that have the id are alike. So the last row
 *                  of an id is told exactly if the rows of an id sum to its total.
 *     TP_LIKE      floor(b y / c), where y and c are this column and column b of the last row before in the chunk that
 *                  has the same id, neither NULL nor c 0; 0 if there is none; NULL where b is
 *
 * A row's id, of the last two, is its column `key`; other sheets have totals of ids that are not 0.
 *
 * A block begins with a byte. 0: varints c, one per row, of prediction p: 0: p itself, 1: NULL, else p (0 if that is
 * NULL) plus d, where c - 2 is d zigzag: 0, -1, 1, -2, ... modulo 2^64. Columns of reals are in units of 1/65536.
 * 3: the same, but only of rows in which another column, `where`, is neither 0 nor NULL; p in all others.
 * 1: IEEE doubles, low byte first, NaN for NULL, no prediction: reals that have no such unit. 2: texts: a varint per
 * row, its bytes + 1, 0 for NULL; then the bytes. 4: as 0, of prediction 0, whatever the column's is.
 */
#ifndef TENURE_PROFILE_HTML_SHEET_H
#define TENURE_PROFILE_HTML_SHEET_H

#include "profile/formats/export.h"
#include "profile/html/html_pack.h"

enum tp_prediction { TP_ZERO, TP_PREVIOUS, TP_FOLLOWING, TP_SUM, TP_HARMONIC, TP_BELOW, TP_SHARE, TP_LIKE };
enum tp_sheet_kind { TP_NUMBER, TP_REAL, TP_TEXT };
enum { TP_TERMS = 5 };

struct tp_sheet_column {
    const char *name;
    enum tp_sheet_kind kind;
    enum tp_prediction prediction;
    struct {
        size_t column;
        int64_t factor;
    } term[TP_TERMS]; /* of a SUM; [0] and [1] are a and b of the others, or [0] b where there is no a */
    size_t terms;
    size_t where; /* of the column + 1; 0: none */
};

/* All numbers of a sheet, the first column of which is an id. */
struct tp_kept_column {
    const char *name;
    int64_t *value; /* by row; reals in units; 0 if NULL */
    bool *null;
};
struct tp_kept {
    const char *name; /* of the sheet */
    struct tp_kept_column *column;
    size_t columns, rows;
};
/* NULL if there is none of this name. */
const struct tp_kept_column *tp_kept_find(const struct tp_kept *kept, const char *name);
void tp_kept_free(struct tp_kept *kept);

struct tp_sheet {
    const char *name;
    size_t chunk; /* rows of one */
    struct tp_sheet_column *column;
    size_t columns;
    struct tp_kept *keep;         /* where to keep the numbers, or NULL */
    const struct tp_kept *totals; /* what TP_SHARE is a share of, and TP_LIKE knows ids from; or NULL */
    size_t key;                   /* the column of their ids */
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
