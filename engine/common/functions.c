/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.c: see functions.h for the rules.
 *
 * An object goes through stages, each a function below, and keeps only the result of the last:
 *
 *   areas     where code can be: executable sections; the rest of executable segments
 *   frames    .eh_frame ranges inside areas, by start
 *   symbols   candidates inside areas, by start
 *   owners    one per function: symbols at one address fused, labels dropped, frames without symbol added
 *   ranges    a sweep over the owners, innermost wins; what the object is searched by
 *
 * Gaps are not stored, except one at the beginning of an area: any other gap follows a range of its area and has
 * that range's index plus the number of ranges.
 */
#include "engine/common/functions.h"

#include "engine/common/elf_image.h"
#include "engine/common/fn_build.h"

#include <string.h>

enum { MAX_SEGMENTS = 256 }; /* looked at; real objects have a dozen */

/* ------------------------------------------------------------------------------------------ memory */

void *fb_reserve(fb_object *o, size_t count, size_t each)
{
    if (o->out_of_memory || (each && count > ((size_t)1 << 46) / each))
        o->out_of_memory = true;
    void *memory = o->out_of_memory ? NULL : o->host.reserve(o->host.user, count ? count * each : each);
    if (!memory)
        o->out_of_memory = true;
    return memory;
}

void fb_release(fb_object *o, void *memory, size_t count, size_t each)
{
    if (memory)
        o->host.release(o->host.user, memory, count ? count * each : each);
}

const char *fb_copy(const struct fb_host *host, struct fb_block **blocks, const void *text, size_t bytes)
{
    struct fb_block *b = *blocks;
    if (!b || bytes + 1 > b->size - b->used) {
        size_t size = bytes + 1 + sizeof *b > FB_BLOCK ? bytes + 1 + sizeof *b : FB_BLOCK;
        b = host->reserve(host->user, size);
        if (!b)
            return NULL;
        *b = (struct fb_block){.next = *blocks, .size = size, .used = sizeof *b};
        *blocks = b;
    }
    char *to = (char *)b + b->used;
    b->used += bytes + 1;
    memcpy(to, text, bytes);
    to[bytes] = 0;
    return to;
}

void fb_free_copies(const struct fb_host *host, struct fb_block *blocks)
{
    for (struct fb_block *next; blocks; blocks = next) {
        next = blocks->next;
        host->release(host->user, blocks, blocks->size);
    }
}

size_t fb_begun(const void *array, size_t count, size_t each, uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (*(const uint64_t *)(const void *)((const char *)array + middle * each) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ------------------------------------------------------------------------------------------ areas */

static bool area_before(const void *a, const void *b)
{
    return ((const struct fb_area *)a)->start < ((const struct fb_area *)b)->start;
}

static void add_area(fb_object *o, struct fb_area area)
{
    if (area.start < area.end)
        o->areas[o->area_count++] = area;
}

uint32_t fb_sort_areas(fb_object *o, struct fb_area *areas, uint32_t count)
{
    uint32_t kept = 0;
    fb_sort(o, areas, count, sizeof *areas, area_before);
    for (uint32_t i = 0; i < count; i++) {
        struct fb_area a = areas[i];
        uint64_t before = kept ? areas[kept - 1].end : 0;
        a.start = a.start < before ? before : a.start;
        if (a.start < a.end)
            areas[kept++] = a;
    }
    return kept;
}

/* What executable segments hold outside of the `sections` first areas, which are sorted. */
static void segment_areas(fb_object *o, uint32_t sections)
{
    struct elf_segment s;
    for (uint32_t i = 0; i < MAX_SEGMENTS && elf_segment(&o->image, i, &s); i++) {
        if (s.type != ELF_PT_LOAD || !(s.flags & ELF_PF_X) || s.memory_size > UINT64_MAX / 4 ||
            s.address > UINT64_MAX / 2)
            continue;
        struct fb_area rest = {.start = s.address, .end = s.address + s.memory_size, .name = ""};
        rest.kind = sections ? FB_AREA_REST : FB_AREA_CODE;
        uint64_t end = rest.end;
        for (uint32_t k = 0; k < sections && o->area_count < o->area_limit - 1; k++) {
            if (o->areas[k].end <= rest.start || o->areas[k].start >= end)
                continue;
            rest.end = o->areas[k].start;
            add_area(o, rest);
            rest.start = o->areas[k].end;
        }
        rest.end = end;
        if (o->area_count < o->area_limit)
            add_area(o, rest);
    }
}

static void find_areas(fb_object *o)
{
    static const char *const plts[] = {".plt", ".plt.got", ".plt.sec", ".plt.bnd", ".iplt"};
    struct elf_section s;
    o->area_limit = o->image.phnum + 2 * o->image.shnum + 2;
    o->areas = fb_reserve(o, o->area_limit, sizeof *o->areas);
    if (!o->areas)
        return;
    for (uint32_t i = 0; elf_section(&o->image, i, &s); i++) {
        bool code = (s.flags & ELF_SHF_ALLOC) && (s.flags & ELF_SHF_EXECINSTR), plt = false;
        if (!code || s.size > UINT64_MAX / 4 || s.address > UINT64_MAX / 2)
            continue;
        for (size_t k = 0; k < sizeof plts / sizeof plts[0]; k++)
            plt |= elf_same_text(s.name, plts[k]);
        add_area(o, (struct fb_area){.start = s.address,
                                     .end = s.address + s.size,
                                     .name = s.name,
                                     .kind = plt ? FB_AREA_PLT : FB_AREA_CODE});
    }
    o->area_count = fb_sort_areas(o, o->areas, o->area_count);
    segment_areas(o, o->area_count);
    o->area_count = fb_sort_areas(o, o->areas, o->area_count);
}

const struct fb_area *fb_area_at(const struct fb_area *areas, uint32_t count, uint64_t address)
{
    size_t next = fb_begun(areas, count, sizeof *areas, address);
    return next > 0 && address < areas[next - 1].end ? &areas[next - 1] : NULL;
}

/* ------------------------------------------------------------------------------------------ separate debug file */

/* Text with a fixed limit; too long a path is no path. */
struct path {
    char text[4096];
    size_t size;
    bool bad;
};

static void path_add(struct path *p, const char *text, size_t bytes)
{
    if (bytes >= sizeof p->text - p->size) {
        p->bad = true;
        return;
    }
    memcpy(p->text + p->size, text, bytes);
    p->size += bytes;
    p->text[p->size] = 0;
}

static void path_add_text(struct path *p, const char *text)
{
    path_add(p, text, elf_text_size(text));
}

/* Take the file at p if it is this object's: same build-id, or where one has none, the checksum. */
static bool try_debug_file(fb_object *o, const struct path *p, const uint32_t *crc)
{
    size_t bytes;
    const void *data = p->bad ? NULL : o->host.map(o->host.user, p->text, &bytes);
    if (!data)
        return false;
    struct elf_image image;
    uint32_t ours_size, its_size;
    const uint8_t *ours = elf_build_id(&o->image, &ours_size), *its = NULL;
    bool good = elf_open(&image, data, bytes) == NULL;
    if (good)
        its = elf_build_id(&image, &its_size);
    if (good && ours && its)
        good = ours_size == its_size && elf_same_bytes(ours, its, its_size);
    else if (good)
        good = crc && elf_crc32(data, bytes) == *crc;
    if (!good) {
        o->host.unmap(o->host.user, data, bytes);
        return false;
    }
    o->debug = image;
    o->debug_data = data;
    o->debug_bytes = bytes;
    return true;
}

static void find_debug_file(fb_object *o, const struct fb_source *source)
{
    static struct path none;
    uint32_t size, crc;
    const uint8_t *id = elf_build_id(&o->image, &size);
    if (!source->debug_dir)
        return;
    struct path *p = fb_reserve(o, 1, sizeof *p);
    if (!p)
        return;
    bool found = false;
    if (id && size > 1) {
        path_add_text(p, source->debug_dir);
        path_add_text(p, "/.build-id/");
        for (uint32_t i = 0; i < size; i++) {
            path_add(p, &"0123456789abcdef"[id[i] >> 4], 1);
            path_add(p, &"0123456789abcdef"[id[i] & 15], 1);
            path_add_text(p, i == 0 ? "/" : "");
        }
        path_add_text(p, ".debug");
        found = try_debug_file(o, p, NULL);
    }
    const char *link = found || !source->path ? NULL : elf_debug_link(&o->image, &crc);
    size_t folder = 0; /* bytes of source->path up to and with the last slash */
    for (size_t i = 0; link && source->path[i]; i++)
        folder = source->path[i] == '/' ? i + 1 : folder;
    for (int where = 0; link && !found && where < 3; where++) {
        *p = none;
        if (where == 2)
            path_add_text(p, source->debug_dir);
        path_add(p, source->path, folder);
        path_add_text(p, where == 1 ? ".debug/" : "");
        path_add_text(p, link);
        /* A link may name the stripped file itself. */
        found = !elf_same_text(p->text, source->path) && try_debug_file(o, p, &crc);
    }
    fb_release(o, p, 1, sizeof *p);
}

/* ------------------------------------------------------------------------------------------ life */

void fb_close(fb_object *o)
{
    if (!o)
        return;
    struct fb_host host = o->host;
    fb_free_copies(&host, o->blocks);
    fb_release(o, o->areas, o->area_limit, sizeof *o->areas);
    fb_release(o, o->ranges, o->range_limit, sizeof *o->ranges);
    fb_release(o, o->data, o->data_limit, sizeof *o->data);
    fb_release(o, o->sections, o->image.shnum, sizeof *o->sections);
    if (o->debug_data)
        host.unmap(host.user, o->debug_data, o->debug_bytes);
    if (o->file_data)
        host.unmap(host.user, o->file_data, o->file_bytes);
    host.release(host.user, o, sizeof *o);
}

static fb_object *give_up(fb_object *o, const char *reason, const char **why)
{
    if (why)
        *why = reason;
    fb_close(o);
    return NULL;
}

fb_object *fb_open(const struct fb_host *host, const struct fb_source *source, const char **why)
{
    fb_object *o = host->reserve(host->user, sizeof *o);
    if (!o)
        return give_up(NULL, "out of memory", why);
    o->host = *host;
    o->bias = source->bias;
    const void *data = source->image;
    size_t bytes = source->image_bytes;
    if (!data && source->path)
        data = o->file_data = host->map(host->user, source->path, &o->file_bytes);
    if (!data)
        return give_up(o, "cannot read the file", why);
    const char *bad = elf_open(&o->image, data, source->image ? bytes : o->file_bytes);
    if (bad)
        return give_up(o, bad, why);
    find_areas(o);
    if (!o->out_of_memory)
        find_debug_file(o, source);
    if (!source->data_only)
        fb_build(o);
    if (o->out_of_memory)
        return give_up(o, "out of memory", why);
    return o;
}

bool fb_place(fb_object *o, uint64_t address, uint64_t offset)
{
    struct elf_segment s;
    int best = -1; /* exact start of a segment 2, executable 1 */
    for (uint32_t i = 0; elf_segment(&o->image, i, &s); i++) {
        uint64_t start = s.offset & ~(uint64_t)4095;
        if (s.type != ELF_PT_LOAD || offset < start || offset - start >= s.file_size + (s.offset - start))
            continue;
        int quality = (s.flags & ELF_PF_X ? 1 : 0) + (offset == start ? 2 : 0);
        if (quality <= best)
            continue;
        best = quality;
        o->bias = address - offset + s.offset - s.address;
    }
    return best >= 0;
}

/* ------------------------------------------------------------------------------------------ questions */

static void tell_range(const fb_object *o, uint32_t i, struct fb_function *out)
{
    const struct fb_range *r = &o->ranges[i];
    *out = (struct fb_function){.start = r->start + o->bias,
                                .size = r->end - r->start,
                                .name = r->name,
                                .index = i,
                                .parent = r->parent,
                                .flags = r->flags};
}

/* The gap after range i; false if there is none. */
static bool tell_gap(const fb_object *o, uint32_t i, struct fb_function *out)
{
    uint64_t start = o->ranges[i].end;
    uint64_t end = fb_area_at(o->areas, o->area_count, o->ranges[i].start)->end;
    if (i + 1 < o->range_count && o->ranges[i + 1].start < end)
        end = o->ranges[i + 1].start;
    if (start >= end)
        return false;
    uint32_t index = o->range_count + i;
    *out = (struct fb_function){.start = start + o->bias,
                                .size = end - start,
                                .name = "",
                                .index = index,
                                .parent = index,
                                .flags = FB_GAP};
    return true;
}

bool fb_lookup(const fb_object *o, uint64_t address, struct fb_function *out)
{
    uint64_t at = address - o->bias;
    uint32_t next = (uint32_t)fb_begun(o->ranges, o->range_count, sizeof *o->ranges, at);
    if (next == 0)
        return false;
    if (at < o->ranges[next - 1].end) {
        tell_range(o, next - 1, out);
        return true;
    }
    return tell_gap(o, next - 1, out) && address - out->start < out->size;
}

bool fb_get(const fb_object *o, uint32_t index, struct fb_function *out)
{
    if (index < o->range_count) {
        tell_range(o, index, out);
        return true;
    }
    return index - o->range_count < o->range_count && tell_gap(o, index - o->range_count, out);
}

uint32_t fb_limit(const fb_object *o)
{
    return 2 * o->range_count;
}

uint64_t fb_bias(const fb_object *o)
{
    return o->bias;
}

const uint8_t *fb_build_id(const fb_object *o, uint32_t *bytes)
{
    return elf_build_id(&o->image, bytes);
}

/* Whether a symbol has this name, with or without a version. */
static bool is_named(const char *symbol, const char *name)
{
    for (; *name; name++, symbol++)
        if (*symbol != *name)
            return false;
    return *symbol == 0 || *symbol == '@';
}

bool fb_symbol(const fb_object *o, const char *name, uint64_t *address)
{
    struct elf_symbols tables[FB_TABLES];
    struct elf_symbol symbol;
    fb_tables(o, tables);
    for (unsigned t = 0; t < FB_TABLES; t++)
        for (size_t i = 0; i < tables[t].count; i++) {
            elf_symbol(&tables[t], i, &symbol);
            if (!symbol.defined || !is_named(symbol.name, name))
                continue;
            *address = symbol.value + o->bias;
            return true;
        }
    return false;
}
