/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole.c: see whole.h. Some file systems have nothing to wait for and say so by EINVAL.
 */
#include "profile/base/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int settle(const char *path, int flags)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | flags), failed = fd < 0 || (fsync(fd) != 0 && errno != EINVAL);
    int error = errno;

    if (fd >= 0)
        close(fd);
    errno = error;
    return failed ? -1 : 0;
}

int tp_whole_rename(const char *from, const char *to)
{
    const char *slash = strrchr(to, '/');
    char folder[PATH_MAX];

    if (settle(from, 0) != 0 || rename(from, to) != 0)
        return -1;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - to) + 1 : 1, slash ? to : ".");
    settle(folder, O_DIRECTORY);
    return 0;
}
