/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disassemble.h: instructions as text, from the object files of a profile.
 *
 * An object's file may be gone, or another one by now; then its bytes are not shown as what was executed. Without
 * Zydis in the build there is no text, only the bytes.
 */
#ifndef TENURE_PROFILE_DISASSEMBLE_H
#define TENURE_PROFILE_DISASSEMBLE_H

#include "profile/profile.h"

struct tp_code;

/* The code of a profile's object. NULL with `err`: no file of it here that is the one recorded. Close it. */
struct tp_code *tp_code_open(tp_profile *profile, const char *object, struct tp_error *err);
void tp_code_close(struct tp_code *code); /* NULL is fine */

/* The instruction of `length` bytes at `offset` (in the object's own addresses), which ran at `address`, in `out`; and
 * where it jumps to or calls, if it says so (else 0). Of several instructions that are one row, the first, and
 * that there are more. False: the object has no code there. */
bool tp_code_text(const struct tp_code *code, uint64_t offset, uint64_t address, unsigned length, char *out,
                  size_t size, uint64_t *target);

#endif
