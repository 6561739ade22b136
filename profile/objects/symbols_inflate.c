/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_inflate.c: compressed debug sections made plain before libdw sees them (see symbols_inflate.h).
 *
 * libelf's own elf_compress does the same to a section: new bytes, and a header that no longer says "compressed". The
 * header at the front of a compressed section (Elf64_Chdr) says how and how large the plain bytes are.
 */
#include "profile/objects/symbols_inflate.h"

#include <gelf.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Deflate's limit: 258 bytes from a little more than two bits. */
enum { LARGEST_RATIO = 1032 };

static bool wanted(Elf_Scn *section, const char *name, const GElf_Shdr *header, GElf_Chdr *packed)
{
    return name && strncmp(name, ".debug_", 7) == 0 && (header->sh_flags & SHF_COMPRESSED) &&
           gelf_getchdr(section, packed) && packed->ch_type == ELFCOMPRESS_ZLIB &&
           packed->ch_size / LARGEST_RATIO <= header->sh_size;
}

/* The plain bytes, packed->ch_size of them, or NULL. */
static void *inflate(struct libdeflate_decompressor *how, const Elf_Data *data, size_t head,
                     const GElf_Chdr *packed)
{
    void *plain = data->d_size > head ? malloc(packed->ch_size + 1) : NULL;

    if (plain && libdeflate_zlib_decompress(how, (const char *)data->d_buf + head, data->d_size - head, plain,
                                            packed->ch_size, NULL) != LIBDEFLATE_SUCCESS) {
        free(plain);
        plain = NULL;
    }
    return plain;
}

static void make_plain(struct libdeflate_decompressor *how, Elf_Scn *section, GElf_Shdr *header,
                       const GElf_Chdr *packed, size_t head, tp_inflated *inflated)
{
    Elf_Data *data = elf_getdata(section, NULL);
    void **kept = data && data->d_buf ? TP_VECTOR_ADD(inflated) : NULL;

    if (!kept || !(*kept = inflate(how, data, head, packed)))
        return;
    data->d_buf = *kept;
    data->d_size = packed->ch_size;
    data->d_align = packed->ch_addralign;
    data->d_type = ELF_T_BYTE;
    header->sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
    header->sh_size = packed->ch_size;
    header->sh_addralign = packed->ch_addralign;
    gelf_update_shdr(section, header);
}

void tp_inflate_debug(Elf *elf, tp_inflated *inflated)
{
    size_t names, head = gelf_getclass(elf) == ELFCLASS32 ? sizeof(Elf32_Chdr) : sizeof(Elf64_Chdr);
    struct libdeflate_decompressor *how = NULL;
    Elf_Scn *section = NULL;

    if (elf_getshdrstrndx(elf, &names))
        return;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        GElf_Chdr packed;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!wanted(section, name, &header, &packed))
            continue;
        if (!how && !(how = libdeflate_alloc_decompressor()))
            return;
        make_plain(how, section, &header, &packed, head, inflated);
    }
    if (how)
        libdeflate_free_decompressor(how);
}

void tp_inflated_free(tp_inflated *inflated)
{
    for (size_t i = 0; i < inflated->count; i++)
        free(inflated->at[i]);
    TP_VECTOR_FREE(inflated);
}
