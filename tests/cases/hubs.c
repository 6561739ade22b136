/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In a graph a few nodes, the hubs, are at the end of most edges, and their ranks are scattered among those of all
 * others. REPAIRED: nodes are numbered by degree, so that hubs share lines. */
#include "case.h"

enum { EDGES = 8 }; /* from each node */

APART double *make_ranks(size_t n, const uint32_t *number)
{
    double *ranks = malloc(n * sizeof *ranks);

    for (size_t i = 0; i < n; i++)
        ranks[number[i]] = (double)(i % 100);
    return ranks;
}

/* Of five hundred edges all but one lead to a hub, which one node in forty is. */
APART uint32_t *make_edges(size_t n, const uint32_t *number)
{
    uint32_t *to = malloc(EDGES * n * sizeof *to);

    for (size_t i = 0; i < EDGES * n; i++)
        to[i] = number[any() % (i % 500 ? n / 40 : n)];
    return to;
}

APART double gather(const double *ranks, const uint32_t *to, size_t edges)
{
    double sum = 0;

    for (size_t i = 0; i < edges; i++)
        sum += ranks[to[i]]; /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = 20000 * scale_of(argc, argv);
    uint32_t *number = malloc(n * sizeof *number), *edges;
    double *ranks, sum = 0;

    for (size_t i = 0; i < n; i++)
        number[i] = (uint32_t)i;
    shuffle(number, n);
#ifdef REPAIRED
    for (size_t i = 0; i < n; i++)
        number[i] = (uint32_t)i;
#endif
    ranks = make_ranks(n, number);
    edges = make_edges(n, number);
    for (int round = 0; round < 10; round++)
        sum += gather(ranks, edges, EDGES * n);
    printf("%.0f\n", sum);
    return 0;
}
