/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data.c: every kind of data object that a C program has. test_data.py says what must be counted.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCKS = 100, SOME = 1000, LINE = 64, TABLE = 1 << 16, PAGES = 1 << 16 };
#define APART __attribute__((noinline, noclone))

static volatile char sink;
static char *kept[BLOCKS];
char common_block[TABLE] __attribute__((aligned(LINE))); /* with -fcommon */
static char table[TABLE] __attribute__((aligned(LINE))) = {1};

static APART void touch(const char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE)
        sink += memory[i];
}

static APART void by_malloc(void)
{
    for (int i = 0; i < BLOCKS; i++)
        kept[i] = malloc(SOME);
    for (int i = 0; i < BLOCKS; i += 2)
        free(kept[i]);
}

static APART void by_calloc(void)
{
    touch(calloc(10, SOME), 10 * SOME);
}

/* 10 times as large each time: it moves, and at last is mapped. */
static APART void by_realloc(void)
{
    char *block = NULL;
    for (size_t bytes = 100; bytes <= 1000000; bytes *= 10)
        block = realloc(block, bytes);
    block = reallocarray(block, 1000, 2000);
    free(block);
    free(realloc(malloc(10), 0));
}

static APART void by_alignment(void)
{
    void *block;
    if (posix_memalign(&block, 256, SOME) == 0)
        free(block);
    free(aligned_alloc(128, 2 * SOME));
    free(memalign(64, 3 * SOME));
    free(valloc(4 * SOME));
    free(pvalloc(4096));
}

static APART void by_strdup(void)
{
    free(strdup("a text that is duplicated: the block is strdup's, and this function's"));
}

static APART char *by_mmap(size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Its first half has to move: the second is in the way. */
static APART void mapped(void)
{
    char *memory = by_mmap(2 * PAGES);
    touch(memory, PAGES);
    memory = mremap(memory, PAGES, 2 * PAGES, MREMAP_MAYMOVE);
    touch(memory, PAGES);
    munmap(memory, 2 * PAGES);
}

static APART void *in_thread(void *block)
{
    char own[20000];
    memset(own, 1, sizeof own);
    touch(own, sizeof own);
    free(block); /* of another thread's */
    return malloc(SOME);
}

static APART void by_thread(void)
{
    pthread_t thread;
    void *block = malloc(2 * SOME);
    if (pthread_create(&thread, NULL, in_thread, block) == 0)
        pthread_join(thread, &block);
    free(block);
}

/* An allocator of its own inside one block: with --alloc-fn=pool_get:2 and --free-fn=pool_put:2. */
struct pool {
    char *at, *free;
};

static APART void *pool_get(struct pool *pool, size_t bytes)
{
    char *block = pool->free != NULL ? pool->free : pool->at;
    pool->at += pool->free != NULL ? 0 : bytes;
    pool->free = NULL;
    return block;
}

static APART void pool_put(struct pool *pool, void *block)
{
    pool->free = block;
}

static APART void by_pool(void)
{
    struct pool pool = {malloc(BLOCKS * SOME), NULL};
    for (int i = 0; i < BLOCKS; i++) {
        char *block = pool_get(&pool, SOME);
        touch(block, SOME);
        if (i % 4 == 0)
            pool_put(&pool, block);
    }
}

/* With --alloc-fn=xmalloc the block is its, and of its caller. */
static APART void *xmalloc(size_t bytes)
{
    void *block = malloc(bytes);
    if (block == NULL)
        abort();
    return block;
}

static APART void by_wrapper(void)
{
    touch(xmalloc(SOME), SOME);
}

int main(void)
{
    by_malloc();
    by_calloc();
    by_realloc();
    by_alignment();
    by_strdup();
    mapped();
    by_thread();
    by_pool();
    by_wrapper();
    touch(common_block, sizeof common_block);
    touch(table, sizeof table);
    return 0;
}
