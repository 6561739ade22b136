/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_put.c: see raw_put.h.
 *
 * A chunk is written whole, with its checksum in front: CRC-32, polynomial 0xEDB88320, as in zlib. It is taken of eight
 * bytes at a time, for each of which a table says what it adds. Once writing has failed, nothing more is written.
 */
#include "raw_put.h"

#include "core/host.h"

#include <string.h>

enum { RECORD_ROOM = 8 << 10 };

/* ------------------------------------------------------------------------------------------ life */

struct tn_writer *tn_writer_new(tn_core *core, void *stream)
{
    struct tn_writer *w = tn_host_alloc(sizeof *w);
    *w = (struct tn_writer){.core = core, .stream = stream, .used = TN_RAW_HEADER, .capacity = 2 * TN_RAW_CHUNK};
    w->buffer = tn_host_alloc(w->capacity);
    for (uint32_t i = 0; i < 256; i++) {
        w->after[0][i] = i;
        for (int bit = 0; bit < 8; bit++)
            w->after[0][i] = w->after[0][i] & 1 ? w->after[0][i] >> 1 ^ 0xEDB88320u : w->after[0][i] >> 1;
    }
    for (uint32_t n = 1; n < 8; n++) {
        for (uint32_t i = 0; i < 256; i++)
            w->after[n][i] = w->after[0][w->after[n - 1][i] & 0xff] ^ w->after[n - 1][i] >> 8;
    }
    return w;
}

int tn_writer_free(struct tn_writer *w)
{
    int error = w->error;
    tn_host_free(w->buffer, w->capacity);
    tn_host_free(w, sizeof *w);
    return error;
}

/* ------------------------------------------------------------------------------------------ chunks */

static uint32_t checksum_of(const struct tn_writer *w, const uint8_t *at, size_t bytes)
{
    const uint32_t(*after)[256] = w->after;
    const uint8_t *end = at + bytes;
    uint32_t sum = ~0u;
    for (; end - at >= 8; at += 8)
        sum = after[7][at[0] ^ (sum & 0xff)] ^ after[6][at[1] ^ (sum >> 8 & 0xff)] ^
              after[5][at[2] ^ (sum >> 16 & 0xff)] ^ after[4][at[3] ^ sum >> 24] ^ after[3][at[4]] ^
              after[2][at[5]] ^ after[1][at[6]] ^ after[0][at[7]];
    for (; at < end; at++)
        sum = after[0][(sum ^ *at) & 0xff] ^ sum >> 8;
    return ~sum;
}

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
        tn_put_u32(w->buffer + 8, checksum_of(w, w->buffer + TN_RAW_HEADER, payload));
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
    for (; count; count -= count < TN_RAW_BITS ? count : TN_RAW_BITS, values += TN_RAW_BITS) {
        uint32_t next = count < TN_RAW_BITS ? count : TN_RAW_BITS;
        tn_put_n(w, tn_nonzero(values, next));
        for (uint32_t i = 0; i < next; i++) {
            if (values[i])
                tn_put_n(w, values[i]);
        }
    }
}
