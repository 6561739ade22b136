/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of the heap of 200 bytes, of which a count at the begin, a key in the middle and a link at the end
 * are used.
 */
#include "twin.h"

enum { N = 3000, ROUNDS = 20 };

struct record {
#ifdef TWIN
    uint32_t count, kind;
    uint64_t key;
    struct record *next;
    char text[88], notes[88];
#else
    uint32_t count, kind;
    char text[88];
    uint64_t key;
    char notes[88];
    struct record *next;
#endif
};
_Static_assert(sizeof(struct record) <= 200, "as the remap has it");

APART static struct record *make(uint64_t key)
{
#ifdef TWIN
    static char *arena; /* as malloc would put them */
    if (!arena)
        arena = (char *)aligned_alloc(4096, N * 208 / 4096 * 4096 + 8192) + 16;
    struct record *record = (struct record *)arena;
    arena += 208;
    ask_malloc(200);
#else
    struct record *record = malloc(200);
#endif
    record->count = 0;
    record->key = key;
    record->text[80] = record->notes[80] = 1;
    return record;
}

int main(void)
{
    static struct record *records[N];
    static uint32_t order[N];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < N; i++)
        records[i] = make(any());
    shuffled(order, N);
    for (uint32_t i = 0; i < N; i++)
        records[order[i]]->next = records[order[(i + 1) % N]];
    struct record *at = records[0];
    for (uint32_t k = 0; k < ROUNDS * N; k++, at = at->next)
        sum += at->key + at->count++;
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
