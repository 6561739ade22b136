/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_limit.h: limits that a program sets for itself while it runs, and that the engine's memory and files would meet.
 *
 * What the program asks for is noted and told it when it asks. Limits that were there when it began are the kernel's,
 * and hold for both together.
 *
 * Memory (RLIMIT_AS, RLIMIT_DATA): the kernel counts the engine's memory as the program's, so it gets what was asked
 * for with the engine's memory on top. How much this is is found out when somebody gets no memory: then the kernel's
 * limit is made to fit, or lifted while the engine takes what it wants, and the call is made again. So the program gets
 * what it would have, and no more.
 *
 * Files (RLIMIT_FSIZE, RLIMIT_NOFILE): the kernel gets the soft limit and keeps its hard one, up to which the engine
 * lifts the soft one while it opens a file or writes the profile.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_LIMIT_H
#define TENURE_ENGINE_NATIVE_NT_LIMIT_H

#include <linux/resource.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/native/base/nt_lock.h"

/* Held by whoever forks; taken behind all others, in this order. The first is held while the limit of a file's size is
 * lifted, during which descriptors and memory may be wanted; the last while that of descriptors is. */
extern struct nt_lock nt_limit_sizes, nt_limit_lock, nt_limit_descriptors;

/* The program got no memory. Whether the limits that it has set had to do with it, and do no longer: then the call is
 * to be made again. */
bool nt_limit_make_room(void);
/* The engine got no memory: it may have as much as it wants from here to nt_limit_lower_memory, and so may other
 * threads of the program, briefly. False: the program has set no such limits, and nothing is lifted. */
bool nt_limit_lift_memory(void);
void nt_limit_lower_memory(void);
/* The kernel's soft limit of `resource`, RLIMIT_FSIZE or RLIMIT_NOFILE, is its hard one from here to nt_limit_lower,
 * for this process. The program does not see it. */
struct nt_lifted {
    int resource;
    struct rlimit64 before;
};
struct nt_lifted nt_limit_lift(int resource);
void nt_limit_lower(const struct nt_lifted *lifted);
/* The process becomes another program, without the engine: its limits are what was asked for, but for those whose
 * numbers are bits of `but`. */
void nt_limit_leave(uint8_t but);
/* The option that tells the engine of a program that this one executes what was asked for, likewise; and what it does
 * there with the option's value. */
#define NT_LIMIT_OPTION "--limits="
enum { NT_LIMIT_TEXT = 256 };
void nt_limit_hand_on(char *text, size_t size, uint8_t but);
void nt_limit_begin(const char *text);
/* The number of a limit that is kept here; -1: the kernel alone keeps that of `resource`. */
int nt_limit_number(uint64_t resource);
/* prlimit for limit `i`: `now` and `old` are addresses in the program, or 0. Returns 0 or an error number. */
int nt_limit_get_and_set(int i, uint64_t now, uint64_t old);

#endif
