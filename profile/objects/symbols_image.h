/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_image.h: an object file that is open: which build it is, and what stands at an address.
 *
 * Only regular 64-bit ELF files of this machine's byte order are opened. libelf checks each number against the file:
 * it may be anything.
 */
#ifndef TENURE_PROFILE_SYMBOLS_IMAGE_H
#define TENURE_PROFILE_SYMBOLS_IMAGE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TP_BUILD_ID_MOST = 64, TP_IMAGE_SECTIONS = 16 };

struct tp_image {
    struct Elf *elf; /* NULL: none is open */
    int fd;          /* libdw finds other files by it; -1: closed */
    void *inflated[TP_IMAGE_SECTIONS]; /* what was compressed in it */
};

/* 0, or a number of errno: ENOEXEC is no object file. Then there is nothing to close. */
int tp_image_open(struct tp_image *image, const char *path);
void tp_image_close(struct tp_image *image); /* twice is fine */
/* What is to be noted of the file that was read since this was asked before: that it has become shorter meanwhile, and
 * some of it was read as zeroes; else `note`. */
const char *tp_image_cut_off(const char *note);
/* Keep only what is in memory of it, where many are open and nothing else is asked of libdw. */
void tp_image_detach(struct tp_image *image);

/* What is loaded from the file at `address` (the object's own addresses), and how many bytes from there on are; NULL:
 * nothing is. */
const uint8_t *tp_image_at(const struct tp_image *image, uint64_t address, uint64_t *left);

/* How many bytes its build id has, at most TP_BUILD_ID_MOST; 0: it has none. They live as long as the image. */
size_t tp_image_build_id(const struct tp_image *image, const uint8_t **id);
/* Whether its build id is this one. A file without one may be any, and so may a recording that knows none (size 0). */
bool tp_image_is(const struct tp_image *image, const uint8_t *id, size_t size);

/* Whether a file that its debug information names is there and no regular one: libdw would wait for who writes to a
 * pipe. `folder`: in which it is said to be; NULL: in that of the image. */
bool tp_image_names_special(const struct tp_image *image, const char *folder, const char *name);

/* The next unit of the image's debug information (cu at first NULL), and what a skeleton has in a file of its own, if
 * that may be opened; false: there is none. Where there is no memory for it, libdw's handler of that is called. */
bool tp_image_unit(const struct tp_image *image, Dwarf *dwarf, Dwarf_CU **cu, uint8_t *type, Dwarf_Die *unit,
                   Dwarf_Die *split);
/* A unit's list of files, and its lines; false: there are none. Likewise. */
bool tp_image_files(Dwarf_Die *unit, Dwarf_Files **files, size_t *count);
bool tp_image_lines(Dwarf_Die *unit, Dwarf_Lines **lines, size_t *count);

/* Inflate what is compressed of its debug information, before libdw does so with zlib, which takes longer. `places`:
 * also where variables are; else there are no lists of these. */
void tp_image_inflate(struct tp_image *image, bool places);

/* Whether so many units share so large tables of abbreviations that libdw would take hours and all memory to read them:
 * it keeps each unit's own. No compiler writes that. */
bool tp_image_repeats(const struct tp_image *image, Dwarf *dwarf);

/* Bytes of its debug information as they are in the file; 0: it has none of its own. */
uint64_t tp_image_debug_info(const struct tp_image *image);

#endif
