/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.h: where the core's memory comes from.
 *
 * Four shapes, all fed by tn_host_alloc in big pieces, none of which ever moves what it handed out:
 *
 *   tn_array  elements of one size, by index, growing at the end; element i is chunk[i / N] + i % N
 *   tn_pool   elements of one size, by pointer, with a free list
 *   tn_slots  elements of one size, by index from 1, with a free list: a name costs 4 bytes
 *   tn_bytes  bytes that live as long as the core (names, runs of ids)
 *
 * New elements are zero.
 */
#ifndef TENURE_CORE_ARENA_H
#define TENURE_CORE_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum { TN_ARRAY_CHUNK_BITS = 12, TN_ARRAY_CHUNKS = 1 << 14 };

struct tn_array {
    char **chunks; /* TN_ARRAY_CHUNKS pointers, NULL until used */
    size_t element;
    uint32_t count;
    uint32_t made; /* chunks */
};

void tn_array_init(struct tn_array *array, size_t element);
void tn_array_free(struct tn_array *array);

/* Append a zeroed element; its index is count - 1 afterwards. */
void *tn_array_add(struct tn_array *array);

/* The element `index`, which must be below TN_ARRAY_CHUNKS << TN_ARRAY_CHUNK_BITS; made if it is not there yet.
 * Does not change count: for sparse arrays. */
void *tn_array_force(struct tn_array *array, uint32_t index);

/* The element `index`; NULL if its chunk was never made. */
static inline void *tn_array_get(const struct tn_array *array, uint32_t index)
{
    char *chunk = array->chunks[index >> TN_ARRAY_CHUNK_BITS];
    return chunk ? chunk + (index & ((1u << TN_ARRAY_CHUNK_BITS) - 1)) * array->element : NULL;
}

/* The element `index`, known to exist. */
static inline void *tn_array_at(const struct tn_array *array, uint32_t index)
{
    return array->chunks[index >> TN_ARRAY_CHUNK_BITS] +
           (index & ((1u << TN_ARRAY_CHUNK_BITS) - 1)) * array->element;
}

/* As tn_array_at, with a size of elements that the compiler knows. */
#define TN_ARRAY_AT(type, array, index)                      \
    ((type *)(array)->chunks[(index) >> TN_ARRAY_CHUNK_BITS] + \
     ((index) & ((1u << TN_ARRAY_CHUNK_BITS) - 1)))

size_t tn_array_bytes(const struct tn_array *array);

struct tn_slots {
    struct tn_array array;
    uint32_t free; /* linked through the first word of each free element; 0: none */
};

void tn_slots_init(struct tn_slots *slots, size_t element);
void tn_slots_free(struct tn_slots *slots);
/* Get a zeroed element; returns its index. */
uint32_t tn_slots_get(struct tn_slots *slots);
void tn_slots_put(struct tn_slots *slots, uint32_t index);
static inline void *tn_slots_at(const struct tn_slots *slots, uint32_t index)
{
    return tn_array_at(&slots->array, index);
}

struct tn_slab {
    struct tn_slab *next;
    size_t bytes;
};

struct tn_pool {
    struct tn_slab *slabs;
    void *free;    /* linked through the first word of each free element */
    char *bump, *end;
    size_t element;
    uint64_t live; /* elements handed out and not given back */
    size_t bytes;  /* of all slabs */
};

void tn_pool_init(struct tn_pool *pool, size_t element);
void tn_pool_free(struct tn_pool *pool);
void *tn_pool_get(struct tn_pool *pool);
void tn_pool_put(struct tn_pool *pool, void *element);

/* All elements, free ones too, in an order that only ever grows. Start with a zeroed walk; NULL at the end, and
 * then from the start again. */
struct tn_pool_walk {
    struct tn_slab *slab;
    char *at;
};
void *tn_pool_next(const struct tn_pool *pool, struct tn_pool_walk *walk);

struct tn_bytes {
    struct tn_slab *slabs;
    char *bump, *end;
    size_t bytes;
};

void tn_bytes_init(struct tn_bytes *bytes);
void tn_bytes_free(struct tn_bytes *bytes);
/* `size` zeroed bytes, aligned to 8. */
void *tn_bytes_get(struct tn_bytes *bytes, size_t size);
/* A copy of `text`; "" for NULL. */
const char *tn_bytes_text(struct tn_bytes *bytes, const char *text);

#endif
