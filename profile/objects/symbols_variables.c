/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_variables.c: see symbols_variables.h. A variable is where debug information says that it is at an address of
 * the code: lists of locations are asked for that address, the frame is found with the unwinder's tables.
 */
#include "profile/objects/symbols_variables.h"

#include <dwarf.h>
#include <stdlib.h>

#include "profile/objects/symbols_types.h"

enum { MOST_VARIABLES = 2000 };

/* By DWARF's numbers. */
static const uint8_t machine_register[TP_REGISTERS] = {0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};

bool tp_type_says(Dwarf_Die *type, Dwarf_Die *pointee)
{
    return tp_type_pointee(type, pointee) && tp_type_size(pointee) > 1;
}

/* Whether a variable of this type is a pointer that says something, or an array or a structure that may have some. */
static bool pointers_of(Dwarf_Die *type, struct tp_variable *v)
{
    int tag = dwarf_tag(type);

    v->size = 0;
    if (tp_type_says(type, &v->pointee))
        return true;
    if (tag != DW_TAG_array_type && tag != DW_TAG_structure_type && tag != DW_TAG_class_type)
        return false;
    v->pointee = *type;
    v->size = tp_type_size(type);
    return v->size != 0;
}

static void collect(struct tp_variables *vars, Dwarf_Die *parent)
{
    Dwarf_Die child, type;

    for (bool more = tp_die_child(&vars->walk, parent, &child); more; more = tp_die_next(&vars->walk, &child)) {
        int tag = dwarf_tag(&child);
        struct tp_variable v;
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
            if (tp_type_of(&child, &type) && pointers_of(&type, &v) &&
                dwarf_attr(&child, DW_AT_location, &v.location))
                (void)TP_VECTOR_PUSH(&vars->list, v);
        } else if (tag == DW_TAG_inlined_subroutine) {
            (void)TP_VECTOR_PUSH(&vars->inlined, child);
            collect(vars, &child);
        } else if (tag == DW_TAG_lexical_block) {
            collect(vars, &child);
        }
        vars->walk.over |= vars->list.count > MOST_VARIABLES;
    }
}

/* ------------------------------------------------------------------------------------------ where variables are */

static struct tp_spot base_of(const Dwarf_Op *op)
{
    uint64_t number = UINT64_MAX, offset = 0;

    if (op->atom == DW_OP_bregx) {
        number = op->number;
        offset = op->number2;
    } else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
        number = op->atom - DW_OP_breg0;
        offset = op->number;
    } else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
        number = op->atom - DW_OP_reg0;
    }
    if (number >= TP_REGISTERS)
        return (struct tp_spot){.known = false};
    return (struct tp_spot){true, machine_register[number], (int64_t)offset};
}

/* The one operation that says where something is at `pc`; NULL: there is none, or there are more. */
static const Dwarf_Op *only_operation(Dwarf_Die *die, unsigned name, uint64_t pc)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;

    bool one = dwarf_attr(die, name, &attribute) && dwarf_getlocation_addr(&attribute, pc, &op, &count, 1) == 1 &&
               count == 1;
    return one ? op : NULL;
}

struct tp_spot tp_frame_base(const struct tp_variables *vars, uint64_t pc)
{
    const Dwarf_Op *op = only_operation(vars->die, DW_AT_frame_base, pc);
    struct tp_spot base = {.known = false};
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *rule;
    size_t count;

    if (!op || op->atom != DW_OP_call_frame_cfa)
        return op ? base_of(op) : base;
    /* The frame's address is in the unwinder's tables. */
    if (vars->cfi && dwarf_cfi_addrframe(vars->cfi, pc, &frame) == 0 && dwarf_frame_cfa(frame, &rule, &count) == 0 &&
        count == 1)
        base = base_of(rule);
    free(frame);
    return base;
}

enum tp_where tp_where_is(const struct tp_variable *v, uint64_t pc, const struct tp_spot *frame, struct tp_spot *out)
{
    Dwarf_Attribute attribute = v->location;
    Dwarf_Op *op;
    size_t count;

    if (dwarf_getlocation_addr(&attribute, pc, &op, &count, 1) != 1 || count == 0 || count > 2)
        return TP_NOWHERE;
    if (count == 2) {
        *out = base_of(op);
        return out->known && op[1].atom == DW_OP_stack_value ? TP_IS_SUM : TP_NOWHERE;
    }
    if (op->atom == DW_OP_fbreg) {
        *out = *frame;
        out->offset += (int64_t)op->number;
        return frame->known ? TP_IN_SLOT : TP_NOWHERE;
    }
    *out = base_of(op);
    if (!out->known)
        return TP_NOWHERE;
    return op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31 ? TP_IN_REGISTER : TP_IN_SLOT;
}

/* ------------------------------------------------------------------------------------------ what they point to */

bool tp_points_to(struct tp_variables *vars, uint64_t pc, bool in_slot, int reg, int64_t offset, size_t *from,
                  Dwarf_Die *pointee)
{
    struct tp_spot frame = tp_frame_base(vars, pc), at;

    for (; *from < vars->list.count; ++*from) {
        const struct tp_variable *v = &vars->list.at[*from];
        if (v->size || tp_where_is(v, pc, &frame, &at) != (in_slot ? TP_IN_SLOT : TP_IN_REGISTER) || at.reg != reg ||
            (in_slot && at.offset != offset))
            continue;
        *pointee = v->pointee;
        ++*from;
        return true;
    }
    return false;
}

bool tp_all_point_to(struct tp_variables *vars, uint64_t pc, bool in_slot, int reg, int64_t offset, Dwarf_Die *pointee)
{
    size_t from = 0;
    Dwarf_Die other;

    if (!tp_points_to(vars, pc, in_slot, reg, offset, &from, pointee))
        return false;
    while (tp_points_to(vars, pc, in_slot, reg, offset, &from, &other)) {
        if (!tp_type_is(pointee, &other))
            return false;
    }
    return true;
}

bool tp_part_of_local(struct tp_variables *vars, uint64_t pc, int base, int64_t offset, Dwarf_Die *type)
{
    struct tp_spot frame = tp_frame_base(vars, pc), at;

    for (size_t i = 0; i < vars->list.count; i++) {
        struct tp_variable *v = &vars->list.at[i];
        Dwarf_Die element;
        if (!v->size || tp_where_is(v, pc, &frame, &at) != TP_IN_SLOT || at.reg != base || offset < at.offset ||
            (uint64_t)(offset - at.offset) >= v->size || !tp_type_element(&v->pointee, &element) ||
            !tp_type_size(&element))
            continue;
        uint64_t inside = (uint64_t)(offset - at.offset) % tp_type_size(&element);
        *type = element;
        return inside == 0 || tp_type_member(&element, inside, type);
    }
    return false;
}

/* ------------------------------------------------------------------------------------------ parameters */

/* Whether a parameter of this type is in a general register, if there is one left. */
static bool variables_is_word(Dwarf_Die *type)
{
    int tag = dwarf_tag(type);
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = DW_ATE_signed;

    if (tag == DW_TAG_base_type && dwarf_attr(type, DW_AT_encoding, &attribute))
        dwarf_formudata(&attribute, &encoding);
    return encoding != DW_ATE_float && encoding != DW_ATE_complex_float && tp_type_size(type) <= 8 &&
           (tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type || tag == DW_TAG_pointer_type ||
            tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type);
}

/* The register that a parameter is in when its function begins: where optimised code says, else the `word`th. -1: not
 * known. */
static int register_at_entry(Dwarf_Die *parameter, uint64_t entry, size_t word)
{
    static const int8_t in_order[] = {TP_RDI, 6, 2, 1, 8, 9};
    const Dwarf_Op *op = only_operation(parameter, DW_AT_location, entry);

    if (!op)
        return -1;
    if (op->atom >= DW_OP_reg0 && op->atom < DW_OP_reg0 + TP_REGISTERS)
        return machine_register[op->atom - DW_OP_reg0];
    return op->atom == DW_OP_fbreg && word < sizeof in_order ? in_order[word] : -1;
}

bool tp_parameter_in(Dwarf_Die *callee, uint64_t entry, int reg, Dwarf_Die *type)
{
    Dwarf_Die function = *callee, child;
    bool returns = tp_type_of(&function, type), in_order = !returns || variables_is_word(type);
    size_t word = 0;

    for (int more = dwarf_child(&function, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter || !tp_type_of(&child, type))
            continue;
        if (register_at_entry(&child, entry, in_order ? word : SIZE_MAX) == reg)
            return true;
        word += variables_is_word(type);
        in_order &= variables_is_word(type);
    }
    return false;
}

/* ------------------------------------------------------------------------------------------ life */

void tp_variables_collect(struct tp_variables *vars)
{
    if (!vars->known)
        collect(vars, vars->die);
    vars->known = true;
}

void tp_variables_free(struct tp_variables *vars)
{
    TP_VECTOR_FREE(&vars->list);
    TP_VECTOR_FREE(&vars->inlined);
}
