/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_make.h: small ELF objects, made in memory, for tests of what reads them.
 *
 * Layout: header, one PT_LOAD (RX, the whole file, address = offset + base) and a PT_NOTE; then the sections
 * .text, .plt, .fini, .note.gnu.build-id, .eh_frame, .symtab, .strtab, .gnu_debuglink, .shstrtab. Addresses of
 * symbols and frames are given as offsets into .text unless said otherwise.
 */
#ifndef TENURE_TESTS_ELF_MAKE_H
#define TENURE_TESTS_ELF_MAKE_H

#include <stddef.h>
#include <stdint.h>

enum {
    ELF_MAKE_BASE = 0x400000,
    ELF_MAKE_TEXT = 0x1000,
    ELF_MAKE_PLT_SIZE = 0x40,
    ELF_MAKE_FINI_SIZE = 0x20
};

struct elf_make_symbol {
    const char *name; /* NULL ends a list */
    uint64_t at, size;
    char type; /* 'F' function, 'I' ifunc, 'N' none, 'f' source file */
    char bind; /* 'g' global, 'w' weak, 'l' local */
};

struct elf_make_frame {
    uint64_t at, size; /* size 0 ends a list */
};

struct elf_make {
    uint64_t text_size;
    const struct elf_make_symbol *symbols; /* may be NULL */
    const struct elf_make_frame *frames;   /* may be NULL */
    const char *build_id;                  /* 4 characters, or NULL */
    const char *debug_link;
    uint32_t debug_crc;
};

/* The file; the caller frees it. */
uint8_t *elf_make(const struct elf_make *what, size_t *size);

/* Address of .text's byte `at`. */
uint64_t elf_make_address(uint64_t at);

#endif
