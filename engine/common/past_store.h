/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * past_store.h: which instructions store past the caches (docs/model.md, 3), for every engine alike.
 *
 * They are movnti, movntq, movntdq, movntps, movntpd, movntss, movntsd, maskmovq and maskmovdqu, in all encodings: no
 * other instruction of 64-bit code has one of their four opcodes behind 0f, or in the map that stands for it.
 */
#ifndef TENURE_ENGINE_PAST_STORE_H
#define TENURE_ENGINE_PAST_STORE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the instruction in these bytes is one of them. */
static inline bool past_store(const uint8_t *bytes, unsigned length)
{
    enum { REX = 0x40, SEGMENT = 0x26, SEGMENT_OR_SIZE = 0x64, REPEAT = 0xf2 };
    enum { MAP_0F = 0x0f, EVEX = 0x62, VEX3 = 0xc4, VEX2 = 0xc5, MAP_BITS = 0x07 };
    unsigned at = 0, opcode;

    while (at < length && ((bytes[at] & 0xf0) == REX || (bytes[at] & 0xe7) == SEGMENT ||
                           (bytes[at] & 0xfc) == SEGMENT_OR_SIZE || (bytes[at] & 0xfe) == REPEAT))
        at++;
    if (at + 1 >= length)
        return false;
    switch (bytes[at]) {
    case MAP_0F:
        opcode = at + 1;
        break;
    case VEX2:
        opcode = at + 2;
        break;
    case VEX3:
    case EVEX:
        if ((bytes[at + 1] & MAP_BITS) != 1)
            return false;
        opcode = at + (bytes[at] == EVEX ? 4 : 3);
        break;
    default:
        return false;
    }
    return opcode < length && (bytes[opcode] == 0x2b || bytes[opcode] == 0xc3 || bytes[opcode] == 0xe7 ||
                               bytes[opcode] == 0xf7);
}

#endif
