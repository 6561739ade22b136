/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_visit.h: the debug information of a program, and of the libraries that it needs, file by file.
 *
 * Libraries are looked for as the loader does, roughly: RUNPATH or RPATH, LD_LIBRARY_PATH, the usual folders. One
 * counts only if its own file has debug information, so that nothing is read for a program without any. No server is
 * asked.
 */
#ifndef TENURE_PROFILE_SYMBOLS_VISIT_H
#define TENURE_PROFILE_SYMBOLS_VISIT_H

#include <elfutils/libdw.h>

#include "profile/base/error.h"
#include "profile/raw/recording.h"

typedef void tp_visit_debug(void *user, struct tp_object *object, Elf *elf, Dwarf *dwarf);

/* Nothing happens if there is no such file or no debug information; -1: out of memory. */
int tp_symbols_visit(const char *program, tp_visit_debug *visit, void *user, struct tp_error *err);

/* The same for one object of a recording (symbols.c). */
int tp_symbols_visit_object(struct tp_recording *rec, size_t index, tp_visit_debug *visit, void *user,
                            struct tp_error *err);

#endif
