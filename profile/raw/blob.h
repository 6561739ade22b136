/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blob.h: costs as the bytes they were read as, in lists. Most numbers are one or two bytes long; rows would take
 * twenty times the memory.
 */
#ifndef TENURE_PROFILE_BLOB_H
#define TENURE_PROFILE_BLOB_H

#include "profile/raw/events.h"

struct tp_blob {
    struct tp_blob *next;
    uint32_t thread; /* + 1; of SELF and LATE only */
    uint32_t data;   /* data object + 1, of LATE, NODE_DATA and FUNC_DATA; place, of DATA_AT */
    uint32_t size;
    uint8_t form; /* enum tp_form */
    uint8_t bytes[];
};

enum tp_form {
    TP_FORM_IMMEDIATE, /* of an instruction itself */
    TP_FORM_SKIPPED,   /* what it pays for functions that are skipped */
    TP_FORM_FETCH,
    TP_FORM_DATA,
    TP_FORM_COSTS,
    TP_FORM_SELF_AND_INCL,
    TP_FORM_ROW,  /* a row as it is in memory: what is not from a raw profile (foreign.c) */
    TP_FORM_ROWS, /* two, self and inclusive */
};

/* Add a blob to a row. For FORM_SELF_AND_INCL and FORM_ROWS `incl` takes the second half; else it is not used. */
void tp_blob_add(const struct tp_events *events, const struct tp_blob *blob, uint64_t *row, uint64_t *incl);

/* The same of all blobs of a list. */
void tp_blobs_add(const struct tp_events *events, const struct tp_blob *blobs, uint64_t *row, uint64_t *incl);

/* An immediate event of an instruction, without the Ir that it pays for functions that are skipped. */
uint64_t tp_own_count(const struct tp_events *events, const struct tp_blob *blobs, const char *event);

#endif
