/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.c: see image.h. The file is mapped, so that of a large one only what is looked at is read.
 */
#include "profile/objects/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/error.h"

/* ------------------------------------------------------------------------------------------ the file */

static bool is_elf64(const struct tp_image *image)
{
    return memcmp(image->bytes, ELFMAG, SELFMAG) == 0 && image->bytes[EI_CLASS] == ELFCLASS64 &&
           image->bytes[EI_DATA] == ELFDATA2LSB;
}

int tp_image_map(struct tp_image *image, const char *path, struct tp_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat status;

    *image = (struct tp_image){0};
    if (fd < 0)
        return TP_FAIL(err, "%s: cannot open: %s", path, strerror(errno));
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < (off_t)sizeof(Elf64_Ehdr)) {
        close(fd);
        return TP_FAIL(err, "%s: not an object file", path);
    }
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return TP_FAIL(err, "%s: cannot map: %s", path, strerror(errno));
    *image = (struct tp_image){bytes, (size_t)status.st_size};
    if (is_elf64(image))
        return 0;
    tp_image_unmap(image);
    return TP_FAIL(err, "%s: not an object file", path);
}

void tp_image_unmap(struct tp_image *image)
{
    if (image->bytes)
        munmap((void *)(uintptr_t)image->bytes, image->size);
    *image = (struct tp_image){0};
}

/* ------------------------------------------------------------------------------------------ segments */

static bool image_within(const struct tp_image *image, uint64_t offset, uint64_t size)
{
    return offset <= image->size && size <= image->size - offset;
}

/* The i-th program header; false: there is none. */
static bool image_header(const struct tp_image *image, size_t i, Elf64_Phdr *out)
{
    Elf64_Ehdr elf;

    memcpy(&elf, image->bytes, sizeof elf);
    if (i >= elf.e_phnum || elf.e_phentsize != sizeof *out || elf.e_phoff > image->size ||
        !image_within(image, elf.e_phoff + i * sizeof *out, sizeof *out))
        return false;
    memcpy(out, image->bytes + elf.e_phoff + i * sizeof *out, sizeof *out);
    return true;
}

const uint8_t *tp_image_at(const struct tp_image *image, uint64_t address, uint64_t *left)
{
    Elf64_Phdr segment;

    for (size_t i = 0; image->bytes && image_header(image, i, &segment); i++) {
        uint64_t at = address - segment.p_vaddr;
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr || at >= segment.p_filesz ||
            !image_within(image, segment.p_offset, segment.p_filesz))
            continue;
        *left = segment.p_filesz - at;
        return image->bytes + segment.p_offset + at;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------ which one it is */

static size_t id_in_notes(const struct tp_image *image, const Elf64_Phdr *notes, uint8_t *out)
{
    uint64_t at = notes->p_offset, end = at + notes->p_filesz;
    Elf64_Nhdr note;

    if (!image_within(image, at, notes->p_filesz))
        return 0;
    while (end - at >= sizeof note) {
        memcpy(&note, image->bytes + at, sizeof note);
        uint64_t name = ((uint64_t)note.n_namesz + 3) & ~(uint64_t)3;
        uint64_t size = ((uint64_t)note.n_descsz + 3) & ~(uint64_t)3;
        at += sizeof note;
        if (name > end - at || size > end - at - name)
            return 0;
        const uint8_t *id = image->bytes + at + name;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(image->bytes + at, "GNU", 4) == 0 &&
            note.n_descsz <= TP_BUILD_ID_MOST) {
            memcpy(out, id, note.n_descsz);
            return note.n_descsz;
        }
        at += name + size;
    }
    return 0;
}

size_t tp_image_build_id(const struct tp_image *image, uint8_t out[TP_BUILD_ID_MOST])
{
    Elf64_Phdr segment;
    size_t size = 0;

    for (size_t i = 0; !size && image->bytes && image_header(image, i, &segment); i++) {
        if (segment.p_type == PT_NOTE)
            size = id_in_notes(image, &segment, out);
    }
    return size;
}
