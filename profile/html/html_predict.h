/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_predict.h: what the cells of a sheet are expected to be, by rules that a reader of the page has too.
 *
 * A rule is a column's prediction (html_sheet.h). It sees the cells of its chunk, the totals of another sheet, and what
 * it remembers itself: rows have to be asked for in their order, each once.
 */
#ifndef TENURE_PROFILE_HTML_PREDICT_H
#define TENURE_PROFILE_HTML_PREDICT_H

#include "profile/base/mem.h"
#include "profile/html/html_sheet.h"

struct tp_cell {
    int64_t value;
    bool null;
};

/* What a rule remembers of a column. */
struct tp_predicted {
    struct tp_cell *open;    /* TP_BELOW: sums of what is below, by depth */
    size_t depths;
    int64_t *left, *left_of; /* TP_SHARE: by row of the totals, what is left of this column, and of b or of rows */
    uint32_t *last;          /* TP_LIKE: by row of the totals, the last row in the chunk + 1 */
};

struct tp_predictor {
    const struct tp_sheet *sheet;
    struct tp_cell **cell;     /* by column, those of the chunk; NULL of texts */
    struct tp_predicted *column;
    struct tp_idmap row_of_id; /* of the totals */
    uint32_t *row;             /* of the chunk's rows: that of the totals + 1; 0: none */
    int64_t *rows;             /* by row of the totals: how many the chunk has of it */
};

/* Room for everything. 0, or -1: out of memory. Free in any case. */
int tp_predictor_open(struct tp_predictor *p, const struct tp_sheet *sheet);
void tp_predictor_free(struct tp_predictor *p);
/* The cells of a chunk are there. */
void tp_predict_chunk(struct tp_predictor *p, size_t rows);
/* -1: without memory, or a depth that cannot be. */
int tp_predict(struct tp_predictor *p, size_t column, size_t row, struct tp_cell *predicted);

#endif
