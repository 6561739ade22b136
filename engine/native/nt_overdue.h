/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_overdue.h: an end that does not come.
 *
 * A signal by which somebody wants the program to end is taken from the kernel and delivered at the next safe point. If
 * a thread never comes there, or never gets the others out of generated code, the engine would be deaf. So a timer runs
 * meanwhile: when it has run out twice, the process ends by that signal, with what can still be written of the profile.
 * Nothing is sure then about what other threads are in the middle of: if writing does not come to an end either, the
 * process ends without.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_OVERDUE_H
#define TENURE_ENGINE_NATIVE_NT_OVERDUE_H

#include <stdbool.h>

#include <linux/signal.h>

/* The thread that runs here has taken `signal`. */
void nt_overdue_begin(int signal);
/* It was delivered, or the profile is being written. */
void nt_overdue_end(void);
/* Whether `info` is of the timer's signal; what is to be done is done. */
bool nt_overdue_handle(const siginfo_t *info);

#endif
