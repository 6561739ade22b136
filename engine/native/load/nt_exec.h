/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_exec.h: whether an exec is going to succeed.
 *
 * One that does is the end of the program, and the last part of the profile must be written before. One that fails is
 * a system call like any other. The kernel tells only afterwards, so what it checks is checked here first.
 *
 * The other program, if it is to be profiled, is executed by executing this engine again, with the options that were
 * handed on, under its own name and with its own arguments. It may turn out that it cannot be profiled; then the new
 * engine executes it in its turn (nt_refuse.c).
 */
#ifndef TENURE_ENGINE_NATIVE_NT_EXEC_H
#define TENURE_ENGINE_NATIVE_NT_EXEC_H

#include <stdbool.h>
#include <stdint.h>

/* What execveat is told; the addresses are in the program's memory. */
struct nt_exec {
    long folder;
    uint64_t path, argv, envp;
    long flags;
};
bool nt_exec_succeeds(const struct nt_exec *exec);

/* Execute a file up to where its arguments are asked for, which are nowhere: -EFAULT, if nothing is wrong with it
 * before that. Linux asks for them first before 6.8. */
long nt_exec_try(long folder, const char *path, long flags);

/* The hidden option that says which personality the program is to have, where the engine's is another one. */
#define NT_EXEC_PERSONALITY "--personality="

/* `option`, of which a copy is kept, holds for executed programs, too. */
void nt_exec_hand_on(const char *option);
/* Become the engine that runs it, by `execute`, which makes a call of these arguments. Returns if that is not possible.
 * `but`: limits that are the kernel's (nt_limit.h). */
void nt_exec_traced(const struct nt_exec *exec, uint8_t but, long (*execute)(const uint64_t call[7]));

/* Takes a script's first line apart in place: what runs it, and at most one argument (NULL: there is none). False if it
 * is no script. `line` ends with a zero. */
bool nt_exec_script(char *line, char **interpreter, char **argument);

#endif
