/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_dispatch.c: what to run next. See nt_dispatch.h and nt_gate.h.
 *
 * Generated code has left by an exit. What the exit asks for is done, signals are delivered, and the block at the
 * program's next instruction is found or made; then the exit is linked to it, so that this path is taken once per exit.
 */
#include "nt_dispatch.h"

#include <linux/mman.h>

#include "engine/native/base/nt_cpuid.h"
#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_maps.h"
#include "engine/native/kernel/nt_region.h"
#include "engine/native/profile/nt_request.h"
#include "engine/native/profile/nt_profile.h"
#include "engine/native/signals/nt_signal.h"
#include "engine/native/syscalls/nt_syscall.h"
#include "engine/native/threads/nt_baton.h"
#include "engine/native/threads/nt_outside.h"
#include "engine/native/translate/nt_code.h"
#include "nt_rare.h"

enum { UNSUPPORTED = 125, ILL_OPERAND = 2, SEGV_MAPERR_CODE = 1, SEGV_ACCERR_CODE = 2,
       TRAP_PROTECTION = 13, USER_STORE = 6 };

/* ------------------------------------------------------------------------------------------------ exits */

/* The page that the kernel emulates has three entries: what is executed there is a system call and a return; instead of
 * failing it faults. False: the program is not in this page. */
static bool emulate_vsyscall(struct nt_thread *thread)
{
    static const uint16_t numbers[] = {__NR_gettimeofday, __NR_time, __NR_getcpu};
    struct nt_area *area = thread->area;
    uint64_t offset = area->rip - 0xffffffffff600000UL, back;
    struct nt_call call = {{0, area->gpr[NT_RDI], area->gpr[NT_RSI], area->gpr[NT_RDX]}, 0, false};

    if (offset >= NT_PAGE)
        return false;
    if (offset % 0x400 != 0 || offset / 0x400 > 2 ||
        nt_copy(&back, (const void *)area->gpr[NT_RSP], sizeof back) != 0) {
        nt_signal_fault(thread, SIGSEGV, SI_KERNEL, 0);
        return true;
    }
    call.raw[0] = numbers[offset / 0x400];
    for (int i = 0; i < (call.raw[0] == __NR_time ? 1 : 2); i++) {
        if (NT_ARG(&call, i) < NT_USER_END)
            continue;
        nt_signal_fault(thread, SIGSEGV, SEGV_MAPERR_CODE, NT_ARG(&call, i));
        thread->error = USER_STORE;
        return true;
    }
    thread->outside = 1;
    if (!nt_call_pass(thread, &call))
        return true;
    if (call.result == -EFAULT) {
        nt_signal_fault(thread, SIGSEGV, SI_KERNEL, 0);
    } else {
        area->gpr[NT_RAX] = (uint64_t)call.result;
        area->gpr[NT_RSP] += sizeof back;
        area->rip = back;
    }
    return true;
}

/* The instruction at rip cannot be fetched, or not all of it: the first byte that cannot is what the CPU tells. If it
 * may be executed, but is not there (its file has become shorter, say), the kernel has said why. */
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
    thread->outside = 1;
    if (there == reach && !nt_region_meets(at, 1) && nt_memory_look(at))
        return; /* the kernel has made more executable than it was asked for (READ_IMPLIES_EXEC, a stack that grows) */
    uint8_t resident;
    /* Nothing of the program's is there, readable or not. */
    if (nt_region_meets(at, 1) || nt_sys3(__NR_mincore, (long)NT_DOWN(at, NT_PAGE), 1, (long)&resident) != 0)
        nt_signal_fault(thread, SIGSEGV, SEGV_MAPERR_CODE, at);
    else if (there < reach)
        nt_signal_fault(thread, thread->copy_signal, thread->copy_code, at);
    else
        nt_signal_fault(thread, SIGSEGV, SEGV_ACCERR_CODE, at);
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
        if ((int64_t)(area->rip << 16) >> 16 == (int64_t)area->rip)
            break;
        /* A branch to what is no address at all is at fault itself: the state is that in front of it. */
        area->rip = exit->pc;
        area->gpr[NT_RSP] -= (uint64_t)(int64_t)exit->rsp_taken;
        nt_signal_fault(thread, SIGSEGV, SI_KERNEL, 0);
        thread->trap = TRAP_PROTECTION;
        thread->error = 0;
        break;
    case NT_EXIT_SAFE:
        if (!area->pending) {
            area->countdown = nt.countdown;
            thread->has_returned = false;
        }
        nt_profile_tick(thread);
        make_moved_anew();
        if (control_asked(nt_control_page))
            nt_request_answer(thread);
        if (nt_profile.on && thread->is_profiled && (options_wait(&nt.options) || nt.options.config.timeline))
            nt_request_due(thread);
        nt_baton_pass(thread);
        break;
    case NT_EXIT_SYSCALL:
        nt_system_call(thread);
        break;
    case NT_EXIT_CPUID: {
        struct nt_cpuid id = nt_cpuid_shown((uint32_t)area->gpr[NT_RAX], (uint32_t)area->gpr[NT_RCX]);
        area->gpr[NT_RAX] = id.a;
        area->gpr[NT_RBX] = id.b;
        area->gpr[NT_RCX] = id.c;
        area->gpr[NT_RDX] = id.d;
        break;
    }
    case NT_EXIT_REQUEST:
        nt_request(thread);
        break;
    case NT_EXIT_RARE:
        nt_rare(thread, exit);
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

/* The page of code at rip, and the next, may be there only when another thread of the program's has brought them
 * (userfaultfd), which it could not while a block is made here. */
static void bring_code(struct nt_thread *thread)
{
    uint64_t page = NT_DOWN(thread->area->rip, NT_PAGE), bytes = nt_maps_reach(page, 2 * NT_PAGE);
    struct nt_call call = {.raw = {__NR_madvise, page, bytes, MADV_POPULATE_READ}};

    thread->outside = 1;
    if (bytes > 0)
        nt_call_pass(thread, &call);
}

const void *nt_dispatch(struct nt_area *area)
{
    struct nt_thread *thread = area->thread;
    uint64_t link = area->exit, brought = 0;
    bool is_often_here = false;

    nt.counts.dispatched++;
    area->exit = NT_RESUME;
    if (link != NT_RESUME) {
        const struct nt_exit exit = nt_code_exit(nt.code, link);

        if (exit.kind != NT_EXIT_DIRECT && exit.kind != NT_EXIT_INDIRECT)
            link = NT_RESUME;
        is_often_here = exit.kind == NT_EXIT_SAFE;
        leave_by(thread, &exit);
        if (thread->puts_off && (is_often_here || exit.kind == NT_EXIT_SYSCALL || exit.kind == NT_EXIT_RARE))
            nt_signal_went_on(thread);
    }
    for (;;) {
        if (!nt_outside_ends(thread))
            link = NT_RESUME;
        if (area->pending && !nt_signal_puts_off(thread)) {
            nt_signal_deliver(thread);
            link = NT_RESUME;
            continue;
        }
        nt_profile_turn(thread);
        if (nt_code_find(nt.code, area->rip) == NULL && nt_request_begins_at(thread, area->rip)) {
            link = NT_RESUME;
            continue;
        }
        if (nt.saw_userfaults && brought != area->rip && nt_code_find(nt.code, area->rip) == NULL) {
            brought = area->rip;
            bring_code(thread);
            link = NT_RESUME;
            continue;
        }
        if (is_often_here)
            join_blocks(area->rip);
        const void *head = find_block(area->rip, link);
        if (head != NULL)
            return head;
        nt_outside_empty_code(thread);
        link = NT_RESUME;
    }
}
