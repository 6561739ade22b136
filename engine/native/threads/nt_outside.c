/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_outside.c: see nt_outside.h.
 *
 * Who wants all others outside holds `world`, says so in `stop`, and asks them to come by: their countdown is made
 * negative.
 */
#include "nt_outside.h"

#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_sys.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/translate/nt_code.h"

enum { LONG = 1 << 10 }; /* times to ask others out */

void nt_code_changed(uint64_t start, uint64_t bytes)
{
    nt_lock_take(&nt.translation);
    nt_code_invalidate(nt.code, start, bytes);
    nt.counts.invalidated++;
    nt_lock_give(&nt.translation);
}

enum where { OUTSIDE, RESTS, INSIDE };

/* One that sleeps inside may be in the middle of a block, waiting for a page that only the others can bring
 * (userfaultfd). A signal that it takes even there makes it rest; what else it is doing, that does not end. */
static void wake_up(const struct nt_thread *thread)
{
    siginfo_t info = {.si_signo = SIGTRAP, .si_code = SI_QUEUE};

    if (!nt.saw_userfaults || thread->tid == 0 || nt_host_thread_state(thread->tid) != 'S' || thread->outside)
        return;
    info.si_pid = nt_process_id();
    info.si_ptr = NT_WAKES;
    if (nt_failed(nt_sys6(__NR_rt_tgsigqueueinfo, info.si_pid, thread->tid, SIGTRAP, (long)&info, 0, 0)))
        nt_sys6(__NR_rt_tgsigqueueinfo, thread->tid, thread->tid, SIGTRAP, (long)&info, 0, 0);
}

/* Where the threads besides `self` are that are farthest in; those in generated code are asked to leave. A child may
 * have been killed there: it is looked for when it has been asked for long. */
static enum where ask_out(const struct nt_thread *self, unsigned asked)
{
    enum where farthest = OUTSIDE;

    for (struct nt_thread *thread = nt_threads; thread != NULL; thread = thread->next) {
        bool is_out = thread == self || !thread->running || thread->outside;
        enum where where = is_out ? OUTSIDE : thread->rests ? RESTS : INSIDE;

        if (where == INSIDE && thread->is_child && asked % LONG == LONG - 1 && nt_thread_is_gone(thread))
            nt_thread_killed_inside(thread);
        else if (where == INSIDE && asked % LONG == LONG - 1)
            wake_up(thread);
        if (where == INSIDE)
            *(volatile int64_t *)&thread->area->countdown = -1; /* a block may undo this once: it is done again */
        if (where > farthest)
            farthest = where;
    }
    return farthest;
}

/* From here on `world` is held, and no other thread is farther in than `most`. */
static void stop_others(const struct nt_thread *self, enum where most)
{
    for (unsigned times = 0;; times++) {
        enum where where;

        nt_lock_take(&nt.world);
        nt.stop = 1;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        for (unsigned asked = 0; (where = ask_out(self, asked)) == INSIDE; asked++)
            nt_yield(asked);
        if (where <= most)
            return;
        nt.stop = 0;
        nt_lock_give(&nt.world);
        nt_yield(times);
    }
}

static void others_go_on(void)
{
    nt.stop = 0;
    nt_lock_give(&nt.world);
}

void nt_stop_others(struct nt_thread *self)
{
    self->rests = 1;
    stop_others(self, RESTS);
}

void nt_others_go_on(struct nt_thread *self)
{
    self->rests = 0;
    others_go_on();
}

static void bring_out(struct nt_thread *self)
{
    self->outside = 1;
    stop_others(self, OUTSIDE);
    nt_lock_take(&nt.translation);
}

static void let_in(void)
{
    for (struct nt_thread *thread = nt_threads; thread != NULL; thread = thread->next)
        nt_code_thread(nt.code, thread->area);
    nt_lock_give(&nt.translation);
    others_go_on();
}

void nt_outside_empty_code(struct nt_thread *self)
{
    bring_out(self);
    nt_code_reclaim(nt.code);
    nt.counts.emptied++;
    let_in();
}

void nt_code_made_by(struct nt_thread *self, struct nt_planner *(*planner)(void), void (*meanwhile)(void))
{
    bring_out(self);
    if (meanwhile != NULL)
        meanwhile();
    nt_code_plan(nt.code, planner());
    let_in();
}

bool nt_outside_ends(struct nt_thread *thread)
{
    bool is_first = true;

    for (;; is_first = false) {
        thread->outside = 0;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (!nt.stop)
            return is_first;
        thread->outside = 1;
        nt_lock_take(&nt.world);
        nt_lock_give(&nt.world);
    }
}

void nt_outside_rest(struct nt_thread *thread)
{
    while (nt.stop) {
        thread->rests = 1;
        nt_lock_take(&nt.world);
        nt_lock_give(&nt.world);
        thread->rests = 0;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
}
