/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.c: readable names of C++ and Rust symbols, through libiberty; of what is in Fortran's modules,
 * "__shapes_MOD_area", which is shapes::area; and of functions without a symbol, which an engine calls by their offset
 * in the object file: "0x15990" of libz.so.1 is "libz.so.1+0x15990". And the numbers of source files.
 *
 * Symbols come from files that may be hostile. A short mangled name can stand for an astronomically long one, so
 * the output is taken piece by piece and the demangler is left, by a jump, when there is too much of it; its
 * callback forms keep everything on the stack, so that nothing leaks.
 */
#include "profile/objects/names.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "profile/base/error.h"

enum { LONGEST_IN = 1 << 15, LONGEST_OUT = 1 << 16 };

struct output {
    jmp_buf too_long;
    size_t size;
    char text[LONGEST_OUT];
};

static void demangle_take(const char *piece, size_t size, void *user)
{
    struct output *out = user;

    if (size > sizeof out->text - out->size)
        longjmp(out->too_long, 1);
    memcpy(out->text + out->size, piece, size);
    out->size += size;
}

static bool demangle_into(struct output *out, const char *symbol, int options)
{
    out->size = 0;
    if (setjmp(out->too_long))
        return false;
    if (rust_demangle_callback(symbol, options, demangle_take, out))
        return true;
    out->size = 0;
    return cplus_demangle_v3_callback(symbol, options, demangle_take, out) != 0;
}

static const char *demangle(struct tp_arena *arena, const char *symbol, int options)
{
    static _Thread_local struct output out; /* too large for small stacks */
    char plain[LONGEST_IN];
    size_t size = strnlen(symbol, LONGEST_IN);

    /* __MODULE_MOD_NAME, as gfortran has it. */
    const char *mark = strncmp(symbol, "__", 2) == 0 ? strstr(symbol + 2, "_MOD_") : NULL;
    if (mark && mark > symbol + 2 && mark[5])
        return tp_arena_print(arena, "%.*s::%s", (int)(mark - symbol - 2), symbol + 2, mark + 5);
    if ((strncmp(symbol, "_Z", 2) != 0 && strncmp(symbol, "_R", 2) != 0) || size == LONGEST_IN)
        return symbol;
    /* A version ("@@GLIBCXX_3.4") is no part of the mangled name. */
    memcpy(plain, symbol, size + 1);
    plain[strcspn(plain, "@")] = '\0';
    if (!demangle_into(&out, plain, options) || !out.size)
        return symbol;
    return tp_clean_text(arena, out.text, out.size);
}

const char *tp_demangle(struct tp_arena *arena, const char *symbol)
{
    return demangle(arena, symbol, DMGL_ANSI | DMGL_PARAMS);
}

const char *tp_demangle_bare(struct tp_arena *arena, const char *symbol)
{
    return demangle(arena, symbol, DMGL_ANSI);
}

int tp_demangle_all(struct tp_recording *rec, struct tp_error *err)
{
    for (size_t i = 0; i < rec->functions.count; i++) {
        struct tp_function *function = &rec->functions.at[i];
        if (!function->symbol)
            continue;
        const char *symbol = function->symbol;
        bool is_offset = strncmp(symbol, "0x", 2) == 0 && symbol[2] &&
                         !symbol[2 + strspn(symbol + 2, "0123456789abcdef")];
        const char *path = function->object ? rec->objects.at[function->object - 1].path : NULL;
        const char *slash = path ? strrchr(path, '/') : NULL;
        if (path && is_offset)
            function->name = tp_arena_print(&rec->arena, "%s+%s", slash ? slash + 1 : path, symbol);
        else
            function->name = tp_demangle(&rec->arena, symbol);
        if (!function->name)
            return TP_NO_MEMORY(err);
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ source files */

/* Without "/./" and "//", which compilers leave when they join names. "/x/.." stays: x may be a link. */
static char *tidy(struct tp_arena *arena, const char *path)
{
    char *copy = tp_arena_copy(arena, path, strlen(path)), *to = copy;

    for (const char *from = path; copy && *from;) {
        if (*from == '/' && from[1] == '/')
            from++;
        else if (*from == '/' && from[1] == '.' && from[2] == '/')
            from += 2;
        else
            *to++ = *from++;
    }
    if (to)
        *to = '\0';
    return copy;
}

static bool same_path(const void *rec, uint32_t index, const void *path)
{
    return strcmp(((const struct tp_recording *)rec)->files.at[index], path) == 0;
}

uint32_t tp_file_add(struct tp_slots *slots, struct tp_recording *rec, const char *path)
{
    char *tidied = tidy(&rec->arena, path);
    const char *clean = tidied ? tp_clean_text(&rec->arena, tidied, strlen(tidied)) : NULL;
    struct tp_slot *slot = clean ? tp_slots_find(slots, tp_hash_text(clean), same_path, rec, clean) : NULL;

    if (!slot || slot->index)
        return slot ? slot->index : 0;
    return TP_VECTOR_PUSH(&rec->files, clean) ? tp_slots_fill(slots, slot, rec->files.count) : 0;
}

/* ------------------------------------------------------------------------------------------ whose source it is */

bool tp_is_system_source(const char *path)
{
    static const char *const begins[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/", "/usr/local/go/",
                                         "/usr/lib/go", "/usr/share/go", "/usr/src/rustc", "/rustc/"};
    static const char *const within[] = {"/include/c++/", "/lib/rustlib/", "/.cargo/registry/", "/go/pkg/mod/",
                                         "<autogenerated>"};
    bool is = false;

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        is |= strncmp(path, begins[i], strlen(begins[i])) == 0;
    for (size_t i = 0; i < sizeof within / sizeof *within; i++)
        is |= strstr(path, within[i]) != NULL;
    return is;
}
