/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sum_costs.c: a lane's costs, packed.
 *
 * A row has a word for each lane: where its piece of memory is (spill.h), or 0. A piece is
 *
 *     room           four bytes: of what follows; it stays, so that costs which change little stay in place
 *     present        a bit for each cost that is neither 0 nor NULL
 *     null           a bit for each that is NULL
 *     numbers        of those present, seven bits a byte, the lowest first, the sign in the lowest bit
 */
#include <string.h>

#include "profile/sum/sum.h"

enum { BITMAP = (TP_SUM_COSTS + 7) / 8, LONGEST = 10, HEAD = sizeof(uint32_t), SPARE = 8 };
enum { MOST = 2 * BITMAP + TP_SUM_COSTS * LONGEST };

static int64_t *costs_place_of(const struct tp_sum *sum, int table, const int64_t *row, int lane)
{
    return (int64_t *)row + sum->shape[table].width + 1 + lane;
}

static size_t room_of(const uint8_t *piece)
{
    uint32_t room;

    memcpy(&room, piece, sizeof room);
    return room;
}

static size_t put_number(uint8_t *to, int64_t value)
{
    uint64_t rest = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
    size_t size = 0;

    for (; rest > 0x7f; rest >>= 7)
        to[size++] = (uint8_t)(rest | 0x80);
    to[size++] = (uint8_t)rest;
    return size;
}

static const uint8_t *get_number(const uint8_t *from, int64_t *value)
{
    uint64_t rest = 0;
    unsigned shift = 0;

    for (; *from & 0x80; shift += 7)
        rest |= (uint64_t)(*from++ & 0x7f) << shift;
    rest |= (uint64_t)*from++ << shift;
    *value = (int64_t)(rest >> 1 ^ (0 - (rest & 1)));
    return from;
}

static size_t pack(uint8_t *to, const int64_t *costs, size_t count)
{
    size_t bitmap = (count + 7) / 8, size = 2 * bitmap;

    memset(to, 0, size);
    for (size_t i = 0; i < count; i++) {
        uint8_t bit = (uint8_t)(1u << i % 8);
        if (costs[i] == TP_NONE)
            to[bitmap + i / 8] |= bit;
        else if (costs[i])
            to[i / 8] |= bit, size += put_number(to + size, costs[i]);
    }
    return size;
}

void tp_sum_get(const struct tp_sum *sum, int table, const int64_t *row, int lane, int64_t *costs)
{
    size_t count = tp_sum_costs(sum, table), bitmap = (count + 7) / 8;
    const uint8_t *piece = (const uint8_t *)(uintptr_t)*costs_place_of(sum, table, row, lane);

    memset(costs, 0, count * sizeof *costs);
    if (!piece)
        return;
    piece += HEAD;
    const uint8_t *from = piece + 2 * bitmap;
    for (size_t i = 0; i < count; i++) {
        if (piece[i / 8] >> i % 8 & 1)
            from = get_number(from, &costs[i]);
        else if (piece[bitmap + i / 8] >> i % 8 & 1)
            costs[i] = TP_NONE;
    }
    tp_spill_touch(sum->spill, (size_t)(from - piece));
}

int tp_sum_put(struct tp_sum *sum, int table, int64_t *row, int lane, const int64_t *costs)
{
    uint8_t packed[MOST];
    size_t size = pack(packed, costs, tp_sum_costs(sum, table));
    int64_t *place = costs_place_of(sum, table, row, lane);
    uint8_t *piece = (uint8_t *)(uintptr_t)*place;

    if (!piece || room_of(piece) < size) {
        uint32_t room = (uint32_t)(piece ? size + SPARE : size); /* what has grown once may grow again */
        if (!(piece = tp_spill_alloc(sum->spill, HEAD + room)))
            return -1;
        memcpy(piece, &room, sizeof room);
        *place = (int64_t)(uintptr_t)piece;
    }
    memcpy(piece + HEAD, packed, size);
    tp_spill_touch(sum->spill, HEAD + size);
    return 0;
}
