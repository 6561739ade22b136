/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_types.h: types of debug information: what a pointer points to, how large it is, what it is made of.
 *
 * A type is named by a number: where in the debug information it is, in the file itself or in the one that dwz has made
 * for several; so that who reads the same file later finds it again. 0 is no type.
 */
#ifndef TENURE_PROFILE_SYMBOLS_TYPES_H
#define TENURE_PROFILE_SYMBOLS_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "profile/base/mem.h"
#include "profile/objects/layout.h"

/* A walk through the DIEs of a unit, all zero at first. Debug information may say that what is inside of a DIE follows
 * it as well; libdw sees to it that what follows is never what was before, and a walk comes to no DIE twice. It ends
 * where DIEs nest deeper than anybody's code. */
struct tp_die_walk {
    const void *last; /* the DIE furthest on */
    void *end;        /* where the DIEs end that tp_die_next went through last; NULL: it did not, or not to the end */
    unsigned depth;
    bool over; /* may be set by who walks, too */
};
/* The first DIE inside of `parent`, and the one behind `die`, which replaces it. False: none. */
bool tp_die_child(struct tp_die_walk *walk, Dwarf_Die *parent, Dwarf_Die *child);
bool tp_die_next(struct tp_die_walk *walk, Dwarf_Die *die);

/* The type of a variable, member, parameter or function, typedefs and qualifiers taken off. False: none (void). */
bool tp_type_of(Dwarf_Die *die, Dwarf_Die *type);
/* What a pointer (or reference) type points to, likewise. False: it is no pointer, or one to void. */
bool tp_type_pointee(Dwarf_Die *type, Dwarf_Die *out);
/* Of an array its element, of anything else itself. */
bool tp_type_element(Dwarf_Die *type, Dwarf_Die *out);
/* Bytes; 0: not known, or of no fixed size. */
uint64_t tp_type_size(Dwarf_Die *type);
/* A structure whose last member is an array without end. */
bool tp_type_is_open(Dwarf_Die *type);
/* Whether two are one, and whether the first has the other as its first member (or base), or as that one's. */
bool tp_type_is(Dwarf_Die *one, Dwarf_Die *other);
bool tp_type_begins_with(Dwarf_Die *type, Dwarf_Die *inner);
/* The type of the member, or of an array's element in it, that is at `offset`; false: there is none that begins
 * there. */
bool tp_type_member(Dwarf_Die *type, uint64_t offset, Dwarf_Die *out);

uint64_t tp_type_number(Dwarf *dwarf, Dwarf_Die *type);
/* NULL: there is no such type, or out of memory. */
const struct tp_layout *tp_type_layout(struct tp_arena *arena, Dwarf *dwarf, uint64_t number);

#endif
