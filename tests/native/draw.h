/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * draw.h: random instructions.
 *
 * Bytes are drawn, with likely prefixes, and kept if they decode to an instruction that may run in a test: nothing that
 * asks the kernel, changes segments, or gives another answer each time. Displacements are set so that most accesses
 * meet the bench's data.
 */
#ifndef TENURE_TESTS_NATIVE_DRAW_H
#define TENURE_TESTS_NATIVE_DRAW_H

#include "bench.h"

/* Write one at `to`, where it will run; returns its length. */
unsigned draw_insn(const struct bench *bench, uint8_t *to, uint64_t *seed);

#endif
