/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_lanes.h: where an instruction under a mask accesses memory.
 *
 * Gathers and scatters, moves under a mask, compress and expand, and single elements that a mask may leave out: one
 * access for each lane whose bit of the mask is 1, none for the others (engine/CONTRACT.md, 4). Generated code stores
 * the mask, and the vector of indices, into the area in front of the instruction.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_LANES_H
#define TENURE_ENGINE_NATIVE_NT_LANES_H

#include "engine/native/base/nt_area.h"
#include "engine/native/decode/nt_decode.h"

enum { NT_LANES_MOST = 64 };

bool nt_lanes_are(const struct nt_access *access);
/* The address of the operand, `off` further. */
uint64_t nt_lanes_address(const struct nt_access *where, const struct nt_area *area, uint64_t off);
/* The addresses of the accesses, in their order; returns how many. */
unsigned nt_lanes_find(const struct nt_access *where, const struct nt_area *area, uint64_t address[NT_LANES_MOST]);

#endif
