/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_data.h: what the core needs to know of data objects: what memory is, and what system calls make of it.
 *
 * Allocation functions are told by generated code (nt_tell.h).
 */
#ifndef TENURE_ENGINE_NATIVE_NT_DATA_H
#define TENURE_ENGINE_NATIVE_NT_DATA_H

#include "engine/common/code_map.h"
#include "engine/common/options.h"
#include "engine/native/threads/nt_thread.h"

/* Before the core is made. `stack`: any address in the main thread's stack. */
void nt_data_start(struct engine_options *options, const struct code_map_host *host, const void *stack);

/* A system call of `thread` has unmapped [start, start + bytes), or mapped something else there. `is_anonymous`: what
 * is there now is no file. */
void nt_data_changed(struct nt_thread *thread, uint64_t start, uint64_t bytes, bool is_anonymous);

#endif
