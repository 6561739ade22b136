/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fn_data.c: the static data of an object: which symbol holds an address (functions.h, fb_data_at).
 *
 * Symbols of data lie in a list by where they begin, then by size, the largest last; of those that have the same bytes
 * one name is kept. Symbols may lie inside others: each knows the nearest before it that goes on behind its beginning,
 * so that a look-up climbs out of those that have ended.
 */
#include "engine/common/fn_build.h"

#include <string.h>

enum { STT_OBJECT = 1, STT_COMMON = 5, SHF_TLS = 0x400, NONE = 0xffffffff };

/* Damaged files have a million sections and as many symbols, so that sections are sorted too. */
static void find_sections(fb_object *o)
{
    struct elf_section s;
    o->sections = fb_reserve(o, o->image.shnum, sizeof *o->sections);
    for (uint32_t i = 0; o->sections && elf_section(&o->image, i, &s); i++) {
        bool data = (s.flags & ELF_SHF_ALLOC) && !(s.flags & (ELF_SHF_EXECINSTR | SHF_TLS));
        if (data && s.size <= UINT64_MAX - s.address)
            o->sections[o->section_count++] =
                (struct fb_area){.start = s.address, .end = s.address + s.size, .name = s.name};
    }
    o->section_count = fb_sort_areas(o, o->sections, o->section_count);
}

/* The section with data that holds an address of the file. */
static const struct fb_area *section_of(const fb_object *o, uint64_t address)
{
    return fb_area_at(o->sections, o->section_count, address);
}

static bool datum_before(const void *a, const void *b)
{
    const struct fb_datum *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start;
    if (x->end != y->end)
        return x->end < y->end;
    return fb_better_name(&(struct fb_name){x->symbol.name, x->name_bytes, x->symbol.type, x->symbol.bind},
                          &(struct fb_name){y->symbol.name, y->name_bytes, y->symbol.type, y->symbol.bind});
}

static void build(fb_object *o)
{
    struct elf_symbols tables[FB_TABLES];
    struct elf_symbol s;
    uint64_t left = fb_names_left(o);
    find_sections(o);
    fb_tables(o, tables);
    for (unsigned t = 0; t < FB_TABLES; t++)
        o->data_limit += (uint32_t)tables[t].count;
    o->data = fb_reserve(o, o->data_limit, sizeof *o->data);
    if (!o->data)
        return;
    for (unsigned t = 0; t < FB_TABLES; t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            elf_symbol(&tables[t], i, &s);
            bool type = s.type == STT_OBJECT || s.type == STT_COMMON || s.type == ELF_STT_NOTYPE;
            uint32_t bytes;
            if (type && s.defined && s.size && s.size < UINT64_MAX / 4 && s.value < UINT64_MAX / 4 &&
                section_of(o, s.value) && fb_take_name(&left, s.name, &bytes))
                o->data[o->data_count++] = (struct fb_datum){s.value, s.value + s.size, s, bytes, NONE};
        }
    }
    fb_sort(o, o->data, o->data_count, sizeof *o->data, datum_before);
    uint32_t kept = 0; /* of equal ranges the first: it has the best name */
    for (uint32_t i = 0; i < o->data_count; i++) {
        if (!kept || o->data[kept - 1].start != o->data[i].start || o->data[kept - 1].end != o->data[i].end)
            o->data[kept++] = o->data[i];
    }
    o->data_count = kept;
    for (uint32_t i = 1; i < o->data_count; i++) {
        uint32_t outer = i - 1;
        while (outer != NONE && o->data[outer].end <= o->data[i].start)
            outer = o->data[outer].outer;
        o->data[i].outer = outer;
    }
}

bool fb_data_at(fb_object *o, uint64_t address, struct fb_data *out)
{
    uint64_t at = address - o->bias;
    if (!o->data && !o->out_of_memory)
        build(o);
    const struct fb_area *section = o->data ? section_of(o, at) : NULL;
    if (!section)
        return false;
    uint32_t next = (uint32_t)fb_begun(o->data, o->data_count, sizeof *o->data, at), i = next ? next - 1 : NONE;
    uint64_t start = section->start, end = section->end;
    if (next < o->data_count && o->data[next].start < end)
        end = o->data[next].start;
    for (; i != NONE && at >= o->data[i].end; i = o->data[i].outer) {
        if (o->data[i].end > start)
            start = o->data[i].end;
    }
    *out = (struct fb_data){.name = section->name, .name_bytes = elf_text_size(section->name)};
    if (i != NONE) {
        const struct fb_datum *datum = &o->data[i];
        start = datum->start > start ? datum->start : start;
        end = datum->end < end ? datum->end : end;
        out->name = datum->symbol.name;
        out->name_bytes = datum->name_bytes;
        out->address = datum->start;
        out->size = datum->end - datum->start;
    }
    /* Moved by the bias, either end may lie beyond all addresses. */
    out->start = at - start <= address ? address - (at - start) : 0;
    out->end = end - at <= UINT64_MAX - address ? address + (end - at) : UINT64_MAX;
    return true;
}

bool fb_loaded(const fb_object *o, uint64_t *start, uint64_t *end)
{
    struct elf_segment s;
    *start = UINT64_MAX;
    *end = 0;
    for (uint32_t i = 0; elf_segment(&o->image, i, &s); i++) {
        if (s.type != ELF_PT_LOAD || s.memory_size > UINT64_MAX / 4 || s.address > UINT64_MAX / 4)
            continue;
        if (s.address < *start)
            *start = s.address;
        if (s.address + s.memory_size > *end)
            *end = s.address + s.memory_size;
    }
    if (*start >= *end)
        return false;
    *start = (*start & -4096ull) + o->bias;
    *end = ((*end + 4095) & -4096ull) + o->bias;
    return true;
}

bool fb_loads(const fb_object *o, uint64_t offset, uint64_t bytes)
{
    struct elf_segment s;
    for (uint32_t i = 0; elf_segment(&o->image, i, &s); i++) {
        uint64_t first = s.offset & -4096ull, end = (s.offset + s.file_size + 4095) & -4096ull;
        if (s.type == ELF_PT_LOAD && offset >= first && offset < end && bytes <= end - offset)
            return true;
    }
    return false;
}
