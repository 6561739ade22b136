/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_xstate.h: where fxsave, xsave and their relatives access memory.
 *
 * One access for the x87 part, one for MXCSR, one for each register of a component, in the order of the components
 * (engine/CONTRACT.md, 4); for components that have no registers, one for all. The header is one more. Which
 * components there were, and where, is in the header, behind the instruction: xsave writes all that it is asked for,
 * xsavec and xsaveopt those in use, and xrstor reads those that the header names.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_XSTATE_H
#define TENURE_ENGINE_NATIVE_NT_XSTATE_H

#include "engine/native/base/nt_area.h"
#include "engine/native/decode/nt_decode.h"

enum { NT_XSTATE_PIECES = 128, NT_XSTATE_COMPONENTS = 63 };
enum { NT_XSTATE_X87, NT_XSTATE_SSE, NT_XSTATE_AVX, NT_XSTATE_OPMASK = 5, NT_XSTATE_ZMM_UPPER, NT_XSTATE_ZMM_MORE,
       NT_XSTATE_TILES = 18 };

/* Of this CPU: makers differ in where components are (Intel's opmasks at 1088, AMD's at 832). */
struct nt_xstate {
    uint64_t enabled; /* components; 0: no XSAVE */
    uint32_t offset[NT_XSTATE_COMPONENTS], size[NT_XSTATE_COMPONENTS]; /* in the format that is not compact */
    bool aligned[NT_XSTATE_COMPONENTS]; /* to 64 bytes, in the compact format */
};

struct nt_piece {
    uint64_t address;
    uint16_t size;
    uint8_t how; /* NT_READ ... */
};

void nt_xstate_start(struct nt_xstate *xstate);
/* Up to the end of the last of `components`, in the format that is not compact. */
uint32_t nt_xstate_bytes(const struct nt_xstate *xstate, uint64_t components);
/* Of all components, as if they began at 0. */
unsigned nt_xstate_all(const struct nt_xstate *xstate, const struct nt_access *where,
                       struct nt_piece pieces[NT_XSTATE_PIECES]);
/* Behind the instruction, whose operand is at `address`; returns how many. */
unsigned nt_xstate_find(const struct nt_xstate *xstate, const struct nt_access *where, const struct nt_area *area,
                        uint64_t address, struct nt_piece pieces[NT_XSTATE_PIECES]);

#endif
