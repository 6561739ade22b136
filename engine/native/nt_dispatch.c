/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_dispatch.c: what to run next. See nt_dispatch.h and nt_gate.h.
 *
 * Generated code has left by an exit. What the exit asks for is done, signals are delivered, and the block at the
 * program's next instruction is found or made; then the exit is linked to it, so that this path is taken once per exit.
 *
 * When the memory for code is used up, all of it is forgotten, which can be done only while no thread is in it; and a
 * part of the profile is written, or a fork made, while no thread is in the core either. A thread is *outside* from
 * where it enters a system call, or waits here, until it looks for a block. Who wants all others outside holds `world`,
 * says so in `stop`, and asks them to come by (their countdown is made negative). Whoever is outside and has something
 * to tell the core, holds `world` meanwhile.
 *
 * A thread *rests* where it waits for the others in the middle of a block: that will do for all but forgetting code,
 * which gives way to it.
 */
#include "nt_dispatch.h"

#include "engine/native/base/nt_cpuid.h"
#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_maps.h"
#include "engine/native/kernel/nt_region.h"
#include "engine/native/profile/nt_begin.h"
#include "engine/native/profile/nt_control.h"
#include "engine/native/profile/nt_profile.h"
#include "engine/native/profile/nt_request.h"
#include "engine/native/signals/nt_signal.h"
#include "engine/native/syscalls/nt_syscall.h"
#include "engine/native/threads/nt_baton.h"

enum { UNSUPPORTED = 125, ILL_OPERAND = 2, SEGV_MAPERR_CODE = 1, SEGV_ACCERR_CODE = 2, BUS_ADRERR_CODE = 2 };
enum { LONG = 1 << 10 }; /* times to ask others out */

void nt_code_changed(uint64_t start, uint64_t bytes)
{
    nt_lock_take(&nt.translation);
    nt_code_invalidate(nt.code, start, bytes);
    nt.counts.invalidated++;
    nt_lock_give(&nt.translation);
}

/* ------------------------------------------------------------------------------------------------ all outside */

enum where { OUTSIDE, RESTS, INSIDE };

static enum where where_is(const struct nt_thread *thread)
{
    if (!thread->running || thread->outside)
        return OUTSIDE;
    return thread->rests ? RESTS : INSIDE;
}

/* Where the threads besides `self` are that are farthest in; those in generated code are asked to leave. A child may
 * have been killed there: it is looked for when it has been asked for long. */
static enum where ask_out(const struct nt_thread *self, unsigned asked)
{
    enum where farthest = OUTSIDE;

    for (struct nt_thread *thread = nt_threads; thread != NULL; thread = thread->next) {
        enum where where = thread == self ? OUTSIDE : where_is(thread);

        if (where == INSIDE && thread->is_child && asked % LONG == LONG - 1 && nt_thread_is_gone(thread))
            thread->outside = 1;
        if (where == INSIDE)
            *(volatile int64_t *)&thread->area->countdown = -1; /* a block may undo this once: it is done again */
        if (where > farthest)
            farthest = where;
    }
    return farthest;
}

/* From here on `world` is held, and no other thread is farther in than `most`. */
static void stop(const struct nt_thread *self, enum where most)
{
    for (;;) {
        enum where where;

        nt_lock_take(&nt.world);
        nt.stop = 1;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        for (unsigned asked = 0; (where = ask_out(self, asked)) == INSIDE; asked++)
            nt_sys3(__NR_sched_yield, 0, 0, 0);
        if (where <= most)
            return;
        nt.stop = 0;
        nt_lock_give(&nt.world);
        nt_sys3(__NR_sched_yield, 0, 0, 0);
    }
}

static void go_on(void)
{
    nt.stop = 0;
    nt_lock_give(&nt.world);
}

void nt_stop_others(struct nt_thread *self)
{
    self->rests = 1;
    stop(self, RESTS);
}

void nt_others_go_on(struct nt_thread *self)
{
    self->rests = 0;
    go_on();
}

static void bring_out(struct nt_thread *self)
{
    self->outside = 1;
    stop(self, OUTSIDE);
    nt_lock_take(&nt.translation);
}

static void let_in(void)
{
    for (struct nt_thread *thread = nt_threads; thread != NULL; thread = thread->next)
        nt_code_thread(nt.code, thread->area);
    nt_lock_give(&nt.translation);
    go_on();
}

/* All code is forgotten, and its memory free. */
static void empty_code(struct nt_thread *self)
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

/* From here on the thread may have code in hand. False: somebody wanted all outside meanwhile, so that nothing that it
 * had before is good any more. */
static bool go_inside(struct nt_thread *thread)
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

/* ------------------------------------------------------------------------------------------------ exits */

static void show_cpuid(struct nt_area *area)
{
    struct nt_cpuid id = nt_cpuid_shown((uint32_t)area->gpr[NT_RAX], (uint32_t)area->gpr[NT_RCX]);

    area->gpr[NT_RAX] = id.a;
    area->gpr[NT_RBX] = id.b;
    area->gpr[NT_RCX] = id.c;
    area->gpr[NT_RDX] = id.d;
}

/* The three calls of the page that the kernel emulates: what is executed there is a system call and a return. */
static bool emulate_vsyscall(struct nt_thread *thread)
{
    static const uint16_t numbers[] = {__NR_gettimeofday, __NR_time, __NR_getcpu};
    struct nt_area *area = thread->area;
    uint64_t entry = (area->rip - 0xffffffffff600000UL) / 0x400, back;
    struct nt_call call = {{0, area->gpr[NT_RDI], area->gpr[NT_RSI], area->gpr[NT_RDX]}, 0, false};

    if (area->rip < 0xffffffffff600000UL || entry > 2 || area->rip % 0x400 != 0 ||
        nt_copy(&back, (const void *)area->gpr[NT_RSP], sizeof back) != 0)
        return false;
    call.raw[0] = numbers[entry];
    thread->outside = 1;
    if (nt_call_pass(thread, &call)) {
        area->gpr[NT_RAX] = (uint64_t)call.result;
        area->gpr[NT_RSP] += sizeof back;
        area->rip = back;
    }
    return true;
}

/* Whether there is anything of the program's, readable or not. */
static bool is_mapped(uint64_t at)
{
    uint8_t resident;

    return !nt_region_meets(at, 1) && nt_sys3(__NR_mincore, (long)NT_DOWN(at, NT_PAGE), 1, (long)&resident) == 0;
}

/* The instruction at rip cannot be fetched, or not all of it: the first byte that cannot is what the CPU tells. If it
 * may be executed, but is not there, its file has become shorter. */
static void no_code(struct nt_thread *thread)
{
    uint64_t pc = thread->area->rip, at;
    uint8_t bytes[NT_INSN_BYTES];
    size_t reach = nt_maps_reach(pc, sizeof bytes), there = reach - nt_copy(bytes, (const void *)pc, reach);

    if (emulate_vsyscall(thread))
        return;
    nt.saw_no_code = true;
    at = pc + there;
    if (there == sizeof bytes)
        return; /* another thread has mapped it since */
    if (!is_mapped(at))
        nt_signal_fault(thread, SIGSEGV, SEGV_MAPERR_CODE, at);
    else if (there < reach)
        nt_signal_fault(thread, SIGBUS, BUS_ADRERR_CODE, at);
    else
        nt_signal_fault(thread, SIGSEGV, SEGV_ACCERR_CODE, at);
}

/* A branch to what is no address at all is at fault itself: the state is that in front of it. */
static void check_target(struct nt_thread *thread, const struct nt_exit *exit)
{
    struct nt_area *area = thread->area;

    if ((int64_t)(area->rip << 16) >> 16 == (int64_t)area->rip)
        return;
    area->rip = exit->pc;
    area->gpr[NT_RSP] -= (uint64_t)(int64_t)exit->rsp_taken;
    nt_signal_fault(thread, SIGSEGV, SI_KERNEL, 0);
}

/* An access looks in another way table from now on: its blocks are made anew. */
static void make_moved_anew(void)
{
    uint64_t moved;

    if (!nt_profile_moved(&moved))
        return;
    nt_lock_take(&nt.translation);
    nt_code_invalidate(nt.code, moved, 1);
    nt_lock_give(&nt.translation);
}

static void leave_by(struct nt_thread *thread, const struct nt_exit *exit)
{
    struct nt_area *area = thread->area;

    if (exit->kind != NT_EXIT_INDIRECT)
        area->rip = exit->pc;
    switch (exit->kind) {
    case NT_EXIT_DIRECT:
        break;
    case NT_EXIT_INDIRECT:
        check_target(thread, exit);
        break;
    case NT_EXIT_SAFE:
        if (!area->pending)
            area->countdown = nt.countdown;
        nt_profile_tick(thread);
        make_moved_anew();
        if (control_asked(nt_control_page))
            nt_control_perform(thread);
        if (nt_profile.on && options_wait(&nt_profile.options))
            nt_request_due(thread);
        nt_baton_pass(thread);
        break;
    case NT_EXIT_SYSCALL:
        nt_system_call(thread);
        break;
    case NT_EXIT_CPUID:
        show_cpuid(area);
        break;
    case NT_EXIT_REQUEST:
        nt_request(thread);
        break;
    case NT_EXIT_STOP:
        if (exit->why != NULL) {
            nt_finish();
            nt_die(UNSUPPORTED, "the native engine cannot run the instruction at %lx: %s\n", exit->pc, exit->why);
        }
        nt_signal_fault(thread, SIGILL, ILL_OPERAND, exit->pc);
        break;
    case NT_EXIT_NOCODE:
        no_code(thread);
        break;
    case NT_EXIT_CHANGED:
        nt_code_changed(exit->pc, 1);
        nt.counts.different++;
        break;
    }
}

/* ------------------------------------------------------------------------------------------------ blocks */

static void *make_block(void *pc)
{
    return (void *)nt_code_make(nt.code, (uint64_t)pc);
}

static void *join_block(void *pc)
{
    nt_code_join(nt.code, (uint64_t)pc);
    return NULL;
}

/* The countdown ran out at the block at `pc`: who is seen there is there often. */
static void join_blocks(uint64_t pc)
{
    if (!nt_code_may_join(nt.code, pc))
        return;
    nt_lock_take(&nt.translation);
    nt_outer(join_block, (void *)pc);
    nt.counts.joined++;
    nt_lock_give(&nt.translation);
}

/* The head of the block at `pc`, to which the exit `link` leads (NT_RESUME: none); NULL: no memory. */
static const void *find_block(uint64_t pc, uint64_t link)
{
    const void *head = nt_code_find(nt.code, pc);

    if (head != NULL && (link == NT_RESUME || !nt.options.link))
        return head;
    nt_lock_take(&nt.translation);
    if (head == NULL || (head = nt_code_find(nt.code, pc)) == NULL) {
        head = nt_outer(make_block, (void *)pc);
        nt.counts.made++;
    }
    if (link != NT_RESUME && head != NULL) {
        nt_code_link(nt.code, link, pc);
        nt.counts.linked++;
    }
    nt_lock_give(&nt.translation);
    return head;
}

const void *nt_dispatch(struct nt_area *area)
{
    struct nt_thread *thread = area->thread;
    uint64_t link = area->exit;
    bool is_often_here = false;

    nt.counts.dispatched++;
    area->exit = NT_RESUME;
    if (link != NT_RESUME) {
        const struct nt_exit *exit = nt_code_exit(nt.code, link);

        if (exit->kind != NT_EXIT_DIRECT && exit->kind != NT_EXIT_INDIRECT)
            link = NT_RESUME;
        is_often_here = exit->kind == NT_EXIT_SAFE;
        leave_by(thread, exit);
    }
    for (;;) {
        const void *head;

        if (!go_inside(thread))
            link = NT_RESUME;
        if (area->pending) {
            nt_signal_deliver(thread);
            link = NT_RESUME;
            continue;
        }
        nt_profile_turn(thread);
        if (nt_code_find(nt.code, area->rip) == NULL && nt_begin_here(thread, area->rip)) {
            link = NT_RESUME;
            continue;
        }
        if (is_often_here)
            join_blocks(area->rip);
        head = find_block(area->rip, link);
        if (head != NULL)
            return head;
        empty_code(thread);
        link = NT_RESUME;
    }
}
