/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_consumer.h: who consumes what level-1 misses leave (tn_config.consume).
 *
 * A thread of the engine's own, the *helper*, does it on another core, where the process may use more than one and
 * --spare-core=no is not given. It is made when a ring is half full for the first time, sleeps when there is nothing
 * to do for some microseconds, and is woken when a ring is half full again: a program that misses rarely never has
 * one, and no core is kept busy that has nothing to simulate. Now and then it looks whether more wants to run than the
 * machine has cores; then it ends, and is made again when that has changed. A thread whose ring is full consumes by
 * itself, unless the helper is at it. So nothing depends on the helper: it may be stopped at any time, and is made
 * again when wanted.
 *
 * It has descriptors of its own, and none of the program's: what the program closes is closed, and what the helper
 * opens is no number of the program's. It is a thread of the program's process, so it is stopped where the kernel
 * would let the program notice: in front of fork, unshare and setns, when the last thread ends, when there may be no
 * more threads, and when the program is about to look at its own (/proc/self/task, status, stat). All signals are
 * blocked in it.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_CONSUMER_H
#define TENURE_ENGINE_NATIVE_NT_CONSUMER_H

#include <stdbool.h>

#include "core/tenure_core.h"
#include "engine/native/base/nt_lock.h"

/* Fills in who consumes, and with which vector instructions; the rest of the configuration is complete. Without a spare
 * core there is no helper: a thread whose ring is half full consumes what all threads have offered, behind nt_outer. */
void nt_consumer_choose(struct tn_config *config, bool spare_core);
/* The core that was made with this configuration. */
void nt_consumer_serve(tn_core *core);

/* Held by whoever makes or stops the helper. */
extern struct nt_lock nt_consumer_lock;

/* Returns when the helper has ended; the caller holds the lock. Not made again for some time. */
void nt_consumer_end(void);
/* The same with the lock. It is made again when it is wanted, but not `forever`. */
void nt_consumer_stop(bool forever);

/* The helper's thread id; 0: there is none. */
int nt_consumer_tid(void);

#endif
