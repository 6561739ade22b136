/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_load.c: ELF files into memory. See nt_load.h.
 *
 * A file's segments are mapped one by one, never over anything that is there, but for earlier segments of the file:
 * where several have a page in common, the last of them has it, as with the kernel. A file that may lie anywhere is
 * given a free range first, all of which is then given back for its segments; nobody else is there yet who could take
 * it.
 */
#include "nt_load.h"

#include <elf.h>
#include <linux/mman.h>

#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "engine/native/kernel/nt_maps.h"
#include "engine/native/kernel/nt_region.h"

enum { MOST_HEADERS = 65536 / sizeof(Elf64_Phdr) }; /* the kernel's */

static bool load_map(uint64_t at, uint64_t bytes, int protection, int flags, int fd, uint64_t offset)
{
    long got = nt_sys6(__NR_mmap, (long)at, (long)bytes, protection, MAP_PRIVATE | MAP_FIXED_NOREPLACE | flags, fd,
                       (long)offset);

    return got == (long)at;
}

/* Makes room for a segment where earlier ones of its file are. */
static void take_from_earlier(const Elf64_Phdr *headers, const Elf64_Phdr *header, uint64_t base)
{
    uint64_t start = NT_DOWN(header->p_vaddr, NT_PAGE), end = NT_UP(header->p_vaddr + header->p_memsz, NT_PAGE);

    for (const Elf64_Phdr *earlier = headers; earlier < header; earlier++) {
        uint64_t from = NT_DOWN(earlier->p_vaddr, NT_PAGE), to = NT_UP(earlier->p_vaddr + earlier->p_memsz, NT_PAGE);

        from = from > start ? from : start;
        to = to < end ? to : end;
        if (earlier->p_type == PT_LOAD && from < to)
            nt_sys3(__NR_munmap, (long)(base + from), (long)(to - from), 0);
    }
}

/* Where the last page ends that has bytes of the file. */
static uint64_t file_pages_end(uint64_t base, const Elf64_Phdr *header)
{
    uint64_t start = base + header->p_vaddr;

    return header->p_filesz == 0 ? NT_DOWN(start, NT_PAGE) : NT_UP(start + header->p_filesz, NT_PAGE);
}

static bool map_segment(int fd, uint64_t base, const Elf64_Phdr *header)
{
    int protection = (header->p_flags & PF_R ? PROT_READ : 0) | (header->p_flags & PF_W ? PROT_WRITE : 0) |
                     (header->p_flags & PF_X ? PROT_EXEC : 0);
    uint64_t start = base + header->p_vaddr, file_end = start + header->p_filesz, end = start + header->p_memsz;
    uint64_t low = NT_DOWN(start, NT_PAGE), high = file_pages_end(base, header);
    char byte;

    if (high > low && !load_map(low, high - low, protection, 0, fd, NT_DOWN(header->p_offset, NT_PAGE)))
        return false;
    /* What is behind the file's bytes may be written, whatever the flags are. */
    if (end > high && header->p_memsz > header->p_filesz &&
        !load_map(high, NT_UP(end, NT_PAGE) - high, protection | PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1, 0))
        return false;
    if (header->p_memsz <= header->p_filesz || high == low || file_end == high || !(protection & PROT_WRITE))
        return true;
    uint64_t last = NT_DOWN(header->p_offset + header->p_filesz, NT_PAGE);
    if (nt_sys6(__NR_pread64, fd, (long)&byte, 1, (long)last, 0, 0) != 1)
        return false; /* the file has been cut off */
    memset((void *)file_end, 0, high - file_end); /* to the page's end: the dynamic linker counts on it */
    return true;
}

static bool read_interpreter(int fd, const Elf64_Phdr *header, struct nt_image *image)
{
    if (header->p_filesz < 2 || header->p_filesz > sizeof image->interpreter)
        return false;
    image->has_interpreter = true;
    return nt_sys6(__NR_pread64, fd, (long)image->interpreter, (long)header->p_filesz, (long)header->p_offset, 0, 0) ==
               (long)header->p_filesz &&
           image->interpreter[header->p_filesz - 1] == '\0';
}

/* A segment that the kernel takes. */
static bool is_sound(const Elf64_Phdr *header)
{
    return header->p_filesz <= header->p_memsz && header->p_memsz < NT_USER_END &&
           header->p_vaddr < NT_USER_END - header->p_memsz &&
           (header->p_filesz == 0 || (header->p_offset - header->p_vaddr) % NT_PAGE == 0);
}

/* The lowest and the highest address of what is loaded, the largest alignment, and the interpreter; false if the kernel
 * would not have it. */
static bool load_measure(int fd, const Elf64_Phdr *headers, size_t count, struct nt_image *image, uint64_t *alignment)
{
    image->start = ~0UL;
    image->end = 0;
    *alignment = NT_PAGE;
    for (size_t i = 0; i < count; i++) {
        const Elf64_Phdr *header = &headers[i];

        if (header->p_type == PT_GNU_STACK)
            image->executable_stack = (header->p_flags & PF_X) != 0;
        if (header->p_type == PT_INTERP && !image->has_interpreter && !read_interpreter(fd, header, image))
            return false;
        if (header->p_type != PT_LOAD)
            continue;
        if (!is_sound(header))
            return false;
        if (NT_DOWN(header->p_vaddr, NT_PAGE) < image->start)
            image->start = NT_DOWN(header->p_vaddr, NT_PAGE);
        if (header->p_vaddr + header->p_memsz > image->end)
            image->end = header->p_vaddr + header->p_memsz;
        if (header->p_align > *alignment && (header->p_align & (header->p_align - 1)) == 0)
            *alignment = header->p_align;
    }
    return true;
}

/* Where a file that may lie anywhere is to lie; 0: nowhere. */
static uint64_t find_room(uint64_t at, uint64_t bytes, uint64_t alignment)
{
    uint64_t spare = at == 0 ? alignment - NT_PAGE : 0;
    long got = nt_sys6(__NR_mmap, (long)at, (long)(bytes + spare), PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at == 0 ? 0 : MAP_FIXED_NOREPLACE), -1, 0);

    if (nt_failed(got))
        return 0;
    nt_sys3(__NR_munmap, got, (long)(bytes + spare), 0);
    return NT_UP((uint64_t)got, alignment);
}

static bool map_all(int fd, const Elf64_Ehdr *elf, const Elf64_Phdr *headers, bool describe, struct nt_image *image)
{
    image->headers = image->base; /* the kernel's, where no segment has them */
    for (int i = 0; i < elf->e_phnum; i++) {
        const Elf64_Phdr *header = &headers[i];
        uint64_t start = image->base + header->p_vaddr;

        if (header->p_type != PT_LOAD)
            continue;
        take_from_earlier(headers, header, image->base);
        if (!map_segment(fd, image->base, header))
            return false;
        if (elf->e_phoff >= header->p_offset && elf->e_phoff < header->p_offset + header->p_filesz)
            image->headers = start + (elf->e_phoff - header->p_offset);
        if (!describe)
            continue;
        uint64_t end = NT_UP(start + header->p_memsz, NT_PAGE);
        nt_maps_set(NT_DOWN(start, NT_PAGE), end, (header->p_flags & PF_X) != 0, (header->p_flags & PF_W) != 0);
        if (header->p_memsz > header->p_filesz)
            nt_maps_set(file_pages_end(image->base, header), end, (header->p_flags & PF_X) != 0, true);
    }
    return true;
}

const char *nt_load_file(int fd, uint64_t at, bool describe, struct nt_image *image)
{
    static Elf64_Phdr headers[MOST_HEADERS];
    uint64_t alignment;
    Elf64_Ehdr elf;

    memset(image, 0, sizeof *image);
    if (nt_sys6(__NR_pread64, fd, (long)&elf, sizeof elf, 0, 0, 0) != sizeof elf ||
        memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0)
        return "not an ELF file";
    if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != EM_X86_64)
        return "not a program for x86-64";
    if ((elf.e_type != ET_EXEC && elf.e_type != ET_DYN) || elf.e_phentsize != sizeof headers[0] ||
        elf.e_phnum > MOST_HEADERS ||
        nt_sys6(__NR_pread64, fd, (long)headers, (long)elf.e_phnum * (long)sizeof headers[0], (long)elf.e_phoff, 0,
                0) != (long)(elf.e_phnum * sizeof headers[0]) ||
        !load_measure(fd, headers, elf.e_phnum, image, &alignment))
        return "damaged ELF file";
    if (image->start >= image->end)
        return "nothing to load";
    image->is_static_position = elf.e_type == ET_EXEC;
    if (!image->is_static_position) {
        at = find_room(at, image->end - image->start, alignment);
        image->has_no_room = at == 0;
        if (at == 0)
            return "no room in memory";
        image->base = at - image->start;
    }
    image->header_count = elf.e_phnum;
    image->header_bytes = elf.e_phentsize;
    image->has_no_room = !map_all(fd, &elf, headers, describe, image);
    if (image->has_no_room)
        return "its place in memory is taken, or it is damaged";
    image->start += image->base;
    image->end += image->base;
    image->entry = elf.e_entry + image->base;
    return NULL;
}

void nt_load_note(const void *image)
{
    const Elf64_Ehdr *elf = image;
    const Elf64_Phdr *headers = (const Elf64_Phdr *)((const char *)image + elf->e_phoff);

    for (int i = 0; i < elf->e_phnum; i++) {
        uint64_t start = (uint64_t)image + headers[i].p_vaddr;

        if (headers[i].p_type == PT_LOAD && (headers[i].p_flags & PF_X))
            nt_maps_set(NT_DOWN(start, NT_PAGE), NT_UP(start + headers[i].p_memsz, NT_PAGE), true, false);
    }
}
