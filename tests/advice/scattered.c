/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Eight bytes here, eight bytes there, in no order, of a table that the cache cannot hold. FIXED: in order. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 1 << 19, LOOKS = 1 << 20 };

__attribute__((noinline)) static uint64_t look(const uint64_t *table)
{
    uint64_t sum = 0;
    uint32_t at = 1;

    for (int i = 0; i < LOOKS; i++) {
#ifdef FIXED
        at = (uint32_t)i;
#else
        at = at * 1664525u + 1013904223u;
#endif
        sum += table[at >> 7 & (PLACES - 1)]; /* here */
    }
    return sum;
}

int main(void)
{
    uint64_t *table = malloc(PLACES * sizeof *table);

    for (int i = 0; i < PLACES; i++)
        table[i] = (uint64_t)i;
    printf("%d\n", look(table) != 0);
    free(table);
    return 0;
}
