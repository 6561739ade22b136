/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks that come and go, and others that come and go between them: the pool uses the place that was left
 * last.
 */
#include "twin.h"

enum { N = 4000, TURNS = 150000 };

struct item {
    uint64_t value[5];
};

/*
 * Where an item is, in eight bytes: in the twin its number in the pool, and malloc's block, which it does
 * not use.
 */
typedef uint64_t handle;

#ifdef TWIN
static struct item *pool;
static uint32_t freed[N], freed_count, made;
static char *base;
#define ITEM(of) pool[(uint32_t)(of)]
#else
#define ITEM(of) *(struct item *)(of)
#endif

APART static handle make(uint64_t value)
{
#ifdef TWIN
    if (!pool)
        pool = aligned_alloc(4096, (N * sizeof *pool + 4095) / 4096 * 4096);
    uint32_t number = freed_count ? freed[--freed_count] : made++;
    char *asked = ask_malloc(sizeof *pool);
    base = base ? base : asked - (1 << 20);
    handle item = (uint64_t)(asked - base) << 32 | number;
#else
    handle item = (handle)malloc(sizeof(struct item));
#endif
    for (int k = 0; k < 5; k++)
        (ITEM(item)).value[k] = value + (uint64_t)k;
    return item;
}

APART static void drop(handle item)
{
#ifdef TWIN
    freed[freed_count++] = (uint32_t)item;
    free(base + (item >> 32));
#else
    free((void *)item);
#endif
}

int main(void)
{
    static handle items[N];
    static void *others[N];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < TURNS; i++) {
        uint32_t which = any() % N, other = any() % N;
        if (items[which]) {
            sum += (ITEM(items[which])).value[0] ^ (ITEM(items[which])).value[4];
            drop(items[which]);
            items[which] = 0;
        } else {
            items[which] = make(i);
        }
        if (i % 4 == 0) {
            free(others[other]);
            others[other] = malloc(any() % 200);
        }
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
