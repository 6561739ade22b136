/* SPDX-License-Identifier: GPL-2.0-or-later */
/* twin.h: what the programs here share. -DTWIN makes the one whose layout was changed by hand. */
#ifndef TWIN_H
#define TWIN_H

#include "../cases/case.h"

/* Functions that stay functions, so that a remap can name them. */
#undef APART
#define APART __attribute__((noinline, noclone))

/*
 * What malloc itself reads and writes stays where it is when blocks are simulated elsewhere. So a twin
 * that has its own memory asks malloc all the same, and does not use the block.
 */
__attribute__((unused)) APART static void *ask_malloc(size_t bytes)
{
    return malloc(bytes);
}

/* The numbers below n, in no order. */
__attribute__((unused)) static void shuffled(uint32_t *numbers, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = i;
    shuffle(numbers, n);
}

#endif
