/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_maps.h: which of the program's memory may be executed.
 *
 * The CPU never executes it, so the engine has to know: a jump into data must fault as it does without us, and what
 * can hold no code needs no invalidation. Kept from system calls, as disjoint ranges in the order of addresses.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_MAPS_H
#define TENURE_ENGINE_NATIVE_NT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nt_lock.h"

extern struct nt_lock nt_maps_lock;

/* [start, end) is executable from now on, or not. */
void nt_maps_set(uint64_t start, uint64_t end, bool is_executable);
/* How many bytes from `at` on are executable, at most `bytes`. */
size_t nt_maps_reach(uint64_t at, size_t bytes);
/* Whether any byte of [start, end) is. */
bool nt_maps_meets(uint64_t start, uint64_t end);

#endif
