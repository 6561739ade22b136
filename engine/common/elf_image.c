/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_image.c: see elf_image.h.
 *
 * One rule keeps this safe: a pointer into the image is made only by `bytes_at`, which knows the image's size, or
 * is derived from such a pointer inside the size that was asked for. Sums that could wrap are written as
 * differences (`size > limit - offset`).
 */
#include "engine/common/elf_image.h"

#include <string.h>

enum {
    EHDR_BYTES = 64,
    PHDR_BYTES = 56,
    SHDR_BYTES = 64,
    SYM_BYTES = 24,
    MAX_HEADERS = 1 << 20, /* of sections or segments: more is damage */
    SHN_LORESERVE = 0xff00,
    SHN_XINDEX = 0xffff,
    PN_XNUM = 0xffff,
    NT_GNU_BUILD_ID = 3,
};

uint16_t elf_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

uint32_t elf_u32(const uint8_t *p)
{
    return (uint32_t)elf_u16(p) | (uint32_t)elf_u16(p + 2) << 16;
}

uint64_t elf_u64(const uint8_t *p)
{
    return (uint64_t)elf_u32(p) | (uint64_t)elf_u32(p + 4) << 32;
}

size_t elf_text_size(const char *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return n;
}

bool elf_same_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

bool elf_same_bytes(const uint8_t *a, const uint8_t *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static const uint8_t *bytes_at(const struct elf_image *image, uint64_t offset, uint64_t bytes)
{
    if (offset > image->size || bytes > image->size - offset)
        return NULL;
    return image->data + offset;
}

/* ------------------------------------------------------------------------------------------ headers */

bool elf_segment(const struct elf_image *image, uint32_t i, struct elf_segment *out)
{
    if (i >= image->phnum)
        return false;
    const uint8_t *p = bytes_at(image, image->phoff + (uint64_t)i * image->phentsize, PHDR_BYTES);
    if (!p)
        return false;
    *out = (struct elf_segment){
        .type = elf_u32(p),
        .flags = elf_u32(p + 4),
        .offset = elf_u64(p + 8),
        .address = elf_u64(p + 16),
        .file_size = elf_u64(p + 32),
        .memory_size = elf_u64(p + 40),
    };
    return true;
}

bool elf_section(const struct elf_image *image, uint32_t i, struct elf_section *out)
{
    if (i >= image->shnum)
        return false;
    const uint8_t *p = bytes_at(image, image->shoff + (uint64_t)i * image->shentsize, SHDR_BYTES);
    if (!p)
        return false;
    uint32_t name = elf_u32(p);
    *out = (struct elf_section){
        .name = name < image->names_size ? image->names + name : "",
        .type = elf_u32(p + 4),
        .flags = elf_u64(p + 8),
        .address = elf_u64(p + 16),
        .offset = elf_u64(p + 24),
        .size = elf_u64(p + 32),
        .link = elf_u32(p + 40),
    };
    return true;
}

const uint8_t *elf_content(const struct elf_image *image, const struct elf_section *section)
{
    if (section->type == ELF_SHT_NOBITS || section->size == 0)
        return NULL;
    return bytes_at(image, section->offset, section->size);
}

bool elf_section_named(const struct elf_image *image, const char *name, struct elf_section *out)
{
    for (uint32_t i = 0; elf_section(image, i, out); i++)
        if (elf_same_text(out->name, name))
            return true;
    return false;
}

/* A string table is usable up to its last zero byte. */
static size_t usable_strings(const uint8_t *strings, size_t size)
{
    while (size > 0 && strings[size - 1] != 0)
        size--;
    return size;
}

/* Counts that do not fit the header are in section 0. */
static void open_sections(struct elf_image *image, const uint8_t *header)
{
    image->shoff = elf_u64(header + 40);
    image->shentsize = elf_u16(header + 58);
    if (image->shoff == 0 || image->shoff > image->size || image->shentsize < SHDR_BYTES)
        return;
    uint32_t names = elf_u16(header + 62);
    image->shnum = 1;
    struct elf_section first;
    if (!elf_section(image, 0, &first)) {
        image->shnum = 0;
        return;
    }
    uint64_t count = elf_u16(header + 60);
    if (count == 0)
        count = first.size;
    if (names == SHN_XINDEX)
        names = first.link;
    image->shnum = count <= MAX_HEADERS ? (uint32_t)count : 0;
    struct elf_section table;
    const uint8_t *strings = elf_section(image, names, &table) ? elf_content(image, &table) : NULL;
    if (strings) {
        image->names = (const char *)strings;
        image->names_size = usable_strings(strings, table.size);
    }
}

const char *elf_open(struct elf_image *image, const void *data, size_t size)
{
    static const uint8_t magic[6] = {0x7f, 'E', 'L', 'F', 2, 1};
    *image = (struct elf_image){.data = data, .size = size, .names = ""};
    const uint8_t *header = bytes_at(image, 0, EHDR_BYTES);
    if (!header || !elf_same_bytes(header, magic, 4))
        return "not an ELF file";
    if (!elf_same_bytes(header, magic, sizeof magic))
        return "not a 64-bit little-endian ELF file";
    open_sections(image, header);
    image->phoff = elf_u64(header + 32);
    image->phentsize = elf_u16(header + 54);
    image->phnum = elf_u16(header + 56);
    struct elf_section first;
    if (image->phnum == PN_XNUM && elf_section(image, 0, &first))
        image->phnum = (uint32_t)elf_u32(image->data + image->shoff + 44);
    if (image->phoff > size || image->phentsize < PHDR_BYTES || image->phnum > MAX_HEADERS)
        image->phnum = 0;
    return NULL;
}

const uint8_t *elf_at(const struct elf_image *image, uint64_t address, size_t *left)
{
    struct elf_segment s;
    for (uint32_t i = 0; elf_segment(image, i, &s); i++) {
        if (s.type != ELF_PT_LOAD || address - s.address >= s.file_size)
            continue;
        const uint8_t *start = bytes_at(image, s.offset, s.file_size);
        if (!start)
            continue;
        *left = s.file_size - (address - s.address);
        return start + (address - s.address);
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------ symbols */

static bool symbols_from_section(const struct elf_image *image, uint32_t type, struct elf_symbols *out)
{
    struct elf_section table, strings;
    for (uint32_t i = 0; elf_section(image, i, &table); i++) {
        if (table.type != type)
            continue;
        const uint8_t *entries = elf_content(image, &table);
        const uint8_t *text = elf_section(image, table.link, &strings) ? elf_content(image, &strings) : NULL;
        if (!entries || !text)
            continue;
        out->entries = entries;
        out->count = table.size / SYM_BYTES;
        out->strings = (const char *)text;
        out->strings_size = usable_strings(text, strings.size);
        return true;
    }
    return false;
}

enum { DT_HASH = 4, DT_STRTAB = 5, DT_SYMTAB = 6, DT_STRSZ = 10, DT_GNU_HASH = 0x6ffffef5 };

struct dynamic {
    uint64_t hash, gnu_hash, strtab, symtab, strsz;
};

static bool read_dynamic(const struct elf_image *image, struct dynamic *out)
{
    struct elf_segment s;
    *out = (struct dynamic){0};
    for (uint32_t i = 0; elf_segment(image, i, &s); i++) {
        const uint8_t *p = s.type == ELF_PT_DYNAMIC ? bytes_at(image, s.offset, s.file_size) : NULL;
        for (uint64_t k = 0; p && k + 16 <= s.file_size; k += 16) {
            uint64_t tag = elf_u64(p + k);
            uint64_t *to = tag == DT_HASH       ? &out->hash
                           : tag == DT_GNU_HASH ? &out->gnu_hash
                           : tag == DT_STRTAB   ? &out->strtab
                           : tag == DT_SYMTAB   ? &out->symtab
                           : tag == DT_STRSZ    ? &out->strsz
                                                : NULL;
            if (to)
                *to = elf_u64(p + k + 8);
        }
    }
    return out->strtab && out->symtab && out->strsz;
}

/* Entries of a GNU hash table: the chain of the highest bucket ends with the last symbol. */
static size_t gnu_hash_count(const struct elf_image *image, uint64_t address)
{
    size_t left;
    const uint8_t *p = elf_at(image, address, &left);
    if (!p || left < 16)
        return 0;
    uint64_t buckets = elf_u32(p), first = elf_u32(p + 4), words = elf_u32(p + 8);
    uint64_t chains = 16 + words * 8 + buckets * 4;
    if (chains > left)
        return 0;
    uint64_t last = 0;
    for (uint64_t i = 0; i < buckets; i++) {
        uint32_t symbol = elf_u32(p + 16 + words * 8 + i * 4);
        last = symbol > last ? symbol : last;
    }
    if (last < first)
        return first;
    for (uint64_t at = chains + (last - first) * 4; at + 4 <= left; at += 4, last++)
        if (elf_u32(p + at) & 1)
            return last + 1;
    return 0;
}

void elf_symbols(const struct elf_image *image, uint32_t section_type, struct elf_symbols *out)
{
    struct dynamic d;
    size_t left, strings_left, hash_left;
    *out = (struct elf_symbols){.strings = ""};
    if (symbols_from_section(image, section_type, out) || section_type != ELF_SHT_DYNSYM || !read_dynamic(image, &d))
        return;
    const uint8_t *entries = elf_at(image, d.symtab, &left);
    const uint8_t *strings = elf_at(image, d.strtab, &strings_left);
    if (!entries || !strings)
        return;
    const uint8_t *hash = d.hash ? elf_at(image, d.hash, &hash_left) : NULL;
    size_t count = hash && hash_left >= 8 ? elf_u32(hash + 4) : gnu_hash_count(image, d.gnu_hash);
    out->entries = entries;
    out->count = count < left / SYM_BYTES ? count : left / SYM_BYTES;
    out->strings = (const char *)strings;
    out->strings_size = usable_strings(strings, d.strsz < strings_left ? d.strsz : strings_left);
}

void elf_symbol(const struct elf_symbols *symbols, size_t i, struct elf_symbol *out)
{
    const uint8_t *p = symbols->entries + i * SYM_BYTES;
    uint32_t name = elf_u32(p), section = elf_u16(p + 6);
    *out = (struct elf_symbol){
        .name = name < symbols->strings_size ? symbols->strings + name : "",
        .type = p[4] & 15,
        .bind = p[4] >> 4,
        .defined = section != 0 && (section < SHN_LORESERVE || section == SHN_XINDEX),
        .value = elf_u64(p + 8),
        .size = elf_u64(p + 16),
    };
}

/* ------------------------------------------------------------------------------------------ notes, links */

static uint64_t round4(uint64_t n)
{
    return (n + 3) & ~(uint64_t)3;
}

/* The build-id among the notes at p. */
static const uint8_t *note_build_id(const uint8_t *p, uint64_t left, uint32_t *bytes)
{
    while (p && left >= 12) {
        uint64_t name = round4(elf_u32(p)), content = elf_u32(p + 4);
        if (name > left - 12 || content > left - 12 - name)
            return NULL;
        bool gnu = elf_u32(p) == 4 && elf_same_bytes(p + 12, (const uint8_t *)"GNU", 4);
        if (gnu && elf_u32(p + 8) == NT_GNU_BUILD_ID && content > 0) {
            *bytes = (uint32_t)content;
            return p + 12 + name;
        }
        uint64_t step = 12 + name + round4(content);
        if (step > left)
            return NULL;
        p += step;
        left -= step;
    }
    return NULL;
}

const uint8_t *elf_build_id(const struct elf_image *image, uint32_t *bytes)
{
    struct elf_section section;
    struct elf_segment segment;
    const uint8_t *id = NULL;
    *bytes = 0;
    for (uint32_t i = 0; !id && elf_section(image, i, &section); i++)
        if (section.type == ELF_SHT_NOTE)
            id = note_build_id(elf_content(image, &section), section.size, bytes);
    for (uint32_t i = 0; !id && elf_segment(image, i, &segment); i++)
        if (segment.type == ELF_PT_NOTE)
            id = note_build_id(bytes_at(image, segment.offset, segment.file_size), segment.file_size, bytes);
    return id;
}

const char *elf_debug_link(const struct elf_image *image, uint32_t *crc)
{
    struct elf_section section;
    if (!elf_section_named(image, ".gnu_debuglink", &section))
        return NULL;
    const uint8_t *p = elf_content(image, &section);
    if (!p || usable_strings(p, section.size) == 0)
        return NULL;
    uint64_t at = round4(elf_text_size((const char *)p) + 1);
    if (at + 4 > section.size)
        return NULL;
    *crc = elf_u32(p + at);
    return (const char *)p;
}

uint32_t elf_crc32(const uint8_t *data, size_t size)
{
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
        table[i] = c;
    }
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; i++)
        crc = crc >> 8 ^ table[(crc ^ data[i]) & 255];
    return ~crc;
}
