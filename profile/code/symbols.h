/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h: files, lines, inlined frames and readable names for a recording.
 *
 * Function boundaries are the recording's and are not touched. What cannot be found stays unknown, and the
 * object's note says why; only running out of memory is a failure.
 */
#ifndef TENURE_PROFILE_SYMBOLS_H
#define TENURE_PROFILE_SYMBOLS_H

#include "profile/raw/recording.h"

/* tp_function.name of every function. */
int tp_demangle_all(struct tp_recording *rec, struct tp_error *err);

/* A readable form of a C++ or Rust symbol in `arena`, or `symbol` itself; NULL: out of memory. Safe with any
 * input: what would grow beyond 64 KiB stays as it is. */
const char *tp_demangle(struct tp_arena *arena, const char *symbol);

/* tp_instr.file, line and frame of every instruction that has costs; tp_function.file and line; tp_object's debug_file
 * and note; the recording's files and frames. */
int tp_symbols(struct tp_recording *rec, const struct tp_import_options *options, struct tp_error *err);

#endif
