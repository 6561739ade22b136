/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch.c: branch prediction as of 2004 (the Valgrind manual, section 5.8.2, "Branch Simulation
 * Specifics").
 *
 * Conditional branches: 16384 two-bit saturating counters, found by the low 7 bits of the branch's address and
 * the outcomes of the last 7 conditional branches. Indirect branches: 512 targets, found by the low 9 bits of the
 * address; a branch is expected to go where it went last time. Returns are taken to be predicted perfectly.
 */
#include "branch.h"

#include "stack.h"
#include "thread.h"

#include <string.h>

static struct tn_branch *branch_of(struct tn_thread *thread)
{
    return (struct tn_branch *)((char *)thread + thread->core->layout.branch);
}

void tn_branch_begin(tn_thread *thread)
{
    enum { WRONG = 256 };
    static const uint16_t next[] = {0, 4 | WRONG, 0, 8 | WRONG, 4 | WRONG, 12, 8 | WRONG, 12};
    memset(branch_of(thread), 0, sizeof(struct tn_branch));
    memcpy(branch_of(thread)->next, next, sizeof next);
}

static uint64_t address_of(const struct tn_thread *thread, uint32_t instr)
{
    return tn_code_get_instr(&thread->core->code, instr)->address;
}

static void mispredicted(struct tn_thread *thread, uint32_t instr, int event)
{
    if (!thread->collecting)
        return;
    struct tn_node *node = thread->running.node;
    if (node && event == TN_Bcm)
        tn_node_more(thread->activity->forest, node)->branched.bcm++;
    else if (node)
        tn_node_more(thread->activity->forest, node)->branched.bim++;
    if (thread->running.skip_site)
        instr = thread->running.skip_site;
    tn_centre_extra(thread->core, tn_centre_in(thread->core, thread->id, instr, node))[event]++;
}

void tn_branch_wrong(tn_thread *thread, uint32_t instr)
{
    mispredicted(thread, instr, TN_Bcm);
}

void tn_branch_cond(tn_thread *thread, uint32_t instr, bool taken)
{
    struct tn_branch *branch = branch_of(thread);
    uint8_t *counter = &branch->counter[tn_branch_counters(address_of(thread, instr)) + branch->history];
    uint16_t next = branch->next[*counter / 2 + taken];
    *counter = (uint8_t)next;
    branch->history = (uint8_t)((branch->history + taken) * 2);
    if (next >> 8)
        tn_branch_wrong(thread, instr);
}

void tn_branch_indirect(tn_thread *thread, uint32_t instr, uint64_t target)
{
    uint64_t *last = &branch_of(thread)->target[address_of(thread, instr) % TN_INDIRECT_TARGETS];
    if (*last != target)
        mispredicted(thread, instr, TN_Bim);
    *last = target;
}
