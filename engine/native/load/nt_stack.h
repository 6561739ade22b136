/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_stack.h: the program's initial stack.
 *
 * The kernel has built one for the engine, on the stack that is to be the program's. The vector (argc, argv,
 * environment, auxiliary vector) is laid out anew for the program, at a fixed distance below the stack's top, so that
 * the stack pointer does not depend on the size of the environment:
 *
 *     top - 256 KiB             vector; the stack pointer
 *     top - 128 KiB             strings of argv; then the random bytes and names that the auxiliary vector points to
 *     somewhere above           the kernel's original: the environment's strings stay there
 *
 * More arguments or a larger environment move all of it down by another 256 KiB, as often as it takes. The Valgrind
 * engine lays it out in the same way (engine/valgrind/vg_client.c).
 */
#ifndef TENURE_ENGINE_NATIVE_NT_STACK_H
#define TENURE_ENGINE_NATIVE_NT_STACK_H

#include <stdint.h>

#include "nt_load.h"

/* What the kernel put on the stack, taken apart. */
struct nt_vector {
    uint64_t argc, variables, pairs; /* pairs: with the last, AT_NULL */
    char **argv, **envp;
    uint64_t *auxv;
};
void nt_vector_parse(uint64_t *sp, struct nt_vector *vector);
/* 0 if there is none of this type. */
uint64_t nt_vector_auxiliary(const struct nt_vector *vector, uint64_t type);
/* NULL if there is none. */
const char *nt_vector_variable(const struct nt_vector *vector, const char *name);
/* The end of the stack that the vector is on. */
uint64_t nt_vector_top(const struct nt_vector *vector);

/* Lay out the stack for `program` with the arguments from argv[first] on; returns the stack pointer. */
uint64_t nt_stack_make(const struct nt_vector *vector, uint64_t first, const struct nt_program *program);
/* The program's break is now at `end`: /proc calls what lies in front of it the heap. */
void nt_stack_show_break(uint64_t end);

#endif
