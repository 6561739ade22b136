/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf_make.c: see elf_make.h. */
#include "tests/common/elf_make.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1, PLT, FINI, NOTE, FRAMES, SYMTAB, STRTAB, LINK, NAMES, SECTIONS };

struct buffer {
    uint8_t *data;
    size_t size, room;
};

static size_t put(struct buffer *b, const void *data, size_t bytes)
{
    while (b->size + bytes > b->room) {
        b->room = b->room ? 2 * b->room : 4096;
        b->data = realloc(b->data, b->room);
        if (!b->data)
            abort();
    }
    if (data)
        memcpy(b->data + b->size, data, bytes);
    else
        memset(b->data + b->size, 0, bytes);
    b->size += bytes;
    return b->size - bytes;
}

static void put32(struct buffer *b, uint32_t value)
{
    put(b, &value, sizeof value);
}

uint64_t elf_make_address(uint64_t at)
{
    return ELF_MAKE_BASE + ELF_MAKE_TEXT + at;
}

static void put_frames(struct buffer *b, const struct elf_make_frame *frame)
{
    static const uint8_t cie[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0, 0, 0};
    size_t cie_at = b->size;
    put32(b, sizeof cie + 4);
    put32(b, 0);
    put(b, cie, sizeof cie);
    for (; frame && frame->size; frame++) {
        put32(b, 16);
        put32(b, (uint32_t)(b->size - cie_at));
        put32(b, (uint32_t)(elf_make_address(frame->at) - (ELF_MAKE_BASE + b->size)));
        put32(b, (uint32_t)frame->size);
        put32(b, 0);
    }
    put32(b, 0);
}

static void put_symbols(struct buffer *b, struct buffer *strings, const struct elf_make_symbol *s)
{
    put(strings, "", 1);
    put(b, NULL, sizeof(Elf64_Sym));
    for (; s && s->name; s++) {
        int type = s->type == 'F'   ? STT_FUNC
                   : s->type == 'I' ? STT_GNU_IFUNC
                   : s->type == 'f' ? STT_FILE
                                    : STT_NOTYPE;
        int bind = s->bind == 'g' ? STB_GLOBAL : s->bind == 'w' ? STB_WEAK : STB_LOCAL;
        Elf64_Sym symbol = {.st_name = (uint32_t)put(strings, s->name, strlen(s->name) + 1),
                            .st_info = ELF64_ST_INFO(bind, type),
                            .st_shndx = s->type == 'f' ? SHN_ABS : TEXT,
                            .st_value = elf_make_address(s->at),
                            .st_size = s->size};
        put(b, &symbol, sizeof symbol);
    }
}

static void put_note(struct buffer *b, const char *build_id)
{
    put32(b, 4);
    put32(b, 4);
    put32(b, NT_GNU_BUILD_ID);
    put(b, "GNU", 4);
    put(b, build_id, 4);
}

static void put_link(struct buffer *b, const char *link, uint32_t crc)
{
    size_t start = b->size;
    put(b, link, strlen(link) + 1);
    put(b, NULL, (4 - (b->size - start) % 4) % 4);
    put32(b, crc);
}

static const char *const names[SECTIONS] = {
    "",          ".text",   ".plt",    ".fini",          ".note.gnu.build-id",
    ".eh_frame", ".symtab", ".strtab", ".gnu_debuglink", ".shstrtab"};

static void put_names(struct buffer *b, Elf64_Shdr *sections)
{
    for (int i = 0; i < SECTIONS; i++) {
        sections[i].sh_name = (uint32_t)(b->size - sections[NAMES].sh_offset);
        put(b, names[i], strlen(names[i]) + 1);
    }
}

static void begin(struct buffer *b, Elf64_Shdr *s, uint32_t type, uint64_t flags)
{
    put(b, NULL, (8 - b->size % 8) % 8);
    *s = (Elf64_Shdr){.sh_type = type,
                      .sh_flags = flags,
                      .sh_addr = flags & SHF_ALLOC ? ELF_MAKE_BASE + b->size : 0,
                      .sh_offset = b->size};
}

static void end(struct buffer *b, Elf64_Shdr *s)
{
    s->sh_size = b->size - s->sh_offset;
}

uint8_t *elf_make(const struct elf_make *what, size_t *size)
{
    struct buffer b = {0}, strings = {0};
    Elf64_Shdr sections[SECTIONS] = {0};
    put(&b, NULL, ELF_MAKE_TEXT);
    begin(&b, &sections[TEXT], SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR);
    put(&b, NULL, what->text_size);
    end(&b, &sections[TEXT]);
    begin(&b, &sections[PLT], SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR);
    put(&b, NULL, ELF_MAKE_PLT_SIZE);
    end(&b, &sections[PLT]);
    begin(&b, &sections[FINI], SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR);
    put(&b, NULL, ELF_MAKE_FINI_SIZE);
    end(&b, &sections[FINI]);
    begin(&b, &sections[NOTE], SHT_NOTE, SHF_ALLOC);
    if (what->build_id)
        put_note(&b, what->build_id);
    end(&b, &sections[NOTE]);
    begin(&b, &sections[FRAMES], SHT_PROGBITS, SHF_ALLOC);
    put_frames(&b, what->frames);
    end(&b, &sections[FRAMES]);
    uint64_t loaded = b.size;
    begin(&b, &sections[SYMTAB], SHT_SYMTAB, 0);
    put_symbols(&b, &strings, what->symbols);
    end(&b, &sections[SYMTAB]);
    sections[SYMTAB].sh_link = STRTAB;
    sections[SYMTAB].sh_entsize = sizeof(Elf64_Sym);
    begin(&b, &sections[STRTAB], SHT_STRTAB, 0);
    put(&b, strings.data, strings.size);
    end(&b, &sections[STRTAB]);
    begin(&b, &sections[LINK], SHT_PROGBITS, 0);
    if (what->debug_link)
        put_link(&b, what->debug_link, what->debug_crc);
    end(&b, &sections[LINK]);
    begin(&b, &sections[NAMES], SHT_STRTAB, 0);
    put_names(&b, sections);
    end(&b, &sections[NAMES]);
    put(&b, NULL, (8 - b.size % 8) % 8);
    sections[0] = (Elf64_Shdr){0};
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_DYN,
                         .e_machine = EM_X86_64,
                         .e_version = EV_CURRENT,
                         .e_phoff = sizeof header,
                         .e_shoff = put(&b, sections, sizeof sections),
                         .e_ehsize = sizeof header,
                         .e_phentsize = sizeof(Elf64_Phdr),
                         .e_phnum = 2,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = SECTIONS,
                         .e_shstrndx = NAMES};
    Elf64_Phdr segments[2] = {{.p_type = PT_LOAD,
                               .p_flags = PF_R | PF_X,
                               .p_vaddr = ELF_MAKE_BASE,
                               .p_filesz = loaded,
                               .p_memsz = loaded},
                              {.p_type = PT_NOTE,
                               .p_offset = sections[NOTE].sh_offset,
                               .p_vaddr = sections[NOTE].sh_addr,
                               .p_filesz = sections[NOTE].sh_size,
                               .p_memsz = sections[NOTE].sh_size}};
    memcpy(b.data, &header, sizeof header);
    memcpy(b.data + sizeof header, segments, sizeof segments);
    free(strings.data);
    *size = b.size;
    return b.data;
}
