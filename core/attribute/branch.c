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

static uint32_t cond_index(const struct tn_branch *branch, uint64_t address)
{
    const uint64_t mask = (1u << TN_HISTORY_BITS) - 1;
    return (uint32_t)((address & mask) << TN_HISTORY_BITS | (branch->history & mask));
}

bool tn_branch_predict_cond(struct tn_branch *branch, uint64_t address, bool taken)
{
    uint8_t *counter = &branch->counter[cond_index(branch, address)];
    bool predicted = *counter >= 2;
    if (taken && *counter < 3)
        ++*counter;
    if (!taken && *counter > 0)
        --*counter;
    branch->history = branch->history << 1 | taken;
    return predicted != taken;
}

bool tn_branch_predict_indirect(struct tn_branch *branch, uint64_t address, uint64_t target)
{
    uint64_t *last = &branch->target[address & (TN_INDIRECT_TARGETS - 1)];
    bool wrong = *last != target;
    *last = target;
    return wrong;
}
