/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_read.c: the raw profile's outer layer, as core/raw_format.h defines it.
 *
 * A part counts only when its END is there, so a file is read twice: tp_raw_scan looks at every chunk and finds
 * the end of the last whole part; then the reader of records goes up to there and meets nothing torn. What comes
 * after a damaged chunk cannot be trusted (its length is not known to be right) and is lost; what lies before it
 * is kept.
 */
#include "profile/raw/raw_read.h"

#include <errno.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/raw_format.h"
#include "profile/base/error.h"

#define NOTHING_WHOLE ", so nothing can be taken: who wrote it was killed meanwhile, or had no room"

enum { FILE_HEADER = 16, CHUNK_HEADER = 16, MAX_CHUNK = 1 << 28 };

static uint32_t u32_at(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* ------------------------------------------------------------------------------------------ file */

static int read_failed(const struct tp_raw_file *raw, struct tp_error *err)
{
    if (ferror(raw->stream))
        return TP_FAIL(err, "%s: cannot read at offset %" PRIu64 ": %s", raw->path, raw->offset,
                       strerror(errno));
    return TP_FAIL(err, "%s: ends in the middle of a chunk, at offset %" PRIu64, raw->path, raw->size);
}

int tp_raw_open(struct tp_raw_file *raw, const char *path, struct tp_error *err)
{
    uint8_t header[FILE_HEADER];
    struct stat st;

    *raw = (struct tp_raw_file){.path = path};
    raw->stream = fopen(path, "rbe");
    if (!raw->stream)
        return TP_FAIL(err, "%s: cannot open: %s", path, strerror(errno));
    if (fstat(fileno(raw->stream), &st))
        return TP_FAIL(err, "%s: cannot read: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return TP_FAIL(err, "%s: not a regular file", path);
    raw->size = (uint64_t)st.st_size;
    size_t got = fread(header, 1, sizeof header, raw->stream);
    raw->offset = FILE_HEADER;
    if (got < sizeof TN_RAW_MAGIC - 1 || memcmp(header, TN_RAW_MAGIC, sizeof TN_RAW_MAGIC - 1) != 0) {
        if (!got && ferror(raw->stream))
            return TP_FAIL(err, "%s: cannot read: %s", raw->path, strerror(errno));
        return TP_FAIL(err, "%s: %s, not a raw profile of Tenure", raw->path,
                       got ? "foreign file" : "empty file");
    }
    if (got < FILE_HEADER)
        return TP_FAIL(err, "%s: ends inside the file header, nothing can be read from it", raw->path);
    if (u32_at(header + 8) != TN_RAW_VERSION)
        return TP_FAIL(err,
                       "%s: raw profile of format %" PRIu32
                       ", this Tenure reads format %d; import it with the "
                       "Tenure that recorded it",
                       raw->path, u32_at(header + 8), TN_RAW_VERSION);
    if (u32_at(header + 12) != 0)
        return TP_FAIL(err, "%s: damaged at offset 12: the file header's last word is not 0", raw->path);
    return 0;
}

void tp_raw_close(struct tp_raw_file *raw)
{
    if (raw->stream)
        fclose(raw->stream);
    free(raw->buffer);
    *raw = (struct tp_raw_file){0};
}

int tp_raw_rewind(struct tp_raw_file *raw, struct tp_error *err)
{
    raw->offset = FILE_HEADER;
    if (fseeko(raw->stream, FILE_HEADER, SEEK_SET))
        return TP_FAIL(err, "%s: cannot seek: %s", raw->path, strerror(errno));
    return 0;
}

int tp_raw_next(struct tp_raw_file *raw, struct tp_raw_chunk *chunk, struct tp_error *err)
{
    uint8_t header[CHUNK_HEADER];
    size_t got = fread(header, 1, sizeof header, raw->stream);

    if (got == 0 && !ferror(raw->stream))
        return 0;
    if (got < sizeof header)
        return read_failed(raw, err);
    chunk->type = u32_at(header);
    chunk->size = u32_at(header + 4);
    if (chunk->type == 0 || u32_at(header + 12) != 0)
        return TP_FAIL(err, "%s: damaged at offset %" PRIu64 ": no chunk begins here", raw->path,
                       raw->offset);
    if (chunk->size > MAX_CHUNK || chunk->size > raw->size - raw->offset)
        return TP_FAIL(err, "%s: ends in the middle of a chunk that begins at offset %" PRIu64, raw->path,
                       raw->offset);
    if (chunk->size > raw->room) {
        uint8_t *larger = realloc(raw->buffer, chunk->size);
        if (!larger)
            return TP_NO_MEMORY(err);
        raw->buffer = larger;
        raw->room = chunk->size;
    }
    if (fread(raw->buffer, 1, chunk->size, raw->stream) != chunk->size)
        return read_failed(raw, err);
    if (libdeflate_crc32(0, raw->buffer, chunk->size) != u32_at(header + 8))
        return TP_FAIL(err, "%s: damaged: wrong checksum of the chunk at offset %" PRIu64, raw->path,
                       raw->offset);
    chunk->data = raw->buffer;
    chunk->offset = raw->offset + CHUNK_HEADER;
    raw->offset += CHUNK_HEADER + chunk->size;
    return 1;
}

int tp_raw_scan(struct tp_raw_file *raw, struct tp_raw_extent *extent, struct tp_error *err)
{
    struct tp_raw_chunk chunk;
    int more;

    *extent = (struct tp_raw_extent){0};
    if (tp_raw_rewind(raw, err))
        return -1;
    while ((more = tp_raw_next(raw, &chunk, err)) == 1) {
        if (chunk.type != TN_RAW_END)
            continue;
        extent->end = raw->offset;
        extent->parts++;
    }
    if (more < 0 && ferror(raw->stream))
        return -1; /* what is there is not known */
    if (!extent->parts) {
        struct tp_error first = *err;
        if (more == 0)
            return TP_FAIL(err, "%s: ends at offset %" PRIu64 " before its first part is complete" NOTHING_WHOLE,
                           raw->path, raw->offset);
        return TP_FAIL(err, "%.400s; no part before it is complete" NOTHING_WHOLE, first.message);
    }
    if (more < 0)
        snprintf(extent->damage, sizeof extent->damage, "%.500s", err->message);
    else if (extent->end != raw->offset)
        snprintf(extent->damage, sizeof extent->damage,
                 "%.400s: ends at offset %" PRIu64 " inside part %" PRIu64, raw->path, raw->offset,
                 extent->parts + 1);
    return 0;
}

/* ------------------------------------------------------------------------------------------ records */

struct tp_cursor tp_cursor_of(const struct tp_raw_chunk *chunk)
{
    return (struct tp_cursor){
        .p = chunk->data, .begin = chunk->data, .end = chunk->data + chunk->size, .offset = chunk->offset};
}

uint64_t tp_cursor_offset(const struct tp_cursor *c)
{
    return c->offset + (uint64_t)(c->p - c->begin);
}

uint64_t tp_get_long_n(struct tp_cursor *c)
{
    uint64_t value = 0;
    const uint8_t *p = c->p;

    for (unsigned shift = 0; shift < 64 && p < c->end && !c->bad; shift += 7) {
        uint8_t byte = *p++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            c->p = p;
            return value;
        }
    }
    c->bad = true;
    return 0;
}

int64_t tp_get_z(struct tp_cursor *c)
{
    uint64_t n = tp_get_n(c);

    return (int64_t)(n >> 1 ^ (~(n & 1) + 1));
}

const uint8_t *tp_get_s(struct tp_cursor *c, size_t *size)
{
    const uint8_t *before = c->p;
    uint64_t n = tp_get_n(c);

    if (!c->bad && n <= (uint64_t)(c->end - c->p)) {
        const uint8_t *bytes = c->p;
        c->p += n;
        *size = (size_t)n;
        return bytes;
    }
    c->p = before;
    c->bad = true;
    *size = 0;
    return before;
}

/* ------------------------------------------------------------------------------------------ at a glance */

static bool is(const uint8_t *bytes, size_t size, const char *text)
{
    return size == strlen(text) && memcmp(bytes, text, size) == 0;
}

/* A recording that has an instruction's costs (SELF) is not empty; the rest is meta data, of which a later value
 * replaces an earlier one. */
int tp_glance(const char *raw, struct tp_glance *glance, struct tp_error *err)
{
    struct tp_raw_file file;
    struct tp_raw_chunk chunk;
    int more = tp_raw_open(&file, raw, err) ? -1 : 1;

    *glance = (struct tp_glance){.empty = true};
    while (more > 0 && (more = tp_raw_next(&file, &chunk, err)) > 0) {
        struct tp_cursor c = tp_cursor_of(&chunk);
        while (chunk.type == TN_RAW_META && c.p < c.end && !c.bad) {
            size_t key_size, size;
            const uint8_t *key = tp_get_s(&c, &key_size), *value = tp_get_s(&c, &size);
            if (!c.bad && is(key, key_size, "start"))
                snprintf(glance->start, sizeof glance->start, "%.*s", (int)(size < 255 ? size : 255),
                         (const char *)value);
            else if (!c.bad && is(key, key_size, "started"))
                glance->never = is(value, size, "no");
        }
        glance->empty &= chunk.type != TN_RAW_SELF || chunk.size == 0;
    }
    tp_raw_close(&file);
    return more;
}
