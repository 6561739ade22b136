/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An array of lines in a large block of the heap, which malloc puts 16 bytes behind the begin of one. */
#include "twin.h"

enum { N = 6000, ROUNDS = 16 };

struct line {
    uint64_t value[8];
};

APART static struct line *make(void)
{
#ifdef TWIN
    struct line *lines = aligned_alloc(64, N * sizeof *lines);
#else
    struct line *lines = malloc(N * sizeof *lines);
#endif
    for (uint32_t i = 0; i < N; i++)
        for (int k = 0; k < 8; k++)
            lines[i].value[k] = i;
    return lines;
}

int main(void)
{
    struct line *lines = make();
    uint64_t sum = 0;
    for (uint32_t k = 0; k < ROUNDS * N; k++) {
        struct line *line = &lines[any() % N];
        sum += line->value[0] + line->value[7]++;
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
