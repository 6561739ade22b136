/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h: the events of one recording, and rows of costs.
 *
 * A recording names its events: immediate ones, and the late ones of fetches and of data accesses, slot by slot
 * ("-": unused). Slots with the same name (AcCostL of fetches and of data) are one column. A row is one uint64_t
 * per column; AcCost in units of 1 / TN_RAW_ACCOST_UNIT until it is written. Those of a difference may be
 * below 0: counts are those of int64_t, and sums stop at its ends.
 *
 * Where one set in N was simulated, costs are estimates: each count of a late event is multiplied by N.
 * So that it is known how far sums may be off, a row has `groups` columns more for each late event, behind all others:
 * the same counts by the group of sets that they are from.
 *
 * Whether an event can occur at all depends on what instructions do: `needs` is the set of TP_CAN_* of which one
 * is enough; 0: always possible.
 */
#ifndef TENURE_PROFILE_EVENTS_H
#define TENURE_PROFILE_EVENTS_H

#include <string.h>

#include "core/raw_format.h"
#include "profile/raw/raw_read.h"

enum {
    TP_MAX_EVENTS = 1 + TN_RAW_MAX_SLOTS * (1 + 2 * (1 + TN_SAMPLE_GROUPS)), /* Time, and those by groups */
    TP_EVENT_NAME = 32,
    TP_CAN_READ = 1,
    TP_CAN_WRITE = 2,
    TP_CAN_BRANCH = 4,
    TP_CAN_INDIRECT = 8,
};

struct tp_column {
    char name[TP_EVENT_NAME];
    char long_name[128];
    uint8_t needs;
    uint8_t cause; /* what it needs as far as its name says: 0 if the event is not declared */
    bool real; /* in units of 1 / TN_RAW_ACCOST_UNIT */
};

struct tp_events {
    size_t count, by_group; /* of columns; of these, the last ones that are by groups */
    struct tp_column column[TP_MAX_EVENTS];
    bool timed;    /* there is a column of the estimate of time, which no file has */
    uint16_t time; /* which one it is */
    size_t immediates, slots[2]; /* as the file has them */
    uint16_t immediate_column[TN_RAW_MAX_SLOTS];
    uint16_t slot_column[2][TN_RAW_MAX_SLOTS]; /* TP_UNUSED: "-"; TP_OTHERS */
    uint64_t sample; /* of so many sets one was simulated */
    size_t groups;   /* 1: everything was simulated, and there are no columns by groups */
    uint16_t groups_of[TP_MAX_EVENTS]; /* by column: the first of those by groups; 0: it has none */
};
enum { TP_UNUSED = 65535, TP_DROPPED = 65534, TP_OTHERS = 65533 }; /* OTHERS: another machine's */

/* The columns that are events, without those by groups. */
static inline size_t tp_events_shown(const struct tp_events *events)
{
    return events->count - events->by_group;
}

enum tp_declared_kind { TP_RECORDED, TP_SUM, TP_RATIO };
enum { TP_UNDECLARED = 1000000 };

/* At which cache an event happens: at none, or several; at I1, at D1, or at one below them. */
enum tp_declared_at { TP_AT_NONE, TP_AT_I1, TP_AT_D1, TP_AT_BELOW };

/* What core/events.inc says of an event at one level, or of a ratio; "" where it says nothing.
 * Readers are told words, with the name as their short form. */
struct tp_declared {
    char name[TP_EVENT_NAME], long_name[128], title[128];
    char words[128];   /* the title in a sentence, without the level */
    const char *level; /* "D1" */
    char formula[160]; /* of a sum or ratio */
    char option[80];   /* those of `tenure record` without which it is not there, ' ' between */
    const char *unit, *group;
    const char *together; /* equal for events that are simulated together or not at all, and listed either way */
    enum tp_declared_kind kind;
    enum tp_declared_at at;
    uint8_t needs;
    bool real;
};

/* The next one of a kind, line by line and level by level; *place is 0 at first. False: there is none. */
bool tp_declared_next(enum tp_declared_kind kind, size_t *place, struct tp_declared *out);

/* By name, upper or lower case: its place in the order that people expect; TP_UNDECLARED, behind all of them, if
 * nothing is known of it. */
size_t tp_declared_find(const char *name, struct tp_declared *out);

/* A term of a sum of weighted events, "10 * L1m" or "Ir". */
struct tp_addend {
    const char *event; /* in the text */
    size_t length;
    uint64_t weight;
};
enum { TP_LARGEST_WEIGHT = 1000000 };

/* The next term of a sum with '+' between; the '*' may be left out. *text is then behind it, in the end at the text's
 * end. False: what is there is no term. */
bool tp_addend_next(const char **text, struct tp_addend *term);

/* One more column, described if its name is known; for events of other tools. There must be room. */
struct tp_column *tp_events_name(struct tp_events *events, const char *name);

/* Read an EVENTS record. A second one must say the same. On failure `what` says what is wrong. `machine`: of which
 * machine (docs/model.md, 23) events are meant; 0: the recorded one. All others have no columns. */
int tp_events_read(struct tp_events *events, struct tp_cursor *c, uint32_t machine, const char **what);

/* One more column, of an event that a profile has; what can cause it is known by its name. -1: no room, or no name of
 * an event. */
int tp_events_add(struct tp_events *events, const char *name, const char *long_name, bool real);

/* Take out the columns of events that were not simulated (branches, misses, line use): groups of which nothing was
 * ever seen. Put the others in the order that people expect. `seen` is the sum of all costs read; a dropped event's
 * costs are all 0, so its column is never written to. kept[old column] is the new one, or TP_DROPPED. No EVENTS
 * record may be read afterwards. */
void tp_events_arrange(struct tp_events *events, const uint64_t *seen, uint16_t *kept);

/* Read costs and add them to `row` (may be NULL: only check). c->bad tells of failure. */
void tp_add_immediate(const struct tp_events *events, struct tp_cursor *c, uint64_t *row);
void tp_add_late(const struct tp_events *events, struct tp_cursor *c, int kind, uint64_t *row);
void tp_add_costs(const struct tp_events *events, struct tp_cursor *c, uint64_t *row);

/* Make a row of no costs. What is behind its columns, which may be most of it, stays as it is. */
static inline void tp_clear_row(const struct tp_events *events, uint64_t *row)
{
    memset(row, 0, events->count * sizeof *row);
}

void tp_add_row(const struct tp_events *events, uint64_t *to, const uint64_t *from);

/* Costs as the bytes they were read as, in lists. Most numbers are one or two bytes long; rows would take twenty times
 * the memory. */
struct tp_blob {
    struct tp_blob *next;
    uint32_t thread; /* + 1; of SELF and LATE only */
    uint32_t data;   /* data object + 1, of LATE, NODE_DATA and FUNC_DATA; place, of DATA_AT */
    uint32_t size;
    uint8_t form; /* enum tp_form */
    uint8_t bytes[];
};

enum tp_form {
    TP_FORM_IMMEDIATE, /* of an instruction itself */
    TP_FORM_SKIPPED,   /* what it pays for functions that are skipped */
    TP_FORM_FETCH,
    TP_FORM_DATA,
    TP_FORM_COSTS,
    TP_FORM_SELF_AND_INCL,
    TP_FORM_ROW,  /* a row as it is in memory: what is not from a raw profile (foreign.c) */
    TP_FORM_ROWS, /* two, self and inclusive */
    TP_FORM_TIME, /* the estimate of time, self and inclusive */
};

/* Add a blob to a row. For FORM_SELF_AND_INCL, FORM_ROWS and FORM_TIME `incl` takes the second half; else it is not
 * used. */
void tp_blob_add(const struct tp_events *events, const struct tp_blob *blob, uint64_t *row, uint64_t *incl);

/* The same of all blobs of a list. */
void tp_blobs_add(const struct tp_events *events, const struct tp_blob *blobs, uint64_t *row, uint64_t *incl);

/* An immediate event of an instruction, without the Ir that it pays for functions that are skipped. */
uint64_t tp_own_count(const struct tp_events *events, const struct tp_blob *blobs, const char *event);

/* A number that was read, as a count. */
static inline uint64_t tp_count(uint64_t number)
{
    return number > INT64_MAX ? INT64_MAX : number;
}

static inline uint64_t tp_sum(uint64_t a, uint64_t b)
{
    int64_t sum;

    if (!__builtin_add_overflow((int64_t)a, (int64_t)b, &sum) && sum != INT64_MIN)
        return (uint64_t)sum;
    return (uint64_t)((int64_t)a < 0 ? -INT64_MAX : INT64_MAX);
}

#endif
