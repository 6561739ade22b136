/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * big.h: big-endian numbers, as SQLite has them in its pages.
 */
#ifndef TENURE_PROFILE_BIG_H
#define TENURE_PROFILE_BIG_H

#include <stdint.h>

static inline void tp_put_u16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
}

static inline void tp_put_u32(uint8_t *p, uint32_t value)
{
    tp_put_u16(p, value >> 16);
    tp_put_u16(p + 2, value);
}

static inline uint32_t tp_big_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

#endif
