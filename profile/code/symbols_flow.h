/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_flow.h: which pointer gets what a call returns.
 *
 * The code behind a call is followed for a few instructions. What the register with the result is copied to is what
 * debug information has a variable, a parameter, a member or a global for, and their type says what was allocated. Of
 * several the wider one is right (a class and its base); if they disagree nothing is said, nor is it by a pointer into
 * the block, unless the number of elements is kept in front of them.
 * Calls of interest are those of functions that allocate, by their names, and of functions that return void *. In a
 * function that returns void * itself the question is its caller's.
 */
#ifndef TENURE_PROFILE_SYMBOLS_FLOW_H
#define TENURE_PROFILE_SYMBOLS_FLOW_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "profile/base/mem.h"
#include "profile/objects/symbols_image.h"

struct tp_flow_named {
    uint64_t address, end;
    Dwarf_Die die;
};
struct tp_flow {
    /* The caller's: a file, and its functions and variables (these with their types), in any order. */
    const struct tp_image *image;
    TP_VECTOR(struct tp_flow_named) functions, variables;
    /* Found out. */
    Dwarf_CFI *cfi;
    struct tp_idmap allocators; /* addresses of functions, and of words that hold theirs */
};

/* Told of each place where an allocation returns to. `type`: of what was allocated, behind its first `lead` bytes;
 * NULL: who has called knows. */
typedef void tp_flow_found(void *user, uint64_t address, Dwarf_Die *type, uint64_t lead);
void tp_flow_all(struct tp_flow *flow, tp_flow_found *found, void *user);

#endif
