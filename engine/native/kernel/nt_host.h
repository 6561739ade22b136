/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_host.h: memory and files for the core and for engine/common: the hooks of core/host.h, and what goes with them.
 *
 * Memory lies far behind the engine's own region, where no program asks for any, one piece behind the other; addresses
 * are not used again.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_HOST_H
#define TENURE_ENGINE_NATIVE_NT_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/functions.h"
#include "engine/native/base/nt_lock.h"
#include "nt_region.h"

#define NT_HOST_START 0x118000000000UL
#define NT_HOST_END NT_REGION_OURS_END

/* Opens a file for the engine, even if the program has used up its descriptors, where the hard limit is higher than the
 * soft one. Returns the descriptor, or the kernel's error. */
long nt_host_open(const char *path, int flags, int mode);
/* The same, of a path that begins in `folder`. */
long nt_host_open_at(long folder, const char *path, int flags, int mode);
/* The name of the descriptor's file, cut off where `size` ends. Returns its length, or the kernel's error. */
long nt_host_name_of(int fd, char *name, size_t size);
/* Whether the program may have files of this size: it gets a signal where one would become larger. */
bool nt_host_may_have(uint64_t bytes);

/* Of memory in small pieces. */
extern struct nt_lock nt_host_lock;

/* Have the kernel back it with pages of 2 MiB, where it can and the memory is large enough. */
void nt_host_large_pages(void *memory, size_t bytes);

/* Small pieces of memory, zeroed, that are never given back. Never NULL. */
void *nt_host_small(size_t bytes);

/* A page of zeroes that a forked child has, too; to be unmapped, if at all, and not freed. Never NULL. */
void *nt_host_shared_page(void);

/* A string of the program's, at `from`; false if it is not there, or has no end within `size` bytes. */
bool nt_host_program_text(uint64_t from, char *text, size_t size);

/* The beginning of a small file as a zero-ended text without its last newline; false if it cannot be read. */
bool nt_host_read_text(const char *path, char *text, size_t size);

/* The same of /proc/<tid>/<file>; false also where /proc has other numbers than we. */
bool nt_host_read_thread(int tid, const char *file, char *text, size_t size);

/* The thread's state, as the letter that /proc shows; 0: there is no such thread, or /proc cannot be read. */
char nt_host_thread_state(int tid);

extern const struct fb_host nt_host_files;

/* ----------------------------------------------------------- descriptors that the program does not meet (nt_file.c) */

/* A copy of `fd` at a number that the program is not given, and guarded; -1: there is none. */
int nt_file_guard(int fd);
/* Close it. */
void nt_file_release(int fd);
bool nt_file_is_guarded(uint64_t fd);
/* The lowest guarded descriptor from `first` on; -1: there is none. */
int64_t nt_file_next_guarded(uint64_t first);

#endif
