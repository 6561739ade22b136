/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_output.h: where the raw profile goes, and when.
 *
 * The file is made when the run begins, and stays open at a number that the program does not meet (nt_file_guard), so
 * that it can be written even if the program uses up all that it may have. Where there is no room for that it is open
 * only while a part is written. Its folder stays open likewise, for forked children that have changed their root by the
 * time they make a file. In names `%p` is the process's id, `%q{NAME}` a variable, `%h` the host and `%%` a
 * percent sign. The rest is engine/common/output.h.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_OUTPUT_H
#define TENURE_ENGINE_NATIVE_NT_OUTPUT_H

#include "core/tenure_core.h"
#include "engine/native/load/nt_stack.h"

/* Makes the file; ends the run before the program starts if it cannot. Programs that this one executes get the pattern
 * (nt_exec_hand_on), absolute and with variables replaced. */
void nt_output_begin(const char *pattern, const struct nt_vector *vector);
/* The file; "" if there is none yet. */
const char *nt_output_name(void);
/* A part, or the last one (tn_dump, tn_finish). A failure is told in one line, and the part is lost. */
void nt_output_write(tn_core *core, const char *why, int (*write)(tn_core *, void *, const char *));
/* This is a forked child: its parts go to a file of its own, made with the first. */
void nt_output_forked(void);

#endif
