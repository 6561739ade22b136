/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h: how far a recording is, on the last row of a terminal.
 *
 * The program has the terminal too, and prints what it likes. So the last row is taken out of what scrolls, as apt
 * does it: the program's text scrolls above, and stands in its place when the row is given back. Two things differ: a
 * program that has saved the cursor's place finds ours instead, and one that takes the terminal over later has our row
 * until it draws there.
 *
 * Nothing is shown in the first second, where stderr is no terminal, TERM is "dumb" or unset, we are in the background,
 * or a program reads keys, not lines, as an editor does.
 */
#ifndef TENURE_CLI_RECORD_PROGRESS_H
#define TENURE_CLI_RECORD_PROGRESS_H

#include <sys/types.h>

/* Returns when the child `pid` has ended, which is still to be waited for, or at once if nothing can be shown.
 * `folder`: of the pages that engines keep (control.h); "": there are none, and time alone is shown. */
void progress_watch(pid_t pid, const char *folder);

#endif
