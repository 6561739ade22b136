/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_refuse.h: what becomes of a program that turns out not to be one for this engine before its first instruction.
 *
 * `tenure record`, where the engine was its own choice, reads the reason from a pipe and runs the program under
 * Valgrind. A program that another one executes under --trace-children runs bare, and a line says so. Else the run
 * ends. Which of the three is a matter of the command line; from the program's first instruction on there is only the
 * last.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_REFUSE_H
#define TENURE_ENGINE_NATIVE_NT_REFUSE_H

#include <stdint.h>

/* From now on reasons go to this descriptor. */
void nt_refuse_to(int fd);
/* From now on the program runs bare, where it cannot be profiled: its file, arguments, environment, and personality. */
void nt_refuse_but_run(const char *path, char **argv, char **envp, uint64_t personality);
/* The program begins. */
void nt_refuse_no_more(void);

#endif
