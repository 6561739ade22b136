/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_put.h: how records become chunks of a raw profile (raw_format.h), for those who write them.
 *
 * Records are collected in a buffer that becomes a chunk when it is full or when the type of record changes. What a
 * record needs besides texts and lists fits into the room that its beginning makes.
 */
#ifndef TENURE_CORE_RAW_PUT_H
#define TENURE_CORE_RAW_PUT_H

#include "core/raw_format.h"
#include "core/tenure_core.h"

#include <stddef.h>
#include <stdint.h>

enum { TN_RAW_HEADER = 16 };

struct tn_writer {
    tn_core *core;
    const struct tn_forest *forest; /* that is being folded */
    void *stream;
    uint8_t *buffer; /* TN_RAW_HEADER bytes, then the payload */
    uint32_t used, capacity, type, chunks;
    uint32_t after[8][256]; /* what byte i adds to the checksum when n bytes have come behind it */
    int error;
};

/* Writes what there is of `core` to the host's `stream`. */
struct tn_writer *tn_writer_new(tn_core *core, void *stream);
/* The last chunk has ended. Returns 0, or the host's error number. */
int tn_writer_free(struct tn_writer *w);

/* Write bytes that are in no chunk. */
void tn_send(struct tn_writer *w, const void *data, size_t bytes);

/* Begin a record of `type`, which may hold 8 KiB of numbers. */
void tn_record(struct tn_writer *w, enum tn_raw_chunk type);
/* End the record that was begun last. */
void tn_end_chunk(struct tn_writer *w);

static inline void tn_put_n(struct tn_writer *w, uint64_t value)
{
    uint8_t *at = w->buffer + w->used, *start = at;
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    w->used += (uint32_t)(at - start);
}
/* Put several numbers, one after the other. */
#define tn_put_list(w, ...) \
    tn_put_numbers(w, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
void tn_put_numbers(struct tn_writer *w, const uint64_t *values, size_t count);

void tn_put_z(struct tn_writer *w, int64_t value);
void tn_put_u32(uint8_t *at, uint32_t value);
void tn_put_bytes(struct tn_writer *w, const void *data, size_t bytes);
void tn_put_s(struct tn_writer *w, const char *text);

/* Bit i: value i is not zero. Up to TN_RAW_MAX_SLOTS values, here and below. */
uint64_t tn_nonzero(const uint64_t *values, uint32_t count);
/* Put these bits, then the values that are not zero. */
void tn_put_sparse(struct tn_writer *w, const uint64_t *values, uint32_t count);

/* raw_write.c: write a part to the host's `stream`; `why` is its reason, as it is shown. The rings are drained and all
 * threads have settled. What nodes have collected is moved to arcs and functions; it is the caller who then sets all
 * other costs to zero. Returns 0, or the host's error number. */
int tn_raw_write_part(tn_core *core, void *stream, const char *why);

/* raw_pairs.c: pairs and reuses of this part; there are none then. */
void tn_raw_write_pairs(struct tn_writer *w);

#endif
