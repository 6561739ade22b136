/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rng.h: random numbers that are the same everywhere: a counter, well mixed. */
#ifndef TENURE_REFMODEL_RNG_H
#define TENURE_REFMODEL_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t x = rng->state += 0x9e3779b97f4a7c15ull;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

static inline void rng_seed(struct rng *rng, uint64_t seed)
{
    rng->state = seed * 0xd1342543de82ef95ull;
    rng_next(rng);
}

/* 0 to limit - 1. */
static inline uint32_t rng_below(struct rng *rng, uint32_t limit)
{
    return (uint32_t)((rng_next(rng) >> 32) * limit >> 32);
}

#endif
