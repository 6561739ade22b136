/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_alias.h: code in memory that is mapped twice.
 *
 * Valgrind does not see that code changes where it is mapped from a file, since it seldom does. A compiler that writes
 * through one mapping of a file and executes through another would run old code for ever. From the first time on that
 * shared memory may be executed, each translation checks the code that it was made of.
 */
#ifndef TENURE_ENGINE_VALGRIND_VG_ALIAS_H
#define TENURE_ENGINE_VALGRIND_VG_ALIAS_H

#include "pub_tool_basics.h"

/* A system call has returned. */
void vg_alias_call(UInt number, const UWord *arguments, SysRes result);

#endif
