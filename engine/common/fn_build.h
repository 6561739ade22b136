/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fn_build.h: inside an fb_object; shared by functions.c (areas, files, questions), fn_build.c (symbols and
 * frames to ranges), eh_frame.c (frames) and fn_data.c (static data); jit_map.c keeps texts and searches in the same
 * way. Not for engines.
 *
 * Invariants after fb_build: areas and ranges are sorted, do not overlap and are not empty; each range lies in one
 * area; each area begins with a range. Addresses are those of the file.
 */
#ifndef TENURE_ENGINE_FN_BUILD_H
#define TENURE_ENGINE_FN_BUILD_H

#include "engine/common/elf_image.h"
#include "engine/common/functions.h"

enum { FB_BLOCK = 1 << 16, FB_TABLES = 3 };

/* Where code can be. In the rest of a segment no symbol is believed: linkers put marks like _etext there. */
enum fb_area_kind { FB_AREA_CODE, FB_AREA_PLT, FB_AREA_REST };
struct fb_area {
    uint64_t start, end;
    const char *name;
    enum fb_area_kind kind;
};

struct fb_range {
    uint64_t start, end;
    const char *name;
    uint32_t parent, flags;
};

/* Texts we make: an arena of blocks. */
struct fb_block {
    struct fb_block *next;
    size_t size, used;
};

/* A symbol of data, in the order of where they begin; outer: the nearest in front that ends behind its start. */
struct fb_datum {
    uint64_t start, end;
    struct elf_symbol symbol;
    uint32_t name_bytes;
    uint32_t outer;
};

struct fb_object {
    struct fb_host host;
    uint64_t bias;
    struct elf_image image, debug; /* debug: the separate file's, empty if none */
    const void *file_data, *debug_data;
    size_t file_bytes, debug_bytes;
    struct fb_area *areas;
    struct fb_range *ranges;
    uint32_t area_count, area_limit;
    uint32_t range_count, range_limit;
    struct fb_datum *data; /* NULL: not asked for yet (fn_data.c) */
    uint32_t data_count, data_limit;
    struct fb_area *sections; /* with data, by where they begin */
    uint32_t section_count;
    struct fb_block *blocks;
    bool out_of_memory; /* sticky: whoever sees NULL may simply return */
};

/* Fill in the ranges. Precondition: areas. Gives up early when out_of_memory. */
void fb_build(fb_object *o);

/* Calls `found` for each entry of .eh_frame with a size, in the order of the section. Entries in encodings that no
 * linker writes (indirect, relative to data or text) are passed over. */
void eh_frame_ranges(const struct elf_image *image, void (*found)(void *user, uint64_t start, uint64_t size),
                     void *user);

/* All symbol tables that count: .symtab, .dynsym, and .symtab of the debug file. */
void fb_tables(const fb_object *o, struct elf_symbols tables[FB_TABLES]);

/* Bytes of a symbol's name without its version. False: it is empty or longer than 64 KB, or `left`, at first
 * fb_names_left, is used up: names may share bytes, but all of them together are looked at only so far. */
bool fb_take_name(uint64_t *left, const char *name, uint32_t *bytes);
uint64_t fb_names_left(const fb_object *o);

/* Of two symbols of the same place: whether a's name is better, by rules 1 to 6 of functions.h. */
struct fb_name {
    const char *name;
    uint32_t bytes; /* of fb_take_name */
    uint8_t type, bind;
};
bool fb_better_name(const struct fb_name *a, const struct fb_name *b);

/* Sorts areas, lets each begin where the one before it ended, at the earliest, and drops those that are empty then.
 * Returns how many are left. */
uint32_t fb_sort_areas(fb_object *o, struct fb_area *areas, uint32_t count);

/* The area that holds `address`, or NULL. Precondition: the areas are sorted so. */
const struct fb_area *fb_area_at(const struct fb_area *areas, uint32_t count, uint64_t address);

void *fb_reserve(fb_object *o, size_t count, size_t each);
void fb_release(fb_object *o, void *memory, size_t count, size_t each);

/* A zero-ended copy of a text in an arena of blocks; NULL: no memory. */
const char *fb_copy(const struct fb_host *host, struct fb_block **blocks, const void *text, size_t bytes);
void fb_free_copies(const struct fb_host *host, struct fb_block *blocks);

/* How many elements of a sorted array begin at `address` or below. An element's first member is its uint64_t start. */
size_t fb_begun(const void *array, size_t count, size_t each, uint64_t address);

/* Stable merge sort. Without memory it leaves the array as it is. */
void fb_sort(fb_object *o, void *array, size_t count, size_t each,
             bool (*before)(const void *, const void *));

#endif
