/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: the bits of a large set are walked word by word, in order. */
#include "case.h"

APART size_t walk(const uint64_t *set, size_t words)
{
    size_t sum = 0;

    for (size_t i = 0; i < words; i++)
        for (uint64_t word = set[i]; word; word &= word - 1)
            sum += i * 64 + (size_t)__builtin_ctzll(word);
    return sum;
}

int main(int argc, char **argv)
{
    size_t words = 50000 * scale_of(argc, argv), sum = 0;
    uint64_t *set = malloc(words * sizeof *set);

    for (size_t i = 0; i < words; i++)
        set[i] = (uint64_t)any() << 32 & (uint64_t)any() << 30;
    for (int round = 0; round < 6; round++)
        sum += walk(set, words);
    printf("%zu\n", sum);
    free(set);
    return 0;
}
