/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds_model.c: see kinds_model.h.
 *
 * The list of lines is searched from its end; nothing here is meant to be fast.
 */
#include "kinds_model.h"

#include <stdlib.h>
#include <string.h>

static bool was_loaded(const struct past *past, uint64_t line)
{
    for (size_t i = past->loads; i-- > 0;)
        if (past->loaded[i] == line)
            return true;
    return false;
}

static uint32_t table_bits(uint64_t places)
{
    uint32_t bits = 1;

    while (1ull << bits < places)
        bits++;
    return bits;
}

/* Its place in a table of at least so many, which is made if there is none. */
static struct past_line *place_of(struct past_line **table, uint64_t places, uint64_t line, uint32_t size)
{
    uint64_t number = line / size % (1ull << 44);

    if (!*table)
        *table = calloc(1ull << table_bits(places), sizeof **table);
    return &(*table)[number * 11400714819323198485ull >> (64 - table_bits(places))];
}

static uint64_t trace_places(uint64_t lines, uint64_t traces)
{
    return traces > 4 * lines ? traces : 4 * lines;
}

enum past_kind past_load(struct past *past, uint64_t lines, uint64_t line, uint32_t size, uint64_t traces,
                         struct past_line *was)
{
    struct past_line *ghost = place_of(&past->ghost, 4 * lines, line, size);
    struct past_line *trace = place_of(&past->trace, trace_places(lines, traces), line, size);
    bool known = was_loaded(past, line);
    enum past_kind kind = !known ? PAST_COLD : PAST_CAPACITY;

    memset(was, 0, sizeof *was);
    if (!known) {
        if (past->loads == past->room) {
            past->room = 2 * past->room + 64;
            past->loaded = realloc(past->loaded, past->room * sizeof *past->loaded);
        }
        past->loaded[past->loads++] = line;
    }
    if (ghost->used && ghost->line == line) {
        kind = ghost->used > past->horizon ? PAST_CONFLICT : PAST_CAPACITY;
        ghost->used = 0;
    }
    if (trace->used && trace->line == line) {
        *was = *trace;
        trace->used = 0;
    }
    return kind;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

void past_leave(struct past *past, uint64_t lines, uint64_t sets, uint64_t set, const struct past_line *victim,
                uint32_t size, uint64_t traces)
{
    uint64_t *sorted;

    if (!past->gone)
        past->gone = calloc(sets, sizeof *past->gone);
    if (victim->used) {
        *place_of(&past->ghost, 4 * lines, victim->line, size) = *victim;
        *place_of(&past->trace, trace_places(lines, traces), victim->line, size) = *victim;
        past->gone[set] = victim->used;
    }
    if (++past->since < sets)
        return;
    past->since = 0;
    sorted = malloc(sets * sizeof *sorted);
    memcpy(sorted, past->gone, sets * sizeof *sorted);
    qsort(sorted, sets, sizeof *sorted, by_size);
    past->horizon = sorted[sets / 2];
    free(sorted);
}

void past_forget(struct past *past)
{
    free(past->loaded), free(past->ghost), free(past->trace), free(past->gone);
    memset(past, 0, sizeof *past);
}
