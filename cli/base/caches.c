/* SPDX-License-Identifier: GPL-2.0-or-later */
/* caches.c: see caches.h. */
#include "cli/base/caches.h"

#include "profile/read/curves.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

bool caches_read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    bool good = file != NULL && fgets(text, (int)size, file) != NULL;

    if (file != NULL)
        fclose(file);
    if (good)
        text[strcspn(text, "\n")] = '\0';
    return good;
}

void caches_words(const struct tn_geometry *geometry, char *out, size_t size)
{
    uint64_t bytes = geometry->size;
    const char *unit = "bytes";
    bool usual = geometry->policy == TN_LRU;

    if (bytes % (1 << 20) == 0) {
        bytes >>= 20;
        unit = "MiB";
    } else if (bytes % (1 << 10) == 0) {
        bytes >>= 10;
        unit = "KiB";
    }
    snprintf(out, size, "%llu %s, %u-way, %u-byte lines%s%s", (unsigned long long)bytes, unit, geometry->assoc,
             geometry->line, usual ? "" : ", ", usual ? "" : geometry_policy[geometry->policy]);
}

void caches_option(const struct tn_geometry *geometry, char out[GEOMETRY_TEXT])
{
    char text[GEOMETRY_TEXT], size[32];

    geometry_put(text, geometry);
    tp_size_text(size, sizeof size, geometry->size);
    snprintf(out, GEOMETRY_TEXT, "%s%s", size, strchr(text, ','));
}

void caches_text(const struct tn_geometry geometry[GEOMETRY_LEVELS], const char *const source[GEOMETRY_LEVELS],
                 char *out, size_t size)
{
    enum { MOST = 60 }; /* of a source: profiles may be anybody's */
    const char *said = NULL;
    size_t at = 0;
    char words[96];

    *out = '\0';
    for (int level = 0; level < GEOMETRY_LEVELS; level++) {
        if (geometry[level].size == 0)
            continue;
        caches_words(&geometry[level], words, sizeof words);
        if (said != NULL && (source[level] == NULL || strcmp(said, source[level]) != 0))
            at += (size_t)snprintf(out + at, size - at, " (%.*s)", MOST, said);
        at += (size_t)snprintf(out + at, size - at, "%s%s %s", at > 0 ? "; " : "", geometry_name[level], words);
        said = source[level];
    }
    if (said != NULL)
        snprintf(out + at, size - at, " (%.*s)", MOST, said);
}
