/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_lock.h: a lock that waits in the kernel: 0 free, 1 held, 2 held and waited for.
 *
 * Whoever holds one is in the engine; a signal that comes then is only noted, so nothing is ever tried twice by one
 * thread. A forking thread holds all of them, and its child gives them back.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_LOCK_H
#define TENURE_ENGINE_NATIVE_NT_LOCK_H

#include <stddef.h>
#include <stdint.h>

#include <linux/time_types.h>

#include "nt_sys.h"

/* Called now and then by a thread that waits for another one. `began`: 0 the first time that this wait calls it, and as
 * it was left afterwards. NULL: nothing is called. */
extern void (*nt_while_waiting)(uint64_t *began);

struct nt_lock {
    int state;
};

static inline void nt_lock_take(struct nt_lock *lock)
{
    const struct __kernel_timespec most = {1, 0};
    uint64_t began = 0;
    int free = 0;

    if (__atomic_compare_exchange_n(&lock->state, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(&lock->state, 2, __ATOMIC_ACQUIRE) != 0) {
        if (nt_sys6(__NR_futex, (long)&lock->state, FUTEX_WAIT_PRIVATE, 2, (long)&most, 0, 0) == -ETIMEDOUT &&
            nt_while_waiting != NULL)
            nt_while_waiting(&began);
    }
}

static inline void nt_lock_give(struct nt_lock *lock)
{
    if (__atomic_exchange_n(&lock->state, 0, __ATOMIC_RELEASE) == 2)
        nt_futex(&lock->state, FUTEX_WAKE_PRIVATE, 1);
}

#endif
