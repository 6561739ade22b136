/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_lines.c: see symbols_lines.h. Of a table (DWARF 2 to 5, section 6.2.4) only the lists of folders and files
 * are read, and no further than until they are too much.
 */
#include "profile/objects/symbols_lines.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "profile/raw/raw_read.h"

enum {
    OF_A_NAME = 64,     /* bytes that libdw takes besides the name */
    AT_LEAST = 64 << 20,
    FOR_EACH_BYTE = 256, /* of the tables: an entry has 5 bytes, and paths are shorter than a kilobyte */
};

struct lists {
    struct tp_cursor c, line_str, str;
    unsigned word; /* bytes of an offset: 4 or 8 */
    uint64_t unit_folder, longest_folder;
    uint64_t bytes, most;
};

/* ".debug_x", or ".zdebug_x"; `split`: with ".dwo" behind it. */
static bool is_named(const char *name, const char *wanted, bool split)
{
    const char *rest = !name || *name != '.' ? "" : name[1] == 'z' ? name + 2 : name + 1;
    size_t length = strlen(wanted + 1);

    return strncmp(rest, wanted + 1, length) == 0 && strcmp(rest + length, split ? ".dwo" : "") == 0;
}

/* Of a file whose debug information libdw has opened, and unpacked. */
static struct tp_cursor section(Elf *elf, const char *wanted, bool split)
{
    size_t names;
    GElf_Shdr header;

    for (Elf_Scn *scn = NULL; elf_getshdrstrndx(elf, &names) == 0 && (scn = elf_nextscn(elf, scn)) != NULL;) {
        const char *name = gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!is_named(name, wanted, split))
            continue;
        const Elf_Data *data = elf_getdata(scn, NULL);
        const uint8_t *bytes = data ? data->d_buf : NULL;
        if (bytes)
            return (struct tp_cursor){.p = bytes, .begin = bytes, .end = bytes + data->d_size};
        break;
    }
    return (struct tp_cursor){.bad = true};
}

static void skip(struct tp_cursor *c, uint64_t bytes)
{
    c->bad |= bytes > (uint64_t)(c->end - c->p);
    c->p += c->bad ? 0 : bytes;
}

static uint64_t number(struct tp_cursor *c, unsigned bytes)
{
    const uint8_t *from = c->p;
    uint64_t value = 0;

    skip(c, bytes);
    for (unsigned i = 0; i < bytes && !c->bad; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

/* The length of the text, behind which the cursor is then. */
static uint64_t text(struct tp_cursor *c)
{
    const uint8_t *from = c->p, *end = c->bad || c->p == c->end ? NULL : memchr(c->p, 0, (size_t)(c->end - c->p));

    c->bad |= end == NULL;
    c->p = end ? end + 1 : c->p;
    return end ? (uint64_t)(end - from) : 0;
}

static uint64_t text_in(struct lists *l, struct tp_cursor c)
{
    uint64_t offset = number(&l->c, l->word);

    if (!c.bad)
        skip(&c, offset);
    return c.bad ? 0 : text(&c);
}

/* The length of a value that is a text, which may count as often as there is such a value. */
static uint64_t value(struct lists *l, uint64_t form)
{
    switch (form) {
    case DW_FORM_string: return text(&l->c);
    case DW_FORM_line_strp: return text_in(l, l->line_str);
    case DW_FORM_strp: return text_in(l, l->str);
    case DW_FORM_udata: tp_get_n(&l->c); break;
    case DW_FORM_block: skip(&l->c, tp_get_n(&l->c)); break;
    case DW_FORM_data1: skip(&l->c, 1); break;
    case DW_FORM_data2: skip(&l->c, 2); break;
    case DW_FORM_data4: skip(&l->c, 4); break;
    case DW_FORM_data8: skip(&l->c, 8); break;
    case DW_FORM_data16: skip(&l->c, 16); break;
    default: l->c.bad = true;
    }
    return 0;
}

static bool goes_on(const struct lists *l)
{
    return !l->c.bad && l->bytes <= l->most;
}

static void add_folder(struct lists *l, uint64_t length)
{
    l->bytes += length + OF_A_NAME;
    l->longest_folder = length > l->longest_folder ? length : l->longest_folder;
}

static void add_file(struct lists *l, uint64_t length)
{
    l->bytes += l->unit_folder + l->longest_folder + length + OF_A_NAME;
}

/* Before DWARF 5: an empty name ends a list. */
static void read_old(struct lists *l)
{
    uint64_t length;

    while (goes_on(l) && (length = text(&l->c)) > 0)
        add_folder(l, length);
    while (goes_on(l) && (length = text(&l->c)) > 0) {
        for (int i = 0; i < 3; i++)
            tp_get_n(&l->c);
        add_file(l, length);
    }
}

static void read_list(struct lists *l, void (*add)(struct lists *l, uint64_t length))
{
    uint64_t form[UINT8_MAX];
    unsigned forms = (unsigned)number(&l->c, 1);

    for (unsigned i = 0; i < forms; i++) {
        tp_get_n(&l->c); /* what it is: any text may be a name */
        form[i] = tp_get_n(&l->c);
    }
    for (uint64_t left = tp_get_n(&l->c); left > 0 && goes_on(l); left--) {
        uint64_t length = 0;
        for (unsigned i = 0; i < forms; i++)
            length += value(l, form[i]);
        add(l, length);
    }
}

static void read_head(struct lists *l)
{
    uint64_t length = number(&l->c, 4);

    l->longest_folder = 0;
    l->word = length == UINT32_MAX ? 8 : 4;
    skip(&l->c, length == UINT32_MAX ? 8 : 0);
    unsigned version = (unsigned)number(&l->c, 2);
    skip(&l->c, (version >= 5 ? 2 : 0) + l->word + (version >= 4 ? 5 : 4));
    uint64_t opcodes = number(&l->c, 1);
    skip(&l->c, opcodes > 0 ? opcodes - 1 : 0);
    if (version < 5) {
        read_old(l);
    } else {
        read_list(l, add_folder);
        read_list(l, add_file);
    }
}

/* All tables of a file, of which any may be the unit's. What is honest of them leaves the limit as it was. */
static void read_all(struct lists *l)
{
    uint64_t before = l->bytes, honest = FOR_EACH_BYTE * (uint64_t)(l->c.end - l->c.begin);

    while (goes_on(l) && l->c.p < l->c.end) {
        struct tp_cursor behind = l->c;
        uint64_t length = number(&behind, 4);
        skip(&behind, length == UINT32_MAX ? number(&behind, 8) : length);
        read_head(l);
        l->c.bad |= behind.bad;
        l->c.p = behind.p;
    }
    if (goes_on(l))
        l->bytes = l->bytes - before > honest ? l->bytes - honest : before;
}

bool tp_lines_fit(Dwarf_Die *unit, uint64_t *bytes)
{
    Dwarf_Attribute found;
    Dwarf_Word offset;
    Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(unit->cu));
    struct lists l = {.bytes = *bytes};
    const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &found));
    bool named = dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &found), &offset) == 0;
    bool split = !named || section(elf, ".debug_line", false).bad;

    l.c = section(elf, ".debug_line", split);
    if (l.c.bad)
        return true;
    l.line_str = section(elf, ".debug_line_str", split);
    l.str = section(elf, ".debug_str", split);
    l.most = AT_LEAST + FOR_EACH_BYTE * (uint64_t)(l.c.end - l.c.begin);
    l.unit_folder = folder ? strlen(folder) : 0;
    if (named) {
        skip(&l.c, offset);
        read_head(&l);
    } else {
        read_all(&l);
    }
    *bytes = l.bytes;
    return goes_on(&l);
}
