/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulate.h: the same run simulated twice: by generated code, and by a slow walk over what the bare CPU executed.
 *
 * Each has a core of its own. The walk knows each instruction and the registers in front of it, because the bare CPU
 * ran step by step; it plans the same blocks, and calls core/cache_hot.h's C forms and the core itself. Behind each run
 * the two threads' hot memory must be the same to the last byte, and in the end the two raw profiles.
 */
#ifndef TENURE_TESTS_NATIVE_SIMULATE_H
#define TENURE_TESTS_NATIVE_SIMULATE_H

#include "bench.h"

struct simulation;

/* Of kind `kind`, one of SIMULATE_KINDS: other caches, other options. Memory from `where` on; the code is at `code`.
 * `join`: blocks go on behind conditional branches, those that bench_makes_longer says. */
enum { SIMULATE_KINDS = 7 };
struct simulation *simulate_new(uint64_t where, unsigned kind, uint64_t code, bool join);
void simulate_free(struct simulation *simulation);
struct nt_planner *simulate_planner(struct simulation *simulation);
struct nt_area *simulate_area(struct simulation *simulation);

/* Its memory, but for the area's pages, is not there for the program that the bare CPU runs: a program whose addresses
 * are of 32 bits may meet it. And whether a fault's address is there. */
void simulate_hide(struct simulation *simulation, bool hidden);
bool simulate_has(const struct simulation *simulation, uint64_t address);

/* A run begins; it goes through `step` on the bare CPU, in front of each instruction. */
void simulate_begin(struct simulation *simulation);
void simulate_step(struct simulation *simulation, const struct bench_state *state);
/* A fault in generated code: there is `segment`, and the program's state. */
void simulate_fault(struct simulation *simulation, uint32_t segment, const struct bench_state *state);
/* Walk over the steps. `end`: where the last one led, or it itself, if it faulted. True: both say the same. */
bool simulate_compare(struct simulation *simulation, const struct nt_decoder *decoder, uint64_t end, uint64_t end_sp);
/* True: so do the raw profiles. */
bool simulate_finish(struct simulation *simulation);

#endif
