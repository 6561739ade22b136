/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.c: a segment that a fault cut short.
 *
 * An engine counts a segment when it is entered, and tests the fetches of a line where the first of them is. If one
 * of its instructions faults, what stands behind that one was counted and has not run. It is taken back here: the
 * totals, the counter (the instructions up to the fault are a segment of their own) and the fetches from the line in
 * which the faulting instruction ends; other lines behind it have not been tested. Data accesses behind it have not
 * been tested either.
 *
 * One thing is not taken back: granules of that line which no instruction had fetched before stay in its mask.
 */
#include "cache_hot.h"
#include "core.h"
#include "core/access/cache.h"
#include "core/attribute/code.h"
#include "core/attribute/context.h"
#include "host.h"

struct behind {
    uint64_t clock, data, branches;
};

static const struct tn_instr_info *instr_of(const tn_core *core, const struct tn_counter *counter, uint32_t i)
{
    return tn_code_get_instr(&core->code, tn_code_run(&core->code, counter->first + i));
}

static uint32_t accesses_of(const struct tn_instr_info *instr)
{
    return 1u + instr->reads + instr->writes;
}

/* The number of instructions up to and including the one at `address`; all if there is none. */
static uint32_t instrs_to(const tn_core *core, const struct tn_counter *counter, uint64_t address)
{
    for (uint32_t i = 0; i < counter->n; i++) {
        if (instr_of(core, counter, i)->address == address)
            return i + 1;
    }
    return counter->n;
}

uint32_t tn_accesses_to(const tn_core *core, uint32_t segment, uint64_t address)
{
    const struct tn_counter *counter = tn_code_get_counter(&core->code, segment);
    uint32_t n = instrs_to(core, counter, address), accesses = 0;
    for (uint32_t i = 0; i < n; i++)
        accesses += accesses_of(instr_of(core, counter, i));
    return accesses;
}

static struct behind behind(const tn_core *core, const struct tn_counter *counter, uint32_t from)
{
    struct behind sum = {0};
    for (uint32_t i = from; i < counter->n; i++) {
        const struct tn_instr_info *instr = instr_of(core, counter, i);
        sum.clock += (uint64_t)accesses_of(instr) * TN_STEP;
        sum.data += instr->reads + ((uint64_t)instr->writes << 32);
        sum.branches += (instr->flags & TN_INSTR_COND ? 1 : 0) + (instr->flags & TN_INSTR_INDIRECT ? 1ull << 32 : 0);
    }
    return sum;
}

static uint64_t *running_counter(struct tn_thread *thread, uint32_t segment)
{
    tn_core *core = thread->core;
    const struct tn_node *node = thread->running.node;
    if (core->contexts && node)
        segment = tn_context_counter(core->contexts, segment, node->context);
    return &tn_counters_of(core, thread)[segment];
}

/* The instructions up to `n` instead of all. */
static void recount_segment(struct tn_thread *thread, uint32_t segment, uint32_t n)
{
    tn_core *core = thread->core;
    uint32_t first = tn_code_get_counter(&core->code, segment)->first;
    uint32_t *instrs = tn_host_alloc(n * sizeof *instrs);
    for (uint32_t i = 0; i < n; i++)
        instrs[i] = tn_code_run(&core->code, first + i);
    *running_counter(thread, segment) -= thread->collecting;
    *running_counter(thread, tn_segment(core, instrs, n)) += thread->collecting;
    tn_host_free(instrs, n * sizeof *instrs);
}

/* End the fetch run that instruction `last` is in with that instruction. The clock is that after `last`. */
static void cut_run(struct tn_thread *thread, const struct tn_counter *counter, uint32_t last)
{
    const tn_core *core = thread->core;
    const struct tn_l1_layout *layout = &core->layout.i1;
    const struct tn_instr_info *instr = instr_of(core, counter, last);
    uint64_t size = 1ull << layout->line_bits, line = (instr->address + instr->length - 1) & ~(size - 1);
    struct tn_way *way = tn_hot_way(thread, layout, line);
    uint64_t touches = 0, bytes = 0;
    for (uint32_t i = last + 1; i < counter->n && (instr_of(core, counter, i)->address & ~(size - 1)) == line; i++) {
        const struct tn_instr_info *next = instr_of(core, counter, i);
        uint64_t to_end = line + size - next->address;
        touches++;
        bytes += next->length < to_end ? next->length : to_end;
    }
    if (core->config.use)
        way->use -= tn_use_of(touches, bytes);
    way->stamp = thread->clock - (uint64_t)accesses_of(instr) * TN_STEP + (instr->address < line);
}

void tn_take_back(tn_thread *thread, uint32_t segment, uint64_t address)
{
    const tn_core *core = thread->core;
    const struct tn_counter *counter = tn_code_get_counter(&core->code, segment);
    uint32_t n = instrs_to(core, counter, address);
    struct behind sum = behind(core, counter, n);
    if (n == counter->n)
        return;
    thread->clock -= sum.clock;
    thread->data -= sum.data;
    if (core->config.branch_sim)
        thread->branches -= sum.branches;
    if (core->config.cache_sim)
        cut_run(thread, counter, n - 1);
    recount_segment(thread, segment, n);
}
