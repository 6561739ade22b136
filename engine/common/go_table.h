/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_table.h: functions of a Go program that has no symbol table.
 *
 * Go's runtime needs to know its functions for stack traces, so a table of them is in every program, stripped or not:
 * .gopclntab. Read is the form that Go 1.18 began with. The bytes are untrusted: an entry that does not make sense is
 * passed over, and so is a table of another form.
 */
#ifndef TENURE_ENGINE_GO_TABLE_H
#define TENURE_ENGINE_GO_TABLE_H

#include "engine/common/elf_image.h"

/* How many entries the table has at most; 0: there is none. */
size_t go_functions_count(const struct elf_image *image);

/* Calls `found` for each function, in the order of their starts. `name` is in the image. */
void go_functions(const struct elf_image *image,
                  void (*found)(void *user, const char *name, uint64_t start, uint64_t size), void *user);

#endif
