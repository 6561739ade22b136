/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_map.c: see jit_map.h.
 *
 * Ranges are an array, sorted, without overlap. A new entry is cut into it: usually at the end, since compilers hand
 * out memory upwards. An earlier range that reaches beyond both ends of the new one becomes two. Where many entries
 * come at once, in any order, they are laid over each other by halves, and then over what is there.
 */
#include "engine/common/jit_map.h"

#include "engine/common/fn_build.h"

#include <string.h>

enum {
    FIRST_RANGES = 1 << 10,
    FEW = 64, /* entries that are cut in one by one */
    MAX_NAME = 4096,
    DUMP_MAGIC = 0x4A695444,
    DUMP_HEADER = 40,
    RECORD_HEADER = 16,
    RECORD_LOAD = 0,
    RECORD_MOVE = 1,
};

struct range {
    uint64_t start, end;
    const char *name;
    uint32_t index;
    uint32_t flags;
};

struct fb_jit {
    struct fb_host host;
    struct fb_block *blocks; /* of names */
    const char *path;
    struct range *ranges;
    size_t count, limit;
    struct range *fresh; /* entries not cut in yet, in the file's order */
    size_t fresh_count, fresh_limit;
    uint64_t done; /* bytes of the file that have been read */
    uint32_t entries;
    bool broken; /* a jitdump that cannot be followed, or no memory: as it is for ever */
};

static const char *copy(fb_jit *jit, const uint8_t *bytes, size_t size)
{
    const char *to = fb_copy(&jit->host, &jit->blocks, bytes, size < MAX_NAME ? size : MAX_NAME);
    jit->broken |= !to;
    return to ? to : "";
}

/* ------------------------------------------------------------------------------------------ ranges */

/* The number of ranges that end at or before `address`. */
static size_t ranges_before(const fb_jit *jit, uint64_t address)
{
    size_t begun = fb_begun(jit->ranges, jit->count, sizeof *jit->ranges, address);
    return begun > 0 && jit->ranges[begun - 1].end > address ? begun - 1 : begun;
}

static void release_ranges(const fb_jit *jit, struct range *ranges, size_t limit)
{
    if (ranges)
        jit->host.release(jit->host.user, ranges, limit * sizeof *ranges);
}

/* Room for two more: an entry in the middle of a range adds that many. */
static bool room(fb_jit *jit, struct range **ranges, size_t count, size_t *limit)
{
    if (count + 2 <= *limit)
        return true;
    size_t larger = *limit ? 2 * *limit : FIRST_RANGES;
    struct range *more = jit->host.reserve(jit->host.user, larger * sizeof *more);
    if (!more) {
        jit->broken = true;
        return false;
    }
    if (count > 0)
        memcpy(more, *ranges, count * sizeof *more);
    release_ranges(jit, *ranges, *limit);
    *ranges = more;
    *limit = larger;
    return true;
}

static void add(fb_jit *jit, uint64_t start, uint64_t size, const char *name)
{
    uint32_t index = jit->entries++;
    if (size > 0 && start <= UINT64_MAX - size && room(jit, &jit->fresh, jit->fresh_count, &jit->fresh_limit))
        jit->fresh[jit->fresh_count++] =
            (struct range){.start = start, .end = start + size, .name = name, .index = index};
}

/* Into what is there. */
static void cut_in(fb_jit *jit, const struct range *entry)
{
    if (!room(jit, &jit->ranges, jit->count, &jit->limit))
        return;
    struct range with[3];
    uint64_t start = entry->start, end = entry->end;
    size_t n = 0, first = ranges_before(jit, start), last = first;
    while (last < jit->count && jit->ranges[last].start < end)
        last++;
    if (last > first && jit->ranges[first].start < start) {
        with[n] = jit->ranges[first];
        with[n++].end = start;
    }
    with[n++] = *entry;
    if (last > first && jit->ranges[last - 1].end > end) {
        with[n] = jit->ranges[last - 1];
        with[n].start = end;
        with[n++].flags = FB_PIECE;
    }
    struct range *at = jit->ranges + first;
    memmove(at + n, jit->ranges + last, (jit->count - last) * sizeof *at);
    memcpy(at, with, n * sizeof *at);
    jit->count += n - (last - first);
}

/* What `old` and `later` ranges are together, into `to`, at most old_count + 2 * later_count: later ones cover old
 * ones. Returns how many. */
static size_t lay_over(const struct range *old, size_t old_count, const struct range *later, size_t later_count,
                       struct range *to)
{
    const struct range *old_end = old + old_count, *later_end = later + later_count;
    struct range rest = old_count ? *old : (struct range){0}; /* of the old one at hand */
    size_t n = 0;
    while (old < old_end && later < later_end) {
        if (later->end <= rest.start) {
            to[n++] = *later++;
            continue;
        }
        if (rest.start < later->start) {
            to[n] = rest;
            to[n].end = rest.end < later->start ? rest.end : later->start;
            n++;
        }
        if (rest.end > later->end) {
            rest.start = later->end;
            rest.flags = FB_PIECE;
            to[n++] = *later++;
        } else if (++old < old_end) {
            rest = *old;
        }
    }
    for (; old < old_end; rest = ++old < old_end ? *old : rest)
        to[n++] = rest;
    while (later < later_end)
        to[n++] = *later++;
    return n;
}

/* Entries in the file's order as ranges, into `to`; twice as many fit there and into `spare`. Returns how many. */
static size_t lay_all(const struct range *entries, size_t count, struct range *to, struct range *spare)
{
    if (count == 1) {
        *to = *entries;
        return 1;
    }
    size_t half = count / 2;
    size_t early = lay_all(entries, half, spare, to);
    size_t late = lay_all(entries + half, count - half, spare + 2 * half, to + 2 * half);
    return lay_over(spare, early, spare + 2 * half, late, to);
}

/* All fresh entries become ranges. */
static void settle(fb_jit *jit)
{
    size_t count = jit->fresh_count, limit = jit->count + 4 * count + 2;
    jit->fresh_count = 0;
    if (count <= FEW) {
        for (size_t i = 0; i < count; i++)
            cut_in(jit, &jit->fresh[i]);
        return;
    }
    struct range *to = jit->host.reserve(jit->host.user, limit * sizeof *to);
    struct range *spare = jit->host.reserve(jit->host.user, 2 * count * sizeof *spare);
    jit->broken |= !to || !spare;
    if (to && spare) {
        size_t fresh = lay_all(jit->fresh, count, spare, to);
        size_t all = lay_over(jit->count ? jit->ranges : spare, jit->count, spare, fresh, to);
        release_ranges(jit, jit->ranges, jit->limit);
        jit->ranges = to;
        jit->count = all;
        jit->limit = limit;
    } else {
        release_ranges(jit, to, limit);
    }
    release_ranges(jit, spare, 2 * count);
}

/* ------------------------------------------------------------------------------------------ perf map */

static bool hex(const uint8_t **p, const uint8_t *end, uint64_t *value)
{
    const uint8_t *start = *p;
    if (end - start > 2 && start[0] == '0' && (start[1] == 'x' || start[1] == 'X'))
        *p = start += 2;
    *value = 0;
    for (; *p < end; ++*p) {
        uint8_t c = **p | 0x20;
        bool digit = **p >= '0' && **p <= '9', letter = c >= 'a' && c <= 'f';
        if (!digit && !letter)
            break;
        *value = *value << 4 | (uint64_t)(digit ? **p - '0' : c - 'a' + 10);
    }
    return *p > start && *p - start <= 16;
}

/* Bytes read: whole lines only. */
static uint64_t read_perf_map(fb_jit *jit, const uint8_t *text, uint64_t size)
{
    uint64_t line = 0, start, bytes;
    for (uint64_t i = 0; i < size; i++) {
        if (text[i] != '\n')
            continue;
        const uint8_t *p = text + line, *end = text + i;
        line = i + 1;
        if (!hex(&p, end, &start) || p == end || *p++ != ' ' || !hex(&p, end, &bytes) || p == end || *p++ != ' ')
            continue;
        if (p < end && end[-1] == '\r')
            end--;
        add(jit, start, bytes, copy(jit, p, (size_t)(end - p)));
    }
    return line;
}

/* ------------------------------------------------------------------------------------------ jitdump */

/* code_size and code_addr are at the same places in both records; MOVE has the old address between. */
static void read_record(fb_jit *jit, const uint8_t *p, uint32_t id, uint32_t size)
{
    if (id == RECORD_LOAD && size >= RECORD_HEADER + 40) {
        size_t n = 0, limit = size - RECORD_HEADER - 40;
        const uint8_t *name = p + RECORD_HEADER + 40;
        while (n < limit && name[n])
            n++;
        add(jit, elf_u64(p + RECORD_HEADER + 16), elf_u64(p + RECORD_HEADER + 24), copy(jit, name, n));
    } else if (id == RECORD_MOVE && size >= RECORD_HEADER + 48) {
        settle(jit);
        uint64_t old = elf_u64(p + RECORD_HEADER + 16), at = elf_u64(p + RECORD_HEADER + 24);
        size_t i = ranges_before(jit, old);
        bool known = i < jit->count && jit->ranges[i].start <= old;
        add(jit, at, elf_u64(p + RECORD_HEADER + 32), known ? jit->ranges[i].name : "");
    }
}

static uint64_t read_dump(fb_jit *jit, const uint8_t *p, uint64_t size, uint64_t at)
{
    if (at == 0) {
        if (size < DUMP_HEADER)
            return 0;
        at = elf_u32(p + 8); /* the header says how long it is */
        if (at < DUMP_HEADER || elf_u32(p + 4) != 1) {
            jit->broken = true;
            return 0;
        }
    }
    while (at <= size && size - at >= RECORD_HEADER) {
        uint32_t id = elf_u32(p + at), bytes = elf_u32(p + at + 4);
        if (bytes < RECORD_HEADER) {
            jit->broken = true;
            break;
        }
        if (bytes > size - at)
            break;
        read_record(jit, p + at, id, bytes);
        at += bytes;
    }
    return at <= size ? at : 0;
}

/* ------------------------------------------------------------------------------------------ life, questions */

fb_jit *fb_jit_open(const struct fb_host *host, const char *path)
{
    fb_jit *jit = host->reserve(host->user, sizeof *jit);
    if (!jit)
        return NULL;
    jit->host = *host;
    jit->path = fb_copy(host, &jit->blocks, path, elf_text_size(path));
    if (jit->path)
        return jit;
    fb_jit_close(jit);
    return NULL;
}

void fb_jit_close(fb_jit *jit)
{
    if (!jit)
        return;
    struct fb_host host = jit->host;
    release_ranges(jit, jit->ranges, jit->limit);
    release_ranges(jit, jit->fresh, jit->fresh_limit);
    fb_free_copies(&host, jit->blocks);
    host.release(host.user, jit, sizeof *jit);
}

bool fb_jit_refresh(fb_jit *jit)
{
    size_t size;
    uint32_t before = jit->entries;
    const uint8_t *p = jit->broken ? NULL : jit->host.map(jit->host.user, jit->path, &size);
    if (!p)
        return false;
    if (size < jit->done) {
        jit->done = 0;
        jit->count = 0;
    }
    if (size >= 4 && elf_u32(p) == DUMP_MAGIC)
        jit->done = read_dump(jit, p, size, jit->done);
    else
        jit->done += read_perf_map(jit, p + jit->done, size - jit->done);
    jit->host.unmap(jit->host.user, p, size);
    settle(jit);
    return jit->entries != before;
}

bool fb_jit_lookup(const fb_jit *jit, uint64_t address, struct fb_function *out)
{
    size_t i = ranges_before(jit, address);
    if (i == jit->count || jit->ranges[i].start > address)
        return false;
    const struct range *r = &jit->ranges[i];
    *out = (struct fb_function){.start = r->start,
                                .size = r->end - r->start,
                                .name = r->name,
                                .index = r->index,
                                .parent = r->index,
                                .flags = r->flags};
    return true;
}
