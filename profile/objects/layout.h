/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout.h: what a type is made of, as a list of fields that cover it.
 *
 * Members of members are fields of their own (`at.x`), an array's elements are one (`name[16]`); of members that share
 * bytes (unions, bit fields) one field has all names. What no member has is padding.
 *
 * Invariant: fields ascend, the first is at 0, each begins where the one before ends, the last ends with the type.
 */
#ifndef TENURE_PROFILE_LAYOUT_H
#define TENURE_PROFILE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tp_layout_field {
    uint64_t offset, size;
    const char *name, *type; /* clean text; type: NULL if there is none */
    bool padding;
};

struct tp_layout {
    const char *type;
    size_t count; /* 1 at least */
    struct tp_layout_field field[];
};

static inline uint64_t tp_layout_size(const struct tp_layout *layout)
{
    const struct tp_layout_field *last = &layout->field[layout->count - 1];

    return last->offset + last->size;
}

#endif
