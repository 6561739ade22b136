/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_types.c: see symbols_types.h.
 *
 * A layout is made in two steps. Members are collected as they are declared, those of members too; then they are put in
 * order, those that share bytes become one field, and what is left between them is padding. Debug information may say
 * anything: offsets are held to the type's size, depth and number of fields are bounded.
 */
#include "profile/objects/symbols_types.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/raw/recording.h"

enum {
    DEEPEST_DIE = 256,
    DEEPEST_TYPE = 64,
    DEEPEST_MEMBER = 8,
    MOST_FIELDS = 4096,
    MOST_LOOKED = 1 << 16,
    LONGEST_NAME = 256
};

/* ------------------------------------------------------------------------------------------ one type */

static bool is_decoration(int tag)
{
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
           tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

static bool named_type(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;

    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type) != NULL;
}

static bool ascends(struct tp_die_walk *walk, const Dwarf_Die *die)
{
    if (die->addr <= walk->last)
        return false;
    walk->last = die->addr;
    return true;
}

bool tp_die_child(struct tp_die_walk *walk, Dwarf_Die *parent, Dwarf_Die *child)
{
    walk->end = NULL;
    walk->over |= walk->depth == DEEPEST_DIE;
    if (walk->over || dwarf_child(parent, child) != 0 || !ascends(walk, child))
        return false;
    walk->depth++;
    return true;
}

/* Where there is no further one, libdw says where the entry of zero is that ends them. Behind that is what follows the
 * DIE around them, which libdw would find by reading all of them again. */
bool tp_die_next(struct tp_die_walk *walk, Dwarf_Die *die)
{
    Dwarf_Die next = {.addr = walk->end ? (char *)walk->end + 1 : NULL, .cu = die->cu};
    bool more = !walk->over && (next.addr ? dwarf_tag(&next) != DW_TAG_invalid : dwarf_siblingof(die, &next) == 0);

    walk->end = more ? NULL : next.addr;
    more = more && ascends(walk, &next);
    if (more)
        *die = next;
    walk->depth -= !more;
    return more;
}

bool tp_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Die at = *die;

    for (int depth = 0; depth <= DEEPEST_TYPE && named_type(&at, type); depth++) {
        if (!is_decoration(dwarf_tag(type)))
            return dwarf_tag(type) != DW_TAG_unspecified_type;
        at = *type;
    }
    return false;
}

bool tp_type_pointee(Dwarf_Die *type, Dwarf_Die *out)
{
    int tag = dwarf_tag(type);

    return (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type) &&
           tp_type_of(type, out) && dwarf_tag(out) != DW_TAG_subroutine_type;
}

bool tp_type_element(Dwarf_Die *type, Dwarf_Die *out)
{
    *out = *type;
    for (int depth = 0; depth < DEEPEST_TYPE && dwarf_tag(out) == DW_TAG_array_type; depth++) {
        Dwarf_Die inner;
        if (!tp_type_of(out, &inner))
            return false;
        *out = inner;
    }
    return dwarf_tag(out) != DW_TAG_array_type;
}

uint64_t tp_type_size(Dwarf_Die *type)
{
    Dwarf_Word size = 0;

    return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

static bool is_structure(Dwarf_Die *type)
{
    int tag = dwarf_tag(type);

    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/* A constant; an expression (of a virtual base) is none. */
static bool number_of(Dwarf_Die *die, unsigned attribute, uint64_t *out)
{
    Dwarf_Attribute found;
    Dwarf_Word value;

    if (!dwarf_attr(die, attribute, &found) || dwarf_formudata(&found, &value))
        return false;
    *out = value;
    return true;
}

/* Where a member is; bit fields: the bytes that hold them. */
static bool member_place(Dwarf_Die *member, Dwarf_Die *type, uint64_t *offset, uint64_t *size)
{
    uint64_t bits, at;

    *size = tp_type_size(type);
    *offset = 0;
    if (!number_of(member, DW_AT_bit_size, &bits))
        return number_of(member, DW_AT_data_member_location, offset) ||
               !dwarf_hasattr(member, DW_AT_data_member_location);
    if (!number_of(member, DW_AT_data_bit_offset, &at)) {
        uint64_t from_end;
        if (!number_of(member, DW_AT_data_member_location, offset) || !number_of(member, DW_AT_bit_offset, &from_end) ||
            from_end + bits > *size * 8)
            return false;
        at = *offset * 8 + (*size * 8 - from_end - bits); /* little-endian */
    }
    if (at > UINT32_MAX || bits == 0 || bits > 1024)
        return false;
    *offset = at / 8;
    *size = (at + bits + 7) / 8 - *offset;
    return true;
}

static bool is_member(Dwarf_Die *child)
{
    int tag = dwarf_tag(child);
    bool external = dwarf_hasattr(child, DW_AT_external) || dwarf_hasattr(child, DW_AT_declaration);

    return (tag == DW_TAG_member && !external) || tag == DW_TAG_inheritance;
}

/* The last member tells: a structure, its last one. */
bool tp_type_is_open(Dwarf_Die *type)
{
    Dwarf_Die at = *type, child, member;

    for (int depth = 0; depth < DEEPEST_TYPE && is_structure(&at) && dwarf_child(&at, &child) == 0; depth++) {
        Dwarf_Die last = {0};
        do {
            if (is_member(&child) && tp_type_of(&child, &member))
                last = member;
        } while (dwarf_siblingof(&child, &child) == 0);
        if (!last.addr || dwarf_tag(&last) == DW_TAG_array_type)
            return last.addr && tp_type_size(&last) == 0;
        at = last;
    }
    return false;
}

/* The member of a structure that has the byte at `offset`: its element, and where in the member the byte is. Of
 * several, the last one: the first ones are empty bases. */
static bool member_with(Dwarf_Die *type, uint64_t offset, Dwarf_Die *element, uint64_t *inside)
{
    Dwarf_Die child, member;
    uint64_t at, size;
    bool any = false;

    if (!is_structure(type) || dwarf_child(type, &child))
        return false;
    do {
        if (is_member(&child) && tp_type_of(&child, &member) && member_place(&child, &member, &at, &size) &&
            offset >= at && offset - at < size && tp_type_element(&member, element)) {
            *inside = offset - at;
            any = true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return any;
}

bool tp_type_member(Dwarf_Die *type, uint64_t offset, Dwarf_Die *out)
{
    Dwarf_Die at = *type;

    for (int depth = 0; depth < DEEPEST_MEMBER; depth++) {
        uint64_t inside;
        if (!member_with(&at, offset, out, &inside))
            return depth > 0 && offset == 0;
        if (inside && !tp_type_size(out))
            return false;
        offset = inside ? inside % tp_type_size(out) : 0;
        if (!is_structure(out))
            return offset == 0;
        at = *out;
    }
    return false;
}

bool tp_type_is(Dwarf_Die *one, Dwarf_Die *other)
{
    const char *name = dwarf_diename(one), *second = dwarf_diename(other);

    return one->addr == other->addr || (name && second && strcmp(name, second) == 0 &&
                                        tp_type_size(one) == tp_type_size(other));
}

bool tp_type_begins_with(Dwarf_Die *type, Dwarf_Die *inner)
{
    Dwarf_Die at = *type, next;
    uint64_t inside;

    for (int depth = 0; depth < DEEPEST_MEMBER; depth++, at = next) {
        if (tp_type_is(&at, inner))
            return true;
        if (!member_with(&at, 0, &next, &inside))
            return false;
    }
    return false;
}

uint64_t tp_type_number(Dwarf *dwarf, Dwarf_Die *type)
{
    Dwarf *files[] = {dwarf, dwarf_getalt(dwarf)};
    uint64_t offset = dwarf_dieoffset(type);

    for (uint64_t i = 0; i < 2; i++) {
        Dwarf_Die again;
        if (files[i] && dwarf_offdie(files[i], offset, &again) && again.addr == type->addr)
            return offset << 1 | i;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ names */

static uint64_t dimension(Dwarf_Die *range)
{
    uint64_t count;

    if (number_of(range, DW_AT_count, &count))
        return count;
    return number_of(range, DW_AT_upper_bound, &count) && count != UINT64_MAX ? count + 1 : 0;
}

/* "[4][8]", behind what is in `out`. */
static void name_of_array(Dwarf_Die *type, char *out, size_t size)
{
    Dwarf_Die range;
    size_t at = strlen(out), end = at + 40;

    for (int more = dwarf_child(type, &range); more == 0 && at < end; more = dwarf_siblingof(&range, &range)) {
        if (dwarf_tag(&range) == DW_TAG_subrange_type && at + 24 < size)
            at += (size_t)snprintf(out + at, size - at, "[%llu]", (unsigned long long)dimension(&range));
    }
}

/* What stands before a type's name in C; and what stands for a type that has none. */
static const char *keyword(Dwarf_Die *type, bool has_name)
{
    Dwarf_Die unit;
    int language = dwarf_diecu(type, &unit, NULL, NULL) ? dwarf_srclang(&unit) : 0;
    bool is_c = language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 || language == DW_LANG_C11;

    switch (dwarf_tag(type)) {
    case DW_TAG_structure_type: return !has_name ? "struct {...}" : is_c ? "struct " : "";
    case DW_TAG_union_type: return !has_name ? "union {...}" : is_c ? "union " : "";
    case DW_TAG_enumeration_type: return !has_name ? "enum {...}" : is_c ? "enum " : "";
    case DW_TAG_class_type: return has_name ? "" : "class {...}";
    case DW_TAG_subroutine_type: return has_name ? "" : "function";
    case DW_TAG_ptr_to_member_type: return has_name ? "" : "pointer to member";
    default: return has_name ? "" : "?";
    }
}

/* As a declaration would have it, roughly. */
static void type_name(Dwarf_Die *die, char *out, size_t size, int depth)
{
    const char *name = dwarf_diename(die);
    int tag = dwarf_tag(die);
    bool pointer = tag == DW_TAG_pointer_type;
    Dwarf_Die inner;
    char target[LONGEST_NAME] = "void";

    if (name || depth >= DEEPEST_MEMBER) {
        snprintf(out, size, "%s%.200s", keyword(die, name != NULL), name ? name : "");
    } else if (pointer || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type) {
        if (named_type(die, &inner))
            type_name(&inner, target, sizeof target, depth + 1);
        snprintf(out, size, "%.200s%s%s", target, strchr(target, '*') ? "" : " ", pointer ? "*" : "&");
    } else if (tag == DW_TAG_array_type && named_type(die, &inner)) {
        type_name(&inner, out, size, depth + 1);
        name_of_array(die, out, size);
    } else if (is_decoration(tag)) {
        snprintf(out, size, "void");
        if (named_type(die, &inner))
            type_name(&inner, out, size, depth + 1);
    } else {
        snprintf(out, size, "%s", keyword(die, false));
    }
}

/* The name that a typedef at home in the unit itself gives to a type without one; NULL: there is none. */
static const char *typedef_of(Dwarf_Die *type)
{
    Dwarf_Die unit, at, of;
    struct tp_die_walk walk = {0};

    if (dwarf_diename(type) || !dwarf_diecu(type, &unit, NULL, NULL))
        return NULL;
    for (bool more = tp_die_child(&walk, &unit, &at); more; more = tp_die_next(&walk, &at)) {
        if (dwarf_tag(&at) == DW_TAG_typedef && named_type(&at, &of) && of.addr == type->addr)
            return dwarf_diename(&at);
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------ layouts */

struct builder {
    struct tp_arena *arena;
    TP_VECTOR(struct tp_layout_field) fields;
    uint64_t size;
    unsigned looked; /* at so many members */
    bool failed;
};

static const char *kept(struct builder *b, const char *text)
{
    const char *copy = tp_clean_text(b->arena, text, strlen(text));

    b->failed |= copy == NULL;
    return copy;
}

static void add_field(struct builder *b, uint64_t offset, uint64_t size, const char *name, Dwarf_Die *type)
{
    char text[LONGEST_NAME];

    if (offset >= b->size || size == 0 || b->fields.count >= MOST_FIELDS)
        return;
    struct tp_layout_field *field = TP_VECTOR_ADD(&b->fields);
    if (!field) {
        b->failed = true;
        return;
    }
    type_name(type, text, sizeof text, 0);
    *field = (struct tp_layout_field){.offset = offset,
                                      .size = size < b->size - offset ? size : b->size - offset,
                                      .name = kept(b, name),
                                      .type = kept(b, text)};
}

static void add_members(struct builder *b, Dwarf_Die *type, uint64_t base, const char *prefix, int depth);

/* Names of a union's members: "{i, f, text}". */
static void union_members(Dwarf_Die *type, char *out, size_t size)
{
    Dwarf_Die child;
    size_t at = (size_t)snprintf(out, size, "{");

    if (dwarf_child(type, &child) == 0) {
        do {
            const char *name = is_member(&child) ? dwarf_diename(&child) : NULL;
            if (name && at + strlen(name) + 8 < size)
                at += (size_t)snprintf(out + at, size - at, "%s%s", at > 1 ? ", " : "", name);
        } while (dwarf_siblingof(&child, &child) == 0);
    }
    snprintf(out + at, size - at, "}");
}

static void add_member(struct builder *b, Dwarf_Die *member, uint64_t base, const char *prefix, int depth)
{
    Dwarf_Die type, declared;
    char name[LONGEST_NAME], more[LONGEST_NAME] = "";
    const char *own = dwarf_diename(member);
    uint64_t offset, size;

    if (!tp_type_of(member, &type) || !named_type(member, &declared) || !member_place(member, &type, &offset, &size))
        return;
    if (dwarf_tag(member) == DW_TAG_inheritance) {
        const char *class = dwarf_diename(&type);
        snprintf(name, sizeof name, "%.120s%.100s::", prefix, class ? class : "?");
        add_members(b, &type, base + offset, name, depth + 1);
        return;
    }
    if (is_structure(&type) && depth < DEEPEST_MEMBER && tp_type_size(&type)) {
        snprintf(name, sizeof name, "%.120s%.100s%s", prefix, own ? own : "", own ? "." : "");
        add_members(b, &type, base + offset, name, depth + 1);
        return;
    }
    if (dwarf_tag(&type) == DW_TAG_array_type)
        name_of_array(&type, more, 64);
    else if (dwarf_tag(&type) == DW_TAG_union_type)
        union_members(&type, more, 120);
    snprintf(name, sizeof name, "%.60s%.60s%.120s", prefix, own ? own : "", more);
    add_field(b, base + offset, size, *name ? name : "?", &declared);
}

/* A structure without any (C++'s empty ones have a byte) is padding. */
static void add_members(struct builder *b, Dwarf_Die *type, uint64_t base, const char *prefix, int depth)
{
    Dwarf_Die child;

    if (depth > DEEPEST_MEMBER || dwarf_child(type, &child))
        return;
    do {
        if (is_member(&child) && b->looked++ < MOST_LOOKED)
            add_member(b, &child, base, prefix, depth);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static int by_offset(const void *a, const void *b)
{
    const struct tp_layout_field *x = a, *y = b;
    int order = TP_COMPARE(x->offset, y->offset);

    return order ? order : TP_COMPARE(x->size, y->size);
}

static struct tp_layout_field padding(uint64_t offset, uint64_t end)
{
    return (struct tp_layout_field){.offset = offset, .size = end - offset, .name = "(padding)", .padding = true};
}

/* Fields in order that cover the type. */
static const struct tp_layout *cover(struct builder *b, const char *type)
{
    size_t count = b->fields.count;
    struct tp_layout *layout = tp_arena_alloc(b->arena, sizeof *layout + (2 * count + 1) * sizeof *layout->field);
    uint64_t end = 0;

    if (!layout || b->failed)
        return NULL;
    layout->type = type;
    layout->count = 0;
    if (count)
        qsort(b->fields.at, count, sizeof *b->fields.at, by_offset);
    for (size_t i = 0; i < count; i++) {
        const struct tp_layout_field *field = &b->fields.at[i];
        if (field->offset < end) {
            /* Two that share bytes are one. */
            struct tp_layout_field *last = &layout->field[layout->count - 1];
            char name[LONGEST_NAME];
            uint64_t field_end = field->offset + field->size;
            snprintf(name, sizeof name, "%.120s, %.120s", last->name, field->name);
            last->name = strcmp(last->name, field->name) ? kept(b, name) : last->name;
            last->type = last->type && field->type && strcmp(last->type, field->type) == 0 ? last->type : NULL;
            if (field_end > last->offset + last->size)
                last->size = field_end - last->offset;
        } else {
            if (field->offset > end)
                layout->field[layout->count++] = padding(end, field->offset);
            layout->field[layout->count++] = *field;
        }
        end = layout->field[layout->count - 1].offset + layout->field[layout->count - 1].size;
    }
    if (end < b->size)
        layout->field[layout->count++] = padding(end, b->size);
    return b->failed ? NULL : layout;
}

const struct tp_layout *tp_type_layout(struct tp_arena *arena, Dwarf *dwarf, uint64_t number)
{
    Dwarf *file = number & 1 ? dwarf_getalt(dwarf) : dwarf;
    struct builder b = {.arena = arena};
    char name[LONGEST_NAME], alone[LONGEST_NAME + 2];
    Dwarf_Die type;

    if (!number || !file || !dwarf_offdie(file, number >> 1, &type))
        return NULL;
    b.size = tp_type_size(&type);
    if (!b.size || b.size > TN_LARGEST_ELEMENT)
        return NULL;
    const char *given = typedef_of(&type);
    type_name(&type, name, sizeof name, 0);
    if (given)
        snprintf(name, sizeof name, "%.200s", given);
    snprintf(alone, sizeof alone, "<%s>", name);
    if (dwarf_tag(&type) == DW_TAG_union_type)
        union_members(&type, alone, sizeof alone);
    if (is_structure(&type))
        add_members(&b, &type, 0, "", 0);
    else
        add_field(&b, 0, b.size, alone, &type);
    const char *text = kept(&b, name);
    const struct tp_layout *layout = cover(&b, text);
    TP_VECTOR_FREE(&b.fields);
    return layout;
}
