/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols_meant.c: see symbols_meant.h. */
#include "profile/code/symbols_meant.h"

#include <gelf.h>
#include <string.h>

#include "profile/objects/debugfile.h"
#include "profile/objects/names.h"

struct meaning {
    struct tp_meant *meant;
    const struct tp_asked *asked;
    struct tp_arena names; /* of the symbol at hand */
    bool no_memory;
};

static void take_symbol(struct meaning *m, const char *versioned)
{
    const char *symbol = tp_arena_print(&m->names, "%.*s", (int)strcspn(versioned, "@"), versioned);
    const char *name = symbol ? tp_demangle(&m->names, symbol) : NULL;
    const char *bare = symbol ? tp_demangle_bare(&m->names, symbol) : NULL;

    m->no_memory |= !name || !bare;
    for (size_t i = 0; !m->no_memory && name != symbol && i < m->asked->count; i++) {
        const char *pattern = m->asked->patterns[i];
        if (strpbrk(symbol, "\t\n") || strchr(pattern, '\n') ||
            !(m->asked->matches(pattern, name) || m->asked->matches(pattern, bare)))
            continue;
        const char *line = tp_arena_print(&m->meant->arena, "%s\t%s", symbol, pattern);
        m->no_memory |= !line || !TP_VECTOR_PUSH(&m->meant->lines, line);
    }
    tp_arena_clear(&m->names);
}

/* Returns whether there is such a table. */
static bool take_table(struct meaning *m, Elf *elf, GElf_Word type)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Sym symbol;

    while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header) && header.sh_type != type)
        continue;
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    for (int i = 0; data && !m->no_memory && gelf_getsym(data, i, &symbol); i++) {
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        int kind = GELF_ST_TYPE(symbol.st_info);
        if (name && symbol.st_shndx != SHN_UNDEF && (kind == STT_FUNC || kind == STT_GNU_IFUNC || kind == STT_NOTYPE))
            take_symbol(m, name);
    }
    return data != NULL;
}

static bool take_separate(void *user, const char *path)
{
    struct tp_image image;

    if (tp_image_open(&image, path) != 0)
        return false;
    bool taken = take_table(user, image.elf, SHT_SYMTAB);
    tp_image_close(&image);
    return taken;
}

bool tp_meant_add(struct tp_meant *meant, const struct tp_image *image, const struct tp_asked *asked)
{
    static const struct tp_import_options options;
    struct meaning m = {meant, asked};
    const uint8_t *id;
    size_t size = tp_image_build_id(image, &id);

    take_table(&m, image->elf, SHT_DYNSYM);
    if (!take_table(&m, image->elf, SHT_SYMTAB) && size)
        tp_try_build_id(&options, id, size, take_separate, &m);
    tp_arena_free(&m.names);
    return !m.no_memory;
}
