/* SPDX-License-Identifier: GPL-2.0-or-later */
/* twin.h: what the programs here share. -DTWIN makes the one whose layout was changed by hand. */
#ifndef TWIN_H
#define TWIN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Functions that stay functions, so that a remap can name them. */
#define APART __attribute__((noinline, noclone))

/*
 * What malloc itself reads and writes stays where it is when blocks are simulated elsewhere. So a twin
 * that has its own memory asks malloc all the same, and does not use the block.
 */
__attribute__((unused)) APART static void *ask_malloc(size_t bytes)
{
    return malloc(bytes);
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

__attribute__((unused)) static void shuffle(uint32_t *numbers, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t other = any() % i, number = numbers[other];
        numbers[other] = numbers[i - 1];
        numbers[i - 1] = number;
    }
}

#endif
