/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_read.h: chunks of a raw profile, checked, and a cursor to read records from them.
 *
 * Nothing in the file is trusted. A chunk is handed out only when it is there as a whole and its checksum is
 * right; the cursor never reads past its end. Memory: one chunk.
 */
#ifndef TENURE_PROFILE_RAW_READ_H
#define TENURE_PROFILE_RAW_READ_H

#include <stdint.h>

#include "profile/profile.h"

struct tp_raw_file {
    FILE *stream;
    const char *path; /* the caller's */
    uint64_t size;    /* of the file, when it was opened */
    uint64_t offset;  /* of the next chunk */
    uint8_t *buffer;
    size_t room;
};

struct tp_raw_chunk {
    uint32_t type; /* enum tn_raw_chunk, or one this version does not know */
    uint32_t size;
    const uint8_t *data; /* good until the next chunk is read */
    uint64_t offset;     /* of data, in the file */
};

/* Open, check magic and version. tp_raw_close also after a failure. */
int tp_raw_open(struct tp_raw_file *raw, const char *path, struct tp_error *err);
void tp_raw_close(struct tp_raw_file *raw);

/* The next chunk: 1, or 0 at the end of the file, or -1: damaged or unreadable from here on. */
int tp_raw_next(struct tp_raw_file *raw, struct tp_raw_chunk *chunk, struct tp_error *err);
/* Back to the first chunk. */
int tp_raw_rewind(struct tp_raw_file *raw, struct tp_error *err);

/* Read the whole file once and tell where its last whole part ends. -1 if there is no whole part, else 0;
 * if something follows the last whole part, `damage` says what is wrong with it, else it is "". */
struct tp_raw_extent {
    uint64_t end;   /* offset after the last whole part */
    uint64_t parts; /* whole parts */
    char damage[512];
};
int tp_raw_scan(struct tp_raw_file *raw, struct tp_raw_extent *extent, struct tp_error *err);

/* Reading records. After a failure `bad` is set, everything reads as 0, and p stays where it was. */
struct tp_cursor {
    const uint8_t *p, *end;
    const uint8_t *begin;
    uint64_t offset; /* of begin, in the file */
    bool bad;
};
struct tp_cursor tp_cursor_of(const struct tp_raw_chunk *chunk);
uint64_t tp_get_long_n(struct tp_cursor *c);
/* Most have one byte. */
static inline uint64_t tp_get_n(struct tp_cursor *c)
{
    return !c->bad && c->p < c->end && *c->p < 128 ? *c->p++ : tp_get_long_n(c);
}
int64_t tp_get_z(struct tp_cursor *c);
/* `size` bytes that stay in the chunk. */
const uint8_t *tp_get_s(struct tp_cursor *c, size_t *size);
uint64_t tp_cursor_offset(const struct tp_cursor *c);

/* What a raw profile says of its recording, without an import: where `record` only keeps the raw file it has to know
 * whether anything was recorded, and what had been waited for. Chunks are checked as for an import; of their records
 * only the few that answer this are read. */
struct tp_glance {
    char start[256]; /* what the recording was to begin with; "" if nothing was asked for */
    bool never;      /* that has not come */
    bool empty;      /* no instruction was recorded */
};

/* 0, or -1: it cannot be read. */
int tp_glance(const char *raw, struct tp_glance *glance, struct tp_error *err);

#endif
