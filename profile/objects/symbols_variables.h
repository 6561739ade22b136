/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_variables.h: variables of a function that are pointers, or have pointers in them: where they are, and what
 * they point to, at an address of the code. Registers have the machine's numbers.
 */
#ifndef TENURE_PROFILE_SYMBOLS_VARIABLES_H
#define TENURE_PROFILE_SYMBOLS_VARIABLES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "profile/base/mem.h"
#include "profile/objects/symbols_types.h"

enum { TP_REGISTERS = 16, TP_RBX = 3, TP_RSP = 4, TP_RBP = 5, TP_RDI = 7 };

struct tp_variable {
    Dwarf_Attribute location;
    Dwarf_Die pointee; /* what it points to; of one that is no pointer but has some in it, its own type */
    uint64_t size;     /* of such a one; else 0 */
};

struct tp_variables {
    Dwarf_Die *die; /* the function */
    Dwarf_CFI *cfi;
    struct tp_die_walk walk;
    bool known; /* they were collected */
    TP_VECTOR(struct tp_variable) list;
    TP_VECTOR(Dwarf_Die) inlined; /* calls that were inlined, inner behind outer */
};
void tp_variables_collect(struct tp_variables *vars);
void tp_variables_free(struct tp_variables *vars);

/* What a variable of this type points to, if that says what was allocated: more than bytes. */
bool tp_type_says(Dwarf_Die *type, Dwarf_Die *pointee);

/* A register and an offset. */
struct tp_spot {
    bool known;
    int reg;
    int64_t offset;
};
struct tp_spot tp_frame_base(const struct tp_variables *vars, uint64_t pc);

/* Where a variable is at `pc`: its value is in a register, is a register and an offset, is in the stack. */
enum tp_where { TP_NOWHERE, TP_IN_REGISTER, TP_IS_SUM, TP_IN_SLOT };
enum tp_where tp_where_is(const struct tp_variable *v, uint64_t pc, const struct tp_spot *frame, struct tp_spot *out);

/* What pointers in a register, or in a slot, point to at `pc`, one by one: `*from` is the first variable to look at. */
bool tp_points_to(struct tp_variables *vars, uint64_t pc, bool in_slot, int reg, int64_t offset, size_t *from,
                  Dwarf_Die *pointee);
/* The type that all these agree on. */
bool tp_all_point_to(struct tp_variables *vars, uint64_t pc, bool in_slot, int reg, int64_t offset,
                     Dwarf_Die *pointee);
/* The type of what is in the stack at `pc`, in an array or a structure there: at register `base` and `offset`. */
bool tp_part_of_local(struct tp_variables *vars, uint64_t pc, int base, int64_t offset, Dwarf_Die *type);

/* The type of the parameter that a function is given in a register. */
bool tp_parameter_in(Dwarf_Die *callee, uint64_t entry, int reg, Dwarf_Die *type);

#endif
