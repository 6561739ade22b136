/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A static table whose entries have three fields that are used together, each in a line of its own; but in
 * the twin.
 */
#include "twin.h"

enum { N = 3000, ROUNDS = 20 };

struct entry {
#ifdef TWIN
    uint64_t a, b, c;
    char other[112], more[120];
#else
    uint64_t a;
    char other[112];
    uint64_t b;
    char more[120];
    uint64_t c;
#endif
};
__attribute__((aligned(64))) static struct entry table[N];

int main(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < N; i++) {
        table[i].a = i;
        table[i].b = i / 3;
        table[i].more[60] = (char)i;
    }
    for (uint32_t k = 0; k < ROUNDS * N; k++) {
        struct entry *entry = &table[any() % N];
        entry->c += entry->a ^ entry->b;
        sum += entry->c;
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
