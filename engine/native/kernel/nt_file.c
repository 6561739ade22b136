/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_file.c: the engine's few descriptors, which the program does not meet.
 *
 * They lie above what the program's limit lets it have, where that is possible; else they are the highest it may have.
 * To the program they do not exist: it can neither see nor close them (nt_sys_file.c).
 */
#include "nt_host.h"

#include <linux/fcntl.h>
#include <linux/resource.h>

#include "engine/native/base/nt_sys.h"

enum { OWN = 4, HIGH = 1 << 15 };

static int guarded[OWN], guarded_count;

/* The kernel keeps a table as long as the highest number, so that is not just any: behind the first 32768, where the
 * limit is higher, a gap disturbs nobody. */
static long move_high(int fd)
{
    struct rlimit64 limit;

    nt_sys6(__NR_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit, 0, 0);
    struct rlimit64 higher = limit;
    higher.rlim_cur += 2 * OWN;
    if (limit.rlim_cur > HIGH + 2 * OWN)
        return nt_sys3(__NR_fcntl, fd, F_DUPFD_CLOEXEC, HIGH);
    if (higher.rlim_cur > limit.rlim_max || nt_sys6(__NR_prlimit64, 0, RLIMIT_NOFILE, (long)&higher, 0, 0, 0) != 0)
        return nt_sys3(__NR_fcntl, fd, F_DUPFD_CLOEXEC, (long)limit.rlim_cur - 2 * OWN);
    long moved = nt_sys3(__NR_fcntl, fd, F_DUPFD_CLOEXEC, (long)limit.rlim_cur);
    nt_sys6(__NR_prlimit64, 0, RLIMIT_NOFILE, (long)&limit, 0, 0, 0);
    return moved;
}

int nt_file_guard(int fd)
{
    long moved = guarded_count == OWN ? -1 : move_high(fd);

    if (nt_failed(moved))
        return -1;
    guarded[guarded_count++] = (int)moved;
    return (int)moved;
}

void nt_file_release(int fd)
{
    for (int i = 0; i < guarded_count; i++) {
        if (guarded[i] == fd)
            guarded[i] = guarded[--guarded_count];
    }
    nt_sys3(__NR_close, fd, 0, 0);
}

bool nt_file_is_guarded(uint64_t fd)
{
    for (int i = 0; i < guarded_count; i++) {
        if ((int)fd == guarded[i])
            return true;
    }
    return false;
}

int64_t nt_file_next_guarded(uint64_t first)
{
    int64_t next = -1;

    for (int i = 0; i < guarded_count; i++) {
        if ((uint64_t)guarded[i] >= first && (next < 0 || guarded[i] < next))
            next = guarded[i];
    }
    return next;
}
