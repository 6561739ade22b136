/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eh_frame.c: the address ranges that unwind tables describe.
 *
 * Every function a compiler emits has an entry (FDE) in .eh_frame, stripped or not; only its first two fields are
 * of interest here: where the function begins and how long it is. The section is read from front to back, so a
 * missing or damaged .eh_frame_hdr does no harm.
 *
 * Layout of the section (LSB Core, "Exception Frames"): entries of `length`, `id`, contents. id 0 is a CIE, which
 * says how pointers are encoded; else the entry is an FDE and id is the distance back to its CIE.
 */
#include "engine/common/fn_build.h"

enum {
    PE_OMIT = 0xff,
    PE_FORMAT = 0x0f,
    PE_ABSOLUTE = 0x00,
    PE_ULEB = 0x01,
    PE_U2 = 0x02,
    PE_U4 = 0x03,
    PE_U8 = 0x04,
    PE_SLEB = 0x09,
    PE_S2 = 0x0a,
    PE_S4 = 0x0b,
    PE_S8 = 0x0c,
    PE_APPLICATION = 0xf0, /* what to add, and "indirect" */
    PE_PCREL = 0x10,
    MAX_AUGMENTATION = 16,
};

/* A place in the section: reading past the end sets `bad` and gives zeroes. */
struct cursor {
    const uint8_t *start; /* of the section, at `address` */
    uint64_t address;
    uint64_t at, end; /* offsets from start */
    bool bad;
    bool to_mark; /* the size is unknown: an entry of length 0 is the end */
};

static const uint8_t *take(struct cursor *c, uint64_t bytes)
{
    static const uint8_t zeroes[8];
    if (bytes > c->end - c->at) {
        c->bad = true;
        c->at = c->end;
        return zeroes;
    }
    c->at += bytes;
    return c->start + c->at - bytes;
}

static uint64_t take_leb(struct cursor *c, bool is_signed)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte = *take(c, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80)
            continue;
        if (is_signed && (byte & 0x40) && shift + 7 < 64)
            value |= ~(uint64_t)0 << (shift + 7);
        return value;
    }
    c->bad = true;
    return 0;
}

/* An encoded pointer, without what its application adds. */
static uint64_t take_value(struct cursor *c, uint8_t format)
{
    switch (format) {
    case PE_ABSOLUTE:
    case PE_U8:
    case PE_S8:
        return elf_u64(take(c, 8));
    case PE_U4:
        return elf_u32(take(c, 4));
    case PE_S4:
        return (uint64_t)(int64_t)(int32_t)elf_u32(take(c, 4));
    case PE_U2:
        return elf_u16(take(c, 2));
    case PE_S2:
        return (uint64_t)(int64_t)(int16_t)elf_u16(take(c, 2));
    case PE_ULEB:
        return take_leb(c, false);
    case PE_SLEB:
        return take_leb(c, true);
    default:
        c->bad = true;
        return 0;
    }
}

/* One entry's header: its contents end at `next`; id_at is where the id is. */
struct entry {
    uint64_t id_at, id, next;
    struct cursor body;
};

static bool read_entry(const struct cursor *section, uint64_t at, struct entry *out)
{
    struct cursor c = *section;
    c.at = at;
    uint64_t length = elf_u32(take(&c, 4));
    if (length == 0xffffffff)
        length = elf_u64(take(&c, 8));
    if (c.bad || length > c.end - c.at)
        return false;
    out->next = c.end = c.at + length;
    out->id_at = c.at;
    out->id = length ? elf_u32(take(&c, 4)) : 0;
    out->body = c;
    return !c.bad;
}

/* The pointer encoding a CIE asks for; PE_OMIT if its entries cannot be read. */
static uint8_t cie_encoding(const struct cursor *section, uint64_t at)
{
    struct entry e;
    if (!read_entry(section, at, &e) || e.id != 0)
        return PE_OMIT;
    struct cursor *c = &e.body;
    uint8_t version = *take(c, 1);
    char letters[MAX_AUGMENTATION];
    unsigned n = 0;
    while (n < MAX_AUGMENTATION && (letters[n] = (char)*take(c, 1)) != 0)
        n++;
    if (c->bad || n == MAX_AUGMENTATION || (version != 1 && version != 3 && version != 4))
        return PE_OMIT;
    if (version == 4)
        take(c, 2);
    take_leb(c, false);
    take_leb(c, true);
    if (version == 1)
        take(c, 1);
    else
        take_leb(c, false);
    if (n == 0)
        return c->bad ? PE_OMIT : PE_ABSOLUTE;
    if (letters[0] != 'z')
        return PE_OMIT;
    take_leb(c, false);
    for (unsigned i = 1; i < n && !c->bad; i++) {
        if (letters[i] == 'R') {
            uint8_t encoding = *take(c, 1);
            return c->bad ? PE_OMIT : encoding;
        }
        if (letters[i] == 'L')
            take(c, 1);
        else if (letters[i] == 'P')
            take_value(c, *take(c, 1) & PE_FORMAT);
        else if (letters[i] != 'S' && letters[i] != 'B')
            return PE_OMIT;
    }
    return c->bad ? PE_OMIT : PE_ABSOLUTE;
}

static bool find_section(const struct elf_image *image, struct cursor *out)
{
    struct elf_section section;
    struct elf_segment segment;
    *out = (struct cursor){0};
    if (elf_section_named(image, ".eh_frame", &section) && (out->start = elf_content(image, &section))) {
        out->address = section.address;
        out->end = section.size;
        return true;
    }
    /* Without sections: .eh_frame_hdr knows where it begins, and it ends with an entry of length 0. */
    for (uint32_t i = 0; elf_segment(image, i, &segment); i++) {
        size_t left;
        const uint8_t *p = segment.type == ELF_PT_EH_FRAME ? elf_at(image, segment.address, &left) : NULL;
        if (!p || left < 8 || p[0] != 1 || p[1] != (PE_PCREL | PE_S4))
            continue;
        out->address = segment.address + 4 + (uint64_t)(int64_t)(int32_t)elf_u32(p + 4);
        out->start = elf_at(image, out->address, &left);
        out->end = left;
        out->to_mark = true;
        return out->start != NULL;
    }
    return false;
}

void eh_frame_ranges(const struct elf_image *image, void (*found)(void *user, uint64_t start, uint64_t size),
                     void *user)
{
    struct cursor section;
    struct entry e;
    uint64_t cie = ~(uint64_t)0;
    uint8_t encoding = PE_OMIT;
    if (!find_section(image, &section))
        return;
    for (uint64_t at = 0; at < section.end && read_entry(&section, at, &e); at = e.next) {
        if (e.next == at + 4 && section.to_mark)
            return;
        if (e.id == 0 || e.id > e.id_at)
            continue; /* a CIE, an end mark in the middle, damage */
        if (e.id_at - e.id != cie) {
            cie = e.id_at - e.id;
            encoding = cie_encoding(&section, cie);
        }
        uint8_t application = encoding & PE_APPLICATION;
        if (encoding == PE_OMIT || (application != 0 && application != PE_PCREL))
            continue;
        uint64_t here = section.address + e.body.at;
        uint64_t start = take_value(&e.body, encoding & PE_FORMAT);
        uint64_t size = take_value(&e.body, encoding & PE_FORMAT);
        if (!e.body.bad && size > 0)
            found(user, application == PE_PCREL ? start + here : start, size);
    }
}
