/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_file.h: the engine's few descriptors, which the program does not meet.
 *
 * They lie above what the program's limit lets it have, where that is possible; else they are the highest it may have.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_FILE_H
#define TENURE_ENGINE_NATIVE_NT_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* A copy of `fd` at a number that the program is not given, and guarded; -1: there is none. */
int nt_file_guard(int fd);
/* Close it. */
void nt_file_release(int fd);
bool nt_file_is_guarded(uint64_t fd);
/* The lowest guarded descriptor from `first` on; -1: there is none. */
int64_t nt_file_next_guarded(uint64_t first);

#endif
