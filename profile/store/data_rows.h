/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_rows.h: costs of a few instructions by the data object that they were paid in.
 *
 * One set at a time: add what belongs to it, write it, clear it. Only data objects that were met have a row.
 */
#ifndef TENURE_PROFILE_DATA_ROWS_H
#define TENURE_PROFILE_DATA_ROWS_H

#include "profile/raw/recording.h"

struct tp_data_rows {
    const struct tp_recording *rec;
    struct tp_data_row {
        uint64_t *cost; /* NULL: not met */
        uint8_t can;
    } * row; /* by data object */
    TP_VECTOR(uint32_t) met; /* data objects + 1; in order after tp_data_rows_sort */
    struct tp_arena arena;
};

/* -1: out of memory; so for all. Free in any case. */
int tp_data_rows_begin(struct tp_data_rows *rows, const struct tp_recording *rec);
/* The costs of an instruction that were paid in data objects. */
int tp_data_rows_add(struct tp_data_rows *rows, const struct tp_instr *instr);
void tp_data_rows_sort(struct tp_data_rows *rows);
void tp_data_rows_clear(struct tp_data_rows *rows);
void tp_data_rows_free(struct tp_data_rows *rows);

#endif
