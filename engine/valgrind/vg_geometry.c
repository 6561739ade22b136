/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_geometry.c: from /sys/devices/system/cpu/cpu0/cache to three geometries.
 *
 * Each index directory there describes one cache of the first processor: level, type (Data, Instruction,
 * Unified), size ("48K"), ways_of_associativity (0: fully associative), coherency_line_size. What is missing or
 * makes no sense leaves the core's default, and the source that was used is recorded in the profile.
 */
#include "vg_geometry.h"

#include "vg_host.h"

#define CACHES "/sys/devices/system/cpu/cpu0/cache"

struct entry {
    UInt level;
    HChar type; /* 'D', 'I' or 'U' */
    struct tn_geometry geometry;
};

/* A decimal number, perhaps with K, M or G behind it, at *text; moves *text behind it. 0 if there is none. */
static ULong parse_size(const HChar **text)
{
    HChar *end;
    ULong value = VG_(isdigit)(**text) ? VG_(strtoull10)(*text, &end) : 0;

    if (value == 0)
        return 0;
    switch (*end) {
    case 'K':
    case 'k':
        value <<= 10;
        end++;
        break;
    case 'M':
    case 'm':
        value <<= 20;
        end++;
        break;
    case 'G':
    case 'g':
        value <<= 30;
        end++;
        break;
    }
    *text = end;
    return value;
}

Bool vg_geometry_parse(const HChar *text, struct tn_geometry *out)
{
    ULong assoc, line;

    out->size = parse_size(&text);
    if (out->size == 0 || *text++ != ',')
        return False;
    assoc = parse_size(&text);
    if (assoc == 0 || assoc > 0xffffffff || *text++ != ',')
        return False;
    line = parse_size(&text);
    if (line == 0 || line > 0xffffffff || *text != '\0')
        return False;
    out->assoc = assoc;
    out->line = line;
    return True;
}

static Bool read_attribute(UInt index, const HChar *name, HChar *text, SizeT size)
{
    HChar path[128];

    VG_(snprintf)(path, sizeof path, CACHES "/index%u/%s", index, name);
    return vg_read_text(path, text, size);
}

static ULong read_number(UInt index, const HChar *name)
{
    HChar text[64];
    const HChar *at = text;

    return read_attribute(index, name, text, sizeof text) ? parse_size(&at) : 0;
}

static Bool read_entry(UInt index, struct entry *out)
{
    HChar type[64];

    if (!read_attribute(index, "type", type, sizeof type))
        return False;
    out->type = type[0];
    out->level = read_number(index, "level");
    out->geometry.size = read_number(index, "size");
    out->geometry.line = read_number(index, "coherency_line_size");
    out->geometry.assoc = read_number(index, "ways_of_associativity");
    if (out->geometry.assoc == 0 && out->geometry.line != 0)
        out->geometry.assoc = out->geometry.size / out->geometry.line;
    return True;
}

/* Takes `found` for the cache `which` unless a configuration with it would be refused. */
static void take(struct tn_config *config, struct tn_geometry *which, Int source,
                 const struct tn_geometry *found)
{
    struct tn_geometry before = *which;

    *which = *found;
    if (found->size != 0 && found->line != 0 && tn_config_check(config) == NULL)
        vg.options.geometry_source[source] = "sysfs";
    else
        *which = before;
}

void vg_geometry_detect(struct tn_config *config)
{
    struct entry entry, last = {0};
    UInt index;

    for (index = 0; index < 4; index++)
        vg.options.geometry_source[index] = "default";
    for (index = 0; index < 16 && read_entry(index, &entry); index++) {
        if (entry.type != 'I' && entry.level > 1 && entry.level > last.level)
            last = entry;
    }
    take(config, &config->ll, 3, &last.geometry);
    for (index = 0; index < 16 && read_entry(index, &entry); index++) {
        if (entry.level == 1 && entry.type != 'D')
            take(config, &config->i1, 0, &entry.geometry);
        if (entry.level == 1 && entry.type != 'I')
            take(config, &config->d1, 1, &entry.geometry);
    }
}
