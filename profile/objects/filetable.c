/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filetable.c: paths to numbers.
 */
#include "profile/objects/filetable.h"

#include <string.h>

/* Without "/./" and "//", which compilers leave when they join names. "/x/.." stays: x may be a link. */
static char *tidy(struct tp_arena *arena, const char *path)
{
    char *copy = tp_arena_copy(arena, path, strlen(path)), *to = copy;

    for (const char *from = path; copy && *from;) {
        if (*from == '/' && from[1] == '/')
            from++;
        else if (*from == '/' && from[1] == '.' && from[2] == '/')
            from += 2;
        else
            *to++ = *from++;
    }
    if (to)
        *to = '\0';
    return copy;
}

static bool same_path(const void *rec, uint32_t index, const void *path)
{
    return strcmp(((const struct tp_recording *)rec)->files.at[index], path) == 0;
}

uint32_t tp_file_add(struct tp_slots *slots, struct tp_recording *rec, const char *path)
{
    char *tidied = tidy(&rec->arena, path);
    const char *clean = tidied ? tp_clean_text(&rec->arena, tidied, strlen(tidied)) : NULL;
    struct tp_slot *slot = clean ? tp_slots_find(slots, tp_hash_text(clean), same_path, rec, clean) : NULL;

    if (!slot || slot->index)
        return slot ? slot->index : 0;
    return TP_VECTOR_PUSH(&rec->files, clean) ? tp_slots_fill(slots, slot, rec->files.count) : 0;
}
