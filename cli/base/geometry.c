/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * geometry.c: sysfs, then CPUID, then a default.
 *
 * sysfs: each index folder describes one cache: level, type (Data, Instruction, Unified), size ("48K"),
 * ways_of_associativity (0 or absent: fully associative), coherency_line_size. CPUID: leaf 4 on Intel's
 * processors, leaf 0x8000001D on AMD's, have one subleaf per cache in the same layout. The last level is the
 * highest that holds data, L2 the second level where
 * that is not the last. What would make no sense is not taken from either: a line that is no power of two
 * from 16 to 1024, a size that is no whole number of sets.
 */
#include "cli/base/geometry.h"

#include "cli/base/opt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

const char *const geometry_name[GEOMETRY_COUNT] = {"I1", "D1", "L2", "LL"};

/* One cache of the machine, from either source. */
struct found {
    unsigned level;
    char type; /* 'D', 'I' or 'U' */
    struct geometry geometry;
};

static bool sensible(const struct geometry *g)
{
    return g->size != 0 && g->assoc != 0 && g->line >= 16 && g->line <= 1024 &&
           (g->line & (g->line - 1)) == 0 && g->size % (g->assoc * g->line) == 0;
}

static const struct geometry none = {0, 0, 0, "default"};

/* Takes a cache that was found for the places it may have. `last` is the level LL has so far. */
static void place(struct geometry out[GEOMETRY_COUNT], unsigned *last, const struct found *found)
{
    if (!sensible(&found->geometry))
        return;
    if (found->level == 1 && found->type != 'D')
        out[GEOMETRY_I1] = found->geometry;
    if (found->level == 1 && found->type != 'I')
        out[GEOMETRY_D1] = found->geometry;
    if (found->level > 1 && found->type != 'I' && found->level > *last) {
        out[GEOMETRY_L2] = *last == 2 ? out[GEOMETRY_LL] : *last == 0 ? none : out[GEOMETRY_L2];
        out[GEOMETRY_LL] = found->geometry;
        *last = found->level;
    }
}

/* ------------------------------------------------------------------------------------------ sysfs */

static bool attribute(const char *folder, unsigned index, const char *name, char *out, size_t size)
{
    char path[512];
    FILE *file;
    bool good;

    snprintf(path, sizeof path, "%s/index%u/%s", folder, index, name);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    good = fgets(out, (int)size, file) != NULL;
    fclose(file);
    if (good)
        out[strcspn(out, "\n")] = '\0';
    return good;
}

static uint64_t number(const char *folder, unsigned index, const char *name)
{
    char text[64];
    uint64_t value = 0;

    if (!attribute(folder, index, name, text, sizeof text) || !opt_number(text, NULL, &value))
        return 0;
    return value;
}

static bool sysfs_cache(const char *folder, unsigned index, struct found *out)
{
    char type[32];

    if (!attribute(folder, index, "type", type, sizeof type))
        return false;
    out->type = type[0];
    out->level = (unsigned)number(folder, index, "level");
    out->geometry.size = number(folder, index, "size");
    out->geometry.line = number(folder, index, "coherency_line_size");
    out->geometry.assoc = number(folder, index, "ways_of_associativity");
    if (out->geometry.assoc == 0 && out->geometry.line != 0)
        out->geometry.assoc = out->geometry.size / out->geometry.line;
    out->geometry.source = "sysfs";
    return true;
}

/* ------------------------------------------------------------------------------------------ CPUID */

#if defined(__x86_64__) || defined(__i386__)
static bool cpuid_cache(unsigned leaf, unsigned index, struct found *out)
{
    static const char types[] = {0, 'D', 'I', 'U'};
    unsigned a, b, c, d;

    if (!__get_cpuid_count(leaf, index, &a, &b, &c, &d) || (a & 31) == 0 || (a & 31) > 3)
        return false;
    out->type = types[a & 31];
    out->level = a >> 5 & 7;
    out->geometry.line = (b & 0xFFF) + 1;
    out->geometry.assoc = (b >> 22) + 1;
    out->geometry.size =
        out->geometry.assoc * ((b >> 12 & 0x3FF) + 1) * out->geometry.line * ((uint64_t)c + 1);
    out->geometry.source = "cpuid";
    return true;
}

static void from_cpuid(struct geometry out[GEOMETRY_COUNT])
{
    static const unsigned leaves[] = {0x8000001D, 4}; /* the second, Intel's, wins where both answer */
    struct found found;
    unsigned leaf, index;

    for (leaf = 0; leaf < 2; leaf++) {
        unsigned last = 0;

        for (index = 0; index < 16 && cpuid_cache(leaves[leaf], index, &found); index++)
            place(out, &last, &found);
    }
}
#else
static void from_cpuid(struct geometry out[GEOMETRY_COUNT])
{
    (void)out;
}
#endif

/* ------------------------------------------------------------------------------------------ choice */

void geometry_detect(struct geometry out[GEOMETRY_COUNT], const char *folder)
{
    static const struct geometry usual[GEOMETRY_COUNT] = {
        {32 << 10, 8, 64, "default"},
        {32 << 10, 8, 64, "default"},
        none,
        {8 << 20, 16, 64, "default"}};
    struct found found;
    unsigned index, last = 0;

    if (folder == NULL)
        folder = "/sys/devices/system/cpu/cpu0/cache";
    memcpy(out, usual, sizeof usual);
    from_cpuid(out);
    for (index = 0; index < 16 && sysfs_cache(folder, index, &found); index++)
        place(out, &last, &found);
}

const char *geometry_parse(struct geometry *out, const char *text)
{
    static const char form[] = "a cache is size,associativity,line in bytes, as in 32768,8,64 or 32K,8,64";
    const char *at = text;

    if (!opt_number(at, &at, &out->size) || *at++ != ',' || !opt_number(at, &at, &out->assoc) ||
        *at++ != ',' || !opt_number(at, &at, &out->line) || *at != '\0')
        return form;
    if (out->line < 16 || out->line > 1024 || (out->line & (out->line - 1)) != 0)
        return "the line must be 16, 32, 64, 128, 256, 512 or 1024 bytes";
    if (out->assoc == 0 || out->size == 0)
        return "size and associativity must be at least 1";
    if (out->assoc > out->size / out->line || out->size % (out->assoc * out->line) != 0)
        return "the size must be a multiple of associativity times line";
    out->source = "option";
    return NULL;
}

void geometry_text(const struct geometry *geometry, char *out, size_t size)
{
    snprintf(out, size, "%llu,%llu,%llu", (unsigned long long)geometry->size,
             (unsigned long long)geometry->assoc, (unsigned long long)geometry->line);
}

void geometry_words(const struct geometry *geometry, char *out, size_t size)
{
    uint64_t bytes = geometry->size;
    const char *unit = "bytes";

    if (bytes % (1 << 20) == 0) {
        bytes >>= 20;
        unit = "MiB";
    } else if (bytes % (1 << 10) == 0) {
        bytes >>= 10;
        unit = "KiB";
    }
    snprintf(out, size, "%llu %s, %llu-way, %llu-byte lines", (unsigned long long)bytes, unit,
             (unsigned long long)geometry->assoc, (unsigned long long)geometry->line);
}
