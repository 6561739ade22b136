/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_baton.c: see nt_baton.h. */
#include "nt_baton.h"

#include <linux/time.h>

#include "core/tenure_core.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"

enum { SHARE = 16 }; /* safe points until the strict baton is passed on */

static volatile enum nt_baton kind;
static uint64_t turn; /* of the core's clock; 0: SHARE safe points */

/* ------------------------------------------------------------------------------------------------ fair */

static struct {
    volatile uint32_t next, now; /* the next number to be given out, and the one whose turn it is */
} fair;

static long baton_futex(volatile uint32_t *word, int operation, uint32_t value, uint32_t bits)
{
    return nt_sys6(__NR_futex, (long)word, operation | FUTEX_PRIVATE_FLAG, value, 0, 0, bits);
}

/* False: a second has passed, and perhaps the child that had the baton was killed. */
static bool wait_long(volatile uint32_t *word, uint32_t value, uint32_t bits)
{
    struct __kernel_timespec until;

    nt_sys3(__NR_clock_gettime, CLOCK_MONOTONIC, (long)&until, 0);
    until.tv_sec++;
    return nt_sys6(__NR_futex, (long)word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, value, (long)&until, 0, bits) !=
           -ETIMEDOUT;
}

static bool is_lost(const struct nt_thread *thread)
{
    return thread->running && thread->is_child && nt_thread_is_gone(thread);
}

static void next_fair(uint32_t now)
{
    if (__atomic_load_n(&fair.next, __ATOMIC_SEQ_CST) != now)
        baton_futex(&fair.now, FUTEX_WAKE_BITSET, 0x7fffffff, 1u << now % 32);
}

/* If the one whose turn it is has gone, it is the next one's. */
static void pass_over_lost(uint32_t now)
{
    for (const struct nt_thread *thread = nt_threads; thread != NULL; thread = thread->next) {
        uint32_t expected = now;

        if (thread->baton == now && is_lost(thread) &&
            __atomic_compare_exchange_n(&fair.now, &expected, now + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            next_fair(now + 1);
    }
}

/* Who waits for number n sleeps on bit n modulo 32. */
static void take_fair(void)
{
    uint32_t mine = __atomic_fetch_add(&fair.next, 1, __ATOMIC_SEQ_CST), now;

    nt_area_self()->thread->baton = mine;
    while ((now = __atomic_load_n(&fair.now, __ATOMIC_SEQ_CST)) != mine && kind == NT_BATON_FAIR) {
        if (!wait_long(&fair.now, now, 1u << mine % 32))
            pass_over_lost(now);
    }
}

static void give_fair(void)
{
    next_fair(__atomic_add_fetch(&fair.now, 1, __ATOMIC_SEQ_CST));
}

/* ------------------------------------------------------------------------------------------------ strict */

/* Values of nt_thread.baton. AWAY: in a system call, or not begun yet; LENT: in vfork, while its child runs. */
enum { AWAY, LENT, WAITS, HOLDS };

/* Where `holder` is NULL, one of the threads that wait, if there are any, is to choose the next holder. */
static struct {
    struct nt_thread *holder;
    struct nt_thread *chooser; /* the thread that is choosing now; NULL: none is */
    uint32_t changes;  /* one more whenever `holder` changes */
    uint32_t last;     /* the last holder's number */
    int settled;       /* who was asleep still is: no holder has asked the kernel for anything since */
    int leaving;       /* the last thread that has ended; its end wakes others once it is gone */
} strict;

static const uint32_t anybody = 1u << 31;

static uint32_t bit_of(const struct nt_thread *thread)
{
    return 1u << thread->number % 31;
}

/* If the thread at *place is a child that was killed, nobody is there any more. */
static void take_from_lost(struct nt_thread **place)
{
    struct nt_thread *thread = __atomic_load_n(place, __ATOMIC_SEQ_CST);

    if (thread == NULL || !is_lost(thread))
        return;
    thread->baton = AWAY;
    __atomic_compare_exchange_n(place, &thread, NULL, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&strict.changes, 1, __ATOMIC_SEQ_CST);
}

static void hand_to(struct nt_thread *holder)
{
    __atomic_store_n(&strict.holder, holder, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&strict.changes, 1, __ATOMIC_SEQ_CST);
}

/* Whether a thread that is away will do nothing until another one, or the world outside, does something. */
static bool sleeps(const struct nt_thread *thread)
{
    if (thread->is_vfork && __atomic_load_n(&thread->parent->baton, __ATOMIC_SEQ_CST) != LENT)
        return true; /* it is another program by now */
    if (thread->has_left)
        return true;
    return thread->tid != 0 && nt_host_thread_state(thread->tid) != 'R' && nt_host_thread_state(thread->tid) != 'D';
}

static bool all_are_settled(const struct nt_thread *self)
{
    for (struct nt_thread *thread = nt_threads; thread != NULL; thread = thread->next) {
        if (thread->running && thread != self && __atomic_load_n(&thread->baton, __ATOMIC_SEQ_CST) == AWAY &&
            !sleeps(thread))
            return false;
    }
    char state = strict.leaving == 0 ? 0 : nt_host_thread_state(strict.leaving);
    return state == 0 || state == 'Z' || state == 'X';
}

/* All must be found asleep twice in a row: a thread that is looked at late may have woken one that was looked at early,
 * and then gone to sleep. */
static void wait_until_settled(const struct nt_thread *self)
{
    unsigned times = 0;

    for (int looks = 0; looks < 2; looks++) {
        if (!all_are_settled(self)) {
            nt_yield(times++);
            looks = -1;
        }
    }
    strict.leaving = 0;
}

/* The first behind the last holder, round and round: the distance is that of unsigned numbers. */
static struct nt_thread *next_of_those_that_wait(void)
{
    struct nt_thread *next = NULL;

    for (struct nt_thread *thread = nt_threads; thread != NULL; thread = thread->next) {
        if (!thread->running || __atomic_load_n(&thread->baton, __ATOMIC_SEQ_CST) != WAITS)
            continue;
        if (next == NULL || thread->number - strict.last - 1 < next->number - strict.last - 1)
            next = thread;
    }
    return next;
}

static void baton_choose(const struct nt_thread *self)
{
    if (!strict.settled)
        wait_until_settled(self);
    strict.settled = 1;
    struct nt_thread *next = next_of_those_that_wait();
    strict.last = next->number;
    hand_to(next);
    if (next != self)
        baton_futex(&strict.changes, FUTEX_WAKE_BITSET, 0x7fffffff, bit_of(next));
}

/* A thread that finds no holder, and no other thread choosing one, chooses. If it is woken while another one still
 * chooses, it may sleep again: the chooser looks for a holder once more before it sleeps itself. */
static void wait_for_turn(struct nt_thread *self)
{
    for (;;) {
        uint32_t change = __atomic_load_n(&strict.changes, __ATOMIC_SEQ_CST);
        const struct nt_thread *holder = __atomic_load_n(&strict.holder, __ATOMIC_SEQ_CST);
        struct nt_thread *nobody = NULL;

        if (holder == self || kind != NT_BATON_STRICT)
            break;
        if (holder != NULL || !__atomic_compare_exchange_n(&strict.chooser, &nobody, self, false, __ATOMIC_SEQ_CST,
                                                           __ATOMIC_SEQ_CST)) {
            if (!wait_long(&strict.changes, change, bit_of(self) | anybody)) {
                take_from_lost(&strict.holder);
                take_from_lost(&strict.chooser);
            }
            continue;
        }
        if (__atomic_load_n(&strict.holder, __ATOMIC_SEQ_CST) == NULL)
            baton_choose(self);
        __atomic_store_n(&strict.chooser, NULL, __ATOMIC_SEQ_CST);
    }
    self->baton = HOLDS;
}

static void give_strict(struct nt_thread *self, uint32_t state)
{
    __atomic_store_n(&self->baton, state, __ATOMIC_SEQ_CST);
    hand_to(NULL);
    baton_futex(&strict.changes, FUTEX_WAKE_BITSET, 1, anybody);
}

static void pass_strict(struct nt_thread *self)
{
    uint64_t clock = turn == 0 ? 0 : ((const tn_thread *)(self->area + 1))->clock;

    /* A turn is so many steps of the clock, or so many safe points. */
    if (turn == 0 ? ++self->safe_points < SHARE : clock - self->turn_began < turn)
        return;
    if (turn != 0)
        self->turn_began = clock;
    self->safe_points = 0;
    self->outside = 1;
    __atomic_store_n(&self->baton, WAITS, __ATOMIC_SEQ_CST);
    hand_to(NULL);
    wait_for_turn(self);
}

/* ------------------------------------------------------------------------------------------------ either */

void nt_baton_start(enum nt_baton chosen, uint64_t turn_steps)
{
    kind = chosen;
    turn = turn_steps;
}

void nt_baton_end(void)
{
    kind = NT_BATON_NONE;
    baton_futex(&fair.now, FUTEX_WAKE, 0x7fffffff, 0);
    baton_futex(&strict.changes, FUTEX_WAKE, 0x7fffffff, 0);
}

void nt_baton_stir(void)
{
    if (kind == NT_BATON_STRICT)
        strict.settled = 0;
}

void nt_baton_take(void)
{
    if (kind == NT_BATON_FAIR) {
        take_fair();
    } else if (kind == NT_BATON_STRICT) {
        struct nt_thread *self = nt_area_self()->thread;
        __atomic_store_n(&self->baton, WAITS, __ATOMIC_SEQ_CST);
        wait_for_turn(self);
    }
}

void nt_baton_give(void)
{
    if (kind == NT_BATON_FAIR)
        give_fair();
    else if (kind == NT_BATON_STRICT)
        give_strict(nt_area_self()->thread, AWAY);
}

void nt_baton_lend(void)
{
    if (kind == NT_BATON_STRICT)
        give_strict(nt_area_self()->thread, LENT);
    else
        nt_baton_give();
}

void nt_baton_leave(void)
{
    if (kind == NT_BATON_STRICT)
        strict.leaving = nt_area_self()->thread->tid;
    nt_baton_give();
}

void nt_baton_pass(struct nt_thread *thread)
{
    if (kind == NT_BATON_STRICT) {
        pass_strict(thread);
    } else if (kind == NT_BATON_FAIR && fair.next != fair.now + 1) {
        thread->outside = 1;
        give_fair();
        take_fair();
    }
}

void nt_baton_forked(void)
{
    fair.next = fair.now + 1; /* those who waited are not here */
    strict.chooser = NULL;
    strict.settled = 0;
    strict.leaving = 0;
}
