/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_mapping.c: what is mapped where, as the kernel tells it.
 *
 * A line of the file is "START-END PERMISSIONS OFFSET MAJOR:MINOR INODE  PATH", all but the inode in hexadecimal. It is
 * read when an address is met of which nothing is known yet: a few dozen times in a run.
 */
#include "nt_maps.h"

#include <linux/fcntl.h>

#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "nt_host.h"
#include "nt_region.h"

static const char *skip(const char *at, char c)
{
    while (*at == c)
        at++;
    return at;
}

/* True if `line` is about `address`. The path lies in `line`. */
static bool take_line(const char *line, uint64_t address, struct code_mapping *out)
{
    const char *at = line;

    out->start = nt_number(&at, 16);
    at = skip(at, '-');
    out->end = nt_number(&at, 16);
    if (address < out->start || address >= out->end)
        return false;
    at = skip(at, ' ');
    while (*at != ' ' && *at != '\0')
        at++;
    at = skip(at, ' ');
    out->offset = nt_number(&at, 16);
    at = skip(at, ' ');
    uint64_t major = nt_number(&at, 16);
    at = skip(at, ':');
    out->dev = major << 20 | nt_number(&at, 16);
    at = skip(at, ' ');
    out->ino = nt_number(&at, 10);
    at = skip(at, ' ');
    out->path = *at == '/' ? at : NULL; /* not "[vdso]" */
    if (out->path == NULL)
        out->dev = out->ino = 0;
    return true;
}

struct reader {
    long fd;
    size_t at, used;
    char buffer[4096];
};

static int next_byte(struct reader *reader)
{
    if (reader->at == reader->used) {
        long got = nt_sys3(__NR_read, reader->fd, (long)reader->buffer, sizeof reader->buffer);

        if (got <= 0)
            return -1;
        reader->at = 0;
        reader->used = (size_t)got;
    }
    return (unsigned char)reader->buffer[reader->at++];
}

/* The next line, cut off where `size` ends; false at the end. */
static bool next_line(struct reader *reader, char *line, size_t size)
{
    size_t length = 0;
    int byte = next_byte(reader);

    if (byte < 0)
        return false;
    for (; byte >= 0 && byte != '\n'; byte = next_byte(reader)) {
        if (length < size - 1)
            line[length++] = (char)byte;
    }
    line[length] = '\0';
    return true;
}

/* An end of a line in a name reads \012 there, and what reads so is nothing else if there is no such file. */
static void take_ends_of_lines(char *path)
{
    char *to = path;

    if (nt_sys3(__NR_access, (long)path, 0, 0) == 0)
        return;
    for (; *path != '\0'; path++) {
        bool is_end = nt_after(path, "\\012") != NULL;

        *to++ = is_end ? '\n' : *path;
        path += is_end ? 3 : 0;
    }
    *to = '\0';
}

bool nt_mapping_at(void *user, uint64_t address, struct code_mapping *out)
{
    static char line[4096 + 128];
    struct reader reader = {.fd = nt_host_open("/proc/thread-self/maps", O_RDONLY, 0)};
    bool found = false;

    (void)user;
    if (nt_failed(reader.fd))
        return false;
    while (!found && next_line(&reader, line, sizeof line))
        found = take_line(line, address, out);
    if (found && out->path != NULL)
        take_ends_of_lines(line + (out->path - line));
    nt_sys3(__NR_close, reader.fd, 0, 0);
    return found;
}

void nt_mapping_each(uint64_t start, uint64_t end, nt_mapping_tell *tell)
{
    struct reader reader = {
        .fd = nt_sys6(__NR_openat, AT_FDCWD, (long)"/proc/thread-self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0)};
    char line[64];

    if (nt_failed(reader.fd))
        return;
    while (start < end && next_line(&reader, line, sizeof line)) {
        const char *at = line;
        uint64_t from = nt_number(&at, 16), to;

        at = skip(at, '-');
        to = nt_number(&at, 16);
        if (to <= start)
            continue;
        if (from > start)
            tell(start, from < end ? from : end, false, false);
        if (from < start)
            from = start;
        if (to > end)
            to = end;
        if (from < to)
            tell(from, to, at[3] == 'x', at[2] == 'w');
        start = to;
    }
    nt_sys3(__NR_close, reader.fd, 0, 0);
    if (start < end)
        tell(start, end, false, false);
}

bool nt_mapping_own_bytes(uint64_t *bytes, uint64_t *data)
{
    struct reader reader = {
        .fd = nt_sys6(__NR_openat, AT_FDCWD, (long)"/proc/thread-self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0)};
    char line[64]; /* the addresses and the permissions are what is asked for */

    if (nt_failed(reader.fd))
        return false;
    *bytes = *data = 0;
    while (next_line(&reader, line, sizeof line)) {
        const char *at = line;
        uint64_t start = nt_number(&at, 16), end;

        at = skip(at, '-');
        end = nt_number(&at, 16);
        if (!nt_region_meets(start, 1))
            continue;
        *bytes += end - start;
        if (at[0] == ' ' && at[2] == 'w' && at[4] == 'p')
            *data += end - start;
    }
    nt_sys3(__NR_close, reader.fd, 0, 0);
    return true;
}
