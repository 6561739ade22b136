/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.c: finding and adding entries of maps; see path.h.
 *
 * The digits of a mixed key lead from level to level. Mixing loses nothing: two keys differ in one of the digits.
 */
#include "path.h"

union element {
    uint32_t branch[4]; /* number of the element << 1 | whether it is an entry; 0: nothing is there */
    struct {
        uint32_t mixed;
        struct tn_node *node;
    } entry;
};

void tn_paths_init(struct tn_paths *paths)
{
    tn_slots_init(&paths->elements, sizeof(union element));
}

void tn_paths_free(struct tn_paths *paths)
{
    tn_slots_free(&paths->elements);
}

static union element *element_at(const struct tn_paths *paths, uint32_t reference)
{
    return tn_slots_at(&paths->elements, reference >> 1);
}

static uint32_t mix_key(uint32_t key)
{
    key *= 0x9e3779b1u;
    key = (key ^ key >> 15) * 0x85ebca77u;
    return key ^ key >> 13;
}

uint32_t tn_path_find(const struct tn_paths *paths, uint32_t map, uint32_t key)
{
    uint32_t mixed = mix_key(key);
    for (uint32_t digits = mixed; map && !(map & 1); digits >>= 2)
        map = element_at(paths, map)->branch[digits & 3];
    return map && element_at(paths, map)->entry.mixed == mixed ? map >> 1 : 0;
}

struct tn_node *tn_path_node(const struct tn_paths *paths, uint32_t entry)
{
    return ((union element *)tn_slots_at(&paths->elements, entry))->entry.node;
}

uint32_t tn_path_add(struct tn_paths *paths, uint32_t map, uint32_t key, struct tn_node *node, uint32_t fresh)
{
    uint32_t mixed = mix_key(key), *link = &map;
    for (uint32_t shift = 0;; shift += 2) {
        uint32_t old = *link;
        if (!old || (old & 1 && element_at(paths, old)->entry.mixed == mixed))
            break;
        if (old & 1 || old >> 1 < fresh) { /* one more level, or a copy of this one */
            union element *made = element_at(paths, *link = tn_slots_get(&paths->elements) << 1);
            if (old & 1)
                made->branch[element_at(paths, old)->entry.mixed >> shift & 3] = old;
            else
                *made = *element_at(paths, old);
        }
        link = &element_at(paths, *link)->branch[mixed >> shift & 3];
    }
    *link = tn_slots_get(&paths->elements) << 1 | 1;
    union element *entry = element_at(paths, *link);
    entry->entry.mixed = mixed;
    entry->entry.node = node;
    return map;
}
