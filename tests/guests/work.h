/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.h: for guests with libc: work that can be counted.
 *
 * work(p, n) reads n fresh lines: n data reads, n level-1 read misses if the lines have not been touched before,
 * in a function of its own. take_lines(n) hands out lines that nobody has touched.
 */
#ifndef TENURE_GUEST_WORK_H
#define TENURE_GUEST_WORK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define OUT __attribute__((noinline, noclone))

enum { WORK_LINES = 1 << 16 };
static char work_lines[WORK_LINES][64] __attribute__((aligned(64), unused));

static inline char *take_lines(size_t n)
{
    static size_t used;
    return work_lines[__atomic_fetch_add(&used, n, __ATOMIC_RELAXED)];
}

OUT static __attribute__((unused)) uint64_t work(const char *p, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t value;
        __asm__ volatile("movq %1, %0" : "=r"(value) : "m"(*(const uint64_t *)(p + 64 * i)));
        sum += value + 1;
    }
    return sum;
}

#endif
