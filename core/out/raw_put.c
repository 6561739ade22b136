/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_put.c: see raw_put.h.
 *
 * A chunk is written whole, with its checksum in front. Once writing has failed, nothing more is written.
 */
#include "raw_put.h"

#include "core/host.h"

#include <string.h>

enum { RECORD_ROOM = 8 << 10 };

/* ------------------------------------------------------------------------------------------ chunks */

void tn_put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

void tn_send(struct tn_writer *w, const void *data, size_t bytes)
{
    if (!w->error)
        w->error = tn_host_write(w->stream, data, bytes);
}

void tn_end_chunk(struct tn_writer *w)
{
    uint32_t payload = w->used - TN_RAW_HEADER;
    if (payload) {
        tn_put_u32(w->buffer, w->type);
        tn_put_u32(w->buffer + 4, payload);
        tn_put_u32(w->buffer + 8, tn_checksum_of(&w->checksum, w->buffer + TN_RAW_HEADER, payload));
        tn_put_u32(w->buffer + 12, 0);
        tn_send(w, w->buffer, w->used);
        w->chunks++;
    }
    w->used = TN_RAW_HEADER;
}

static void make_room(struct tn_writer *w, uint64_t bytes)
{
    if (w->used + bytes <= w->capacity)
        return;
    uint32_t capacity = (uint32_t)((w->used + bytes) * 2);
    uint8_t *buffer = tn_host_alloc(capacity);
    memcpy(buffer, w->buffer, w->used);
    tn_host_free(w->buffer, w->capacity);
    w->buffer = buffer;
    w->capacity = capacity;
}

void tn_record(struct tn_writer *w, enum tn_raw_chunk type)
{
    if (w->type != (uint32_t)type || w->used + RECORD_ROOM > TN_RAW_HEADER + TN_RAW_CHUNK)
        tn_end_chunk(w);
    w->type = type;
    make_room(w, RECORD_ROOM);
}

/* ------------------------------------------------------------------------------------------ fields */

void tn_put_numbers(struct tn_writer *w, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tn_put_n(w, values[i]);
}

void tn_put_z(struct tn_writer *w, int64_t value)
{
    tn_put_n(w, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

void tn_put_bytes(struct tn_writer *w, const void *data, size_t bytes)
{
    make_room(w, bytes + RECORD_ROOM);
    tn_put_n(w, bytes);
    if (bytes)
        memcpy(w->buffer + w->used, data, bytes);
    w->used += (uint32_t)bytes;
}

void tn_put_s(struct tn_writer *w, const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    tn_put_bytes(w, text, length);
}

uint64_t tn_nonzero(const uint64_t *values, uint32_t count)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits |= (uint64_t)(values[i] != 0) << i;
    return bits;
}

void tn_put_sparse(struct tn_writer *w, const uint64_t *values, uint32_t count)
{
    tn_put_n(w, tn_nonzero(values, count));
    for (uint32_t i = 0; i < count; i++) {
        if (values[i])
            tn_put_n(w, values[i]);
    }
}
