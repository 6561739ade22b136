/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h: which function does this instruction belong to?
 *
 * The one module that draws function bounds, used by every engine, so that two engines never disagree and import
 * has nothing to redraw. Freestanding: memcpy, memmove and memset apart, memory and files come through struct
 * fb_host. The files are untrusted: every offset is checked; a damaged one gives fewer names, never a fault.
 *
 * An object's executable areas (sections with code, and what else executable segments hold) are cut into ranges
 * that do not overlap and leave nothing out:
 *
 *   symbol   a symbol of type function, ifunc or none (assembler) that is defined in an executable area, from
 *            .symtab and .dynsym of the object and .symtab of its separate debug file. Where there is no .symtab,
 *            the functions of Go's own table count as local ones (go_table.h). It ends where its size
 *            says; without a size where the .eh_frame range that begins with it ends, else at the next function
 *            or the end of its area.
 *            A symbol inside another one's range takes its bytes away from it; what follows it is a *piece* of
 *            the outer one. A symbol without type and size is only a label when it lies inside the range of a
 *            sized symbol; a local one also when it lies strictly inside an .eh_frame range.
 *   frame    an .eh_frame range that begins where no symbol lies; its name is its address in the file, as
 *            objdump and addr2line print it: "0x2a1c0".
 *   plt      .plt, .plt.got, .plt.sec, .plt.bnd, .iplt: one range each, named as the section, flag FB_PLT.
 *   gap      what is left: one range per hole, without a name. Padding is in gaps; so is unnamed code.
 *
 * Several symbols at one address are one function; its size is the largest, its name the first by this order:
 *   1. a function or ifunc before a symbol without type
 *   2. global, weak or unique before local
 *   3. fewer leading underscores (a mangled name, _Z... or _R..., counts as none)
 *   4. the shorter name
 *   5. global before weak
 *   6. the smaller name, byte by byte
 * A version (memcpy@@GLIBC_2.14) is no part of a name. Mangled names stay mangled.
 *
 * Pieces. `f.cold`, `f.cold.N` and `f.part.N` (also followed by clone suffixes) belong to `f`: the local `f` of
 * the same source file, else the exported one, else they stay on their own. `.isra.N`, `.constprop.N` and other
 * clones are functions. A piece has FB_PIECE and names its function in `parent`.
 *
 * Not read: .gnu_debugdata (compressed), .debug_frame.
 */
#ifndef TENURE_ENGINE_FUNCTIONS_H
#define TENURE_ENGINE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the module needs from the engine. */
struct fb_host {
    void *user; /* handed back in each call */

    /* Zeroed memory, aligned to 16 bytes at least; called with large sizes, rarely. NULL: no memory, and the
     * open that asked for it fails. `release` gets what `reserve` returned, with the same size. */
    void *(*reserve)(void *user, size_t bytes);
    void (*release)(void *user, void *memory, size_t bytes);

    /* The whole file, read-only, until `unmap`. NULL if there is none, it is no regular file, or it is empty.
     * Stays mapped as long as the fb_object: names are read from it. */
    const void *(*map)(void *user, const char *path, size_t *bytes);
    void (*unmap)(void *user, const void *memory, size_t bytes);
};

typedef struct fb_object fb_object;

struct fb_source {
    const char *path;  /* the file; also where a debug link is looked for. May be NULL with an image */
    const void *image; /* instead of the file: the object in memory (vdso); must outlive the fb_object */
    size_t image_bytes;
    uint64_t bias;         /* run-time address - address in the file; see fb_place */
    const char *debug_dir; /* where separate debug files are, "/usr/lib/debug"; NULL: use none */
    bool data_only;        /* functions are not asked for */
};

/* NULL if this is no 64-bit little-endian ELF object or memory ran out; then *why (if given) is a constant text.
 * An object without any symbol is good: its areas become gaps. */
fb_object *fb_open(const struct fb_host *host, const struct fb_source *source, const char **why);
void fb_close(fb_object *object);

/* The bias follows from an executable mapping of the file: the byte at file offset `offset` is at `address`.
 * Sets it; false if no loadable segment holds that offset. */
bool fb_place(fb_object *object, uint64_t address, uint64_t offset);

enum {
    FB_PLT = 1,     /* a procedure linkage table */
    FB_IFUNC = 2,   /* the resolver of an ifunc symbol */
    FB_GAP = 4,     /* no function is known here; name is "" */
    FB_FRAME = 8,   /* bounds from .eh_frame alone, name made from the address */
    FB_PIECE = 16,  /* belongs to the function `parent` */
    FB_NOSIZE = 32, /* the symbol had no size: the end is a guess */
};

struct fb_function {
    uint64_t start, size; /* run-time addresses; size > 0 */
    const char *name;     /* zero-ended, lives as long as the object */
    uint32_t index;       /* of this range: 0 <= index < fb_limit() */
    uint32_t parent;      /* index of the function it belongs to: `index`, unless FB_PIECE */
    uint32_t flags;       /* FB_* */
};

/* The range that holds run-time `address`; false if no executable area does. O(log n). */
bool fb_lookup(const fb_object *object, uint64_t address, struct fb_function *out);

/* The range with this index (a parent's); false if there is none. */
bool fb_get(const fb_object *object, uint32_t index, struct fb_function *out);

/* Indices are below this. Some indices below it are never used. */
uint32_t fb_limit(const fb_object *object);

/* The run-time address of a symbol by its exact name (any alias, version left out); a scan of all symbols. */
bool fb_symbol(const fb_object *object, const char *name, uint64_t *address);

/* The build-id, or NULL and *bytes = 0. */
const uint8_t *fb_build_id(const fb_object *object, uint32_t *bytes);

/* What is at run-time `address` of the object's static data: a symbol with a size, or what lies between symbols in a
 * section. */
struct fb_data {
    uint64_t start, end; /* run-time addresses: as far around as that is so */
    const char *name;    /* of the symbol, else of the section; lives as long as the object */
    size_t name_bytes;   /* of it without version */
    uint64_t address, size; /* of the symbol: in the file, and bytes; 0: it is a section */
};
/* False if no section of data holds it. An address that several symbols hold belongs to the one that begins last. */
bool fb_data_at(fb_object *object, uint64_t address, struct fb_data *out);

/* Where the object's segments lie, in whole pages; false if it has none. */
bool fb_loaded(const fb_object *object, uint64_t *start, uint64_t *end);
/* Whether so many bytes of the file from `offset` on, a page's, are no more than one segment loads. */
bool fb_loads(const fb_object *object, uint64_t offset, uint64_t bytes);

uint64_t fb_bias(const fb_object *object);

#endif
