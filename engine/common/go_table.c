/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_table.c: see go_table.h.
 *
 * The header (Go's runtime calls it pcHeader) has numbers of 8 bytes from byte 8 on: how many functions there are, how
 * many files, the address that code addresses are relative to (0, if the loader is to write it), and where parts of the
 * table begin: names, and four more, the last of them being the functions. Of each function there are two numbers of 4
 * bytes, its start and where its description is; a last start ends the list. A description begins with the start again,
 * and with where the name is.
 */
#include "engine/common/go_table.h"

enum { HEADER = 72, NAMES = 32, FUNCTIONS = 64, GO_1_18 = 0xf0, GO_1_20 = 0xf1, LONGEST_NAME = 4096 };

struct table {
    const uint8_t *names, *functions;
    size_t name_bytes, bytes; /* from there to the end of the section */
    size_t count;
    uint64_t base;
};

static bool go_table(const struct elf_image *image, struct table *out)
{
    struct elf_section section, text;

    if (!elf_section_named(image, ".gopclntab", &section) &&
        !elf_section_named(image, ".data.rel.ro.gopclntab", &section))
        return false;
    const uint8_t *p = elf_content(image, &section);
    if (p == NULL || section.size < HEADER || (p[0] != GO_1_18 && p[0] != GO_1_20) || p[1] != 0xff || p[2] != 0xff ||
        p[3] != 0xff || p[7] != sizeof(uint64_t))
        return false;
    uint64_t names = elf_u64(p + NAMES), functions = elf_u64(p + FUNCTIONS), count = elf_u64(p + 8);
    if (names >= section.size || functions >= section.size || count >= (section.size - functions) / 8)
        return false;
    out->names = p + names;
    out->name_bytes = section.size - names;
    out->functions = p + functions;
    out->bytes = section.size - functions;
    out->count = count;
    out->base = elf_u64(p + 24);
    if (out->base == 0 && elf_section_named(image, ".text", &text))
        out->base = text.address;
    return true;
}

size_t go_functions_count(const struct elf_image *image)
{
    struct table t;

    return go_table(image, &t) ? t.count : 0;
}

/* The zero-ended name of the function whose description is `at` bytes behind the functions; NULL: it has none. */
static const char *name_of(const struct table *t, uint32_t at)
{
    if (at > t->bytes || t->bytes - at < 8)
        return NULL;
    uint32_t name = elf_u32(t->functions + at + 4);
    for (size_t i = name; i < t->name_bytes && i - name <= LONGEST_NAME; i++) {
        if (t->names[i] == '\0')
            return i > name ? (const char *)t->names + name : NULL;
    }
    return NULL;
}

void go_functions(const struct elf_image *image,
                  void (*found)(void *user, const char *name, uint64_t start, uint64_t size), void *user)
{
    struct table t;

    if (!go_table(image, &t))
        return;
    for (size_t i = 0; i < t.count; i++) {
        const uint8_t *entry = t.functions + 8 * i;
        uint32_t start = elf_u32(entry), next = elf_u32(entry + 8);
        const char *name = name_of(&t, elf_u32(entry + 4));
        if (name != NULL && next > start)
            found(user, name, t.base + start, next - start);
    }
}
