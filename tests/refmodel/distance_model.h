/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * distance_model.h: docs/model.md, section 21, as it is written: all lines that a cache was ever asked for, in the
 * order of their last use.
 */
#ifndef TENURE_REFMODEL_DISTANCE_MODEL_H
#define TENURE_REFMODEL_DISTANCE_MODEL_H

#include "list_cache.h"

#include <string.h>

enum { NEVER = 1 << 30 };

/* The line is used: its distance, NEVER if it was not used before. */
static inline uint32_t stack_use(struct cache *cache, uint64_t line)
{
    struct stack *stack = &cache->stack;
    uint64_t set = cache_set(cache, line);
    uint32_t distance = 0;
    size_t i = stack->lines;

    while (i > 0 && stack->line[i - 1] != line)
        distance += cache_set(cache, stack->line[--i]) == set;
    if (i > 0) {
        memmove(stack->line + i - 1, stack->line + i, (stack->lines - i) * sizeof *stack->line);
    } else {
        distance = NEVER;
        if (stack->lines++ == stack->room)
            stack->line = realloc(stack->line, (stack->room += 1000) * sizeof *stack->line);
    }
    stack->line[stack->lines - 1] = line;
    return distance;
}

/* Which event a distance is, from 0; -1: none. */
static inline int stack_event(uint32_t distance)
{
    static const uint32_t from[M_DISTANCES] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
    int event = M_DISTANCES - 1;

    while (event >= 0 && distance < from[event])
        event--;
    return event;
}

#endif
