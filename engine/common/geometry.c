/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * geometry.c: see geometry.h.
 *
 * sysfs: each index folder describes one cache: level, type (Data, Instruction, Unified), size ("48K"),
 * ways_of_associativity (0 or absent: fully associative), coherency_line_size. CPUID: leaf 4 on Intel's processors,
 * leaf 0x8000001D on AMD's, have one subleaf per cache in the same layout. TLBs: leaf 0x18 on Intel's processors has
 * one subleaf for each; on AMD's leaves 0x80000005 and 0x80000006 say what the first and the second level are, with
 * codes for the associativity of the second. What no cache and no TLB can be is not taken from them.
 */
#include "engine/common/geometry.h"

#include <cpuid.h>

enum { INDEXES = 16 };

/* ------------------------------------------------------------------------------------------ numbers */

bool number_parse(const char **text, uint64_t *out)
{
    uint64_t value = 0;

    if (**text < '0' || **text > '9')
        return false;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        uint64_t digit = (uint64_t)(**text - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

bool size_parse(const char **text, uint64_t *out)
{
    static const char units[] = "KkMmGg";

    if (!number_parse(text, out))
        return false;
    for (unsigned unit = 0; units[unit]; unit++) {
        unsigned shift = 10 * (unit / 2 + 1);
        if (**text != units[unit])
            continue;
        if (*out > UINT64_MAX >> shift)
            return false;
        *out <<= shift;
        ++*text;
        break;
    }
    return true;
}

char *number_put(char *to, uint64_t value)
{
    char digits[20];
    int count = 0;

    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    while (count > 0)
        *to++ = digits[--count];
    *to = '\0';
    return to;
}

/* ------------------------------------------------------------------------------------------ texts */

char *text_put(char *to, const char *text)
{
    while ((*to = *text++))
        to++;
    return to;
}

const char *const geometry_name[GEOMETRY_LEVELS] = {"I1", "D1", "L2", "LL"};
const char *const geometry_source_key[GEOMETRY_LEVELS] = {"cache.I1.source", "cache.D1.source", "cache.L2.source",
                                                          "cache.LL.source"};

const char *const geometry_policy[TN_POLICIES] = {"lru", "plru", "rrip"};

struct tn_geometry *geometry_of(struct tn_config *config, enum geometry_level level)
{
    return level == GEOMETRY_I1   ? &config->i1
           : level == GEOMETRY_D1 ? &config->d1
           : level == GEOMETRY_L2 ? &config->l2
                                  : &config->ll;
}

/* Of numbers that are too large for anything tn_geometry_check says so. */
static uint32_t at_most_32_bits(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* `text` is "", or ",policy". */
static bool policy_parse(const char *text, enum tn_policy *out)
{
    for (*out = TN_LRU; *text && *out < TN_POLICIES; ++*out) {
        const char *name = geometry_policy[*out], *at = text + 1;
        while (*name && *name == *at)
            name++, at++;
        if (*name == *at)
            break;
    }
    return *out < TN_POLICIES;
}

const char *geometry_parse(const char *text, struct tn_geometry *out)
{
    uint64_t assoc, line;

    if (!size_parse(&text, &out->size) || *text++ != ',' || !size_parse(&text, &assoc) || *text++ != ',' ||
        !size_parse(&text, &line) || (*text != ',' && *text != '\0'))
        return "a cache is size,associativity,line in bytes, as in 32768,8,64 or 32K,8,64";
    if (!policy_parse(text, &out->policy))
        return "the policy behind the line is lru, plru or rrip, as in 32K,8,64,plru";
    out->assoc = at_most_32_bits(assoc);
    out->line = at_most_32_bits(line);
    return tn_geometry_check(out);
}

void geometry_put(char text[GEOMETRY_TEXT], const struct tn_geometry *geometry)
{
    char *end = number_put(text, geometry->size);

    *end++ = ',';
    end = number_put(end, geometry->assoc);
    *end++ = ',';
    end = number_put(end, geometry->line);
    if (geometry->policy == TN_LRU)
        return;
    *end++ = ',';
    for (const char *name = geometry_policy[geometry->policy]; (*end++ = *name++);)
        continue;
}

const char *tlb_parse(const char *text, struct tn_tlb_geometry out[2])
{
    out[1] = (struct tn_tlb_geometry){0};
    for (int level = 0; level < 2; level++) {
        uint64_t entries, assoc;
        if (!size_parse(&text, &entries) || *text++ != ',' || !size_parse(&text, &assoc) || entries == 0 ||
            (*text && (*text != ',' || level == 1)))
            return "a TLB is entries,associativity, as in 64,4; with a second level behind it 64,4,1536,12";
        out[level] = (struct tn_tlb_geometry){at_most_32_bits(entries), at_most_32_bits(assoc)};
        if (!*text++)
            break;
    }
    return tn_tlb_check(out);
}

const char *tlb_put(char text[GEOMETRY_TEXT], const struct tn_tlb_geometry *levels)
{
    char *end = text;

    for (int level = 0; level < 2 && levels[level].entries; level++) {
        if (level)
            *end++ = ',';
        end = number_put(end, levels[level].entries);
        *end++ = ',';
        end = number_put(end, levels[level].assoc);
    }
    return levels[0].entries ? text : NULL;
}

/* ------------------------------------------------------------------------------------------ this machine */

/* One cache of the machine. */
struct entry {
    uint64_t level;
    char type; /* 'D', 'I' or 'U' */
    struct tn_geometry geometry;
};

static bool read_attribute(geometry_read_text *read_text, unsigned index, const char *name, char *text, size_t size)
{
    const char *const parts[] = {"/sys/devices/system/cpu/cpu0/cache/index", NULL, "/", name};
    char path[128], digits[NUMBER_TEXT], *end = path;

    number_put(digits, index);
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        for (const char *from = parts[i] ? parts[i] : digits; *from; from++)
            *end++ = *from;
    }
    *end = '\0';
    return read_text(path, text, size);
}

static uint64_t read_number(geometry_read_text *read_text, unsigned index, const char *name)
{
    char text[64];
    const char *at = text;
    uint64_t value;

    return read_attribute(read_text, index, name, text, sizeof text) && size_parse(&at, &value) ? value : 0;
}

static bool read_sysfs(geometry_read_text *read_text, unsigned index, struct entry *out)
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

static bool read_cpuid(unsigned leaf, unsigned index, struct entry *out)
{
    static const char types[] = {0, 'D', 'I', 'U'};
    unsigned a, b, c, d;

    if (!__get_cpuid_count(leaf, index, &a, &b, &c, &d) || (a & 31) == 0 || (a & 31) > 3)
        return false;
    out->type = types[a & 31];
    out->level = a >> 5 & 7;
    out->geometry.line = (b & 0xFFF) + 1;
    out->geometry.assoc = (b >> 22) + 1;
    out->geometry.size = (uint64_t)out->geometry.assoc * ((b >> 12 & 0x3FF) + 1) * out->geometry.line *
                         ((uint64_t)c + 1);
    return true;
}

static void place(struct tn_geometry found[GEOMETRY_LEVELS], const char *source[GEOMETRY_LEVELS],
                  enum geometry_level level, const struct tn_geometry *geometry, const char *from)
{
    found[level] = *geometry;
    source[level] = from;
}

/* Puts a cache where it belongs. `last` is the level that LL has so far, 0 at first. */
static void take(struct tn_geometry found[GEOMETRY_LEVELS], const char *source[GEOMETRY_LEVELS], uint64_t *last,
                 const struct entry *entry, const char *from)
{
    const struct tn_geometry none = {0};

    if (tn_geometry_check(&entry->geometry))
        return;
    if (entry->level == 1 && entry->type != 'D')
        place(found, source, GEOMETRY_I1, &entry->geometry, from);
    if (entry->level == 1 && entry->type != 'I')
        place(found, source, GEOMETRY_D1, &entry->geometry, from);
    if (entry->level > 1 && entry->type != 'I' && entry->level > *last) {
        if (*last == 2)
            place(found, source, GEOMETRY_L2, &found[GEOMETRY_LL], source[GEOMETRY_LL]);
        else if (*last == 0)
            place(found, source, GEOMETRY_L2, &none, "default");
        place(found, source, GEOMETRY_LL, &entry->geometry, from);
        *last = entry->level;
    }
}

void geometry_detect(geometry_read_text *read_text, struct tn_geometry found[GEOMETRY_LEVELS],
                     const char *source[GEOMETRY_LEVELS])
{
    static const unsigned leaves[] = {0x8000001D, 4}; /* the second, Intel's, wins where both answer */
    struct tn_config usual;
    struct entry entry = {0}; /* nobody says what the policy is */
    uint64_t last;

    tn_config_default(&usual);
    for (unsigned level = 0; level < GEOMETRY_LEVELS; level++)
        place(found, source, level, geometry_of(&usual, level), "default");
    for (unsigned leaf = 0; leaf < 2; leaf++) {
        last = 0;
        for (unsigned index = 0; index < INDEXES && read_cpuid(leaves[leaf], index, &entry); index++)
            take(found, source, &last, &entry, "cpuid");
    }
    last = 0;
    for (unsigned index = 0; index < INDEXES && read_sysfs(read_text, index, &entry); index++)
        take(found, source, &last, &entry, "sysfs");
}

/* ------------------------------------------------------------------------------------------ this machine's TLBs */

enum { FEWEST = 16 }; /* entries: processors that say less mean something else */

/* What a processor says is taken if a TLB can be so. */
static void take_tlb(struct tn_tlb_geometry *out, uint32_t entries, uint32_t assoc)
{
    const struct tn_tlb_geometry said[2] = {{entries, assoc}};

    if (entries >= FEWEST && !tn_tlb_check(said))
        *out = said[0];
}

bool geometry_ask_processor(unsigned leaf, unsigned subleaf, unsigned words[4])
{
    return __get_cpuid_count(leaf, subleaf, &words[0], &words[1], &words[2], &words[3]);
}

/* Of pages of 4 KB. A level may be of two TLBs with as many sets, which share these pages, and have other ones, too. */
static void ask_intel(geometry_cpuid *cpuid, struct tn_tlb_geometry instructions[2], struct tn_tlb_geometry data[2])
{
    enum { DATA = 1, INSTRUCTIONS, UNIFIED, LOADS };
    unsigned words[4], last = 0;

    for (unsigned index = 0; index <= last && index < INDEXES && cpuid(0x18, index, words); index++) {
        last = index ? last : words[0];
        uint32_t type = words[3] & 31, level = (words[3] >> 5 & 7) - 1, ways = words[1] >> 16, sets = words[2];
        bool is_known = type == INSTRUCTIONS || type == DATA || type == UNIFIED || type == LOADS;
        if (!(words[1] & 1) || level > 1 || !is_known)
            continue;
        struct tn_tlb_geometry *out = type == INSTRUCTIONS ? &instructions[level] : &data[level];
        if (out->entries == out->assoc * sets)
            ways += out->assoc;
        take_tlb(out, ways * sets, ways);
    }
}

static void ask_amd(geometry_cpuid *cpuid, struct tn_tlb_geometry instructions[2], struct tn_tlb_geometry data[2])
{
    enum { ALL = 0xff };
    static const uint8_t ways[16] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, ALL};
    unsigned first[4], second[4];

    if (!cpuid(0x80000005, 0, first) || !cpuid(0x80000006, 0, second))
        return;
    for (int i = 0; i < 2; i++) {
        struct tn_tlb_geometry *levels = i ? data : instructions;
        unsigned near = first[1] >> 16 * i, far = second[1] >> 16 * i;
        uint32_t entries = near & 0xff, assoc = near >> 8 & 0xff;
        take_tlb(&levels[0], entries, assoc == ALL ? entries : assoc);
        entries = far & 0xfff, assoc = ways[far >> 12 & 15];
        take_tlb(&levels[1], entries, assoc == ALL ? entries : assoc);
    }
}

void tlb_detect(geometry_cpuid *cpuid, struct tn_tlb_geometry instructions[2], struct tn_tlb_geometry data[2])
{
    struct tn_tlb_geometry found[2][2] = {{{0}}};

    ask_amd(cpuid, found[0], found[1]);
    ask_intel(cpuid, found[0], found[1]);
    if (!found[0][0].entries || !found[1][0].entries) { /* nobody says: those of many of Intel's processors */
        found[0][0] = (struct tn_tlb_geometry){128, 8};
        found[1][0] = (struct tn_tlb_geometry){64, 4};
        found[0][1] = (struct tn_tlb_geometry){0};
        found[1][1] = (struct tn_tlb_geometry){1536, 12};
    }
    for (int level = 1; level >= 0; level--) {
        if (!instructions[0].entries)
            instructions[level] = found[0][level];
        if (!data[0].entries)
            data[level] = found[1][level];
    }
}
