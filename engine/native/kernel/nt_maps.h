/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_maps.h: which of the program's memory may be executed, and what of that may be written.
 *
 * The CPU never executes it, so the engine has to know: a jump into data must fault as it does without us, and what
 * can hold no code needs no invalidation. Kept from system calls, as disjoint ranges in the order of addresses.
 *
 * Memory that may be written and executed can change without a system call. A page of it from which a block was made is
 * *guarded*: not writable as far as the CPU is concerned. The first store to it faults, which gives the page back to
 * the program and has its blocks forgotten (nt_signal.c). Where this happens often, as on a stack that code is put on,
 * the page is guarded no more.
 *
 * Memory that others can change, too, under another address, in another process, or as a file, cannot be guarded: it is
 * noted whatever it is good for, since it may become executable, and blocks made of it look for themselves (nt_code.h).
 */
#ifndef TENURE_ENGINE_NATIVE_NT_MAPS_H
#define TENURE_ENGINE_NATIVE_NT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/code_map.h"
#include "engine/native/base/nt_lock.h"

extern struct nt_lock nt_maps_lock;

/* [start, end) is executable from now on, or not, and if so also writable, or not; and it is not guarded. */
void nt_maps_set(uint64_t start, uint64_t end, bool is_executable, bool is_writable);
/* [start, end) is memory that others can change from now on, or not. */
void nt_maps_share(uint64_t start, uint64_t end, bool is_shared);
/* What may be written and executed there is taken for such memory, and not guarded, since its protection cannot change
 * any more: until something else is mapped there. */
void nt_maps_seal(uint64_t start, uint64_t end);
/* Whether any byte of [start, end) is such memory; whether any is sealed. */
bool nt_maps_shared(uint64_t start, uint64_t end);
bool nt_maps_sealed(uint64_t start, uint64_t end);
/* How many bytes from `at` on are executable, at most `bytes`. */
size_t nt_maps_reach(uint64_t at, size_t bytes);
/* Whether any byte of [start, end) is executable. */
bool nt_maps_meets(uint64_t start, uint64_t end);

/* Code of [start, end) is going to be translated: guard its pages that may be written. */
void nt_maps_guard(uint64_t start, uint64_t end);
/* Whether the page of `at` may be written and executed; then it is not guarded any more. */
bool nt_maps_unguard(uint64_t at);
/* The same behind a store there that has faulted. After many of them the page is as if it were sealed. */
bool nt_maps_stored(uint64_t at);
/* The lowest guarded page that [start, end) meets; 0: there is none. */
uint64_t nt_maps_guarded(uint64_t start, uint64_t end);

/* ---------------------------------------------------------------------------- as the kernel tells it (nt_mapping.c) */

/* code_map_host.mapping_at: reads /proc/self/maps. */
bool nt_mapping_at(void *user, uint64_t address, struct code_mapping *out);

/* Tells of all of [start, end), piece by piece, whether it may be executed and written; nothing, if the kernel does not
 * say or there is no descriptor. A guarded page looks like one that may not be written. */
typedef void nt_mapping_tell(uint64_t start, uint64_t end, bool is_executable, bool is_writable);
void nt_mapping_each(uint64_t start, uint64_t end, nt_mapping_tell *tell);

/* Of what is mapped, how many bytes are the engine's, and how many of them the kernel counts as data: private ones that
 * may be written. False: both stay as they are, since the kernel does not tell or there is no descriptor. */
bool nt_mapping_own_bytes(uint64_t *bytes, uint64_t *data);

#endif
