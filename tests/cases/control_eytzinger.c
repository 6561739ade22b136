/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: a search in the order of Eytzinger, of keys that fit into the first level. */
#include "case.h"

enum { N = 1023 };

static uint32_t keys[N + 1], next;

static void place(size_t at)
{
    if (at > N)
        return;
    place(2 * at);
    keys[at] = next += 3;
    place(2 * at + 1);
}

APART size_t find(uint32_t wanted)
{
    size_t at = 1;

    while (at <= N)
        at = 2 * at + (keys[at] < wanted);
    return at;
}

int main(int argc, char **argv)
{
    size_t sum = 0, times = 200000 * scale_of(argc, argv);

    place(1);
    for (size_t i = 0; i < times; i++)
        sum += find(any() % (3 * N));
    printf("%zu\n", sum);
    return 0;
}
