/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_sys_proc.c: /proc/self/maps and smaps without the engine.
 *
 * A program that opens one of them (to find its stack, or what is mapped where) gets a file in memory with what the
 * kernel says at this time, less the entries in the engine's region. An entry is a line that begins with an address,
 * and in smaps the lines below it.
 */
#include <linux/fcntl.h>
#include <linux/memfd.h>

#include "nt_lib.h"
#include "nt_region.h"
#include "nt_syscall.h"

enum { LINE = 8192 };

struct filter {
    int from, to;
    char in[4096], line[LINE];
    size_t length;  /* of `line` */
    bool is_ours;              /* the entry that the line belongs to */
};

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A line that begins an entry has START-END in lower case; those below it begin with a capital letter. */
static void judge(struct filter *filter)
{
    const char *at = filter->line;
    uint64_t start = 0;

    if (digit(*at) < 0)
        return;
    for (; digit(*at) >= 0; at++)
        start = start * 16 + (uint64_t)digit(*at);
    if (*at == '-')
        filter->is_ours = nt_region_meets(start, 1);
}

static void end_line(struct filter *filter)
{
    judge(filter);
    if (!filter->is_ours)
        nt_sys3(__NR_write, filter->to, (long)filter->line, (long)filter->length);
    filter->length = 0;
}

static void copy(struct filter *filter)
{
    for (;;) {
        long got = nt_sys3(__NR_read, filter->from, (long)filter->in, sizeof filter->in);

        if (got <= 0)
            return;
        for (long i = 0; i < got; i++) {
            filter->line[filter->length++] = filter->in[i];
            if (filter->in[i] == '\n' || filter->length == LINE)
                end_line(filter);
        }
    }
}

long nt_file_maps(const char *path, uint64_t flags)
{
    struct filter filter = {.length = 0};
    long from = nt_sys6(__NR_openat, AT_FDCWD, (long)path, (long)flags, 0, 0, 0), to;

    if (nt_failed(from) || (flags & O_ACCMODE) != O_RDONLY)
        return from;
    to = nt_sys3(__NR_memfd_create, (long)path, flags & O_CLOEXEC ? MFD_CLOEXEC : 0, 0);
    if (nt_failed(to))
        return from;
    filter.from = (int)from;
    filter.to = (int)to;
    copy(&filter);
    nt_sys3(__NR_lseek, to, 0, 0);
    /* The program gets the lower of the two numbers, as it would have. */
    nt_sys3(__NR_dup3, to, from, flags & O_CLOEXEC ? O_CLOEXEC : 0);
    nt_sys3(__NR_close, to, 0, 0);
    return from;
}
