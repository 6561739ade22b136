/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * big.h: big-endian numbers, as SQLite has them in the header of a database and in its pages. What lies behind these
 * pages (seal.h) has them, too, so that a file has one order of bytes. Numbers of raw profiles are little-endian
 * (profile/raw/raw_read.h). Pointers need no alignment.
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
