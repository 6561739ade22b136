/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_baton.h: one thread at a time, where threads do not run at the same time.
 *
 * That is so where it was asked for, or where threads share caches or contexts: one thread is in the program's code or
 * in the engine. It holds the baton; it gives it away around each system call that may block, and at a safe point after
 * its share of them. Who gets it next:
 *
 *   NT_BATON_FAIR    who asked first; that depends on the kernel's order.
 *   NT_BATON_STRICT  the next of those that wait, in the order in which threads were made. It is chosen when no other
 *                    thread runs: each waits too, or sleeps in the kernel. So the order of threads is the same in each
 *                    run, as far as they wait for nothing but one another (--deterministic, --coherence). Sleepers are
 *                    looked at again only when a holder has called the kernel: nobody else can have woken them.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_BATON_H
#define TENURE_ENGINE_NATIVE_NT_BATON_H

#include "nt_thread.h"

enum nt_baton { NT_BATON_NONE, NT_BATON_FAIR, NT_BATON_STRICT };

/* Before the first thread is made. `turn_steps`: how far the core's clock goes in a turn of NT_BATON_STRICT; 0: turns
 * are counted in safe points. */
void nt_baton_start(enum nt_baton kind, uint64_t turn_steps);

/* The thread that runs here waits until the baton is free, and takes it. */
void nt_baton_take(void);
/* It gives the baton away. */
void nt_baton_give(void);
/* At a safe point: it gives the baton away and takes it again, if it is another thread's turn. */
void nt_baton_pass(struct nt_thread *thread);
/* Before any system call of the thread that runs here: the call may wake threads that sleep in the kernel. */
void nt_baton_stir(void);
/* Gives it away for a child that runs in the parent's stead (vfork). */
void nt_baton_lend(void);
/* Gives it away for good: the thread ends. */
void nt_baton_leave(void);
/* From now on threads run at the same time: all that wait for the baton go on. */
void nt_baton_end(void);
/* In a forked child: the thread that runs here has it, others there are none. */
void nt_baton_forked(void);

#endif
