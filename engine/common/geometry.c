/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * geometry.c: from /sys/devices/system/cpu/cpu0/cache to three geometries.
 *
 * Each index directory there describes one cache of the first processor: level, type (Data, Instruction,
 * Unified), size ("48K"), ways_of_associativity (0: fully associative), coherency_line_size. What is missing or
 * makes no sense leaves the core's default, and the source that was used is recorded in the profile.
 */
#include "engine/common/geometry.h"

#include <string.h>

enum { INDEXES = 16 };

struct entry {
    uint64_t level;
    char type; /* 'D', 'I' or 'U' */
    struct tn_geometry geometry;
};

/* A decimal number, perhaps with K, M or G behind it, at *text; moves *text behind it. 0 if there is none, or it is
 * too large for anything. */
static uint64_t parse_size(const char **text)
{
    static const char units[] = "KkMmGg";
    uint64_t value = 0;

    for (; **text >= '0' && **text <= '9'; ++*text) {
        if (value > UINT64_MAX >> 36)
            return 0;
        value = value * 10 + (uint64_t)(**text - '0');
    }
    for (unsigned unit = 0; value != 0 && units[unit]; unit++) {
        if (**text == units[unit]) {
            ++*text;
            return value << 10 * (unit / 2 + 1);
        }
    }
    return value;
}

bool geometry_parse(const char *text, struct tn_geometry *out)
{
    uint64_t assoc, line;

    out->size = parse_size(&text);
    if (out->size == 0 || *text++ != ',')
        return false;
    assoc = parse_size(&text);
    if (assoc == 0 || assoc > UINT32_MAX || *text++ != ',')
        return false;
    line = parse_size(&text);
    if (line == 0 || line > UINT32_MAX || *text != '\0')
        return false;
    out->assoc = (uint32_t)assoc;
    out->line = (uint32_t)line;
    return true;
}

static char *put(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    *to = '\0';
    return to;
}

static bool read_attribute(geometry_read_text *read_text, unsigned index, const char *name, char *text, size_t size)
{
    char path[128], *end = put(path, "/sys/devices/system/cpu/cpu0/cache/index");

    if (index >= 10)
        *end++ = '1';
    *end++ = (char)('0' + index % 10);
    *end++ = '/';
    put(end, name);
    return read_text(path, text, size);
}

static uint64_t read_number(geometry_read_text *read_text, unsigned index, const char *name)
{
    char text[64];
    const char *at = text;

    return read_attribute(read_text, index, name, text, sizeof text) ? parse_size(&at) : 0;
}

static bool read_entry(geometry_read_text *read_text, unsigned index, struct entry *out)
{
    char type[64];

    if (!read_attribute(read_text, index, "type", type, sizeof type))
        return false;
    out->type = type[0];
    out->level = read_number(read_text, index, "level");
    out->geometry.size = read_number(read_text, index, "size");
    out->geometry.line = (uint32_t)read_number(read_text, index, "coherency_line_size");
    out->geometry.assoc = (uint32_t)read_number(read_text, index, "ways_of_associativity");
    if (out->geometry.assoc == 0 && out->geometry.line != 0)
        out->geometry.assoc = (uint32_t)(out->geometry.size / out->geometry.line);
    return true;
}

/* Takes `found` for the cache `which` unless a configuration with it would be refused. */
static void take(struct tn_config *config, struct tn_geometry *which, const char **source,
                 const struct tn_geometry *found)
{
    struct tn_geometry before = *which;

    *which = *found;
    if (found->size != 0 && found->line != 0 && !tn_config_check(config))
        *source = "sysfs";
    else
        *which = before;
}

void geometry_detect(geometry_read_text *read_text, struct tn_config *config, const char *source[GEOMETRY_LEVELS])
{
    struct entry entry, last = {0};
    unsigned index;

    for (index = 0; index < GEOMETRY_LEVELS; index++)
        source[index] = "default";
    for (index = 0; index < INDEXES && read_entry(read_text, index, &entry); index++) {
        if (entry.type != 'I' && entry.level > 1 && entry.level > last.level)
            last = entry;
    }
    take(config, &config->ll, &source[GEOMETRY_LL], &last.geometry);
    for (index = 0; index < INDEXES && read_entry(read_text, index, &entry); index++) {
        if (entry.level == 1 && entry.type != 'D')
            take(config, &config->i1, &source[GEOMETRY_I1], &entry.geometry);
        if (entry.level == 1 && entry.type != 'I')
            take(config, &config->d1, &source[GEOMETRY_D1], &entry.geometry);
    }
}
