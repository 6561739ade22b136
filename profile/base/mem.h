/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem.h: the containers an import needs.
 *
 *   arena   bytes that live until the end of the import and never move
 *   vector  an array that grows; elements are zeroed; pointers into it are good until it grows
 *   idmap   from ids (any 64-bit number but 0) to indices below 2^32
 *   bytes   what a format that is no text is made of
 *   slots   from things of any kind, which are kept elsewhere, to their indices: a hash table
 *
 * All start as {0}. Whatever can run out of memory says so (NULL or -1) and leaves the container usable.
 */
#ifndef TENURE_PROFILE_MEM_H
#define TENURE_PROFILE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tp_arena {
    struct tp_arena_block *block; /* the newest */
    size_t used, size;            /* of the newest block's bytes */
};

/* Zeroed, aligned to 8. */
void *tp_arena_alloc(struct tp_arena *arena, size_t bytes);
/* A copy of `bytes` bytes with a NUL after it. */
char *tp_arena_copy(struct tp_arena *arena, const void *data, size_t bytes);
/* As printf writes it. */
__attribute__((format(printf, 2, 3))) char *tp_arena_print(struct tp_arena *arena, const char *format, ...);
/* Forget everything that was handed out, but keep memory for as much again. */
void tp_arena_clear(struct tp_arena *arena);
void tp_arena_free(struct tp_arena *arena);

/* TP_VECTOR(struct thing) things = {0}; */
#define TP_VECTOR(type)                                                                                      \
    struct {                                                                                                 \
        type *at;                                                                                            \
        size_t count, room;                                                                                  \
    }
/* One more zeroed element at the end: a pointer to it, or NULL. */
#define TP_VECTOR_ADD(v)                                                                                     \
    (tp_vector_grow((void **)&(v)->at, &(v)->room, (v)->count, sizeof *(v)->at) ? NULL                       \
                                                                                : &(v)->at[(v)->count++])
/* One more at the end, with this value; false: no memory. */
#define TP_VECTOR_PUSH(v, ...)                                                                               \
    (!tp_vector_grow((void **)&(v)->at, &(v)->room, (v)->count, sizeof *(v)->at) &&                          \
     ((v)->at[(v)->count++] = (__VA_ARGS__), true))
/* `n` zeroed elements instead of those there are. 0, or -1. */
#define TP_VECTOR_ZEROES(v, n)                                                                               \
    tp_vector_zeroes((void **)&(v)->at, &(v)->count, &(v)->room, (n), sizeof *(v)->at)
#define TP_VECTOR_FREE(v) tp_vector_free((void **)&(v)->at, &(v)->count, &(v)->room)

int tp_vector_grow(void **at, size_t *room, size_t count, size_t element);
int tp_vector_zeroes(void **at, size_t *count, size_t *room, size_t n, size_t element);
void tp_vector_free(void **at, size_t *count, size_t *room);

/* As long as ids come as 1, 2, 3 ..., as those of a recording mostly do, it is an array without keys. */
struct tp_idmap {
    uint64_t *keys; /* NULL: values[id - 1], count of them */
    uint32_t *values;
    size_t count, room; /* room: a power of two, or 0 */
};
#define TP_NOT_FOUND UINT32_MAX

uint32_t tp_idmap_find(const struct tp_idmap *map, uint64_t id);
/* id must be new and not 0. */
int tp_idmap_add(struct tp_idmap *map, uint64_t id, uint32_t value);
void tp_idmap_clear(struct tp_idmap *map);
void tp_idmap_free(struct tp_idmap *map);

/* A key is compared with the thing itself, so that no hash value, however it came about, makes one of two. */
struct tp_slots {
    struct tp_slot {
        uint32_t hash, index; /* index + 1; 0: free */
    } *at;
    size_t room, count;
};
typedef bool tp_same(const void *things, uint32_t index, const void *key);

/* The slot of the thing with this key, or the free one where it belongs, for tp_slots_fill. NULL: no memory. */
struct tp_slot *tp_slots_find(struct tp_slots *slots, uint64_t hash, tp_same *same, const void *things,
                              const void *key);
/* The thing has been made, and is the last of `count`: returns its index + 1. */
uint32_t tp_slots_fill(struct tp_slots *slots, struct tp_slot *slot, size_t count);
void tp_slots_free(struct tp_slots *slots);

/* Bytes that grow. `failed`: there was no memory; what was put since is lost. */
struct tp_bytes {
    uint8_t *at;
    size_t count, room;
    bool failed;
};
void tp_bytes_put(struct tp_bytes *bytes, const void *data, size_t size);
/* Base 128, low bits first (LEB128). */
void tp_bytes_varint(struct tp_bytes *bytes, uint64_t value);
void tp_bytes_free(struct tp_bytes *bytes);

/* Hash values, of numbers one after the other and of a text. */
static inline uint64_t tp_hash(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}
uint64_t tp_hash_text(const char *text);

/* The order of two numbers, for qsort. */
#define TP_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

#endif
