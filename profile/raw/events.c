/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.c: which events a recording has, what they mean, and how their costs are read.
 */
#include "profile/raw/events.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------------------------------ what they mean */

static const struct {
    const char *name, *long_name;
    uint8_t needs;
} known[] = {
    {"Ir", "Instructions executed", 0},
    {"Dr", "Data reads", TP_CAN_READ},
    {"Dw", "Data writes", TP_CAN_WRITE},
    {"Bc", "Conditional branches", TP_CAN_BRANCH},
    {"Bcm", "Conditional branches mispredicted", TP_CAN_BRANCH},
    {"Bi", "Indirect branches", TP_CAN_INDIRECT},
    {"Bim", "Indirect branches mispredicted", TP_CAN_INDIRECT},
    {"I1mr", "I1 instruction fetch misses", 0},
    {"ILmr", "LL instruction fetch misses", 0},
    {"D1mr", "D1 data read misses", TP_CAN_READ},
    {"D1mw", "D1 data write misses", TP_CAN_WRITE},
    {"DLmr", "LL data read misses", TP_CAN_READ},
    {"DLmw", "LL data write misses", TP_CAN_WRITE},
    {"I2mr", "L2 instruction fetch misses", 0},
    {"D2mr", "L2 data read misses", TP_CAN_READ},
    {"D2mw", "L2 data write misses", TP_CAN_WRITE},
    {"D1cr", "D1 coherence misses of reads", TP_CAN_READ},
    {"D1cw", "D1 coherence misses of writes", TP_CAN_WRITE},
    {"D1fr", "D1 coherence misses of reads by false sharing", TP_CAN_READ},
    {"D1fw", "D1 coherence misses of writes by false sharing", TP_CAN_WRITE},
    {"InvD1", "D1 lines lost to another thread's write", TP_CAN_READ | TP_CAN_WRITE},
    {"Inv", "Lines of other threads invalidated", TP_CAN_READ | TP_CAN_WRITE},
    {"Upg", "Writes to lines that others may have", TP_CAN_READ | TP_CAN_WRITE},
    {"Xfr", "Lines fetched from another thread's cache", TP_CAN_READ | TP_CAN_WRITE},
};

/* Use events, write-backs, prefetches and kinds of misses are one of these words and a level. */
enum { USE, WRITE_BACKS, PREFETCHES, KINDS, SECTIONS };
static const struct {
    const char *name, *long_name;
    int section;
} words[] = {
#define TN_USE(name, long_name) {#name, long_name, USE},
#define TN_WRITE_BACK(name, long_name) {#name, long_name, WRITE_BACKS},
#define TN_PREFETCH(name, long_name) {#name, long_name, PREFETCHES},
#define TN_MISS_KIND(name, long_name) {#name, long_name, KINDS},
#include "core/events.inc"
#undef TN_MISS_KIND
#undef TN_PREFETCH
#undef TN_WRITE_BACK
#undef TN_USE
};
enum { WORDS = sizeof words / sizeof *words };

static const struct {
    const char *name, *long_name;
    uint8_t needs;
} level[] = {
    {"I1", "I1", 0},
    {"D1", "D1", TP_CAN_READ | TP_CAN_WRITE},
    {"I2", "L2 instructions:", 0},
    {"D2", "L2 data:", TP_CAN_READ | TP_CAN_WRITE},
    {"IL", "LL instructions:", 0},
    {"DL", "LL data:", TP_CAN_READ | TP_CAN_WRITE},
    {"L", "LL", 0},
};

enum { LEVELS = sizeof level / sizeof *level };

/* The word and the level that a name is made of; false if it is not. */
static bool take_apart(const char *name, size_t *word, size_t *at)
{
    for (*word = 0; *word < WORDS; ++*word) {
        size_t n = strlen(words[*word].name);
        if (strncmp(name, words[*word].name, n) != 0)
            continue;
        for (*at = 0; *at < LEVELS; ++*at) {
            if (strcmp(name + n, level[*at].name) == 0)
                return true;
        }
    }
    return false;
}

static bool describe_by_level(struct tp_column *column)
{
    size_t word, at;

    if (!take_apart(column->name, &word, &at))
        return false;
    snprintf(column->long_name, sizeof column->long_name, "%s %s", level[at].long_name, words[word].long_name);
    column->needs = level[at].needs;
    column->real = strcmp(words[word].name, "AcCost") == 0;
    return true;
}

/* An event this version does not know is shown under its own name; where it can occur is known only by list. */
static void describe(struct tp_column *column, uint8_t needs)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(column->name, known[i].name) != 0)
            continue;
        snprintf(column->long_name, sizeof column->long_name, "%s", known[i].long_name);
        column->needs = known[i].needs;
        return;
    }
    if (describe_by_level(column))
        return;
    memcpy(column->long_name, column->name, sizeof column->name);
    column->needs = needs;
}

/* ------------------------------------------------------------------------------------------ EVENTS */

static bool good_name(const uint8_t *name, size_t size)
{
    if (!size || size >= TP_EVENT_NAME || isdigit(name[0]))
        return false;
    for (size_t i = 0; i < size; i++) {
        if (name[i] >= 128 || (!isalnum(name[i]) && name[i] != '_'))
            return false;
    }
    return true;
}

struct tp_column *tp_events_name(struct tp_events *events, const char *name)
{
    struct tp_column *column = &events->column[events->count++];

    snprintf(column->name, sizeof column->name, "%s", name);
    describe(column, 0);
    return column;
}

bool tp_events_knows(const char *name)
{
    struct tp_events none = {0};

    return strcmp(tp_events_name(&none, name)->long_name, name) != 0;
}

/* The column of this name, made if there is none; TP_UNUSED if the name clashes with another. */
static uint8_t column_of(struct tp_events *events, const char *name, uint8_t needs)
{
    for (size_t i = 0; i < events->count; i++) {
        if (strcasecmp(events->column[i].name, name) == 0)
            return strcmp(events->column[i].name, name) == 0 ? (uint8_t)i : TP_UNUSED;
    }
    struct tp_column *column = &events->column[events->count];
    snprintf(column->name, sizeof column->name, "%s", name);
    describe(column, needs);
    return (uint8_t)events->count++;
}

static int read_names(struct tp_events *events, struct tp_cursor *c, uint8_t *columns, size_t *count,
                      uint8_t needs, const char **what)
{
    uint64_t n = tp_get_n(c);

    *what = "too many events";
    if (c->bad || n > TN_RAW_MAX_SLOTS)
        return -1;
    *count = (size_t)n;
    for (size_t i = 0; i < n; i++) {
        char name[TP_EVENT_NAME] = "";
        size_t size;
        const uint8_t *bytes = tp_get_s(c, &size);

        *what = "the name of an event";
        columns[i] = TP_UNUSED;
        if (!c->bad && size == 1 && bytes[0] == '-')
            continue;
        if (c->bad || !good_name(bytes, size))
            return -1;
        memcpy(name, bytes, size);
        columns[i] = column_of(events, name, needs);
        *what = "two events whose names differ in case only";
        if (columns[i] == TP_UNUSED)
            return -1;
        *what = "an event that is listed twice";
        for (size_t k = 0; k < i; k++) {
            if (columns[k] == columns[i])
                return -1;
        }
    }
    return 0;
}

int tp_events_read(struct tp_events *events, struct tp_cursor *c, const char **what)
{
    struct tp_events read = {0};

    if (read_names(&read, c, read.immediate_column, &read.immediates, 0, what) ||
        read_names(&read, c, read.slot_column[0], &read.slots[0], 0, what) ||
        read_names(&read, c, read.slot_column[1], &read.slots[1], TP_CAN_READ | TP_CAN_WRITE, what))
        return -1;
    *what = "an immediate event without a name";
    if (memchr(read.immediate_column, TP_UNUSED, read.immediates))
        return -1;
    *what = "no events at all";
    if (!read.count)
        return -1;
    *what = "events that are not those of the part before";
    if (events->count && memcmp(events, &read, sizeof read) != 0)
        return -1;
    *events = read;
    return 0;
}

int tp_events_add(struct tp_events *events, const char *name, const char *long_name, bool real)
{
    size_t before = events->count;

    if (before == TP_MAX_EVENTS || !good_name((const uint8_t *)name, strlen(name)))
        return -1;
    column_of(events, name, 0);
    if (events->count == before)
        return -1;
    struct tp_column *column = &events->column[before];
    snprintf(column->long_name, sizeof column->long_name, "%s", long_name);
    column->real = real;
    return 0;
}

/* ------------------------------------------------------------------------------------------ groups */

/* Events that are simulated together or not at all; what a recording lists only if it was simulated has no group. */
static const char *group_of(const struct tp_column *column)
{
    static const char *const branches[] = {"Bc", "Bcm", "Bi", "Bim"};
    static const char *const misses[] = {"I1mr", "ILmr", "D1mr", "D1mw", "DLmr", "DLmw", "I2mr", "D2mr", "D2mw"};

    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
        if (strcmp(column->name, branches[i]) == 0)
            return "branches";
    }
    for (size_t i = 0; i < sizeof misses / sizeof *misses; i++) {
        if (strcmp(column->name, misses[i]) == 0)
            return "misses";
    }
    size_t word, at;
    return take_apart(column->name, &word, &at) && words[word].section == USE ? "use" : NULL;
}

static bool is_simulated(const struct tp_events *events, size_t column, const uint64_t *seen)
{
    const char *group = group_of(&events->column[column]);
    bool any = !group;

    for (size_t k = 0; k < events->count && !any; k++) {
        const char *other = group_of(&events->column[k]);
        any = seen[k] && other && strcmp(other, group) == 0;
    }
    return any;
}

/* Known events in the order of their list, then use events by level, then write-backs, then prefetches, then kinds of
 * misses, then others as the file has them. */
enum {
    KNOWN = sizeof known / sizeof *known,
    LAST_RANK = KNOWN + SECTIONS * LEVELS
};

static size_t rank_of(const struct tp_column *column)
{
    size_t word, at;

    for (size_t i = 0; i < KNOWN; i++) {
        if (strcmp(column->name, known[i].name) == 0)
            return i;
    }
    return take_apart(column->name, &word, &at) ? KNOWN + (size_t)words[word].section * LEVELS + at : LAST_RANK;
}

void tp_events_arrange(struct tp_events *events, const uint64_t *seen, uint8_t *kept)
{
    struct tp_events all = *events;

    events->count = 0;
    memset(kept, TP_DROPPED, all.count);
    for (size_t rank = 0; rank <= LAST_RANK; rank++) {
        for (size_t i = 0; i < all.count; i++) {
            if (rank_of(&all.column[i]) != rank || !is_simulated(&all, i, seen))
                continue;
            kept[i] = (uint8_t)events->count;
            events->column[events->count++] = all.column[i];
        }
    }
    for (size_t i = 0; i < all.immediates; i++)
        events->immediate_column[i] = kept[all.immediate_column[i]];
    for (int kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < all.slots[kind]; i++) {
            uint8_t column = all.slot_column[kind][i];
            events->slot_column[kind][i] = column == TP_UNUSED ? TP_UNUSED : kept[column];
        }
    }
}

/* ------------------------------------------------------------------------------------------ costs */

void tp_add_immediate(const struct tp_events *events, struct tp_cursor *c, uint64_t *row)
{
    for (size_t i = 0; i < events->immediates; i++) {
        uint64_t n = tp_get_n(c);
        if (row && n) {
            uint64_t *to = &row[events->immediate_column[i]];
            *to = tp_sum(*to, tp_count(n));
        }
    }
}

void tp_add_late(const struct tp_events *events, struct tp_cursor *c, int kind, uint64_t *row)
{
    uint64_t bits = tp_get_n(c);

    if (events->slots[kind] < 64 && bits >> events->slots[kind])
        c->bad = true;
    for (size_t i = 0; bits && !c->bad; i++, bits >>= 1) {
        if (!(bits & 1))
            continue;
        uint64_t n = tp_get_n(c);
        uint8_t column = events->slot_column[kind][i];
        if (column == TP_UNUSED)
            c->bad = true;
        else if (row && n)
            row[column] = tp_sum(row[column], tp_count(n));
    }
}

void tp_add_costs(const struct tp_events *events, struct tp_cursor *c, uint64_t *row)
{
    tp_add_immediate(events, c, row);
    tp_add_late(events, c, 0, row);
    tp_add_late(events, c, 1, row);
}

void tp_add_row(const struct tp_events *events, uint64_t *to, const uint64_t *from)
{
    uint64_t beyond = 0; /* its top bit: a sum that is none, or the number that none may be */

    for (size_t i = 0; i < events->count; i++) {
        uint64_t sum = to[i] + from[i];
        beyond |= ((to[i] ^ sum) & (from[i] ^ sum)) | (sum & (0 - sum));
    }
    for (size_t i = 0; beyond >> 63 && i < events->count; i++)
        to[i] = tp_sum(to[i], from[i]);
    for (size_t i = 0; !(beyond >> 63) && i < events->count; i++)
        to[i] += from[i];
}
