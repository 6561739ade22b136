/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.c: which events a recording has, what they mean, and how their costs are read.
 */
#include "profile/raw/events.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------------------------------ what is declared */

enum { TP_CAN_ANY = 0, TP_CAN_ACCESS = TP_CAN_READ | TP_CAN_WRITE, INTEGER = 0, REAL = 1 };

#define TN_GROUP(group, title) static const char group_##group[] = title;
#include "core/events.inc"

#define TN_OPTION(name, ...) OPTION_##name,
enum option {
#include "core/events.inc"
};
#define TN_OPTION(name, text, listed) {text, listed},
static const struct {
    const char *text;
    bool listed;
} options[] = {
#include "core/events.inc"
};

#define TN_LEVEL(level, before, within, cause, option) {#level, before, within, TP_CAN_##cause, OPTION_##option},
static const struct level {
    const char *name, *before, *within;
    uint8_t needs;
    enum option option;
} levels[] = {
#include "core/events.inc"
};

/* A line of events.inc. `family`: lines of equal numbers, if it is not 0, are sorted by level. */
static const struct row {
    const char *name, *levels, *long_name, *title, *unit, *group, *formula;
    uint8_t needs;
    enum option option, level_option;
    enum tp_declared_kind kind;
    int family;
    bool real;
    enum tp_declared_at at; /* of a row without levels */
} rows[] = {
#define TN_IMMEDIATE(name, cause, group, option, long_name, title) \
    {#name, "", long_name, title, "", group_##group, NULL, TP_CAN_##cause, OPTION_##option, 0, TP_RECORDED, 0, false},
#define TN_MISS(name, stream, level, access, cause, option, long_name, title)                           \
    {#name, "", long_name, title, "", group_COST, NULL, TP_CAN_##cause, OPTION_CACHE_SIM, OPTION_##option, \
     TP_RECORDED, 0, false, AT_##stream##_##level},
#define AT_FETCH_1 TP_AT_I1
#define AT_DATA_1 TP_AT_D1
#define AT_FETCH_2 TP_AT_BELOW
#define AT_DATA_2 TP_AT_BELOW
#define AT_FETCH_LL TP_AT_BELOW
#define AT_DATA_LL TP_AT_BELOW
#define TN_MADE(name, group, unit, long_name, title) \
    {#name, "", long_name, title, unit, group_##group, NULL, 0, 0, 0, TP_RECORDED, 0, false},
#define TN_TLB(name, stream, what, cause, long_name, title) \
    {#name, "", long_name, title, "", group_COST, NULL, TP_CAN_##cause, OPTION_TLB, 0, TP_RECORDED, 0, false},
#define TN_COHERENCE(name, cause, long_name, title) \
    {#name, "", long_name, title, "", group_SHARED, NULL, TP_CAN_##cause, OPTION_COHERENCE, 0, TP_RECORDED, 0, false},
#define TN_USE(name, type, levels, group, unit, long_name, title) \
    {#name, levels, long_name, title, unit, group_##group, NULL, 0, OPTION_CACHEUSE, 0, TP_RECORDED, 1, type},
#define TN_WRITE_BACK(name, levels, unit, long_name, title) \
    {#name, levels, long_name, title, unit, group_TRAFFIC, NULL, 0, OPTION_WRITE_BACK, 0, TP_RECORDED, 2, false},
#define TN_PREFETCH(name, levels, unit, long_name, title) \
    {#name, levels, long_name, title, unit, group_TRAFFIC, NULL, 0, OPTION_PREFETCH, 0, TP_RECORDED, 3, false},
#define TN_MISS_KIND(name, levels, unit, long_name, title) \
    {#name, levels, long_name, title, unit, group_KINDS, NULL, 0, OPTION_PATTERNS, 0, TP_RECORDED, 4, false},
#define TN_DISTANCE(name, from, levels, unit, long_name, title) \
    {#name, levels, long_name, title, unit, group_DISTANCES, NULL, 0, OPTION_CURVES, 0, TP_RECORDED, 6, false},
#include "core/events.inc"
#define TN_USE(name, type, levels, group, unit, long_name, title) \
    {#name, "1", long_name, title, unit, group_##group, #name "I1 + " #name "D1", 0, 0, 0, TP_SUM, 5, type},
#include "core/events.inc"
#define TN_SUM(name, group, sum, long_name, title) \
    {#name, "", long_name, title, "", group_##group, sum, 0, 0, 0, TP_SUM, 0, false},
#define TN_RATIO(name, levels, unit, formula, long_name, title) \
    {#name, levels, long_name, title, unit, "", formula, 0, 0, 0, TP_RATIO, 0, true},
#include "core/events.inc"
};
enum { ROWS = sizeof rows / sizeof *rows, LEVELS = sizeof levels / sizeof *levels, PLACES = LEVELS + 1 };

/* The n-th of the levels that a row names; NULL: it has no more. */
static const struct level *level_of(const struct row *row, size_t n)
{
    const char *name = row->levels;

    for (; n && *name; n--) {
        name += strcspn(name, " ");
        name += strspn(name, " ");
    }
    for (size_t i = 0; *name && i < LEVELS; i++) {
        size_t length = strlen(levels[i].name);
        if (strncmp(name, levels[i].name, length) == 0 && strchr(" ", name[length]))
            return &levels[i];
    }
    return NULL;
}

/* `text` with the level for each `mark`. */
static void put_level(char *to, size_t size, const char *text, char mark, const char *level)
{
    size_t n = 0;

    for (; text && *text && n + 1 < size; text++)
        n += (size_t)snprintf(to + n, size - n, "%.*s", *text == mark ? 16 : 1, *text == mark ? level : text);
    to[n < size ? n : size - 1] = '\0';
}

static enum tp_declared_at at_level(const char *name)
{
    if (strcmp(name, "I1") == 0)
        return TP_AT_I1;
    return strcmp(name, "D1") == 0 ? TP_AT_D1 : strcmp(name, "1") == 0 ? TP_AT_NONE : TP_AT_BELOW;
}

static void declare(struct tp_declared *out, const struct row *row, const struct level *level)
{
    enum option other = level ? level->option : row->level_option;
    bool before = level && row->kind != TP_RATIO;

    *out = (struct tp_declared){.unit = row->unit,
                                .group = row->group,
                                .needs = level ? level->needs : row->needs,
                                .real = row->real,
                                .kind = row->kind,
                                .at = level ? at_level(level->name) : row->at,
                                .together = options[row->option].listed ? options[row->option].text : NULL};
    snprintf(out->name, sizeof out->name, "%s%s", row->name, level ? level->name : "");
    if (before)
        snprintf(out->long_name, sizeof out->long_name, "%s %s", level->before, row->long_name);
    else
        put_level(out->long_name, sizeof out->long_name, row->long_name, '@', level ? level->within : "");
    snprintf(out->title, sizeof out->title, level ? "%s (%s)" : "%s", row->title, level ? level->within : "");
    snprintf(out->words, sizeof out->words, "%s", row->title);
    if (islower((unsigned char)out->words[1])) /* not of "D1 misses" */
        out->words[0] = (char)tolower((unsigned char)out->words[0]);
    out->level = level ? level->within : "";
    put_level(out->formula, sizeof out->formula, row->formula, '#', level ? level->name : "");
    snprintf(out->option, sizeof out->option, "%s%s%s", options[row->option].text, *options[other].text ? " " : "",
             options[other].text);
}

bool tp_declared_next(enum tp_declared_kind kind, size_t *place, struct tp_declared *out)
{
    for (; *place < ROWS * PLACES; ++*place) {
        const struct row *row = &rows[*place / PLACES];
        const struct level *level = level_of(row, *place % PLACES);
        if (row->kind == kind && (level || *place % PLACES == 0)) {
            declare(out, row, level);
            ++*place;
            return true;
        }
    }
    return false;
}

size_t tp_declared_find(const char *name, struct tp_declared *out)
{
    for (size_t i = 0, first = 0; i < ROWS; i++) {
        const struct level *level;
        size_t length = strlen(rows[i].name), n = 0;
        if (!rows[i].family || rows[i].family != rows[first].family)
            first = i;
        if (strncasecmp(name, rows[i].name, length) != 0)
            continue;
        for (level = level_of(&rows[i], 0); level && strcasecmp(name + length, level->name) != 0;)
            level = level_of(&rows[i], ++n);
        if (level || (!*rows[i].levels && !name[length])) {
            declare(out, &rows[i], level);
            return (first * PLACES + n) * ROWS + i - first;
        }
    }
    *out = (struct tp_declared){.unit = "", .group = "", .level = ""};
    return TP_UNDECLARED;
}

bool tp_addend_next(const char **text, struct tp_addend *term)
{
    const char *at = *text + strspn(*text, " \t");
    char *end = (char *)at;

    term->weight = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 1;
    if (end != at) {
        at = end + strspn(end, " \t");
        at += *at == '*' ? 1 + strspn(at + 1, " \t") : 0;
    }
    term->event = at;
    term->length = strcspn(at, " \t+*-");
    at += term->length;
    at += strspn(at, " \t");
    if (!term->length || term->weight > TP_LARGEST_WEIGHT || (*at && *at != '+'))
        return false;
    *text = at + (*at ? 1 + strspn(at + 1, " \t") : 0);
    return true;
}

/* An event this version does not know is shown under its own name; where it can occur is known only by list. */
static void describe(struct tp_column *column, uint8_t needs)
{
    struct tp_declared known;
    bool found = tp_declared_find(column->name, &known) != TP_UNDECLARED && known.kind == TP_RECORDED &&
                 strcmp(known.name, column->name) == 0;

    memcpy(column->long_name, column->name, sizeof column->name);
    column->cause = found ? known.needs : 0;
    column->needs = found ? known.needs : needs;
    column->real = found && known.real;
    if (found)
        memcpy(column->long_name, known.long_name, sizeof known.long_name);
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

/* The column of this name, made if there is none; TP_UNUSED if the name clashes with another. */
static uint16_t column_of(struct tp_events *events, const char *name, uint8_t needs)
{
    for (size_t i = 0; i < events->count; i++) {
        if (strcasecmp(events->column[i].name, name) == 0)
            return strcmp(events->column[i].name, name) == 0 ? (uint16_t)i : TP_UNUSED;
    }
    struct tp_column *column = &events->column[events->count];
    snprintf(column->name, sizeof column->name, "%s", name);
    describe(column, needs);
    return (uint16_t)events->count++;
}

/* A machine of the recording: 0, the one that was recorded, or a further one (docs/model.md, 23). */
struct machine {
    uint32_t number;
    bool has, other[2]; /* it has misses of its own; it has another I1, another D1 */
};

#define ALSO "_also" /* and one digit, behind names of a further machine's misses */

/* The number of the further machine that an event is of, whose name begins with `length` characters then; 0: the
 * recorded one. */
static uint32_t machine_of(const char *name, size_t *length)
{
    const char *also = strstr(name, ALSO);
    bool is_so = also && also > name && also[5] >= '1' && also[5] <= '0' + TP_MACHINES && !also[6];

    *length = is_so ? (size_t)(also - name) : strlen(name);
    return is_so ? (uint32_t)(also[5] - '0') : 0;
}

/* Makes a name one of the machine's, if it is. False: it is about what other machines have. */
static bool is_of_machine(const struct machine *machine, char *name)
{
    struct tp_declared known;
    size_t length;
    uint32_t number = machine_of(name, &length);

    name[length] = '\0';
    if (number || !machine->number || tp_declared_find(name, &known) == TP_UNDECLARED || known.kind != TP_RECORDED)
        return number == machine->number || !number;
    /* Misses of a level-1 cache that is the recorded one; what happens to lines that stay is not known. */
    return known.at == TP_AT_NONE || (!*known.level && ((known.at == TP_AT_I1 && !machine->other[0]) ||
                                                        (known.at == TP_AT_D1 && !machine->other[1])));
}

static int read_names(struct tp_events *events, struct tp_cursor *c, uint16_t *columns, size_t *count,
                      uint8_t needs, const struct machine *machine, const char **what)
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
        if (!is_of_machine(machine, name)) {
            columns[i] = TP_OTHERS;
            continue;
        }
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

/* Columns by groups, behind all others, for each of those that late events are in. */
static void add_groups(struct tp_events *events)
{
    size_t shown = events->count;

    for (size_t k = 0; k < 2 * TN_RAW_MAX_SLOTS && events->groups > 1; k++) {
        const uint16_t *slots = events->slot_column[k / TN_RAW_MAX_SLOTS];
        uint16_t column = k % TN_RAW_MAX_SLOTS < events->slots[k / TN_RAW_MAX_SLOTS] ? slots[k % TN_RAW_MAX_SLOTS]
                                                                                      : TP_UNUSED;
        if (column >= shown || events->groups_of[column])
            continue;
        events->groups_of[column] = (uint16_t)events->count;
        for (size_t group = 0; group < events->groups; group++)
            events->column[events->count++] = events->column[column];
    }
    events->by_group = events->count - shown;
}

/* Which misses of its own the machine has in a list of the record, which is skipped. */
static void find_own(struct tp_cursor *c, struct machine *machine)
{
    for (uint64_t n = tp_get_n(c); n > 0 && !c->bad; n--) {
        char name[TP_EVENT_NAME] = "";
        size_t size, length;
        const uint8_t *bytes = tp_get_s(c, &size);
        if (c->bad || size >= sizeof name)
            continue;
        memcpy(name, bytes, size);
        if (machine_of(name, &length) != machine->number)
            continue;
        machine->has = true;
        machine->other[0] |= strncmp(name, "I1mr" ALSO, length + strlen(ALSO)) == 0;
        machine->other[1] |= strncmp(name, "D1mr" ALSO, length + strlen(ALSO)) == 0;
    }
}

int tp_events_read(struct tp_events *events, struct tp_cursor *c, uint32_t number, const char **what)
{
    struct machine machine = {.number = number};
    struct tp_events read = {0};
    struct tp_cursor ahead = *c;

    for (int list = 0; list < 3 && number; list++)
        find_own(&ahead, &machine);
    *what = "a further machine without misses";
    if (number && !machine.has)
        return -1;
    if (read_names(&read, c, read.immediate_column, &read.immediates, 0, &machine, what) ||
        read_names(&read, c, read.slot_column[0], &read.slots[0], 0, &machine, what) ||
        read_names(&read, c, read.slot_column[1], &read.slots[1], TP_CAN_READ | TP_CAN_WRITE, &machine, what))
        return -1;
    *what = "an immediate event without a name";
    for (size_t i = 0; i < read.immediates; i++) {
        if (read.immediate_column[i] >= TP_OTHERS)
            return -1;
    }
    *what = "how many sets were simulated";
    read.sample = tp_get_n(c);
    read.groups = (size_t)tp_get_n(c);
    if (c->bad || read.sample < 1 || read.sample > TN_RAW_MOST_SAMPLED ||
        read.groups != (read.sample > 1 ? TN_SAMPLE_GROUPS : 1))
        return -1;
    *what = "no events at all";
    if (!read.count)
        return -1;
    read.timed = (read.time = column_of(&read, "Time", 0)) != TP_UNUSED;
    add_groups(&read);
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

/* Of events that are listed whether or not they were simulated all are kept, or none. Declared events come in the order
 * of events.inc, then others as the file has them. */
void tp_events_arrange(struct tp_events *events, const uint64_t *seen, uint16_t *kept)
{
    struct tp_events all = *events;
    size_t shown = tp_events_shown(&all);
    size_t place[TP_MAX_EVENTS];
    const char *together[TP_MAX_EVENTS];
    bool simulated[TP_MAX_EVENTS];

    for (size_t i = 0; i < shown; i++) {
        struct tp_declared known;
        place[i] = tp_declared_find(all.column[i].name, &known);
        if (known.kind != TP_RECORDED || strcmp(known.name, all.column[i].name) != 0)
            place[i] = TP_UNDECLARED;
        together[i] = place[i] == TP_UNDECLARED ? NULL : known.together;
    }
    for (size_t i = 0; i < shown; i++) {
        simulated[i] = !together[i];
        for (size_t k = 0; k < shown; k++)
            simulated[i] |= seen[k] && together[k] == together[i];
    }
    events->count = 0;
    for (size_t i = 0; i < all.count; i++)
        kept[i] = TP_DROPPED;
    for (size_t past = 0; past <= TP_UNDECLARED;) {
        size_t next = TP_UNDECLARED;
        for (size_t i = 0; i < shown; i++)
            next = place[i] >= past && place[i] < next ? place[i] : next;
        for (size_t i = 0; i < shown; i++) {
            if (place[i] != next || !simulated[i])
                continue;
            kept[i] = (uint16_t)events->count;
            events->column[events->count++] = all.column[i];
        }
        past = next + 1;
    }
    events->time = all.timed ? kept[all.time] : 0;
    for (size_t i = 0; i < all.immediates; i++)
        events->immediate_column[i] = kept[all.immediate_column[i]];
    for (int kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < all.slots[kind]; i++) {
            uint16_t column = all.slot_column[kind][i];
            events->slot_column[kind][i] = column >= TP_OTHERS ? column : kept[column];
        }
    }
    memset(events->groups_of, 0, sizeof events->groups_of);
    add_groups(events);
    for (size_t i = 0; i < shown; i++) {
        for (size_t group = 0; all.groups_of[i] && kept[i] != TP_DROPPED && group < all.groups; group++)
            kept[all.groups_of[i] + group] = (uint16_t)(events->groups_of[kept[i]] + group);
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

static inline void add_count(uint64_t *row, size_t column, uint64_t n)
{
    if (row && n)
        row[column] = tp_sum(row[column], tp_count(n));
}

/* Counts of an event by groups of sets: each is multiplied by N, where one set in N was simulated. */
static void add_sampled(const struct tp_events *events, struct tp_cursor *c, size_t column, uint64_t *row)
{
    uint64_t bits = tp_get_n(c);

    if (bits >> events->groups)
        c->bad = true;
    for (size_t group = 0; bits && !c->bad; group++, bits >>= 1) {
        uint64_t n = bits & 1 ? tp_get_n(c) : 0, times;
        if (__builtin_mul_overflow(n, events->sample, &times))
            times = INT64_MAX;
        add_count(row, column, times);
        if (events->groups_of[column])
            add_count(row, events->groups_of[column] + group, times);
    }
}

void tp_add_late(const struct tp_events *events, struct tp_cursor *c, int kind, uint64_t *row)
{
    size_t slots = events->slots[kind], first = 0;

    do {
        uint64_t bits = tp_get_n(c);
        if (slots - first < TN_RAW_BITS && bits >> (slots - first))
            c->bad = true;
        for (size_t i = first; bits && !c->bad; i++, bits >>= 1) {
            if (!(bits & 1))
                continue;
            uint16_t column = events->slot_column[kind][i];
            if (column >= TP_DROPPED || (column == TP_OTHERS && events->groups > 1))
                c->bad = true;
            else if (column == TP_OTHERS)
                tp_get_n(c);
            else if (events->groups > 1)
                add_sampled(events, c, column, row);
            else
                add_count(row, column, tp_get_n(c));
        }
        first += TN_RAW_BITS;
    } while (first < slots);
}

void tp_add_costs(const struct tp_events *events, struct tp_cursor *c, uint64_t *row)
{
    tp_add_immediate(events, c, row);
    tp_add_late(events, c, 0, row);
    tp_add_late(events, c, 1, row);
}

/* Most columns are 0 in most rows, above all those of groups: so many at once are then left out. */
enum { AT_ONCE = 16 };

static void add_some(uint64_t *restrict to, const uint64_t *restrict from, size_t count)
{
    uint64_t beyond = 0; /* its top bit: a sum that is none, or the number that none may be */

    for (size_t i = 0; i < count; i++) {
        uint64_t sum = to[i] + from[i];
        beyond |= ((to[i] ^ sum) & (from[i] ^ sum)) | (sum & (0 - sum));
    }
    for (size_t i = 0; beyond >> 63 && i < count; i++)
        to[i] = tp_sum(to[i], from[i]);
    for (size_t i = 0; !(beyond >> 63) && i < count; i++)
        to[i] += from[i];
}

void tp_add_row(const struct tp_events *events, uint64_t *to, const uint64_t *from)
{
    for (size_t at = 0; at < events->count; at += AT_ONCE) {
        size_t count = events->count - at < AT_ONCE ? events->count - at : AT_ONCE;
        uint64_t any = 0;

        for (size_t i = 0; i < count; i++)
            any |= from[at + i];
        if (any)
            add_some(to + at, from + at, count);
    }
}

/* ------------------------------------------------------------------------------------------ blobs */

/* Blobs were checked when they were read: what is decoded here is whole. */

static void add_words(const struct tp_events *events, const uint8_t *bytes, uint64_t *row)
{
    for (size_t i = 0; i < events->count; i++) {
        uint64_t value;
        memcpy(&value, bytes + i * sizeof value, sizeof value);
        row[i] = tp_sum(row[i], value);
    }
}

static void add_time(uint64_t *to, const uint8_t *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof value);
    *to = tp_sum(*to, value);
}

void tp_blob_add(const struct tp_events *events, const struct tp_blob *blob, uint64_t *row, uint64_t *incl)
{
    struct tp_cursor c = {.p = blob->bytes, .begin = blob->bytes, .end = blob->bytes + blob->size};

    switch ((enum tp_form)blob->form) {
    case TP_FORM_IMMEDIATE:
    case TP_FORM_SKIPPED:
        tp_add_immediate(events, &c, row);
        break;
    case TP_FORM_FETCH:
        tp_add_late(events, &c, 0, row);
        break;
    case TP_FORM_DATA:
        tp_add_late(events, &c, 1, row);
        break;
    case TP_FORM_COSTS:
        tp_add_costs(events, &c, row);
        break;
    case TP_FORM_SELF_AND_INCL:
        tp_add_costs(events, &c, row);
        tp_add_costs(events, &c, incl);
        break;
    case TP_FORM_ROW:
        add_words(events, blob->bytes, row);
        break;
    case TP_FORM_ROWS:
        add_words(events, blob->bytes, row);
        add_words(events, blob->bytes + events->count * sizeof *row, incl);
        break;
    case TP_FORM_TIME:
        add_time(&row[events->time], blob->bytes);
        if (incl)
            add_time(&incl[events->time], blob->bytes + sizeof *incl);
        break;
    }
}

void tp_blobs_add(const struct tp_events *events, const struct tp_blob *blobs, uint64_t *row, uint64_t *incl)
{
    for (; blobs; blobs = blobs->next)
        tp_blob_add(events, blobs, row, incl);
}

uint64_t tp_own_count(const struct tp_events *events, const struct tp_blob *blobs, const char *event)
{
    uint64_t sum = 0;

    for (const struct tp_blob *blob = blobs; blob; blob = blob->next) {
        struct tp_cursor c = {.p = blob->bytes, .begin = blob->bytes, .end = blob->bytes + blob->size};
        for (size_t i = 0; blob->form == TP_FORM_IMMEDIATE && i < events->immediates; i++) {
            uint64_t n = tp_get_n(&c);
            uint16_t column = events->immediate_column[i];
            if (column < events->count && strcmp(events->column[column].name, event) == 0) {
                sum = tp_sum(sum, n);
                break;
            }
        }
    }
    return sum;
}
