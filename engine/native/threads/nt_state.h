/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_state.h: the CPU's extended state (x87, vectors, masks) as XSAVE lays it out (nt_xstate.h).
 *
 * What a signal frame shows is the components that the kernel shows: all that XCR0 has, without those that a program
 * must ask for (the tiles of AMX).
 */
#ifndef TENURE_ENGINE_NATIVE_NT_STATE_H
#define TENURE_ENGINE_NATIVE_NT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NT_STATE_LEGACY = 512, NT_STATE_HEADER = 64, NT_STATE_SOFTWARE = 464, NT_STATE_FPU = 8, NT_STATE_MXCSR = 24,
       NT_STATE_MXCSR_BITS = 28 };

/* False: this processor, or its kernel, has no XSAVE. */
bool nt_state_start(void);
/* Bytes for everything that XCR0 has. */
size_t nt_state_room(void);
/* Components and bytes of a signal frame's state. */
uint64_t nt_state_features(void);
size_t nt_state_bytes(void);
/* What a handler begins with. */
void nt_state_fresh(void);
/* Whether XRSTOR would take the image. */
bool nt_state_valid(const uint8_t *image, uint64_t features);

#endif
