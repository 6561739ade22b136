/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seal.c: see seal.h. Files are read from end to end, a small part at a time, and never mapped: one that is cut off
 * meanwhile, or a device that fails, is an error that can be told.
 */
#include "profile/base/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/big.h"
#include "profile/base/error.h"
#include "profile/base/sound.h"

enum {
    PART = 1 << 16,
    SQLITE_HEADER = 100,
    AT_PAGE_SIZE = 16,
    AT_CHANGES = 24,
    AT_PAGES = 28,
    AT_CHANGES_THEN = 92, /* when the number of pages was written */
    SUM = 4,
    AT_LENGTH = 0, /* in what is behind the sums of pieces */
    AT_SUM = 8,
    AT_MAGIC = 12,
    END = 20,
};

/* ------------------------------------------------------------------------------------------ bytes of the file */

static int get_bytes(int fd, uint8_t *bytes, size_t size, uint64_t at)
{
    while (size > 0) {
        ssize_t got = pread(fd, bytes, size, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO; /* it was longer a moment ago */
        if (got <= 0)
            return -1;
        bytes += got;
        at += (uint64_t)got;
        size -= (size_t)got;
    }
    return 0;
}

static int put_bytes(int fd, const uint8_t *bytes, size_t size, uint64_t at)
{
    while (size > 0) {
        ssize_t put = pwrite(fd, bytes, size, (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return -1;
        bytes += put;
        at += (uint64_t)put;
        size -= (size_t)put;
    }
    return 0;
}

/* CRC-32 of the bytes from `at` on, which goes on from *sum. */
static int sum_bytes(int fd, uint64_t at, uint64_t size, uint32_t *sum)
{
    uint8_t part[PART];

    while (size > 0) {
        size_t now = size < PART ? (size_t)size : PART;
        if (get_bytes(fd, part, now, at))
            return -1;
        *sum = libdeflate_crc32(*sum, part, now);
        at += now;
        size -= now;
    }
    return 0;
}

static uint64_t piece_size(uint64_t length, uint64_t at)
{
    return length - at < TP_SEAL_PIECE ? length - at : TP_SEAL_PIECE;
}

static uint64_t sums_size(uint64_t length)
{
    return SUM * ((length + TP_SEAL_PIECE - 1) / TP_SEAL_PIECE);
}

/* ------------------------------------------------------------------------------------------ write */

static int write_seal(int fd)
{
    uint8_t changes[4], sum[SUM], end[END];
    uint32_t of_seal = 0;
    struct stat st;

    tp_put_u32(changes, TP_SEAL_CHANGES);
    if (fstat(fd, &st) || put_bytes(fd, changes, sizeof changes, AT_CHANGES) ||
        put_bytes(fd, changes, sizeof changes, AT_CHANGES_THEN))
        return -1;
    uint64_t length = (uint64_t)st.st_size, to = length;
    for (uint64_t at = 0; at < length; at += TP_SEAL_PIECE, to += SUM) {
        uint32_t of_piece = 0;
        if (sum_bytes(fd, at, piece_size(length, at), &of_piece))
            return -1;
        tp_put_u32(sum, of_piece);
        of_seal = libdeflate_crc32(of_seal, sum, SUM);
        if (put_bytes(fd, sum, SUM, to))
            return -1;
    }
    tp_put_u32(end + AT_LENGTH, (uint32_t)(length >> 32));
    tp_put_u32(end + AT_LENGTH + 4, (uint32_t)length);
    tp_put_u32(end + AT_SUM, libdeflate_crc32(of_seal, end, AT_SUM));
    memcpy(end + AT_MAGIC, TP_SEAL_MAGIC, END - AT_MAGIC);
    return put_bytes(fd, end, END, to);
}

int tp_seal(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    int failed = fd < 0 || write_seal(fd), error = errno;

    if (fd >= 0 && close(fd) && !failed) {
        failed = 1;
        error = errno;
    }
    errno = error;
    return failed ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------ read */

struct sealed {
    const char *path;
    int fd;
    uint64_t size, length; /* of the file; of what is in front of the seal */
    uint8_t head[SQLITE_HEADER];
    struct tp_error *err;
};

static int unreadable(const struct sealed *s)
{
    return TP_FAIL(s->err, "%s: cannot read: %s", s->path, strerror(errno));
}

static uint64_t all_pages(const struct sealed *s)
{
    uint32_t page = (uint32_t)s->head[AT_PAGE_SIZE] << 8 | s->head[AT_PAGE_SIZE + 1];

    return (uint64_t)(page == 1 ? 65536 : page) * tp_big_u32(s->head + AT_PAGES);
}

static bool was_changed(const struct sealed *s)
{
    return tp_big_u32(s->head + AT_CHANGES) != TP_SEAL_CHANGES &&
           memcmp(s->head + AT_CHANGES, s->head + AT_CHANGES_THEN, 4) == 0;
}

/* The seal itself. 1: it is there; 0: not, or damaged. */
static int find_seal(struct sealed *s)
{
    uint8_t end[END];
    uint32_t sum = 0;

    if (s->size < END)
        return 0;
    if (get_bytes(s->fd, end, END, s->size - END))
        return unreadable(s);
    s->length = (uint64_t)tp_big_u32(end + AT_LENGTH) << 32 | tp_big_u32(end + AT_LENGTH + 4);
    if (memcmp(end + AT_MAGIC, TP_SEAL_MAGIC, END - AT_MAGIC) != 0 || s->length > s->size ||
        s->length + sums_size(s->length) + END != s->size)
        return 0;
    if (sum_bytes(s->fd, s->length, sums_size(s->length) + AT_SUM, &sum))
        return unreadable(s);
    return sum == tp_big_u32(end + AT_SUM);
}

static int check_pieces(const struct sealed *s)
{
    char what[100];

    for (uint64_t at = 0; at < s->length; at += TP_SEAL_PIECE) {
        uint8_t written[SUM];
        uint32_t sum = 0;
        uint64_t size = piece_size(s->length, at);
        if (get_bytes(s->fd, written, SUM, s->length + at / TP_SEAL_PIECE * SUM) ||
            sum_bytes(s->fd, at, size, &sum))
            return unreadable(s);
        if (sum == tp_big_u32(written))
            continue;
        snprintf(what, sizeof what, "its checksum is wrong between byte %" PRIu64 " and byte %" PRIu64, at, at + size);
        return tp_damaged(s->path, what, s->err);
    }
    return 0;
}

static int check_seal(struct sealed *s, bool *changed)
{
    struct stat st;

    if (fstat(s->fd, &st))
        return unreadable(s);
    s->size = (uint64_t)st.st_size;
    if (s->size < SQLITE_HEADER)
        return tp_damaged(s->path, "its end is missing", s->err);
    if (get_bytes(s->fd, s->head, SQLITE_HEADER, 0))
        return unreadable(s);
    uint64_t pages = all_pages(s);
    *changed = was_changed(s);
    if (*changed)
        return s->size < pages ? tp_damaged(s->path, "its end is missing", s->err) : 0;
    int found = find_seal(s);
    if (found)
        return found < 0 ? -1 : check_pieces(s);
    uint64_t whole = pages + sums_size(pages) + END;
    return tp_damaged(s->path, s->size < whole   ? "its end is missing"
                               : s->size > whole ? "there is something behind its end"
                                                 : "its checksums cannot be read",
                      s->err);
}

int tp_sealed(const char *path, bool *changed, struct tp_error *err)
{
    struct sealed s = {.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC), .err = err};

    if (s.fd < 0)
        return TP_FAIL(err, "%s: cannot open: %s", path, strerror(errno));
    int failed = check_seal(&s, changed);
    close(s.fd);
    return failed;
}
