/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_limit.h: limits of address space and data (RLIMIT_AS, RLIMIT_DATA) that a program sets for itself while it runs.
 *
 * The kernel counts the engine's memory as the program's. So what the program asks for is noted and told it when it
 * asks, and the kernel gets that with the engine's memory on top. How much this is is found out when somebody gets no
 * memory: then the kernel's limit is made to fit, and the call is made again. So the program gets what it would have,
 * and no more; limits that were there when it began are the kernel's, and hold for both together.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_LIMIT_H
#define TENURE_ENGINE_NATIVE_NT_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/native/base/nt_lock.h"

/* Held by whoever forks; taken behind all others. */
extern struct nt_lock nt_limit_lock;

/* There was no memory. Whether the limits that a program has set had to do with it, and do no longer: then the call is
 * to be made again. `more`: so much the engine wants now; 0 if it is the program that does. */
bool nt_limit_make_room(uint64_t more);
/* Whether the program has set any limit. */
bool nt_limit_is_set(void);
/* The process becomes another program, without the engine: its limits are what was asked for, but for those whose
 * numbers are bits of `but`. */
void nt_limit_leave(uint8_t but);
/* The number of a limit that is kept here; -1: the kernel alone keeps that of `resource`. */
int nt_limit_number(uint64_t resource);
/* prlimit for limit `i`: `now` and `old` are addresses in the program, or 0. Returns 0 or an error number. */
int nt_limit_get_and_set(int i, uint64_t now, uint64_t old);

#endif
