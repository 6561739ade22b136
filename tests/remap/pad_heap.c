/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Elements of 24 bytes in a large block of the heap become 40 bytes: more lines for the same data. */
#include "twin.h"

enum { N = 40000, ROUNDS = 8 };

struct element {
    uint64_t value[3];
#ifdef TWIN
    uint64_t more[2];
#endif
};

APART static struct element *make(void)
{
    struct element *elements = malloc(N * sizeof *elements);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t k = 0; k < 3; k++)
            elements[i].value[k] = i * k;
    return elements;
}

int main(void)
{
    struct element *elements = make();
    uint64_t sum = 0;
    for (uint32_t k = 0; k < ROUNDS; k++)
        for (uint32_t i = 0; i < N; i++)
            sum += elements[i].value[0] + elements[i].value[2];
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
