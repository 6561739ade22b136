/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: a radix sort of 16 digits a pass, whose open lines all fit into the first level. */
#include "case.h"

enum { DIGITS = 16 };

APART void pass(const uint32_t *from, uint32_t *to, size_t n, int shift)
{
    size_t places[DIGITS + 1] = {0};

    for (size_t i = 0; i < n; i++)
        places[(from[i] >> shift) % DIGITS + 1]++;
    for (size_t i = 1; i < DIGITS; i++)
        places[i] += places[i - 1];
    for (size_t i = 0; i < n; i++)
        to[places[(from[i] >> shift) % DIGITS]++] = from[i];
}

int main(int argc, char **argv)
{
    size_t n = 30000 * scale_of(argc, argv);
    uint32_t *keys = malloc(n * sizeof *keys), *other = malloc(n * sizeof *other);
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        keys[i] = any();
    for (int shift = 0; shift < 32; shift += 8) {
        pass(keys, other, n, shift);
        pass(other, keys, n, shift + 4);
    }
    for (size_t i = 0; i < n; i++)
        sum += keys[i] * (uint64_t)(i % 11);
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
