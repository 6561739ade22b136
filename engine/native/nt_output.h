/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_output.h: where the raw profile goes, and when.
 *
 * The file is open only while a part is written, so that the program never meets a descriptor that is not its own. It
 * is made when the run begins and appended to afterwards. In names `%p` is the process's id and `%%` a percent sign;
 * what exists is not touched: if the name is taken, .2, .3 ... is put behind it.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_OUTPUT_H
#define TENURE_ENGINE_NATIVE_NT_OUTPUT_H

#include "core/tenure_core.h"

/* Makes the file; ends the run before the program starts if it cannot. `pattern` must live on. */
void nt_output_begin(const char *pattern);
/* A part, or the last one (tn_dump, tn_finish). A failure is told in one line, and the part is lost. */
void nt_output_write(tn_core *core, const char *why, int (*write)(tn_core *, void *, const char *));
/* This is a forked child: its parts go to a file of its own, made with the first. */
void nt_output_forked(void);

#endif
