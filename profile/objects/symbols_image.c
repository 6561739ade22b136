/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_image.c: see symbols_image.h. The file is mapped, so that of a large one only what is looked at is read.
 *
 * Another program may cut it off meanwhile, as a linker does that writes it anew. What was mapped behind its end is
 * then no memory, and looking at it is SIGBUS: there, zeroes are put in its place. Who would write there gets SIGSEGV.
 */
#include "profile/objects/symbols_image.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libdeflate.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sigaction before_images;
static uintptr_t page_size; /* 0: cut_off is not yet what SIGBUS calls */
static volatile sig_atomic_t is_cut_off;

static void cut_off(int number, siginfo_t *info, void *context)
{
    uintptr_t page = (uintptr_t)info->si_addr & ~(page_size - 1);

    (void)context;
    is_cut_off = 1;
    if (info->si_code != BUS_ADRERR || mmap((void *)page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                                            -1, 0) == MAP_FAILED)
        sigaction(number, &before_images, NULL); /* it comes again */
}

static void expect_cuts(void)
{
    struct sigaction action = {.sa_sigaction = cut_off, .sa_flags = SA_SIGINFO};

    if (page_size)
        return;
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    sigaction(SIGBUS, &action, &before_images);
}

const char *tp_image_cut_off(const char *note)
{
    note = is_cut_off ? "the file has become shorter while it was read" : note;
    is_cut_off = 0;
    return note;
}

int tp_image_open(struct tp_image *image, const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd < 0)
        return errno;
    elf_version(EV_CURRENT);
    expect_cuts();
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    *image = (struct tp_image){.elf = regular ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL, .fd = fd};
    const char *ident = elf_kind(image->elf) == ELF_K_ELF ? elf_getident(image->elf, NULL) : NULL;
    if (ident && ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == ELFDATA2LSB)
        return 0;
    elf_end(image->elf);
    close(fd);
    image->elf = NULL;
    return ENOEXEC;
}

void tp_image_close(struct tp_image *image)
{
    if (!image->elf)
        return;
    elf_end(image->elf);
    if (image->fd >= 0)
        close(image->fd);
    image->elf = NULL;
    for (int i = 0; i < TP_IMAGE_SECTIONS; i++)
        free(image->inflated[i]);
}

void tp_image_detach(struct tp_image *image)
{
    if (image->fd >= 0 && elf_cntl(image->elf, ELF_C_FDREAD) == 0) {
        close(image->fd);
        image->fd = -1;
    }
}

const uint8_t *tp_image_at(const struct tp_image *image, uint64_t address, uint64_t *left)
{
    size_t size = 0, count = 0;
    const char *bytes = image->elf ? elf_rawfile(image->elf, &size) : NULL;
    GElf_Phdr segment;

    if (!bytes || elf_getphdrnum(image->elf, &count))
        return NULL;
    for (size_t i = 0; i < count && gelf_getphdr(image->elf, (int)i, &segment); i++) {
        uint64_t at = address - segment.p_vaddr;
        if (segment.p_type != PT_LOAD || at >= segment.p_filesz || segment.p_offset > size ||
            segment.p_filesz > size - segment.p_offset)
            continue;
        *left = segment.p_filesz - at;
        return (const uint8_t *)bytes + segment.p_offset + at;
    }
    return NULL;
}

size_t tp_image_build_id(const struct tp_image *image, const uint8_t **id)
{
    const void *found;
    ssize_t size = image->elf ? dwelf_elf_gnu_build_id(image->elf, &found) : 0;

    if (size <= 0 || size > TP_BUILD_ID_MOST)
        return 0;
    *id = found;
    return (size_t)size;
}

bool tp_image_is(const struct tp_image *image, const uint8_t *id, size_t size)
{
    const uint8_t *found;
    size_t found_size = tp_image_build_id(image, &found);

    return !size || !found_size || (found_size == size && memcmp(found, id, size) == 0);
}

/* As libdw does, by the descriptor. false: not known. */
static bool image_path(const struct tp_image *image, char *path)
{
    char link[40];

    snprintf(link, sizeof link, "/proc/self/fd/%d", image->fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0 && strchr(path, '/');
}

bool tp_image_names_special(const struct tp_image *image, const char *folder, const char *name)
{
    char own[PATH_MAX], path[3 * PATH_MAX];
    struct stat status;

    if (!image_path(image, own))
        return false;
    *(strrchr(own, '/') + 1) = '\0';
    snprintf(path, sizeof path, "%s%s%s%s", *name == '/' || (folder && *folder == '/') ? "" : own,
             *name != '/' && folder ? folder : "", folder ? "/" : "", name);
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static Dwarf_OOM oom_handler(Dwarf *dwarf)
{
    Dwarf_OOM handler = dwarf_new_oom_handler(dwarf, NULL);

    dwarf_new_oom_handler(dwarf, handler);
    return handler;
}

/* libdw does not see that it had no memory for a unit's table of abbreviations, and reads at NULL later; of a table of
 * lines it says no more than that there is none. `errno` was 0 before. */
static void check_memory(Dwarf *dwarf)
{
    if (errno == ENOMEM)
        oom_handler(dwarf)();
}

bool tp_image_unit(const struct tp_image *image, Dwarf *dwarf, Dwarf_CU **cu, uint8_t *type, Dwarf_Die *unit,
                   Dwarf_Die *split)
{
    Dwarf_Attribute found;
    char own[PATH_MAX], package[PATH_MAX + 8];

    *split = (Dwarf_Die){0};
    errno = 0;
    bool is_there = dwarf_get_units(dwarf, *cu, cu, NULL, type, unit, NULL) == 0;
    check_memory(dwarf);
    if (!is_there)
        return false;
    if (*type != DW_UT_skeleton || !image_path(image, own))
        return true;
    const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &found));
    const char *name = dwarf_formstring(dwarf_attr(unit, DW_AT_dwo_name, &found));
    name = name ? name : dwarf_formstring(dwarf_attr(unit, DW_AT_GNU_dwo_name, &found));
    snprintf(package, sizeof package, "%s.dwp", own);
    if (name && !tp_image_names_special(image, NULL, name) && !tp_image_names_special(image, folder, name) &&
        !tp_image_names_special(image, NULL, package)) {
        errno = 0;
        dwarf_cu_info(*cu, NULL, NULL, NULL, split, NULL, NULL, NULL);
        check_memory(dwarf);
    }
    if (split->cu) /* where memory runs out in its file, it goes on as in this one */
        dwarf_new_oom_handler(dwarf_cu_getdwarf(split->cu), oom_handler(dwarf));
    return true;
}

bool tp_image_files(Dwarf_Die *unit, Dwarf_Files **files, size_t *count)
{
    errno = 0;
    bool is_there = dwarf_getsrcfiles(unit, files, count) == 0;
    if (!is_there)
        check_memory(dwarf_cu_getdwarf(unit->cu));
    return is_there;
}

bool tp_image_lines(Dwarf_Die *unit, Dwarf_Lines **lines, size_t *count)
{
    errno = 0;
    bool is_there = dwarf_getsrclines(unit, lines, count) == 0;
    if (!is_there)
        check_memory(dwarf_cu_getdwarf(unit->cu));
    return is_there;
}

/* The section `.debug_NAME` or `.zdebug_NAME`, or NULL. */
static Elf_Scn *debug_section(const struct tp_image *image, const char *which, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(image->elf, &names))
        return NULL;
    while ((section = elf_nextscn(image->elf, section))) {
        const char *name = gelf_getshdr(section, header) ? elf_strptr(image->elf, names, header->sh_name) : NULL;
        if (!name || header->sh_type == SHT_NOBITS)
            continue;
        size_t prefix = strncmp(name, ".zdebug_", 8) == 0 ? 8 : strncmp(name, ".debug_", 7) == 0 ? 7 : 0;
        if (prefix && strcmp(name + prefix, which) == 0)
            return section;
    }
    return NULL;
}

uint64_t tp_image_debug_info(const struct tp_image *image)
{
    GElf_Shdr header;

    return debug_section(image, "info", &header) ? header.sh_size : 0;
}

/* A number of LEB128; past the end 0. */
static uint64_t take_leb(const uint8_t **p, const uint8_t *end)
{
    uint64_t value = 0;

    for (unsigned shift = 0; *p < end; shift += 7) {
        uint8_t byte = *(*p)++;
        value |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
        if (byte < 128)
            return value;
    }
    return 0;
}

/* Bytes of the table of abbreviations that begins at `p`. */
static uint64_t abbreviations_size(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *begin = p;

    while (take_leb(&p, end)) {
        take_leb(&p, end); /* the tag */
        p += p < end;      /* whether there are children */
        for (uint64_t name = 1, form = 1; name || form;) {
            name = take_leb(&p, end);
            form = take_leb(&p, end);
            if (form == DW_FORM_implicit_const)
                take_leb(&p, end);
        }
    }
    return (uint64_t)(p - begin);
}

bool tp_image_repeats(const struct tp_image *image, Dwarf *dwarf)
{
    enum { MOST_TIMES = 64 };
    GElf_Shdr header;
    Elf_Scn *section = debug_section(image, "abbrev", &header);
    const Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    uint64_t size = data ? data->d_size : 0, left = MOST_TIMES * (tp_image_debug_info(image) + size), type, bytes = 0;

    for (int types = 0; types < 2; types++) {
        Dwarf_Off at = 0, table, last = UINT64_MAX;
        uint64_t *signature = types ? &type : NULL;
        size_t head;
        while (size && dwarf_next_unit(dwarf, at, &at, &head, NULL, &table, NULL, NULL, signature, NULL) == 0) {
            const uint8_t *begin = data->d_buf;
            if (table != last)
                bytes = table < size ? abbreviations_size(begin + table, begin + size) : 0;
            if (bytes > left)
                return true;
            left -= bytes;
            last = table;
        }
    }
    return false;
}

/* The bytes that a section is compressed from, to be freed; NULL: it is not whole, or compressed in another way. */
static void *inflate_section(struct libdeflate_decompressor *inflate, Elf_Scn *section, size_t *size)
{
    enum { MOST_RATIO = 1032 }; /* what deflate can do */
    Elf_Data *raw = elf_rawdata(section, NULL);
    Elf64_Chdr head;

    if (!raw || raw->d_size <= sizeof head)
        return NULL;
    memcpy(&head, raw->d_buf, sizeof head);
    *size = head.ch_size;
    void *bytes = head.ch_type == ELFCOMPRESS_ZLIB && *size && *size / MOST_RATIO <= raw->d_size ? malloc(*size) : NULL;
    if (bytes && libdeflate_zlib_decompress(inflate, (const char *)raw->d_buf + sizeof head, raw->d_size - sizeof head,
                                            bytes, *size, NULL) != LIBDEFLATE_SUCCESS) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

void tp_image_inflate(struct tp_image *image, bool places)
{
    struct libdeflate_decompressor *inflate = NULL;
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t names, count = 0;

    if (!image->elf || elf_getshdrstrndx(image->elf, &names))
        return;
    while ((section = elf_nextscn(image->elf, section)) && count < TP_IMAGE_SECTIONS) {
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(image->elf, names, header.sh_name) : NULL;
        if (!name || strncmp(name, ".debug_", 7) != 0 || !(header.sh_flags & SHF_COMPRESSED))
            continue;
        size_t size = 0;
        if (!places && strncmp(name, ".debug_loc", 10) == 0) {
            header.sh_type = SHT_NOBITS; /* as in a file from which it was stripped */
        } else {
            inflate = inflate ? inflate : libdeflate_alloc_decompressor();
            image->inflated[count] = inflate ? inflate_section(inflate, section, &size) : NULL;
            if (!image->inflated[count])
                continue;
        }
        header.sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
        gelf_update_shdr(section, &header);
        Elf_Data *data = size ? elf_getdata(section, NULL) : NULL;
        if (data) {
            data->d_buf = image->inflated[count++];
            data->d_size = size;
        }
    }
    libdeflate_free_decompressor(inflate);
}
