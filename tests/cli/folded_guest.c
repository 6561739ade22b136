/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks that are allocated by 16,384 paths of calls, of which a few cost more than all the others. */
#include <stdlib.h>

#define WAY(name, below)                                \
    __attribute__((noinline)) static void name(unsigned way) \
    {                                                   \
        below(way);                                     \
        __asm__ volatile("");                           \
    }
#define LEVEL(k, below)                                 \
    WAY(left##k, below)                                 \
    WAY(right##k, below)                                \
    __attribute__((noinline)) static void go##k(unsigned way) \
    {                                                   \
        if (way >> (k - 1) & 1)                         \
            left##k(way);                               \
        else                                            \
            right##k(way);                              \
        __asm__ volatile("");                           \
    }

struct item {
    long key, value[7];
};
static struct item *volatile items;

__attribute__((noinline)) static void go0(unsigned way)
{
    size_t size = 64 + way % 3 * 64;

    for (int blocks = way % 4096 == 5 ? 50000 : 1; blocks > 0; blocks--) {
        struct item *block = malloc(size);
        for (size_t i = 0; i < size / sizeof *block; i++)
            block[i].key = 1;
        items = block;
    }
}

LEVEL(1, go0)
LEVEL(2, go1)
LEVEL(3, go2)
LEVEL(4, go3)
LEVEL(5, go4)
LEVEL(6, go5)
LEVEL(7, go6)
LEVEL(8, go7)
LEVEL(9, go8)
LEVEL(10, go9)
LEVEL(11, go10)
LEVEL(12, go11)
LEVEL(13, go12)
LEVEL(14, go13)

int main(void)
{
    for (unsigned way = 0; way < 1u << 14; way++)
        go14(way);
    return 0;
}
