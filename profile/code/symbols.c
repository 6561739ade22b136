/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.c: from addresses to files, lines and inlined frames, with libdw.
 *
 * libdw's functions that answer for one address search all over again for each; a recording has millions of
 * addresses. So everything is sorted once and swept:
 *
 *   1. The places of an object (executed instructions, sites of calls, beginnings of functions) are sorted by address.
 *   2. Of each unit of its debug information, the ranges are compared with the places. A unit that holds none is
 *      not read any further.
 *   3. A unit that holds some is walked once. Inlined subroutines that cover a place become intervals; their
 *      names are looked up only when a place ends up in them.
 *   4. Places, line rows and intervals, all in order of address, are then gone through side by side.
 *
 * An inlined frame belongs to one function context: the same inlined subroutine seen from two contexts
 * (--separate-callers) is two frames.
 */

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <libdeflate.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/code/code.h"
#include "profile/objects/debugfile.h"
#include "profile/objects/names.h"
#include "profile/objects/symbols_image.h"
#include "profile/objects/symbols_lines.h"
#include "profile/objects/symbols_types.h"

enum { DEEPEST = 256, REPORT_EVERY = 64 };

struct place {
    uint64_t address; /* in the object file */
    uint32_t index;   /* of the instruction; of the function, if function */
    uint32_t object : 31, function : 1;
};

struct scope {       /* an inlined subroutine */
    uint32_t parent; /* + 1 */
    Dwarf_Die die;
    bool named;
    const char *name;
    uint32_t file, line, call_file, call_line;
};

struct interval {
    uint64_t begin, end;
    uint32_t scope; /* + 1 */
};
typedef TP_VECTOR(struct interval) intervals;

struct symbols {
    struct tp_recording *rec;
    const struct tp_import_options *options;
    struct tp_error *err;
    TP_VECTOR(struct place) places; /* all, by object, then address */
    struct tp_slots files; /* of the recording's */
    struct tp_idmap file_at;  /* libdw's pointer -> file + 1; of the current object */
    bool no_memory;
    struct tp_debuginfod server;

    /* the current object */
    struct tp_object *object;
    struct tp_image own, separate, shared; /* its file, its debug file, what dwz has put into one for several */
    const GElf_Word *link_crc;             /* a debug file is looked for by its checksum; NULL: by build-id */
    Dwarf *dwarf, *alt;
    struct tp_idmap unit_fits; /* libdw's unit -> whether its lines may be read */
    uint64_t names;            /* bytes of names in tables of lines */
    struct place *place, *end;

    /* the current unit */
    Dwarf_Die unit;
    struct tp_die_walk walk;
    intervals ranges; /* of the unit; scope unused */
    intervals inlined;
    TP_VECTOR(struct scope) scopes;
    struct tp_idmap frame_of; /* (scope + 1) << 32 | context -> frame */
};

/* ------------------------------------------------------------------------------------------ places */

static int symbols_by_address(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = TP_COMPARE(x->object, y->object);

    order = order ? order : TP_COMPARE(x->address, y->address);
    return order ? order : TP_COMPARE(x->index, y->index);
}

/* Of a function that lies in an object; false: out of memory. */
static bool add_place(struct symbols *s, const struct tp_function *in, uint64_t address, size_t index, bool function)
{
    address -= (uint64_t)s->rec->objects.at[in->object - 1].bias;
    return TP_VECTOR_PUSH(&s->places, (struct place){address, (uint32_t)index, in->object, function});
}

/* Instructions whose lines are wanted are those that were executed, or that call (with collection off, perhaps). */
static int find_places(struct symbols *s)
{
    const struct tp_recording *rec = s->rec;

    for (size_t i = 0; i < rec->instrs.count; i++) {
        const struct tp_instr *instr = &rec->instrs.at[i];
        const struct tp_function *in = instr->costs || instr->calls ? tp_function_of(rec, instr->context) : NULL;
        if (!in || !in->object)
            continue;
        rec->objects.at[in->object - 1].used = true;
        if (!add_place(s, in, instr->address, i, false))
            return TP_NO_MEMORY(s->err);
    }
    for (size_t i = 0; i < rec->functions.count; i++) {
        const struct tp_function *in = &rec->functions.at[i];
        if (in->object && !add_place(s, in, in->start, i, true))
            return TP_NO_MEMORY(s->err);
    }
    if (s->places.count)
        qsort(s->places.at, s->places.count, sizeof *s->places.at, symbols_by_address);
    return 0;
}

/* The first place at or after `address`. */
static struct place *lower_bound(const struct symbols *s, uint64_t address)
{
    struct place *low = s->place, *high = s->end;

    while (low < high) {
        struct place *middle = low + (high - low) / 2;
        if (middle->address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ------------------------------------------------------------------------------------------ file names */

/* The file of a path of libdw's, which keeps one string per file of a unit. A path is relative to where the unit was
 * compiled, if it says so. libdw has joined the two where the file has no folder of its own, and has not where that
 * folder is relative; where it was compiled may be relative itself. */
static uint32_t file_of(struct symbols *s, const char *path)
{
    uint64_t key = (uint64_t)(uintptr_t)path;
    Dwarf_Attribute found;

    if (!path || !*path)
        return 0;
    uint32_t file = tp_idmap_find(&s->file_at, key);
    if (file != TP_NOT_FOUND)
        return file;
    const char *folder =
        path[0] == '/' ? NULL : dwarf_formstring(dwarf_attr(&s->unit, DW_AT_comp_dir, &found));
    size_t length = folder ? strlen(folder) : 0;
    if (folder && (strncmp(path, folder, length) != 0 || path[length] != '/'))
        path = tp_arena_print(&s->rec->arena, "%s/%s", folder, path);
    file = path ? tp_file_add(&s->files, s->rec, path) : 0;
    s->no_memory |= file == 0 || tp_idmap_add(&s->file_at, key, file);
    return file;
}

static const char long_names[] = "its tables of lines have more names than it can have files: lines are missing";

/* Whether the unit's lines, and the files in them, may be read. A split unit names none: libdw takes what its own file
 * has, or else those of the unit that it was split from. */
static bool may_read_lines(struct symbols *s, Dwarf_Die *unit)
{
    bool named = dwarf_hasattr(unit, DW_AT_stmt_list);
    uint64_t key = named ? (uint64_t)(uintptr_t)unit->cu : (uint64_t)(uintptr_t)dwarf_cu_getdwarf(unit->cu);
    uint32_t fits = tp_idmap_find(&s->unit_fits, key);

    if (fits == TP_NOT_FOUND) {
        fits = tp_lines_fit(unit, &s->names);
        s->no_memory |= tp_idmap_add(&s->unit_fits, key, fits) != 0;
        if (!fits)
            s->object->note = long_names;
    }
    return fits && (named || unit->cu == s->unit.cu || may_read_lines(s, &s->unit));
}

/* The file that an attribute of a DIE names: a number in the list of the unit that the attribute is in, which may be
 * one of another file (split, or shared by dwz). dwarf_decl_file is not asked: it takes for granted that the unit has a
 * list of lines. Before DWARF 5 number 0 is no file. */
static uint32_t file_named(struct symbols *s, Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    Dwarf_Die unit;
    Dwarf_Files *files;
    Dwarf_Word number;
    Dwarf_Half version;
    size_t count;

    if (!dwarf_attr_integrate(die, attribute, &found) || dwarf_formudata(&found, &number) ||
        !dwarf_cu_die(found.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) || !may_read_lines(s, &unit) ||
        !tp_image_files(&unit, &files, &count) || number >= count || (number == 0 && version < 5))
        return 0;
    return file_of(s, dwarf_filesrc(files, number, NULL, NULL));
}

/* ------------------------------------------------------------------------------------------ opening */

/* A debug file counts if it has the object's build-id or, where a link leads to it, the link's checksum. */
static bool take_separate(void *user, const char *path)
{
    struct symbols *s = user;
    const uint8_t *id;
    size_t size;
    bool is_it;

    if (tp_image_open(&s->separate, path))
        return false;
    if (s->link_crc) {
        const char *bytes = elf_rawfile(s->separate.elf, &size);
        is_it = bytes && libdeflate_crc32(0, bytes, size) == *s->link_crc;
    } else {
        is_it = tp_image_build_id(&s->separate, &id) &&
                tp_image_is(&s->separate, s->object->build_id, s->object->build_id_size);
    }
    if (is_it)
        s->object->debug_file = tp_clean_text(&s->rec->arena, path, strlen(path));
    else
        tp_image_close(&s->separate);
    return is_it;
}

/* The object's own file, if it is the one that was recorded. */
static void open_object(struct symbols *s)
{
    struct tp_object *object = s->object;
    const char *path = tp_sysroot_path(&s->rec->arena, s->options, object->file);
    int failed = path ? tp_image_open(&s->own, path) : 0;

    s->no_memory |= !path;
    if (failed)
        object->note = failed == ENOENT    ? "the file is not there"
                       : failed == ENOEXEC ? "no program or library"
                                           : "the file cannot be read";
    else if (!tp_image_is(&s->own, object->build_id, object->build_id_size))
        object->note = "the file is not the one that was recorded: another build-id";
    else
        return;
    tp_image_close(&s->own);
    object->absent = failed != ENOEXEC;
}

/* A separate debug file: by build-id, also if the object itself is gone; then by link; then from a server. */
static void open_separate(struct symbols *s)
{
    struct tp_object *object = s->object;
    const uint8_t *id;
    size_t size = object->build_id_size ? 0 : tp_image_build_id(&s->own, &id);
    GElf_Word crc;

    if (size) {
        object->build_id = (const uint8_t *)tp_arena_copy(&s->rec->arena, id, size);
        object->build_id_size = object->build_id ? size : 0;
    }
    if (object->build_id_size &&
        tp_try_build_id(s->options, object->build_id, object->build_id_size, take_separate, s))
        return;
    const char *name = s->own.elf ? dwelf_elf_gnu_debuglink(s->own.elf, &crc) : NULL;
    s->link_crc = &crc;
    bool linked = name && tp_try_debuglink(s->options, object->file, name, take_separate, s);
    s->link_crc = NULL;
    if (!linked && object->build_id_size)
        tp_debuginfod_try(&s->server, object->build_id, object->build_id_size, take_separate, s);
}

/* libdw ends the process where it has no memory, unless it is told where else to go on. */
static _Thread_local jmp_buf *without_memory;

static _Noreturn void go_on_without_memory(void)
{
    longjmp(*without_memory, 1);
}

/* Its debug information, or NULL; of no file: NULL. */
static Dwarf *begin_dwarf(const struct symbols *s, struct tp_image *image)
{
    tp_image_inflate(image, s->places.count == 0);
    Dwarf *dwarf = image->elf ? dwarf_begin_elf(image->elf, DWARF_C_READ, NULL) : NULL;
    if (dwarf)
        dwarf_new_oom_handler(dwarf, go_on_without_memory);
    if (dwarf && tp_image_repeats(image, dwarf)) {
        dwarf_end(dwarf);
        return NULL;
    }
    return dwarf;
}

/* The one that has it. */
static const struct tp_image *debug_image(const struct symbols *s)
{
    return s->separate.elf ? &s->separate : &s->own;
}

static bool take_alt(void *user, const char *path)
{
    struct symbols *s = user;

    s->alt = tp_image_open(&s->shared, path) ? NULL : begin_dwarf(s, &s->shared);
    if (!s->alt)
        tp_image_close(&s->shared);
    return s->alt != NULL;
}

/* What dwz moved to a file shared by several. libdw looks in the usual places itself. */
static void open_alt(struct symbols *s)
{
    const char *name;
    const void *id;
    ssize_t size = dwelf_dwarf_gnu_debugaltlink(s->dwarf, &name, &id);

    if (size > 0 && tp_image_names_special(debug_image(s), NULL, name)) {
        dwarf_end(s->dwarf);
        s->dwarf = NULL;
    }
    if (size <= 0 || !s->dwarf || dwarf_getalt(s->dwarf))
        return;
    if (tp_try_build_id(s->options, id, (size_t)size, take_alt, s) ||
        (name[0] == '/' && take_alt(s, tp_sysroot_path(&s->rec->arena, s->options, name))) ||
        tp_debuginfod_try(&s->server, id, (size_t)size, take_alt, s))
        dwarf_setalt(s->dwarf, s->alt);
}

static void object_close(struct symbols *s)
{
    dwarf_end(s->dwarf);
    dwarf_end(s->alt);
    s->dwarf = s->alt = NULL;
    tp_image_close(&s->shared);
    tp_image_close(&s->separate);
    tp_image_close(&s->own);
    tp_idmap_clear(&s->file_at);
    tp_idmap_clear(&s->unit_fits);
    s->names = 0;
}

static bool object_open(struct symbols *s)
{
    struct tp_object *object = s->object;

    if (object->file[0] != '/') {
        object->note = "not a file";
        return false;
    }
    open_object(s);
    if (s->own.elf && tp_image_debug_info(&s->own)) {
        object->debug_file = object->path;
        s->dwarf = begin_dwarf(s, &s->own);
    } else {
        open_separate(s);
        s->dwarf = begin_dwarf(s, &s->separate);
    }
    if (s->dwarf)
        open_alt(s);
    if (!s->dwarf) {
        if (object->debug_file)
            object->note = "its debug information cannot be read";
        else if (!object->note)
            object->note = "no debug information";
        object->debug_file = NULL;
        return false;
    }
    object->note = NULL;
    return true;
}

/* ------------------------------------------------------------------------------------------ units */

static int by_begin(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;

    int order = TP_COMPARE(x->begin, y->begin);

    order = order ? order : TP_COMPARE(y->end, x->end); /* outer before inner */
    return order ? order : TP_COMPARE(x->scope, y->scope);
}

static void sort_intervals(intervals *list)
{
    if (list->count > 1)
        qsort(list->at, list->count, sizeof *list->at, by_begin);
}

/* How many ranges of a DIE hold places. They are put behind `list`, for `scope`, unless that is NULL. */
static size_t touched_ranges(struct symbols *s, Dwarf_Die *die, intervals *list, uint32_t scope)
{
    Dwarf_Addr base, begin, end;
    size_t count = 0;

    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0;) {
        const struct place *place = begin < end ? lower_bound(s, begin) : s->end;
        if (place == s->end || place->address >= end)
            continue;
        s->no_memory |= list && !TP_VECTOR_PUSH(list, (struct interval){begin, end, scope});
        count++;
    }
    return count;
}

/* A function's definition: the places where its pieces begin (.cold is one) learn file and line. */
static void symbols_found_function(struct symbols *s, Dwarf_Die *die)
{
    Dwarf_Addr base, begin, end;
    ptrdiff_t at = 0;
    int line = 0;

    while ((at = dwarf_ranges(die, at, &base, &begin, &end)) > 0) {
        for (struct place *p = lower_bound(s, begin); p < s->end && p->address == begin; p++) {
            if (!p->function)
                continue;
            struct tp_function *function = &s->rec->functions.at[p->index];
            function->file = file_named(s, die, DW_AT_decl_file);
            function->is_declared = dwarf_decl_line(die, &line) == 0 && line > 0;
            if (function->is_declared)
                function->line = (uint32_t)line;
        }
    }
}

/* Recursive, as the tree is. */
static void symbols_walk(struct symbols *s, Dwarf_Die *parent, uint32_t scope)
{
    Dwarf_Die die;

    for (bool more = tp_die_child(&s->walk, parent, &die); more; more = tp_die_next(&s->walk, &die)) {
        uint32_t inner = scope;
        switch (dwarf_tag(&die)) {
        case DW_TAG_subprogram:
            if (!touched_ranges(s, &die, NULL, 0))
                continue;
            symbols_found_function(s, &die);
            inner = 0;
            break;
        case DW_TAG_inlined_subroutine:
            inner = (uint32_t)s->scopes.count + 1;
            if (!touched_ranges(s, &die, &s->inlined, inner))
                continue;
            s->no_memory |= !TP_VECTOR_PUSH(&s->scopes, (struct scope){.parent = scope, .die = die});
            break;
        case DW_TAG_lexical_block:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
        case DW_TAG_enumeration_type: /* Rust */
        case DW_TAG_variant_part:
        case DW_TAG_with_stmt:
        case DW_TAG_common_block:
            break;
        default:
            continue;
        }
        symbols_walk(s, &die, inner);
        s->walk.over |= s->no_memory;
    }
}

/* ------------------------------------------------------------------------------------------ frames */

static uint32_t symbols_number(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    Dwarf_Word value;

    if (!dwarf_attr_integrate(die, attribute, &found) || dwarf_formudata(&found, &value) || value > INT32_MAX)
        return 0;
    return (uint32_t)value;
}

static const char *inlined_name(struct symbols *s, Dwarf_Die *die)
{
    static const unsigned attributes[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
    Dwarf_Attribute found;

    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const char *name = dwarf_formstring(dwarf_attr_integrate(die, attributes[i], &found));
        if (!name || !*name)
            continue;
        const char *clean = tp_clean_text(&s->rec->arena, name, strlen(name));
        return clean ? tp_demangle(&s->rec->arena, clean) : NULL;
    }
    return "???";
}

/* The frame + 1 of a scope in a context, after those around it. Depth is bounded by walk's. */
static uint32_t frame_of(struct symbols *s, uint32_t scope, uint32_t context)
{
    uint64_t key = (uint64_t)scope << 32 | context;
    uint32_t found = scope ? tp_idmap_find(&s->frame_of, key) : 0;

    if (found != TP_NOT_FOUND)
        return found;
    struct scope *from = &s->scopes.at[scope - 1];
    if (!from->named) {
        int line = 0;
        from->named = true;
        from->name = inlined_name(s, &from->die);
        s->no_memory |= !from->name;
        from->file = file_named(s, &from->die, DW_AT_decl_file);
        from->line = dwarf_decl_line(&from->die, &line) == 0 && line > 0 ? (uint32_t)line : 0;
        from->call_line = symbols_number(&from->die, DW_AT_call_line);
        from->call_file = file_named(s, &from->die, DW_AT_call_file);
    }
    uint32_t parent = frame_of(s, from->parent, context);
    struct tp_frame *frame = TP_VECTOR_ADD(&s->rec->frames);
    uint32_t id = (uint32_t)s->rec->frames.count;
    if (!frame || s->no_memory || tp_idmap_add(&s->frame_of, key, id)) {
        s->no_memory = true;
        return 0;
    }
    *frame = (struct tp_frame){parent,          context,         from->file, from->line,
                               from->call_file, from->call_line, from->name};
    return id;
}

/* ------------------------------------------------------------------------------------------ the sweep */

struct sweep {
    Dwarf_Lines *lines;
    size_t count, line; /* the last row at or before the place */
    bool has_line;
    size_t next;                /* interval */
    uint32_t open[DEEPEST + 1]; /* intervals that began at or before the place, inner ones last */
    size_t depth;
};

static uint64_t line_address(const struct sweep *w, size_t i)
{
    Dwarf_Addr address = UINT64_MAX;

    dwarf_lineaddr(dwarf_onesrcline(w->lines, i), &address);
    return address;
}

static void find_line(struct symbols *s, struct sweep *w, uint64_t address, uint32_t *file, uint32_t *line)
{
    bool end = true;
    int number_of_line = 0;

    /* Go forward to the last row at or before `address`. Far away: by bisection. */
    size_t low = w->has_line ? w->line : 0, high = w->count;
    for (size_t near = 0; near < 16 && low + 1 < high && line_address(w, low + 1) <= address; near++)
        low++;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (line_address(w, middle) <= address)
            low = middle;
        else
            high = middle;
    }
    w->line = low;
    w->has_line = w->count && line_address(w, low) <= address;
    *file = *line = 0;
    if (!w->has_line)
        return;
    Dwarf_Line *row = dwarf_onesrcline(w->lines, w->line);
    if (dwarf_lineendsequence(row, &end) || end)
        return;
    *file = file_of(s, dwarf_linesrc(row, NULL, NULL));
    if (dwarf_lineno(row, &number_of_line) == 0 && number_of_line > 0)
        *line = (uint32_t)number_of_line;
}

static void sweep_place(struct symbols *s, struct sweep *w, const struct place *place)
{
    uint32_t file, line;
    /* Open intervals up to this address. One that is over stays as long as an interval that was opened later does. */
    const struct interval *list = s->inlined.at;
    for (; w->next < s->inlined.count && list[w->next].begin <= place->address; w->next++) {
        if (list[w->next].end <= place->address)
            continue;
        while (w->depth && list[w->open[w->depth - 1]].end <= place->address)
            w->depth--;
        if (w->depth <= DEEPEST)
            w->open[w->depth++] = (uint32_t)w->next;
    }
    while (w->depth && list[w->open[w->depth - 1]].end <= place->address)
        w->depth--;
    /* The innermost scope + 1; 0: none. */
    uint32_t scope = w->depth ? list[w->open[w->depth - 1]].scope : 0;

    find_line(s, w, place->address, &file, &line);
    if (place->function) {
        struct tp_function *function = &s->rec->functions.at[place->index];
        if (!function->file || (!function->line && function->file == file)) {
            function->file = file; /* its definition is not known, or (Go) not its line: where its code begins */
            function->line = line;
        }
        return;
    }
    struct tp_instr *instr = &s->rec->instrs.at[place->index];
    instr->file = file;
    instr->line = line;
    instr->frame = scope ? frame_of(s, scope, instr->context) : 0;
}

/* Lines at which the compiler says that a statement begins; of files that have executed code. */
static void note_statements(struct symbols *s, const struct sweep *w)
{
    const char *last = NULL;
    uint32_t file = TP_NOT_FOUND;

    for (size_t i = 0; i < w->count && !s->no_memory; i++) {
        Dwarf_Line *row = dwarf_onesrcline(w->lines, i);
        bool begins = false;
        int line = 0;
        if (dwarf_linebeginstatement(row, &begins) || !begins || dwarf_lineno(row, &line) || line <= 0)
            continue;
        const char *path = dwarf_linesrc(row, NULL, NULL);
        if (path != last)
            file = path ? tp_idmap_find(&s->file_at, (uint64_t)(uintptr_t)path) : TP_NOT_FOUND;
        last = path;
        uint64_t key = file == TP_NOT_FOUND || !file ? 0 : tp_line_key(file, (uint32_t)line);
        if (key && tp_idmap_find(&s->rec->begins, key) == TP_NOT_FOUND)
            s->no_memory = tp_idmap_add(&s->rec->begins, key, 1) != 0;
    }
}

/* ------------------------------------------------------------------------------------------ objects */

static const char split_is_missing[] =
    "its split debug information (.dwo, .dwp) is not there, or cannot be read: lines, but no inlined functions";

static void read_unit(struct symbols *s, Dwarf_Die *unit, Dwarf_Die *split)
{
    bool is_there = split && dwarf_tag(split) == DW_TAG_compile_unit;

    s->unit = *unit;
    s->walk = (struct tp_die_walk){0};
    s->ranges.count = s->inlined.count = s->scopes.count = 0;
    tp_idmap_clear(&s->frame_of);
    if (dwarf_tag(unit) != DW_TAG_compile_unit && dwarf_tag(unit) != DW_TAG_skeleton_unit)
        return;
    if (!touched_ranges(s, &s->unit, &s->ranges, 0))
        return;
    if (split && !is_there)
        s->object->note = split_is_missing;
    symbols_walk(s, is_there ? split : unit, 0);
    struct sweep w = {0};
    if (!may_read_lines(s, &s->unit) || !tp_image_lines(&s->unit, &w.lines, &w.count))
        w.count = 0;
    sort_intervals(&s->ranges);
    sort_intervals(&s->inlined);
    for (size_t i = 0; i < s->ranges.count && !s->no_memory; i++) {
        const struct interval *range = &s->ranges.at[i];
        for (const struct place *p = lower_bound(s, range->begin); p < s->end && p->address < range->end; p++)
            sweep_place(s, &w, p);
    }
    note_statements(s, &w);
}

typedef void object_work(struct symbols *s, void *user);

/* Does the work if the object `s->object` has debug information. */
static void with_object(struct symbols *s, object_work *work, void *user)
{
    jmp_buf here;

    without_memory = &here;
    if (setjmp(here))
        s->no_memory = true;
    else if (object_open(s))
        work(s, user);
    object_close(s);
}

static void symbols_read_object(struct symbols *s, void *unused)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit, split;
    uint8_t type;

    (void)unused;
    while (!s->no_memory && tp_image_unit(debug_image(s), s->dwarf, &cu, &type, &unit, &split)) {
        if (type == DW_UT_compile || type == DW_UT_skeleton)
            read_unit(s, &unit, type == DW_UT_skeleton ? &split : NULL);
    }
    /* What the data objects that this file tells of are made of. */
    struct tp_recording *rec = s->rec;
    for (size_t i = 0; i < rec->data.count; i++) {
        struct tp_data *data = &rec->data.at[i];
        const struct tp_instr *site = data->typed_by ? &rec->instrs.at[data->typed_by - 1] : NULL;
        const struct tp_function *in = site ? tp_function_of(rec, site->context) : NULL;
        bool here = site ? in && in->object && &rec->objects.at[in->object - 1] == s->object
                         : data->path && strcmp(data->path, s->object->path) == 0;
        if (!here || !data->type)
            continue;
        data->layout = tp_type_layout(&rec->arena, s->dwarf, data->type);
        if (data->layout && tp_layout_size(data->layout) != data->element)
            data->layout = NULL;
    }
}

struct visitor {
    tp_visit_debug *visit;
    void *user;
};

static void visit_object(struct symbols *s, void *user)
{
    const struct visitor *visitor = user;

    visitor->visit(visitor->user, s->object, &s->own, debug_image(s), s->dwarf);
}

int tp_symbols_visit(struct tp_recording *rec, size_t index, tp_visit_debug *visit, void *user, struct tp_error *err)
{
    static const struct tp_import_options options;
    struct symbols s = {.rec = rec, .options = &options, .err = err, .object = &rec->objects.at[index],
                        .server = {.tried = true, .gave_up = true}};
    struct visitor visitor = {visit, user};

    with_object(&s, visit_object, &visitor);
    tp_idmap_free(&s.file_at);
    tp_idmap_free(&s.unit_fits);
    tp_debuginfod_end(&s.server);
    return s.no_memory ? TP_NO_MEMORY(err) : 0;
}

int tp_symbols(struct tp_recording *rec, const struct tp_import_options *options, struct tp_error *err)
{
    struct symbols s = {.rec = rec, .options = options, .err = err};
    int failed = find_places(&s);
    const struct place *last = s.places.count ? s.places.at + s.places.count : NULL;

    s.end = s.places.at;
    for (size_t i = 0; !failed && i < rec->objects.count; i++) {
        s.object = &rec->objects.at[i];
        for (s.place = s.end; s.end < last && s.end->object == i + 1;)
            s.end++;
        if (options->progress && !options->progress(options->user, "symbols", i, rec->objects.count))
            failed = TP_GIVEN_UP(err);
        else if (s.object->used) {
            with_object(&s, symbols_read_object, NULL);
            s.object->note = tp_image_cut_off(s.object->note);
        }
        if (s.no_memory)
            failed = TP_NO_MEMORY(err);
    }
    TP_VECTOR_FREE(&s.places);
    TP_VECTOR_FREE(&s.ranges);
    TP_VECTOR_FREE(&s.scopes);
    TP_VECTOR_FREE(&s.inlined);
    tp_slots_free(&s.files);
    tp_idmap_free(&s.file_at);
    tp_idmap_free(&s.unit_fits);
    tp_idmap_free(&s.frame_of);
    tp_debuginfod_end(&s.server);
    return failed ? -1 : 0;
}
