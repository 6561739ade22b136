/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_host.c: see nt_host.h. */
#include "nt_host.h"

#include <asm/stat.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/resource.h>

#include "core/host.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "nt_gate.h"
#include "nt_limit.h"

enum { FAILED = 125, SMALL_CHUNK = 1 << 20, TYPE_MASK = 0170000, TYPE_REGULAR = 0100000 };
enum { LARGE_PAGE = 2 << 20, PIECE = 1 << 20, POOL = 16 << 20 };

static uint64_t next = NT_HOST_START; /* advanced atomically */
struct nt_lock nt_host_lock;          /* is held where what follows here is changed */
struct piece {
    struct piece *next;
};
static struct pool {
    uint64_t at, end;
} large, small;
static struct piece *given_back[PIECE / NT_PAGE + 1]; /* in large pages, by their size */
static uint64_t small_from = NT_HOST_END; /* all pools of small pages lie here, behind everything else */
static size_t first_bytes;                /* of all pieces so far; until it is POOL, all lie in small pages */

/* ------------------------------------------------------------------------------------------------ memory */

/* At a multiple of the page's size that suits, with a page behind it that nobody has. */
static uint64_t place_for(size_t bytes)
{
    uint64_t unit = bytes >= LARGE_PAGE ? LARGE_PAGE : NT_PAGE;
    uint64_t at = NT_UP(__atomic_fetch_add(&next, NT_UP(bytes, NT_PAGE) + unit, __ATOMIC_RELAXED), unit);

    if (at + bytes > __atomic_load_n(&small_from, __ATOMIC_RELAXED))
        nt_die(FAILED, "the native engine's address space is full\n");
    return at;
}

static void *map_at(uint64_t at, size_t bytes, int protection, int flags, int fd)
{
    long got = nt_sys6(__NR_mmap, (long)at, (long)bytes, protection, MAP_PRIVATE | MAP_FIXED_NOREPLACE | flags, fd, 0);

    return got == (long)at ? (void *)at : NULL;
}

void nt_host_large_pages(void *memory, size_t bytes)
{
    if (bytes >= LARGE_PAGE)
        nt_sys3(__NR_madvise, (long)memory, (long)bytes, MADV_HUGEPAGE);
}

/* Where the system gives large pages to all who do not refuse them. */
static void small_pages(void *memory, size_t bytes)
{
    nt_sys3(__NR_madvise, (long)memory, (long)bytes, MADV_NOHUGEPAGE);
}

static void *map_anonymous(uint64_t at, size_t bytes)
{
    void *memory = map_at(at, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_NORESERVE, -1);

    if (memory == NULL && nt_limit_lift_memory()) {
        memory = map_at(at, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_NORESERVE, -1);
        nt_limit_lower_memory();
    }
    while (memory == NULL && nt_region_give_up_mappings())
        memory = map_at(at, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (memory == NULL)
        nt_die(FAILED, "out of memory: %lu bytes more were wanted\n", bytes);
    return memory;
}

static void more_room(struct pool *pool)
{
    pool->at = (uint64_t)map_anonymous(pool == &small ? small_from - POOL : place_for(POOL), POOL);
    pool->end = pool->at + POOL;
    if (pool == &small) {
        small_pages((void *)pool->at, POOL);
        __atomic_store_n(&small_from, pool->at, __ATOMIC_RELAXED);
    } else {
        nt_host_large_pages((void *)pool->at, POOL);
    }
}

/* Pieces lie side by side: a mapping for each would cost more than what is done in most. The first 16 MB do not lie in
 * large pages, which are zeroed whole: what a short run takes would be a third more. What is given back in large pages
 * is used again: each thread has some pieces, and for the kernel to take a part of a page, and to zero others, takes
 * longer. */
static void *piece_of(size_t bytes, bool is_sparse)
{
    size_t size = NT_UP(bytes, NT_PAGE);

    nt_lock_take(&nt_host_lock);
    struct pool *pool = is_sparse || first_bytes < POOL ? &small : &large;
    struct piece **last = &given_back[size / NT_PAGE];
    void *piece = pool == &large ? *last : NULL;
    if (piece != NULL) {
        *last = (*last)->next;
    } else {
        if (pool->end - pool->at < size)
            more_room(pool);
        piece = (void *)pool->at;
        pool->at += size;
        first_bytes += size;
        size = 0;
    }
    nt_lock_give(&nt_host_lock);
    return memset(piece, 0, size);
}

void *tn_host_alloc(size_t bytes)
{
    if (bytes <= PIECE)
        return piece_of(bytes, false);
    void *memory = map_anonymous(place_for(bytes), bytes);
    nt_host_large_pages(memory, bytes);
    return memory;
}

void *tn_host_alloc_sparse(size_t bytes)
{
    if (bytes <= PIECE)
        return piece_of(bytes, true);
    void *memory = map_anonymous(place_for(bytes), bytes);
    small_pages(memory, bytes);
    return memory;
}

void tn_host_free(void *memory, size_t bytes)
{
    struct piece *piece = memory;

    if (bytes == 0 || bytes > PIECE || (uint64_t)memory >= __atomic_load_n(&small_from, __ATOMIC_RELAXED)) {
        nt_sys3(__NR_munmap, (long)memory, (long)bytes, 0);
        return;
    }
    struct piece **last = &given_back[NT_UP(bytes, NT_PAGE) / NT_PAGE];
    nt_lock_take(&nt_host_lock);
    piece->next = *last;
    *last = piece;
    nt_lock_give(&nt_host_lock);
}

void *nt_host_small(size_t bytes)
{
    static uint8_t *at, *end;

    bytes = NT_UP(bytes, 16UL);
    if ((size_t)(end - at) < bytes) {
        at = tn_host_alloc(bytes > SMALL_CHUNK ? bytes : SMALL_CHUNK);
        end = at + (bytes > SMALL_CHUNK ? bytes : SMALL_CHUNK);
    }
    uint8_t *memory = at;
    at += bytes;
    return memory;
}

void *nt_host_shared_page(void)
{
    void *page = tn_host_alloc(NT_PAGE);
    long got = nt_sys6(__NR_mmap, (long)page, NT_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED,
                       -1, 0);

    if (nt_failed(got))
        nt_die(125, "out of memory\n");
    return page;
}

/* ------------------------------------------------------------------------------------------------ files */

long nt_host_open_at(long folder, const char *path, int flags, int mode)
{
    long fd = nt_sys6(__NR_openat, folder, (long)path, flags | O_CLOEXEC, mode, 0, 0);

    if (fd != -EMFILE)
        return fd;
    const struct nt_lifted lifted = nt_limit_lift(RLIMIT_NOFILE);
    fd = nt_sys6(__NR_openat, folder, (long)path, flags | O_CLOEXEC, mode, 0, 0);
    nt_limit_lower(&lifted);
    return fd;
}

long nt_host_open(const char *path, int flags, int mode)
{
    return nt_host_open_at(AT_FDCWD, path, flags, mode);
}

long nt_host_name_of(int fd, char *name, size_t size)
{
    char link[32];

    nt_format(link, sizeof link, "/proc/thread-self/fd/%d", fd);
    long length = nt_sys3(__NR_readlink, (long)link, (long)name, (long)size - 1);
    name[nt_failed(length) ? 0 : length] = '\0';
    return length;
}

/* Page by page: a string that has its end causes no fault, which a debugger would see in a child that it traces. */
bool nt_host_program_text(uint64_t from, char *text, size_t size)
{
    for (size_t there = 0; there < size;) {
        size_t piece = NT_PAGE - (from + there) % NT_PAGE;

        if (piece > size - there)
            piece = size - there;
        if (nt_copy(text + there, (const void *)(from + there), piece) != 0)
            return false;
        for (; piece > 0; piece--) {
            if (text[there++] == '\0')
                return true;
        }
    }
    return false;
}

bool nt_host_read_text(const char *path, char *text, size_t size)
{
    long fd = nt_host_open(path, O_RDONLY, 0), got;

    if (nt_failed(fd))
        return false;
    got = nt_sys3(__NR_read, fd, (long)text, (long)size - 1);
    nt_sys3(__NR_close, fd, 0, 0);
    if (got <= 0)
        return false;
    if (text[got - 1] == '\n')
        got--;
    text[got] = '\0';
    return true;
}

/* /proc may be that of another PID namespace, where threads have other numbers. */
static bool proc_is_ours(void)
{
    char own[16] = "";
    const char *at = own;

    nt_sys3(__NR_readlink, (long)"/proc/self", (long)own, sizeof own - 1);
    return nt_number(&at, 10) == (uint64_t)nt_process_id();
}

bool nt_host_read_thread(int tid, const char *file, char *text, size_t size)
{
    char path[40];

    nt_format(path, sizeof path, "/proc/%d/%s", tid, file);
    return proc_is_ours() && nt_host_read_text(path, text, size);
}

char nt_host_thread_state(int tid)
{
    char text[64], *end = NULL;

    if (!nt_host_read_thread(tid, "stat", text, sizeof text))
        return 0;
    for (char *at = text; *at != '\0'; at++)
        end = *at == ')' ? at : end;
    return end != NULL && end[1] == ' ' ? end[2] : 0;
}

static void *host_reserve(void *user, size_t bytes)
{
    (void)user;
    return tn_host_alloc(bytes);
}

static void host_release(void *user, void *memory, size_t bytes)
{
    (void)user;
    tn_host_free(memory, bytes);
}

static const void *map_file(void *user, const char *path, size_t *bytes)
{
    long fd = nt_host_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0); /* of a pipe, nobody is waited for */
    const void *memory = NULL;
    struct stat status;

    (void)user;
    if (nt_failed(fd))
        return NULL;
    if (nt_sys3(__NR_fstat, fd, (long)&status, 0) == 0 && (status.st_mode & TYPE_MASK) == TYPE_REGULAR &&
        status.st_size > 0) {
        *bytes = (size_t)status.st_size;
        memory = map_at(place_for(*bytes), *bytes, PROT_READ, 0, (int)fd);
    }
    nt_sys3(__NR_close, fd, 0, 0);
    return memory;
}

static void unmap_file(void *user, const void *memory, size_t bytes)
{
    (void)user;
    nt_sys3(__NR_munmap, (long)memory, (long)bytes, 0);
}

const struct fb_host nt_host_files = {NULL, host_reserve, host_release, map_file, unmap_file};

/* ------------------------------------------------------------------------------------------------ the rest */

bool nt_host_may_have(uint64_t bytes)
{
    struct rlimit64 limit;

    return nt_sys6(__NR_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0) != 0 || limit.rlim_cur >= bytes;
}

void tn_host_yield(uint32_t times)
{
    static uint64_t began; /* of the latest wait of any thread; when all of them are stuck, no other wait begins */
    enum { LONG = 1 << 10 };

    if (times % LONG == LONG - 1 && nt_while_waiting != NULL) {
        if (times < 2 * LONG) /* the caller may leave out a number */
            began = 0;
        nt_while_waiting(&began);
    }
    nt_yield(times);
}

uint64_t tn_host_time(void)
{
    struct timespec now;

    nt_sys3(__NR_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void tn_host_panic(const char *what)
{
    nt_die(FAILED, "the native engine failed: %s\n", what);
}
