/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks.c: an allocator of its own, under the usual names, and a pool on top of it.
 *
 * `malloc` takes from anonymous mappings of 64 KiB, `free` puts into a list that nothing is taken from. With 64-byte
 * lines and a D1 that holds none of it, blocks and misses of each data object are:
 *   malloc under make_list   400 blocks, 64 bytes each; 400 misses for each of three walks; half of them are freed
 *   malloc under make_twice  2 blocks, 100 and 300 bytes: by realloc of a block that moves, under the same function
 *   pool_get under make_pool 100 blocks of 32 bytes, with --alloc-fn=pool_get:2, inside one of malloc's
 *   table                    32 KiB: 512 misses
 *   mapped                   mmap under map_some: 64 KiB, 1024 misses
 */
#include "guest.h"

enum { CHUNK = 1 << 16, NODES = 400, POOLED = 100, LINE = 64 };

struct node {
    struct node *next;
    uint64_t rest[7];
};
struct pool {
    char *at;
};

static uint64_t table[4096] __attribute__((aligned(4096)));
static char *chunk, *chunk_end;

/* Where no engine has reason to differ. */
static uint64_t next_pages = 0x10000000;

OUT void *system_pages(size_t bytes);
void *system_pages(size_t bytes)
{
    register long flags __asm__("r10") = 0x22, fd __asm__("r8") = -1, offset __asm__("r9") = 0;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(9L), "D"(next_pages), "S"(bytes), "d"(3L), "r"(flags), "r"(fd), "r"(offset)
                     : "rcx", "r11", "memory");
    next_pages += 16 * bytes;
    return (void *)result;
}

OUT void *malloc(size_t bytes);
void *malloc(size_t bytes)
{
    char *block;
    bytes = (bytes + LINE - 1) / LINE * LINE;
    if ((size_t)(chunk_end - chunk) < bytes) {
        chunk = system_pages(CHUNK);
        chunk_end = chunk + CHUNK;
    }
    block = chunk;
    chunk += bytes;
    return block;
}

static void *last_freed;

OUT void free(void *block);
void free(void *block)
{
    STORE(&last_freed, (uint64_t)block);
}

OUT void *realloc(void *block, size_t bytes);
void *realloc(void *block, size_t bytes)
{
    uint64_t *to = malloc(bytes);
    for (size_t i = 0; i < bytes / 24; i++)
        STORE(to + i, LOAD((uint64_t *)block + i));
    free(block);
    return to;
}

OUT void *pool_get(struct pool *pool, size_t bytes);
void *pool_get(struct pool *pool, size_t bytes)
{
    char *block = pool->at;
    pool->at += bytes;
    return block;
}

OUT struct node *make_list(void);
struct node *make_list(void)
{
    struct node *list = NULL;
    for (int i = 0; i < NODES; i++) {
        struct node *node = malloc(sizeof *node);
        STORE(&node->next, (uint64_t)list);
        list = node;
    }
    return list;
}

OUT uint64_t walk(const struct node *list);
uint64_t walk(const struct node *list)
{
    uint64_t nodes = 0;
    for (; list; list = (const struct node *)LOAD(&list->next))
        nodes++;
    return nodes;
}

OUT void free_half(struct node *list);
void free_half(struct node *list)
{
    for (struct node *next; list && list->next; list = next) {
        next = list->next->next;
        free(list);
    }
}

OUT char *make_twice(void);
char *make_twice(void)
{
    return realloc(malloc(100), 300);
}

OUT uint64_t make_pool(void);
uint64_t make_pool(void)
{
    struct pool pool = {malloc(POOLED * 32)};
    uint64_t sum = 0;
    for (int i = 0; i < POOLED; i++)
        STORE(pool_get(&pool, 32), (uint64_t)i);
    for (int i = 0; i < POOLED; i++)
        sum += LOAD(pool.at - 32 * (i + 1));
    return sum;
}

OUT uint64_t sum_table(void);
uint64_t sum_table(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i += LINE / 8)
        sum += LOAD(&table[i]);
    return sum;
}

OUT uint64_t map_some(void);
uint64_t map_some(void)
{
    uint64_t *mapped = system_pages(CHUNK), sum = 0;
    for (size_t i = 0; i < CHUNK / 8; i += LINE / 8)
        sum += LOAD(&mapped[i]);
    return sum;
}

void guest_main(void)
{
    struct node *list = make_list();
    uint64_t nodes = walk(list);
    guest_say("nodes", nodes + walk(list));
    guest_say("moved", (uint64_t)(make_twice() != NULL));
    guest_say("pool", make_pool());
    guest_say("table", sum_table() + map_some());
    free_half(list);
    guest_say("left", walk(list));
    guest_exit(0);
}
