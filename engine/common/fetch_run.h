/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch_run.h: which fetches of a stretch are one run (core/tenure_core.h, tn_fetch_info), for every engine alike.
 *
 * A run is all consecutive fetches of a stretch from one line. An instruction that straddles two lines ends the run of
 * the first and begins that of the second.
 */
#ifndef TENURE_ENGINE_FETCH_RUN_H
#define TENURE_ENGINE_FETCH_RUN_H

#include "core/tenure_core.h"

/* An instruction of a stretch: `order` is its fetch's place among the stretch's fetches and accesses, from 0; `id` the
 * core's. */
struct fetch_insn {
    uint64_t address;
    uint32_t length, order, id;
};

/* The run from `line` that begins with insns[0]; `insns` are the rest of the stretch, `n` of them, and `count` all its
 * fetches and accesses. Returns how many instructions begin or end in it. */
uint32_t fetch_run(const struct tn_l1_layout *l1, const struct fetch_insn *insns, uint32_t n, uint32_t count,
                   uint64_t line, struct tn_fetch_info *out);

#endif
