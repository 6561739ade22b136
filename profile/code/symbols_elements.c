/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_elements.c: elements of a program's data, from its debug information and its code.
 *
 *   globals      a variable at an address: its type, of an array its element's
 *   allocations  the code behind each call of an allocation function, and of each function that returns void *, is
 *                followed (symbols_flow.c): which pointer gets the block
 *
 * Libraries are looked for as the loader does, roughly: RUNPATH or RPATH, LD_LIBRARY_PATH, the usual folders. One
 * counts only if its own file has debug information, so that nothing is read for a program without any. All debug
 * information is walked once; what is larger than MOST_INFO is left alone, so that the start of a run is never kept
 * waiting. Symbols of all files are gone through if the options name functions (symbols_meant.h).
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/element_format.h"
#include "profile/base/error.h"
#include "profile/code/code.h"
#include "profile/code/symbols_flow.h"
#include "profile/code/symbols_meant.h"
#include "profile/objects/symbols_image.h"
#include "profile/objects/symbols_types.h"

enum { MOST_FILES = 64 };
#define MOST_INFO (96u << 20)

struct table {
    TP_VECTOR(struct element_entry) entries;
    TP_VECTOR(struct element_module) modules;
    TP_VECTOR(char) names;
    struct tp_meant meant;
    struct tp_recording rec; /* its objects: a list of files that grows while it is gone through */
    struct tp_flow flow;     /* of the file at hand */
    Dwarf *dwarf;
    struct tp_die_walk walk;
    struct tp_error *err;
    bool no_memory;
};

/* ------------------------------------------------------------------------------------------ entries */

/* The element that `type` is, or is an array of. */
static bool element_of(struct table *t, Dwarf_Die *type, struct element_entry *entry)
{
    Dwarf_Die element;
    uint64_t size;

    if (!tp_type_element(type, &element))
        return false;
    size = tp_type_size(&element);
    if (!size || size > TN_LARGEST_ELEMENT || tp_type_is_open(&element))
        return false;
    entry->size = (uint32_t)size;
    entry->type = tp_type_number(t->dwarf, &element);
    return true;
}

/* Where an allocation returns to, and what is done with it. */
static void found_allocation(void *user, uint64_t address, Dwarf_Die *type, uint64_t lead)
{
    struct table *t = user;
    struct element_entry entry = {.key = address};

    if (!type)
        entry.above = 1;
    else if (lead > UINT16_MAX || !element_of(t, type, &entry) || entry.size == 1)
        return;
    entry.lead = (uint16_t)lead;
    t->no_memory |= !TP_VECTOR_PUSH(&t->entries, entry);
}

/* ------------------------------------------------------------------------------------------ debug information */

/* The address of a variable that has one all the time. */
static bool fixed_address(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;

    if (!dwarf_attr(die, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &op, &count) || count != 1)
        return false;
    *address = op->number;
    if (op->atom == DW_OP_addr)
        return true;
    Dwarf_Attribute at;
    Dwarf_Word value;
    if ((op->atom != DW_OP_addrx && op->atom != DW_OP_GNU_addr_index) || dwarf_getlocation_attr(&attribute, op, &at) ||
        dwarf_formaddr(&at, &value))
        return false;
    *address = value;
    return true;
}

static void found_variable(struct table *t, Dwarf_Die *die)
{
    uint64_t address;
    Dwarf_Die type;
    struct element_entry entry = {0};

    if (!fixed_address(die, &address) || address & ELEMENT_STATIC || !tp_type_of(die, &type))
        return;
    t->no_memory |= !TP_VECTOR_PUSH(&t->flow.variables,
                                    (struct tp_flow_named){address, address + tp_type_size(&type), type});
    entry.key = address | ELEMENT_STATIC;
    if (element_of(t, &type, &entry))
        t->no_memory |= !TP_VECTOR_PUSH(&t->entries, entry);
}

/* Types have no variables that are at home there, but classes declare functions: those are elsewhere again. */
static bool goes_on_below(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
           tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_inlined_subroutine ||
           tag == DW_TAG_common_block;
}

static void elements_walk(struct table *t, Dwarf_Die *parent)
{
    Dwarf_Die child;

    for (bool more = tp_die_child(&t->walk, parent, &child); more; more = tp_die_next(&t->walk, &child)) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable) {
            found_variable(t, &child);
        } else if (tag == DW_TAG_subprogram) {
            Dwarf_Addr base, begin, end;
            for (ptrdiff_t at = 0; (at = dwarf_ranges(&child, at, &base, &begin, &end)) > 0;)
                t->no_memory |= !TP_VECTOR_PUSH(&t->flow.functions, (struct tp_flow_named){begin, end, child});
        }
        if (goes_on_below(tag))
            elements_walk(t, &child);
        t->walk.over |= t->no_memory;
    }
}

/* ------------------------------------------------------------------------------------------ a file */

static int elements_by_key(const void *a, const void *b)
{
    const struct element_entry *x = a, *y = b;
    int order = TP_COMPARE(x->key, y->key);

    return order ? order : TP_COMPARE(x->type, y->type);
}

static void visit(void *user, struct tp_object *object, const struct tp_image *image,
                  const struct tp_image *debug, Dwarf *dwarf)
{
    struct table *t = user;
    size_t first = t->entries.count;

    if (!image->elf || tp_image_debug_info(debug) > MOST_INFO)
        return;
    t->dwarf = dwarf;
    t->flow = (struct tp_flow){.image = image};
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit, split;
    uint8_t type;
    while (!t->no_memory && tp_image_unit(debug, t->dwarf, &cu, &type, &unit, &split)) {
        t->walk = (struct tp_die_walk){0};
        if (type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid)
            elements_walk(t, &split);
        else if (type == DW_UT_compile)
            elements_walk(t, &unit);
    }
    tp_flow_all(&t->flow, found_allocation, t);
    TP_VECTOR_FREE(&t->flow.functions);
    TP_VECTOR_FREE(&t->flow.variables);
    /* The entries from `first` on, once each; where two disagree, none. */
    size_t to = first;
    if (t->entries.count > first)
        qsort(t->entries.at + first, t->entries.count - first, sizeof *t->entries.at, elements_by_key);
    for (size_t i = first, next; i < t->entries.count; i = next) {
        const struct element_entry *entry = &t->entries.at[i];
        bool agree = true;
        for (next = i + 1; next < t->entries.count && t->entries.at[next].key == entry->key; next++)
            agree &= t->entries.at[next].size == entry->size && t->entries.at[next].above == entry->above;
        if (agree)
            t->entries.at[to++] = *entry;
    }
    t->entries.count = to;
    if (t->entries.count > first) {
        struct element_module module = {.path = t->names.count, .first = first, .count = t->entries.count - first};
        t->no_memory |= !TP_VECTOR_PUSH(&t->modules, module);
        for (size_t i = 0, size = strlen(object->file) + 1; i < size && !t->no_memory; i++)
            t->no_memory = !TP_VECTOR_PUSH(&t->names, object->file[i]);
    }
}

/* ------------------------------------------------------------------------------------------ files */

static bool add_file(struct tp_recording *rec, const char *path)
{
    char real[PATH_MAX];
    struct tp_object *object;

    if (!realpath(path, real))
        return false;
    for (size_t i = 0; i < rec->objects.count; i++) {
        if (strcmp(rec->objects.at[i].file, real) == 0)
            return true;
    }
    if (rec->objects.count >= MOST_FILES)
        return true;
    object = TP_VECTOR_ADD(&rec->objects);
    const char *copy = object ? tp_arena_copy(&rec->arena, real, strlen(real) + 1) : NULL;
    if (!copy) {
        rec->objects.count -= object != NULL;
        return false;
    }
    *object = (struct tp_object){.path = copy, .file = copy};
    return true;
}

/* Folders with ':' between, $ORIGIN among them. */
static bool try_folders(struct tp_recording *rec, const char *folders, const char *origin, const char *name)
{
    char path[PATH_MAX];

    for (const char *end; *folders; folders = end + (*end == ':')) {
        static const char word[] = "$ORIGIN";
        bool relative = strncmp(folders, word, sizeof word - 1) == 0;
        end = folders + strcspn(folders, ":");
        if (relative)
            folders += sizeof word - 1;
        const char *slash = strrchr(origin, '/');
        int length = snprintf(path, sizeof path, "%.*s%.*s/%s", relative && slash ? (int)(slash - origin) : 0, origin,
                              (int)(end - folders), folders, name);
        if (length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0)
            return add_file(rec, path);
    }
    return false;
}

static void find_library(struct tp_recording *rec, const char *origin, const char *folders, const char *name)
{
    static const char usual[] =
        "/usr/local/lib:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib";
    const char *given = getenv("LD_LIBRARY_PATH");

    if (strchr(name, '/'))
        add_file(rec, name);
    else if (!try_folders(rec, folders, origin, name) && !(given && try_folders(rec, given, origin, name)))
        try_folders(rec, usual, origin, name);
}

static void add_needed(struct tp_recording *rec, Elf *elf, const char *origin)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header = {0};
    GElf_Dyn entry;
    const char *folders = "";

    while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header) && header.sh_type != SHT_DYNAMIC)
        ;
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    for (int i = 0; data && gelf_getdyn(data, i, &entry); i++) {
        const char *text = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
        if (text && (entry.d_tag == DT_RUNPATH || (entry.d_tag == DT_RPATH && !*folders)))
            folders = text;
    }
    for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        const char *text = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
        if (text && entry.d_tag == DT_NEEDED)
            find_library(rec, origin, folders, text);
    }
}

static int elements_visit_all(struct table *t, const char *program, const struct tp_asked *asked)
{
    int failed = 0;

    add_file(&t->rec, program);
    for (size_t i = 0; !failed && i < t->rec.objects.count; i++) {
        const char *path = t->rec.objects.at[i].file;
        struct tp_image image = {0};
        bool has = tp_image_open(&image, path) == 0 && tp_image_debug_info(&image);
        if (image.elf)
            add_needed(&t->rec, image.elf, path);
        if (image.elf && asked->count)
            t->no_memory |= !tp_meant_add(&t->meant, &image, asked);
        tp_image_close(&image);
        if (asked->data && (has || i == 0))
            failed = tp_symbols_visit(&t->rec, i, visit, t, t->err);
    }
    TP_VECTOR_FREE(&t->rec.objects);
    tp_arena_free(&t->rec.arena);
    return failed;
}

/* ------------------------------------------------------------------------------------------ the table */

static int texts_in_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int elements_write_table(const struct table *t, const char *out)
{
    struct element_head head = {ELEMENT_MAGIC, t->modules.count, t->entries.count, t->names.count, 0};

    if (t->meant.lines.count)
        qsort(t->meant.lines.at, t->meant.lines.count, sizeof *t->meant.lines.at, texts_in_order);
    for (size_t i = 0; i < t->meant.lines.count; i++)
        head.meant += strlen(t->meant.lines.at[i]) + 1;
    FILE *file = fopen(out, "wxe");
    bool good = file && fwrite(&head, sizeof head, 1, file) == 1 &&
                fwrite(t->modules.at, sizeof *t->modules.at, t->modules.count, file) == t->modules.count &&
                fwrite(t->entries.at, sizeof *t->entries.at, t->entries.count, file) == t->entries.count &&
                fwrite(t->names.at, 1, t->names.count, file) == t->names.count;

    for (size_t i = 0; good && i < t->meant.lines.count; i++)
        good = fprintf(file, "%s\n", t->meant.lines.at[i]) > 0;
    if (file)
        good &= fclose(file) == 0;
    if (good)
        return 0;
    int failed = TP_FAIL(t->err, "%s: cannot write: %s", out, strerror(errno));
    if (file)
        unlink(out);
    return failed;
}

int64_t tp_elements_write(const char *program, const struct tp_asked *asked, const char *out, struct tp_error *err)
{
    struct table t = {.err = err};
    int failed = elements_visit_all(&t, program, asked);

    if (!failed && t.no_memory)
        failed = TP_NO_MEMORY(err);
    int64_t count = (int64_t)(t.entries.count + t.meant.lines.count);
    if (!failed && count)
        failed = elements_write_table(&t, out);
    TP_VECTOR_FREE(&t.entries);
    TP_VECTOR_FREE(&t.modules);
    TP_VECTOR_FREE(&t.names);
    TP_VECTOR_FREE(&t.meant.lines);
    tp_arena_free(&t.meant.arena);
    return failed ? -1 : count;
}
