/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.c: asks for four dumps in the middle of calls, `parts a`, or executes the same instructions without, `parts b`:
 * there the request is the harmless TENURE_REQUEST_RUNNING.
 *
 * Between dumps it walks through memory, some of it twice, by functions that call each other, so that lines are
 * loaded in one part and evicted in another, and calls begin in one part and return in another.
 */
#include "tenure.h"

#include <stdio.h>

enum { BYTES = 1 << 18, STEPS = 60000 };
static unsigned char memory[BYTES];
static unsigned long request;

__attribute__((noinline)) static unsigned walk(unsigned seed, unsigned steps)
{
    for (unsigned i = 0; i < steps; i++) {
        seed = seed * 1664525 + 1013904223;
        memory[(seed >> 8) % BYTES] += (unsigned char)i;
        memory[(seed >> 12) % (BYTES / 16)]++;
    }
    return seed;
}

__attribute__((noinline)) static unsigned nested(unsigned depth, unsigned seed)
{
    unsigned value = walk(seed, STEPS / 10);

    if (depth == 2)
        (void)tenure_request_(request, 0);
    if (depth)
        value += nested(depth - 1, value);
    return value + walk(value, STEPS / 20);
}

int main(int argc, char **argv)
{
    unsigned value = 1;

    request = TENURE_REQUEST_BASE + (argc > 1 ? argv[1][0] & 1 : 0);
    for (unsigned round = 0; round < 4; round++)
        value = nested(4, walk(value, STEPS));
    printf("%u\n", value);
    return 0;
}
