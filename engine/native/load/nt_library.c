/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_library.c: the decoder library (Zydis), which distributions have as a shared object only.
 *
 * It is mapped into our region and relocated by ourselves; the handful of functions that it wants of a C library are
 * ours. Its stack protector finds its canary under GS, in the thread area, since FS is the program's while it runs. It
 * is called behind nt_outer, and nothing of it runs before that.
 */
#include "nt_load.h"

#include <elf.h>
#include <linux/fcntl.h>
#include <linux/mman.h>

#include "engine/native/base/nt_area.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/kernel/nt_region.h"

enum { ROOM = 4 << 20 }; /* for the library, more than which it is not */

static struct {
    const char *name;
    uint64_t base;
    const Elf64_Sym *symbols;
    const char *strings;
    const uint32_t *hash; /* the GNU hash table */
} library;

static void failed_assertion(const char *what, const char *file, unsigned line)
{
    nt_die(125, "the decoder library failed: %s:%u: %s\n", file, line, what);
}

static void failed_canary(void)
{
    nt_die(125, "the decoder library wrote past an array of its own\n");
}

/* Ubuntu builds it with copies that are checked. */
static void *checked_memcpy(void *to, const void *from, size_t bytes, size_t room)
{
    if (bytes > room)
        failed_canary();
    return memcpy(to, from, bytes);
}

static const struct {
    const char *name;
    const void *function;
} ours[] = {
    {"memcpy", memcpy}, {"memmove", memmove}, {"memset", memset}, {"memcmp", memcmp}, {"strlen", strlen},
    {"__memcpy_chk", checked_memcpy}, {"__assert_fail", failed_assertion}, {"__stack_chk_fail", failed_canary},
};

/* Symbols of a GNU hash table are numbered from `first`; one past the last. */
static uint32_t symbol_count(uint32_t *first)
{
    uint32_t buckets = library.hash[0], last = 0;
    const uint32_t *bucket = library.hash + 4 + 2 * library.hash[2], *chain = bucket + buckets;

    *first = library.hash[1];
    for (uint32_t i = 0; i < buckets; i++) {
        if (bucket[i] > last)
            last = bucket[i];
    }
    if (last < *first)
        return *first;
    while (!(chain[last - *first] & 1))
        last++;
    return last + 1;
}

void *nt_library_symbol(const char *name)
{
    uint32_t at, end = symbol_count(&at);

    for (; at < end; at++) {
        const Elf64_Sym *symbol = &library.symbols[at];

        if (symbol->st_shndx != SHN_UNDEF && nt_same(library.strings + symbol->st_name, name))
            return (void *)(library.base + symbol->st_value);
    }
    return NULL;
}

static uint64_t value_of(uint32_t index)
{
    const Elf64_Sym *symbol = &library.symbols[index];
    const char *name = library.strings + symbol->st_name;

    if (symbol->st_shndx != SHN_UNDEF)
        return library.base + symbol->st_value;
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (nt_same(name, ours[i].name))
            return (uint64_t)ours[i].function;
    }
    if (ELF64_ST_BIND(symbol->st_info) != STB_WEAK)
        nt_die(125, "%s: wants %s, which is not there\n", library.name, name);
    return 0;
}

static void library_relocate(const Elf64_Rela *at, uint64_t bytes)
{
    for (const Elf64_Rela *end = at + bytes / sizeof *at; at < end; at++) {
        uint64_t *place = (uint64_t *)(library.base + at->r_offset);
        uint32_t symbol = ELF64_R_SYM(at->r_info);

        switch (ELF64_R_TYPE(at->r_info)) {
        case R_X86_64_RELATIVE:
            *place = library.base + (uint64_t)at->r_addend;
            break;
        case R_X86_64_64:
            *place = value_of(symbol) + (uint64_t)at->r_addend;
            break;
        case R_X86_64_GLOB_DAT:
        case R_X86_64_JUMP_SLOT:
            *place = value_of(symbol);
            break;
        default:
            nt_die(125, "%s: has relocations of kind %lu\n", library.name, ELF64_R_TYPE(at->r_info));
        }
    }
}

static void link_library(const struct nt_image *image)
{
    const Elf64_Phdr *headers = (const Elf64_Phdr *)image->headers;
    const Elf64_Dyn *dynamic = NULL;
    uint64_t found[DT_NUM] = {0};

    for (int i = 0; i < image->header_count; i++) {
        if (headers[i].p_type == PT_DYNAMIC)
            dynamic = (const Elf64_Dyn *)(image->base + headers[i].p_vaddr);
    }
    for (; dynamic != NULL && dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag > 0 && dynamic->d_tag < DT_NUM)
            found[dynamic->d_tag] = dynamic->d_un.d_val;
        else if (dynamic->d_tag == DT_GNU_HASH)
            library.hash = (const uint32_t *)(image->base + dynamic->d_un.d_val);
    }
    if (library.hash == NULL || found[DT_SYMTAB] == 0)
        nt_die(125, "%s: not a shared library as they are linked today\n", library.name);
    library.base = image->base;
    library.symbols = (const Elf64_Sym *)(image->base + found[DT_SYMTAB]);
    library.strings = (const char *)(image->base + found[DT_STRTAB]);
    library_relocate((const Elf64_Rela *)(image->base + found[DT_RELA]), found[DT_RELASZ]);
    library_relocate((const Elf64_Rela *)(image->base + found[DT_JMPREL]), found[DT_PLTRELSZ]);
}

/* In `bytes` of code: what reads %fs:0x28 into a register, compares or subtracts it, reads the area's own address. */
static void move_canary(uint8_t *code, uint64_t bytes)
{
    static const uint8_t canary[] = {0x25, 0x28, 0, 0, 0};
    enum { FS = 0x64, GS = 0x65, REX_WITHOUT_R = 0xfb, REX_W = 0x48, ANY_REGISTER = 0xc7, BY_SIB = 4, LENGTH = 9 };
    int32_t instead = NT_SELF;

    for (uint64_t i = 0; i + LENGTH <= bytes; i++) {
        uint8_t *at = code + i;

        if (at[0] == FS && (at[1] & REX_WITHOUT_R) == REX_W && (at[3] & ANY_REGISTER) == BY_SIB &&
            memcmp(at + 4, canary, sizeof canary) == 0) {
            at[0] = GS;
            memcpy(at + 5, &instead, sizeof instead);
        }
    }
}

static void move_canaries(const struct nt_image *image)
{
    const Elf64_Phdr *headers = (const Elf64_Phdr *)image->headers;

    for (int i = 0; i < image->header_count; i++) {
        uint64_t start = image->base + headers[i].p_vaddr, end = start + headers[i].p_filesz;
        uint64_t page = NT_DOWN(start, NT_PAGE);

        if (headers[i].p_type != PT_LOAD || !(headers[i].p_flags & PF_X))
            continue;
        if (nt_failed(nt_sys3(__NR_mprotect, (long)page, (long)(end - page), PROT_READ | PROT_WRITE)))
            nt_die(125, "%s: its code cannot be written in memory\n", library.name);
        move_canary((uint8_t *)start, end - start);
        if (nt_failed(nt_sys3(__NR_mprotect, (long)page, (long)(end - page), PROT_READ | PROT_EXEC)))
            nt_die(125, "%s: its code cannot be executed any more\n", library.name);
    }
}

/* The file of that name beside tenure-native, or as it is. */
static long open_library(const char *name)
{
    char path[4096];
    long length = nt_sys3(__NR_readlink, (long)"/proc/self/exe", (long)path, sizeof path - 1), fd;
    const char *last = nt_last_part(name);

    while (length > 0 && path[length - 1] != '/')
        length--;
    if (length >= 0 && (size_t)length + strlen(last) < sizeof path) {
        nt_format(path + length, sizeof path - (size_t)length, "%s", last);
        fd = nt_host_open(path, O_RDONLY, 0);
        if (!nt_failed(fd))
            return fd;
    }
    return nt_host_open(name, O_RDONLY, 0);
}

void nt_library_start(const char *name)
{
    long fd = open_library(name);
    struct nt_image image;

    library.name = name;
    if (nt_failed(fd))
        nt_die(125, "%s: cannot be opened (error %ld)\n", name, -fd);
    const char *wrong = nt_load_file((int)fd, nt_region_hole(ROOM), false, &image);
    if (wrong != NULL)
        nt_die(125, "%s: %s\n", name, wrong);
    nt_sys3(__NR_close, fd, 0, 0);
    link_library(&image);
    move_canaries(&image);
}
