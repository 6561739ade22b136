/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linemap.h: which line of a text is which of another version of it.
 *
 * Lines that are equal, in an order that both texts have, as many as possible (a longest common subsequence): what a
 * comparison by lines calls unchanged. Texts that differ in very many lines are matched at their beginning and end
 * only.
 */
#ifndef TENURE_PROFILE_LINEMAP_H
#define TENURE_PROFILE_LINEMAP_H

#include <stddef.h>
#include <stdint.h>

struct tp_linemap {
    uint32_t *to; /* by line of the old text, from 1: the line of the new one, or 0 */
    size_t count; /* lines of the old text + 1 */
};

/* -1: out of memory. */
int tp_linemap_make(struct tp_linemap *map, const char *old, const char *new);
void tp_linemap_free(struct tp_linemap *map);

#endif
