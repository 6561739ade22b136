/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.c: chunks, slabs and free lists; see arena.h. A slab's first bytes link it to the others, so that
 * freeing a core is a walk along a few kinds of lists.
 */
#include "arena.h"

#include "core/host.h"
#include "machine.h"

#include <string.h>

enum {
    SLAB = 256 << 10,
    PAGE = 1 << TN_PAGE_BITS,
    SLAB_HEADER = 128, /* so that elements of whole host lines begin at one */
    SPARSE = 4, /* so many chunks of each array are sparse memory: each thread has arrays, and most stay short */
};

static size_t round_up(size_t value, size_t to)
{
    return (value + to - 1) / to * to;
}

/* ------------------------------------------------------------------------------------------ array */

static size_t chunk_bytes(const struct tn_array *array)
{
    return round_up(array->element << TN_ARRAY_CHUNK_BITS, PAGE);
}

void tn_array_init(struct tn_array *array, size_t element)
{
    array->chunks = tn_host_alloc_sparse(TN_ARRAY_CHUNKS * sizeof *array->chunks);
    array->element = element;
    array->count = array->made = 0;
}

void tn_array_free(struct tn_array *array)
{
    if (!array->chunks)
        return;
    for (uint32_t i = 0; array->made > 0; i++) {
        if (array->chunks[i]) {
            tn_host_free(array->chunks[i], chunk_bytes(array));
            array->made--;
        }
    }
    tn_host_free(array->chunks, TN_ARRAY_CHUNKS * sizeof *array->chunks);
    array->chunks = NULL;
}

void *tn_array_force(struct tn_array *array, uint32_t index)
{
    uint32_t chunk = index >> TN_ARRAY_CHUNK_BITS;
    if (chunk >= TN_ARRAY_CHUNKS)
        tn_host_panic("an index of the core has outgrown its array");
    if (!array->chunks[chunk]) {
        array->chunks[chunk] = (array->made < SPARSE ? tn_host_alloc_sparse : tn_host_alloc)(chunk_bytes(array));
        array->made++;
    }
    return tn_array_at(array, index);
}

void *tn_array_add(struct tn_array *array)
{
    return tn_array_force(array, array->count++);
}

size_t tn_array_bytes(const struct tn_array *array)
{
    return array->made * chunk_bytes(array);
}

/* ------------------------------------------------------------------------------------------ slots */

void tn_slots_init(struct tn_slots *slots, size_t element)
{
    tn_array_init(&slots->array, element);
    tn_array_add(&slots->array);
    slots->free = 0;
}

void tn_slots_free(struct tn_slots *slots)
{
    tn_array_free(&slots->array);
}

uint32_t tn_slots_get(struct tn_slots *slots)
{
    uint32_t index = slots->free;
    if (!index) {
        tn_array_add(&slots->array);
        return slots->array.count - 1;
    }
    void *element = tn_slots_at(slots, index);
    memcpy(&slots->free, element, sizeof slots->free);
    memset(element, 0, slots->array.element);
    return index;
}

void tn_slots_put(struct tn_slots *slots, uint32_t index)
{
    memcpy(tn_slots_at(slots, index), &slots->free, sizeof slots->free);
    slots->free = index;
}

/* ------------------------------------------------------------------------------------------ slabs */

static struct tn_slab *slab_new(struct tn_slab **list, size_t bytes, size_t *total)
{
    struct tn_slab *slab = tn_host_alloc(bytes);
    slab->next = *list;
    slab->bytes = bytes;
    *list = slab;
    *total += bytes;
    return slab;
}

static void slabs_free(struct tn_slab *slab)
{
    while (slab) {
        struct tn_slab *next = slab->next;
        tn_host_free(slab, slab->bytes);
        slab = next;
    }
}

/* ------------------------------------------------------------------------------------------ pool */

void tn_pool_init(struct tn_pool *pool, size_t element)
{
    memset(pool, 0, sizeof *pool);
    pool->element = round_up(element < sizeof(void *) ? sizeof(void *) : element, 8);
}

void tn_pool_free(struct tn_pool *pool)
{
    slabs_free(pool->slabs);
    pool->slabs = NULL;
}

static void pool_grow(struct tn_pool *pool)
{
    struct tn_slab *slab = slab_new(&pool->slabs, round_up(SLAB + pool->element, PAGE), &pool->bytes);
    pool->bump = (char *)slab + SLAB_HEADER;
    pool->end = (char *)slab + slab->bytes;
}

void *tn_pool_get(struct tn_pool *pool)
{
    pool->live++;
    if (pool->free) {
        void *element = pool->free;
        memcpy(&pool->free, element, sizeof pool->free);
        memset(element, 0, pool->element);
        return element;
    }
    if (pool->bump == NULL || (size_t)(pool->end - pool->bump) < pool->element)
        pool_grow(pool);
    void *element = pool->bump;
    pool->bump += pool->element;
    return element;
}

void tn_pool_put(struct tn_pool *pool, void *element)
{
    pool->live--;
    memcpy(element, &pool->free, sizeof pool->free);
    pool->free = element;
}

void *tn_pool_next(const struct tn_pool *pool, struct tn_pool_walk *walk)
{
    for (;;) {
        if (!walk->at) {
            walk->slab = walk->slab ? walk->slab->next : pool->slabs;
            if (!walk->slab)
                return NULL;
            walk->at = (char *)walk->slab + SLAB_HEADER;
        }
        char *end = walk->slab == pool->slabs ? pool->bump : (char *)walk->slab + walk->slab->bytes;
        char *element = walk->at;
        if (element + pool->element <= end) {
            walk->at += pool->element;
            return element;
        }
        walk->at = NULL;
    }
}

/* ------------------------------------------------------------------------------------------ bytes */

void tn_bytes_init(struct tn_bytes *bytes)
{
    memset(bytes, 0, sizeof *bytes);
}

void tn_bytes_free(struct tn_bytes *bytes)
{
    slabs_free(bytes->slabs);
    bytes->slabs = NULL;
}

void *tn_bytes_get(struct tn_bytes *bytes, size_t size)
{
    size = round_up(size, 8);
    if (bytes->bump == NULL || (size_t)(bytes->end - bytes->bump) < size) {
        size_t want = round_up(sizeof(struct tn_slab) + size, PAGE);
        struct tn_slab *slab = slab_new(&bytes->slabs, want > SLAB ? want : SLAB, &bytes->bytes);
        bytes->bump = (char *)slab + sizeof *slab;
        bytes->end = (char *)slab + slab->bytes;
    }
    void *memory = bytes->bump;
    bytes->bump += size;
    return memory;
}

const char *tn_bytes_text(struct tn_bytes *bytes, const char *text)
{
    size_t length = 0;
    while (text && text[length])
        length++;
    char *copy = tn_bytes_get(bytes, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}
