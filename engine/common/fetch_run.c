/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch_run.c: see fetch_run.h.
 */
#include "engine/common/fetch_run.h"

uint32_t fetch_run(const struct tn_l1_layout *l1, const struct fetch_insn *insns, uint32_t n, uint32_t count,
                   uint64_t line, struct tn_fetch_info *out)
{
    *out = (struct tn_fetch_info){.instr = insns->id,
                                  .line = line,
                                  .back_first = (count - insns->order) * TN_STEP,
                                  .second = line > insns->address};
    for (uint64_t line_end = line + (1ull << l1->line_bits); out->touches < n; out->touches++) {
        const struct fetch_insn *insn = &insns[out->touches];
        uint64_t end = insn->address + insn->length, from = insn->address > line ? insn->address : line;
        uint64_t to = end < line_end ? end : line_end;

        if (from >= to)
            break;
        uint64_t first = (from - line) >> l1->granule_bits, last = (to - 1 - line) >> l1->granule_bits;
        out->bytes += (uint32_t)(to - from);
        out->mask |= (~0ull >> (63 - (last - first))) << first;
        out->back_last = (count - insn->order) * TN_STEP;
    }
    out->last_second = out->second && out->touches == 1;
    return out->touches;
}
