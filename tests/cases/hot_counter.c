/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring of connections, each with a counter that every tick touches, and much that it does not. REPAIRED: the counters
 * lie in an array of their own. */
#include "case.h"

typedef struct {
    char address[48], name[64];
} description;

typedef struct connection {
#ifndef REPAIRED
    description about;
    struct connection *next;
#endif
    uint64_t ticks;
} connection;

APART connection *make_ring(size_t n, description *texts)
{
    connection *ring = calloc(n, sizeof *ring);

    for (size_t i = 0; i < n; i++) {
#ifdef REPAIRED
        texts[i].name[0] = (char)i;
#else
        ring[i].about.name[0] = (char)i;
        ring[i].next = &ring[(i + 1) % n];
        (void)texts;
#endif
    }
    return ring;
}

APART void tick(connection *ring, size_t n)
{
#ifdef REPAIRED
    for (size_t i = 0; i < n; i++)
        ring[i].ticks++;
#else
    connection *at = ring;
    for (size_t i = 0; i < n; i++, at = at->next)
        at->ticks++; /* problem */
#endif
}

int main(int argc, char **argv)
{
    size_t n = 5000 * scale_of(argc, argv);
    description *texts = malloc(n * sizeof *texts);
    connection *ring = make_ring(n, texts);
    uint64_t sum = 0;

    for (int round = 0; round < 40; round++)
        tick(ring, n);
    for (size_t i = 0; i < n; i++)
        sum += ring[i].ticks * (i % 9);
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
