/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cycles.c: see cycles.h.
 */
#include "profile/code/cycles.h"

#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 64, SLOTS = 64, ROUNDS = 8, LOAD = 4, FORWARDED = 4, LONGEST = 2000 };

static const double WIDTH = 5, USUAL = 2.5, REPEATED = 0.25; /* instructions in a cycle; cycles of a round of `rep` */

struct waits {
    double ready[REGISTERS], slot[SLOTS];
    double begin, last, busy; /* when the next instruction may begin; when the last result was there; the divider */
};

static double latest(const struct waits *w, uint64_t registers, double from)
{
    for (; registers; registers &= registers - 1) {
        double ready = w->ready[__builtin_ctzll(registers)];
        from = ready > from ? ready : from;
    }
    return from;
}

static void wait_for(struct waits *w, const struct tp_decoded *code)
{
    double at = latest(w, code->uses, w->begin);
    double *slot = code->in_slot ? &w->slot[(uint32_t)code->displacement / 4 % SLOTS] : NULL;

    if (code->loads) {
        double loaded = latest(w, code->address, w->begin) + LOAD;
        if (slot && *slot + FORWARDED > loaded)
            loaded = *slot + FORWARDED;
        at = loaded > at ? loaded : at;
    }
    if (code->busy > 1) {
        at = w->busy > at ? w->busy : at;
        w->busy = at + code->busy;
    }
    at += code->latency;
    for (uint64_t sets = code->sets; sets; sets &= sets - 1)
        w->ready[__builtin_ctzll(sets)] = at;
    if (slot && code->stores)
        *slot = at;
    w->last = at > w->last ? at : w->last;
    w->begin += 1 / WIDTH;
}

/* Cycles of a round of a loop, of which `code` is. */
static double round_of(const struct tp_decoded *const *code, size_t count)
{
    static const struct waits none;
    struct waits w = none;
    double half = 0;

    for (int round = 0; round < ROUNDS; round++) {
        if (round == ROUNDS / 2)
            half = w.last > w.begin ? w.last : w.begin;
        for (size_t i = 0; i < count; i++)
            wait_for(&w, code[i]);
    }
    return ((w.last > w.begin ? w.last : w.begin) - half) / (ROUNDS - ROUNDS / 2);
}

static bool is_innermost(const struct tp_nest *nest, uint32_t loop)
{
    for (size_t i = loop; i < nest->loops.count; i++) {
        if (nest->loops.at[i].parent == loop)
            return false;
    }
    return true;
}

int tp_cycles_make(double *cycles, const struct tp_graph *graph, const struct tp_nest *nest)
{
    const struct tp_decoded **code = malloc((graph->sites + 1) * sizeof *code);

    if (!code)
        return -1;
    for (uint32_t i = 0; i < graph->sites; i++)
        cycles[i] = graph->code.at[i].repeats != TP_REPEATS_NOT ? REPEATED : graph->code.at[i].busy / USUAL;
    for (uint32_t loop = 1; loop <= nest->loops.count; loop++) {
        size_t count = 0;
        if (!is_innermost(nest, loop))
            continue;
        for (uint32_t b = 0; b < graph->blocks.count; b++) {
            const struct tp_block *block = &graph->blocks.at[b];
            if (nest->loop_of.at[b] != loop || block->count < nest->loops.at[loop - 1].iterations / 2)
                continue;
            for (uint32_t i = 0; i < block->sites; i++) {
                if (graph->code.at[block->first + i].repeats == TP_REPEATS_NOT)
                    code[count++] = &graph->code.at[block->first + i];
            }
        }
        if (!count || count > LONGEST)
            continue;
        double each = round_of(code, count) / (double)count;
        for (uint32_t b = 0; b < graph->blocks.count; b++) {
            const struct tp_block *block = &graph->blocks.at[b];
            for (uint32_t i = 0; nest->loop_of.at[b] == loop && i < block->sites; i++) {
                if (graph->code.at[block->first + i].repeats == TP_REPEATS_NOT)
                    cycles[block->first + i] = each;
            }
        }
    }
    free(code);
    return 0;
}
