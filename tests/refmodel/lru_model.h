/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lru_model.h: the replacement policy of the reference model (core/access/lru.h is what it is compared with).
 *
 * A set is an array of entries, the most recently used first. Another policy would be other functions of these names,
 * with the order, or whatever else it needs, as its own.
 */
#ifndef TENURE_REFMODEL_LRU_MODEL_H
#define TENURE_REFMODEL_LRU_MODEL_H

#include <stdint.h>
#include <string.h>

/* The entry at `place` is used. */
static inline void lru_use(void **way, uint32_t place)
{
    void *used = way[place];

    memmove(way + 1, way, place * sizeof *way);
    way[0] = used;
}

/* The place of the entry that leaves, of `assoc` entries. */
static inline uint32_t lru_victim(uint32_t assoc)
{
    return assoc - 1;
}

#endif
