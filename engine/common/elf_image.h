/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_image.h: a 64-bit little-endian ELF object in memory, read with every offset checked.
 *
 * The bytes are untrusted. What lies outside the image does not exist: readers return false, NULL or nothing. No
 * allocation; all pointers are into the image. Addresses are those of the file (no bias).
 */
#ifndef TENURE_ENGINE_ELF_IMAGE_H
#define TENURE_ENGINE_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_image {
    const uint8_t *data;
    size_t size;
    uint64_t phoff, shoff;
    uint32_t phnum, shnum;
    uint32_t phentsize, shentsize;
    const char *names; /* section names; empty if there are none */
    size_t names_size;
};

enum {
    ELF_PT_LOAD = 1,
    ELF_PT_DYNAMIC = 2,
    ELF_PT_NOTE = 4,
    ELF_PT_EH_FRAME = 0x6474e550,
    ELF_PF_X = 1,
    ELF_SHT_SYMTAB = 2,
    ELF_SHT_NOTE = 7,
    ELF_SHT_NOBITS = 8,
    ELF_SHT_DYNSYM = 11,
    ELF_SHF_ALLOC = 2,
    ELF_SHF_EXECINSTR = 4,
};

struct elf_segment {
    uint32_t type, flags;
    uint64_t offset, address, file_size, memory_size;
};

struct elf_section {
    const char *name; /* never NULL */
    uint32_t type, link;
    uint64_t flags, address, offset, size;
};

/* NULL if good, else why this is not an object we can read. */
const char *elf_open(struct elf_image *image, const void *data, size_t size);

bool elf_segment(const struct elf_image *image, uint32_t i, struct elf_segment *out);
bool elf_section(const struct elf_image *image, uint32_t i, struct elf_section *out);
bool elf_section_named(const struct elf_image *image, const char *name, struct elf_section *out);

/* The bytes of a section: NULL if it has none in the image or reaches beyond it. */
const uint8_t *elf_content(const struct elf_image *image, const struct elf_section *section);

/* The file's bytes for an address, and how many follow in its segment; NULL if it has none. */
const uint8_t *elf_at(const struct elf_image *image, uint64_t address, size_t *left);

/* ------------------------------------------------------------------------------------------ symbols */

struct elf_symbols {
    const uint8_t *entries;
    size_t count;
    const char *strings; /* ends with a zero byte */
    size_t strings_size;
};

enum {
    ELF_STT_NOTYPE = 0,
    ELF_STT_FUNC = 2,
    ELF_STT_FILE = 4,
    ELF_STT_IFUNC = 10,
    ELF_STB_LOCAL = 0,
    ELF_STB_GLOBAL = 1,
    ELF_STB_WEAK = 2,
    ELF_STB_UNIQUE = 10,
};

struct elf_symbol {
    const char *name; /* zero-ended; never NULL */
    uint64_t value, size;
    uint8_t type, bind;
    bool defined; /* in a section: neither undefined nor absolute nor common */
};

/* The table of this section type; ELF_SHT_DYNSYM is also found through PT_DYNAMIC. An empty table if none. */
void elf_symbols(const struct elf_image *image, uint32_t section_type, struct elf_symbols *out);

/* Precondition: i < count. */
void elf_symbol(const struct elf_symbols *symbols, size_t i, struct elf_symbol *out);

/* ------------------------------------------------------------------------------------------ the rest */

/* The build-id note's bytes, or NULL. */
const uint8_t *elf_build_id(const struct elf_image *image, uint32_t *bytes);

/* The file name and checksum in .gnu_debuglink; NULL if there is none. */
const char *elf_debug_link(const struct elf_image *image, uint32_t *crc);

/* The checksum debug links use (CRC-32 as in zlib). */
uint32_t elf_crc32(const uint8_t *data, size_t size);

/* Little-endian loads. */
uint16_t elf_u16(const uint8_t *p);
uint32_t elf_u32(const uint8_t *p);
uint64_t elf_u64(const uint8_t *p);

bool elf_same_text(const char *a, const char *b);
size_t elf_text_size(const char *text);
bool elf_same_bytes(const uint8_t *a, const uint8_t *b, size_t bytes);

#endif
