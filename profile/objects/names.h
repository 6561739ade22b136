/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h: readable names of functions, and the source files of a recording.
 */
#ifndef TENURE_PROFILE_NAMES_H
#define TENURE_PROFILE_NAMES_H

#include "profile/raw/recording.h"

/* tp_function.name of every function. -1: out of memory. */
int tp_demangle_all(struct tp_recording *rec, struct tp_error *err);

/* A readable form of a C++ or Rust symbol in `arena`, or `symbol` itself; NULL: out of memory. Safe with any
 * input: what would grow beyond 64 KiB stays as it is. */
const char *tp_demangle(struct tp_arena *arena, const char *symbol);

/* The same without arguments, and without what a template's function returns: what users type of it. */
const char *tp_demangle_bare(struct tp_arena *arena, const char *symbol);

/* Whether a source file is a compiler's or a system's: what is inlined from it stands for the user's line. */
bool tp_is_system_source(const char *path);

/* Index + 1, in the recording's files, of `path`; `slots` is of these files, each once. Debug information names a file
 * in every unit that includes it, and not always with the same characters: paths are tidied before they are compared.
 * 0: out of memory. */
uint32_t tp_file_add(struct tp_slots *slots, struct tp_recording *rec, const char *path);

#endif
