/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_sys_proc.c: /proc/self/maps and its relatives, status, and listings of folders there, without the engine.
 *
 * A program that opens maps, smaps or numa_maps (to find its stack, or what is mapped where) gets a file in memory with
 * what the kernel says at this time, less the entries in the engine's region. An entry is a line that begins with an
 * address, and in smaps the lines below it. A page that is guarded may be written there. In status the masks of signals
 * are the program's.
 *
 * Of a listing of its open descriptors, its threads, or the files that are mapped, the entries of the engine's are
 * closed up. If nothing is left of a buffer, the kernel is asked for the next one: an empty one would mean the end.
 */
#include <linux/fcntl.h>
#include <linux/memfd.h>

#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/kernel/nt_limit.h"
#include "engine/native/kernel/nt_maps.h"
#include "engine/native/kernel/nt_region.h"
#include "engine/native/profile/nt_consumer.h"
#include "engine/native/signals/nt_signal.h"
#include "nt_syscall.h"

enum { LINE = 8192 };

struct filter {
    int from, to;
    const struct nt_thread *of; /* whose status it is; NULL: it lists what is mapped */
    char in[4096], line[LINE], out[LINE]; /* out: lines that are not written yet */
    size_t length, waiting; /* of `line`; of `out` */
    bool is_ours;           /* the entry that the line belongs to */
};

static void put_mask(struct filter *filter, const char *name, uint64_t mask)
{
    char *to = filter->line + nt_format(filter->line, LINE, "%s", name);

    for (int shift = 60; shift >= 0; shift -= 4)
        *to++ = "0123456789abcdef"[mask >> shift & 15];
    *to++ = '\n';
    filter->length = (size_t)(to - filter->line);
}

/* A line of status that the kernel fills with what the engine blocks and handles. */
static void put_status(struct filter *filter)
{
    static const char *const names[] = {"SigBlk:\t", "SigIgn:\t", "SigCgt:\t"};
    uint64_t masks[] = {filter->of->mask, 0, 0};

    for (int signal = 1; signal < NT_SIGNALS; signal++) {
        uint64_t handler = filter->of->process->action[signal].handler;

        if (handler != 0)
            masks[handler == 1 ? 1 : 2] |= NT_BIT(signal);
    }
    filter->line[filter->length] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (nt_after(filter->line, names[i]) != NULL) {
            put_mask(filter, names[i], masks[i]);
            return;
        }
    }
}

static void write_out(struct filter *filter)
{
    nt_sys3(__NR_write, filter->to, (long)filter->out, (long)filter->waiting);
    filter->waiting = 0;
}

/* Of an entry START-END PERMISSIONS, `at` behind START: its page that is guarded may be written, for all the program
 * knows. */
static void put_guarded(uint64_t start, const char *at)
{
    const char *behind = at + 1;
    uint64_t end = nt_number(&behind, 16);
    char *writable = (char *)behind + 2;

    if (*at == '-' && *behind == ' ' && *writable == '-' && nt_maps_guarded(start, end) == start)
        *writable = 'w';
}

/* Copies the lines of entries that are not the engine's. */
static void proc_copy(struct filter *filter)
{
    for (;;) {
        long got = nt_sys3(__NR_read, filter->from, (long)filter->in, sizeof filter->in);

        if (got <= 0) {
            write_out(filter);
            return;
        }
        for (long i = 0; i < got; i++) {
            filter->line[filter->length++] = filter->in[i];
            if (filter->in[i] != '\n' && filter->length < LINE - 1)
                continue;
            if (filter->of != NULL)
                put_status(filter);
            /* A line that begins an entry has START-END in lower case, or in numa_maps START. Lines below it begin with
             * a capital letter. */
            const char *at = filter->line;
            uint64_t start = nt_number(&at, 16);
            if (filter->of == NULL && at > filter->line && (*at == '-' || *at == ' ')) {
                filter->is_ours = nt_region_meets(start, 1);
                put_guarded(start, at);
            }
            if (!filter->is_ours && filter->waiting + filter->length > LINE)
                write_out(filter);
            if (!filter->is_ours) {
                memcpy(filter->out + filter->waiting, filter->line, filter->length);
                filter->waiting += filter->length;
            }
            filter->length = 0;
        }
    }
}

/* The thread that `path` is about, which is in /proc/self, thread-self, PID, TID or one of their task/TID. */
static const struct nt_thread *thread_of(const char *path)
{
    const struct nt_thread *thread = nt_threads;
    const char *task = NULL;

    for (const char *at = path; *at != '\0' && task == NULL; at++)
        task = nt_after(at, "/task/");
    const char *number = task != NULL ? task : nt_after(path, "/proc/");
    uint64_t tid = number != NULL ? nt_number(&number, 10) : 0;
    if (nt_after(path, "/proc/thread-self/") != NULL)
        tid = (uint64_t)nt_sys3(__NR_gettid, 0, 0, 0);
    else if (tid == 0)
        tid = (uint64_t)nt_process_id();
    while (thread != NULL && (!thread->running || (uint64_t)thread->tid != tid))
        thread = thread->next;
    return thread;
}

long nt_file_seen(const char *path, uint64_t flags)
{
    struct filter filter = {.of = nt_same(nt_last_part(path), "status") ? thread_of(path) : NULL};
    long from = nt_sys6(__NR_openat, AT_FDCWD, (long)path, (long)flags, 0, 0, 0), to;

    if (nt_failed(from) || (flags & O_ACCMODE) != O_RDONLY)
        return from;
    to = nt_sys3(__NR_memfd_create, (long)path, flags & O_CLOEXEC ? MFD_CLOEXEC : 0, 0);
    if (nt_failed(to))
        return from;
    filter.from = (int)from;
    filter.to = (int)to;
    /* The kernel would make this of nothing: no limit of a file's size is in its way. */
    const struct nt_lifted lifted = nt_limit_lift(RLIMIT_FSIZE);
    proc_copy(&filter);
    nt_limit_lower(&lifted);
    nt_sys3(__NR_lseek, to, 0, 0);
    /* The program gets the lower of the two numbers, as it would have. */
    nt_sys3(__NR_dup3, to, from, flags & O_CLOEXEC ? O_CLOEXEC : 0);
    nt_sys3(__NR_close, to, 0, 0);
    return from;
}

/* ------------------------------------------------------------------------------------------ listings */

/* Where the kernel puts an entry's size and name; the same for both calls up to the size. */
enum { SIZE_AT = 16, NAME_AT = 18, NAME_AT_64 = 19, ENTRY = 512 };

/* Whether the entry of this number is the engine's. */
typedef bool is_ours(uint64_t number);

static bool is_helper(uint64_t tid)
{
    return tid == (uint64_t)nt_consumer_tid();
}

static bool is_in_region(uint64_t start)
{
    return nt_region_meets(start, 1);
}

static const struct listing {
    const char *name;
    is_ours *is_ours;
    unsigned base;
} listings[] = {{"/fd", nt_file_is_guarded, 10}, {"/fdinfo", nt_file_is_guarded, 10}, {"/task", is_helper, 10},
                {"/map_files", is_in_region, 16}};

/* What is listed there, if it is a folder in /proc/PID or /proc/PID/task/TID that lists something of ours. */
static const struct listing *listing_of(int fd)
{
    char path[64], own[32];
    long length = nt_host_name_of(fd, path, sizeof path);

    if (nt_failed(length))
        return NULL;
    nt_format(own, sizeof own, "/proc/%d/", nt_process_id());
    for (size_t i = 0; nt_after(path, own) != NULL && i < sizeof listings / sizeof listings[0]; i++) {
        size_t bytes = strlen(listings[i].name);

        if ((size_t)length >= bytes && nt_same(path + (size_t)length - bytes, listings[i].name))
            return &listings[i];
    }
    return NULL;
}

/* Returns how many bytes are left. */
static long close_up(const struct listing *listing, uint64_t buffer, uint64_t bytes, size_t name_at)
{
    uint64_t from = buffer, to = buffer;
    char entry[ENTRY];

    while (from + name_at < buffer + bytes) {
        uint16_t size;

        if (nt_copy(&size, (const void *)(from + SIZE_AT), sizeof size) != 0 || size <= name_at ||
            size > sizeof entry || nt_copy(entry, (const void *)from, size) != 0)
            return (long)bytes;
        entry[size - 1] = '\0';
        const char *name = entry + name_at, *end = name; /* it begins with a number; of mapped files START-END */
        uint64_t number = nt_number(&end, listing->base);
        if (end == name || (*end != '\0' && *end != '-') || !listing->is_ours(number)) {
            if (to != from)
                nt_copy((void *)to, entry, size);
            to += size;
        }
        from += size;
    }
    return (long)(to - buffer);
}

bool nt_sys_getdents(struct nt_thread *thread, struct nt_call *call)
{
    size_t name_at = call->raw[0] == __NR_getdents64 ? NAME_AT_64 : NAME_AT;
    const struct listing *listing;

    do {
        if (!nt_call_pass(thread, call))
            return false;
        if (call->result <= 0 || (listing = listing_of((int)NT_ARG(call, 0))) == NULL)
            return true;
        call->result = close_up(listing, NT_ARG(call, 1), (uint64_t)call->result, name_at);
    } while (call->result == 0);
    return true;
}
