/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vector.h: registers in a state that XSAVE has written, or that a signal frame holds.
 *
 * Where they are the processor's maker has chosen: a layout says it, and what it has not is not there. No offset of
 * the extended state is written down anywhere else in these tests.
 */
#ifndef TENURE_TESTS_NATIVE_VECTOR_H
#define TENURE_TESTS_NATIVE_VECTOR_H

#include "engine/native/plan/nt_xstate.h"

enum { VECTOR_COMPONENTS = 0xe7 }; /* x87, SSE, AVX, AVX-512; spelled out in gate.S and calls.c, too */

/* Those of VECTOR_COMPONENTS that are enabled, and the bytes up to their end. */
uint64_t vector_components(const struct nt_xstate *layout);
uint32_t vector_bytes(const struct nt_xstate *layout);
/* The lowest component of `components`, which it is taken from. */
unsigned vector_next(uint64_t *components);

/* What XSAVE does not write, a component in its initial state, is written; what nobody can compare becomes zeros: the
 * last x87 instruction, reserved bytes, the header. */
void vector_complete(const struct nt_xstate *layout, uint8_t *state);
/* All bytes of a component. */
void vector_fill(const struct nt_xstate *layout, uint8_t *state, unsigned component, int byte);
/* Registers by number; bytes that the processor does not have are zeros. */
void vector_register(const struct nt_xstate *layout, const uint8_t *state, unsigned number, uint8_t to[64]);
void vector_opmask(const struct nt_xstate *layout, const uint8_t *state, unsigned number, uint64_t *to);

#endif
