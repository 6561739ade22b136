/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch_run.c: see fetch_run.h.
 */
#include "engine/common/fetch_run.h"

static uint64_t granules(uint64_t first, uint64_t last, uint32_t granule_bits)
{
    uint64_t from = first >> granule_bits, bits = (last >> granule_bits) - from + 1;

    return (bits >= 64 ? ~0ull : (1ull << bits) - 1) << from;
}

/* Adds what `insn` fetches from the run's line; false if nothing. */
static bool add(const struct tn_l1_layout *l1, const struct fetch_insn *insn, uint32_t count,
                struct tn_fetch_info *run)
{
    uint64_t line_end = run->line + (1ull << l1->line_bits), end = insn->address + insn->length;
    uint64_t from = insn->address > run->line ? insn->address : run->line;
    uint64_t to = end < line_end ? end : line_end;

    if (from >= to)
        return false;
    run->touches++;
    run->bytes += (uint32_t)(to - from);
    run->mask |= granules(from - run->line, to - 1 - run->line, l1->granule_bits);
    run->back_last = (count - insn->order) * TN_STEP;
    return true;
}

uint32_t fetch_run(const struct tn_l1_layout *l1, const struct fetch_insn *insns, uint32_t n, uint32_t count,
                   uint64_t line, struct tn_fetch_info *out)
{
    *out = (struct tn_fetch_info){.instr = insns->id,
                                  .line = line,
                                  .back_first = (count - insns->order) * TN_STEP,
                                  .second = line > insns->address};
    while (out->touches < n && add(l1, &insns[out->touches], count, out)) {
    }
    out->last_second = out->second && out->touches == 1;
    return out->touches;
}
