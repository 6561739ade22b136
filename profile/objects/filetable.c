/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filetable.c: paths to numbers.
 *
 * The table is keyed by a 64-bit hash. Two paths with the same hash are told apart: the second takes the next free
 * key, so that nobody's lines end up in another file whatever a hostile object calls its sources.
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

/* FNV-1a; never 0, which is no key. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash | 1;
}

uint32_t tp_file_add(struct tp_file_table *table, struct tp_recording *rec, const char *path)
{
    char *tidied = tidy(&rec->arena, path);
    const char *clean = tidied ? tp_clean_text(&rec->arena, tidied, strlen(tidied)) : NULL;
    uint64_t hash = clean ? hash_of(clean) : 0;
    uint32_t index;

    if (!clean)
        return 0;
    for (; (index = tp_idmap_find(&table->map, hash)) != TP_NOT_FOUND; hash += 2) {
        if (strcmp(rec->files.at[index], clean) == 0)
            return index + 1;
    }
    const char **file = TP_VECTOR_ADD(&rec->files);
    if (!file || tp_idmap_add(&table->map, hash, (uint32_t)rec->files.count - 1))
        return 0;
    *file = clean;
    return (uint32_t)rec->files.count;
}

void tp_file_table_free(struct tp_file_table *table)
{
    tp_idmap_free(&table->map);
}
