/* SPDX-License-Identifier: GPL-2.0-or-later */
/* case.h: what the programs in C and C++ share. Each is given a scale, which makes its data larger [1]. */
#ifndef CASE_H
#define CASE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Functions that stay functions, so that advice can name them, and are called as often as it is written. */
#if defined __has_attribute && __has_attribute(noipa)
#define APART __attribute__((noipa)) static
#else
#define APART __attribute__((noinline)) static
#endif

__attribute__((unused)) static size_t scale_of(int argc, char **argv)
{
    return argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
}

/* Numbers in no order, the same in each run. */
__attribute__((unused)) static uint32_t any(void)
{
    static uint32_t state = 1;

    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

__attribute__((unused)) static void shuffle(uint32_t *numbers, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t other = any() % i;
        uint32_t number = numbers[other];
        numbers[other] = numbers[i - 1];
        numbers[i - 1] = number;
    }
}

#endif
