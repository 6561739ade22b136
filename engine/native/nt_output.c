/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_output.c: see nt_output.h. */
#include "nt_output.h"

#include <linux/errno.h>
#include <linux/fcntl.h>

#include "nt_host.h"
#include "nt_lib.h"
#include "nt_sys.h"

enum { PATH_ROOM = 4096 + 64, REFUSED = 125 };

static const char *wanted; /* the pattern */
static char name[PATH_ROOM];
static bool created;
static struct nt_stream stream;

static void expand(char *to, const char *end)
{
    for (const char *from = wanted; *from != '\0' && to < end - 24; from++) {
        if (from[0] == '%' && from[1] == 'p') {
            to += nt_format(to, 24, "%d", (int)nt_sys3(__NR_getpid, 0, 0, 0));
            from++;
        } else {
            if (from[0] == '%' && from[1] == '%')
                from++;
            *to++ = *from;
        }
    }
    *to = '\0';
}

/* Returns 0 or an error number. */
static int open_stream(int flags)
{
    long fd = nt_sys6(__NR_openat, AT_FDCWD, (long)name, flags | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0666, 0, 0);

    if (nt_failed(fd))
        return (int)-fd;
    stream.fd = (int)fd;
    stream.error = 0;
    stream.used = 0;
    return 0;
}

/* A file of its own for this process. */
static int create(void)
{
    size_t length;
    unsigned number = 1;
    int error;

    expand(name, name + sizeof name);
    for (length = 0; name[length] != '\0'; length++) {
    }
    while ((error = open_stream(O_CREAT | O_EXCL)) == EEXIST)
        nt_format(name + length, sizeof name - length, ".%u", ++number);
    created = error == 0;
    return error;
}

static const char *reason(int error)
{
    static char other[32];

    switch (error) {
    case ENOSPC:
        return "the disk is full";
    case EACCES:
    case EPERM:
        return "permission denied";
    case EROFS:
        return "the file system is read-only";
    case ENOENT:
        return "there is no such directory";
    case ENOTDIR:
    case EISDIR:
        return "the name is a directory, or goes through something that is none";
    case EFBIG:
        return "the file would be larger than the limit";
    default:
        nt_format(other, sizeof other, "error %d", error);
        return other;
    }
}

void nt_output_begin(const char *pattern)
{
    int error;

    wanted = pattern;
    error = create();
    if (error != 0)
        nt_die(REFUSED, "cannot write the raw profile %s: %s; choose another with --tenure-out-file=\n", name,
               reason(error));
    nt_sys3(__NR_close, stream.fd, 0, 0);
}

void nt_output_write(tn_core *core, const char *why, int (*write)(tn_core *, void *, const char *))
{
    int error = created ? open_stream(O_APPEND) : create();

    if (error == 0) {
        error = write(core, &stream, why);
        if (error == 0)
            error = nt_stream_flush(&stream);
        nt_sys3(__NR_close, stream.fd, 0, 0);
    }
    if (error != 0)
        nt_say("cannot write the raw profile %s: %s; this part (%s) is lost\n", name, reason(error), why);
}

void nt_output_forked(void)
{
    created = false;
}
