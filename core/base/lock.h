/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h: what threads of a parallel engine share, one at a time.
 *
 * A core has four locks, and they are taken in this order:
 *
 *   consuming    the levels that threads share, what is charged to late (records, blocks of counters), the sums of
 *                trees
 *   late         handing out centres and what few of them count
 *   definitions  what has an id (code, arcs), and the pools that stacks are made of
 *   memory       data objects, and which of them holds what memory; the engine is asked while it is held
 *
 * All are held for short, and by threads that run: who finds one taken looks again, and then lets others run. Serial
 * engines have no use for them: they are then not there.
 */
#ifndef TENURE_CORE_LOCK_H
#define TENURE_CORE_LOCK_H

#include "core/host.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_lock {
    _Alignas(64) uint32_t taken;
    bool there;
};

enum { TN_LOCK_LOOKS = 200 };

static inline void tn_lock_pause(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

static inline bool tn_lock_try(struct tn_lock *lock)
{
    return !lock->there || !__atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE);
}

static inline void tn_lock_take(struct tn_lock *lock)
{
    for (uint32_t looks = 0; !tn_lock_try(lock); looks++) {
        while (__atomic_load_n(&lock->taken, __ATOMIC_RELAXED) && ++looks % TN_LOCK_LOOKS)
            tn_lock_pause();
        if (looks % TN_LOCK_LOOKS == 0)
            tn_host_yield(looks / TN_LOCK_LOOKS);
    }
}

static inline void tn_lock_give(struct tn_lock *lock)
{
    if (lock->there)
        __atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
}

#endif
