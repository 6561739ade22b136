/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_signal.c: see nt_signal.h. */
#include "nt_signal.h"

#include <linux/time.h>

#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/kernel/nt_maps.h"
#include "engine/native/kernel/nt_region.h"
#include "engine/native/profile/nt_profile.h"
#include "engine/native/threads/nt_baton.h"
#include "engine/native/threads/nt_outside.h"
#include "engine/native/translate/nt_code.h"
#include "nt_frame.h"

#define DEFAULT ((uint64_t)0)
#define IGNORE ((uint64_t)1)
#define ALL_MASK (~0UL)

/* The CPU's numbers of faults, and bits of a page fault's error. */
enum { TRAP_OPCODE = 6, TRAP_PAGE = 14, TRAP_ALIGNMENT = 17 };
#define FLAG_TF 0x100UL
#define FLAG_AC 0x40000UL
enum { FAULT_PRESENT = 1, FAULT_STORE = 2, FAULT_USER = 4, FAULT_FETCH = 16 };

/* What the kernel does with these by default ends no process. */
#define HARMLESS (NT_BIT(SIGCHLD) | NT_BIT(SIGCONT) | NT_BIT(SIGURG) | NT_BIT(SIGWINCH))
#define STOPS (NT_BIT(SIGSTOP) | NT_BIT(SIGTSTP) | NT_BIT(SIGTTIN) | NT_BIT(SIGTTOU))

static bool is_fault(int signal)
{
    return (NT_FAULTS & NT_BIT(signal)) != 0;
}

/* -------------------------------------------------------------------------------- what the kernel is told */

static void change_kernel_mask(int how, uint64_t mask)
{
    nt_sys6(__NR_rt_sigprocmask, how, (long)&mask, 0, sizeof mask, 0, 0);
}

static void set_kernel_mask(uint64_t mask)
{
    change_kernel_mask(SIG_SETMASK, mask);
}

void nt_signal_apply_mask(const struct nt_thread *thread)
{
    set_kernel_mask(thread->held.is_held ? ALL_MASK & ~NT_FAULTS : thread->mask & ~NT_FAULTS);
}

void nt_signal_block_sent(void)
{
    set_kernel_mask(ALL_MASK & ~NT_FAULTS);
}

void nt_signal_block_all(void)
{
    set_kernel_mask(ALL_MASK);
}

static long set_kernel_action(int signal, uint64_t handler, uint64_t flags)
{
    struct nt_action action = {handler, flags | SA_RESTORER, (uint64_t)nt_signal_return, ALL_MASK};

    return nt_sys6(__NR_rt_sigaction, signal, (long)&action, 0, 8, 0, 0);
}

/* The engine takes what the program handles, faults, and what would end the process; the rest stays the kernel's. */
void nt_signal_apply_action(const struct nt_process *process, int signal)
{
    const struct nt_action *action = &process->action[signal];
    uint64_t flags = action->flags & (SA_NOCLDSTOP | SA_NOCLDWAIT | SA_RESTART);
    uint64_t bit = NT_BIT(signal);

    if (!is_fault(signal) && (action->handler == IGNORE || (action->handler == DEFAULT && (bit & (HARMLESS | STOPS)))))
        set_kernel_action(signal, action->handler, flags);
    else
        set_kernel_action(signal, (uint64_t)nt_signal_entry, flags | SA_SIGINFO | SA_ONSTACK);
}

void nt_signal_clear_actions(struct nt_process *process)
{
    for (int signal = 1; signal < NT_SIGNALS; signal++) {
        if (process->action[signal].handler == IGNORE || signal == SIGKILL || signal == SIGSTOP)
            continue;
        process->action[signal] = (struct nt_action){0};
        nt_signal_apply_action(process, signal);
    }
}

void nt_signal_start(struct nt_thread *thread)
{
    nt_sys6(__NR_rt_sigprocmask, SIG_SETMASK, 0, (long)&thread->mask, sizeof thread->mask, 0, 0);
    for (int signal = 1; signal < NT_SIGNALS; signal++) {
        struct nt_action action = {0};

        if (signal == SIGKILL || signal == SIGSTOP)
            continue;
        nt_sys6(__NR_rt_sigaction, signal, 0, (long)&action, 8, 0, 0);
        action.mask = 0;
        action.restorer = 0;
        thread->process->action[signal] = action;
        nt_signal_apply_action(thread->process, signal);
    }
}

void nt_signal_die(int signal)
{
    uint64_t mask = ALL_MASK & ~NT_BIT(signal);
    struct nt_thread *thread = nt_area_self()->thread;

    if (thread->is_child) {
        thread->died_of = (uint8_t)signal;
        thread->outside = 1;
        nt_baton_leave();
    }
    nt_finish();
    set_kernel_action(signal, DEFAULT, 0);
    nt_sys3(__NR_tgkill, nt_process_id(), nt_sys3(__NR_gettid, 0, 0, 0), signal);
    set_kernel_mask(mask);
    nt_die(128 + signal, "could not end by signal %d\n", signal);
}

/* ------------------------------------------------------------------------------------ kept for the program */

static void keep_in(struct nt_kept *kept, const siginfo_t *info)
{
    uint64_t bit = NT_BIT(info->si_signo);

    if (__atomic_fetch_or(&kept->claimed, bit, __ATOMIC_SEQ_CST) & bit)
        return; /* one is enough, as for the kernel */
    kept->info[info->si_signo] = *info;
    __atomic_fetch_or(&kept->signals, bit, __ATOMIC_SEQ_CST);
}

static bool take_kept(struct nt_kept *kept, int signal, siginfo_t *info)
{
    uint64_t bit = NT_BIT(signal);

    if (!(__atomic_fetch_and(&kept->signals, ~bit, __ATOMIC_SEQ_CST) & bit))
        return false;
    *info = kept->info[signal];
    __atomic_fetch_and(&kept->claimed, ~bit, __ATOMIC_SEQ_CST);
    return true;
}

uint64_t nt_signal_kept(const struct nt_thread *thread)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return thread->kept.signals | thread->process->kept.signals;
}

/* A nudge says that the thread may have what is kept for its process. It is the signal itself, so that it ends the same
 * system calls, and tells by its value that it is from us; as does the alarm of a call that puts off a signal. */
bool nt_signal_is_nudge(const siginfo_t *info)
{
    return (info->si_code == SI_QUEUE || info->si_code == SI_TIMER) && info->si_ptr == &nt;
}

static void nudge(const struct nt_thread *other, int signal)
{
    siginfo_t info = {.si_signo = signal, .si_code = SI_QUEUE};

    info.si_pid = nt_process_id();
    info.si_ptr = &nt;
    nt_sys6(__NR_rt_tgsigqueueinfo, info.si_pid, other->tid, signal, (long)&info, 0, 0);
}

/* What was sent to the process is for a thread that does not block it, or that waits for it, if there is one: who
 * begins either looks here afterwards. */
static void signal_keep(struct nt_thread *thread, const siginfo_t *info)
{
    int signal = info->si_signo;
    uint64_t bit = NT_BIT(signal);

    if (info->si_code == SI_TKILL) {
        keep_in(&thread->kept, info);
        return;
    }
    keep_in(&thread->process->kept, info);
    for (const struct nt_thread *other = nt_threads; other != NULL; other = other->next) {
        if (other->running && other != thread && other->process == thread->process &&
            (!(other->mask & bit) || other->waits & bit)) {
            nudge(other, signal);
            return;
        }
    }
}

/* ------------------------------------------------------------------------------------ progress between signals */

static uint64_t cpu_time(void)
{
    struct __kernel_timespec now = {0, 0};

    nt_sys3(__NR_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now, 0);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Who sends a signal to itself may count on when it comes. A timer has no such time; nor has what comes again and again
 * without end. */
static bool may_be_put_off(const struct nt_thread *thread, const siginfo_t *info)
{
    enum { WITHOUT_END = 1000 };

    return info->si_code == SI_TIMER || info->si_code == SI_KERNEL || thread->returns > WITHOUT_END;
}

/* A handler whose frame was where this one's is has been left by longjmp. */
static void handler_begins(struct nt_thread *thread, int signal, bool is_timed)
{
    uint64_t frame = thread->area->gpr[NT_RSP];

    for (unsigned i = 0; i < thread->handling_count; i++) {
        if (thread->handling[i].frame == frame)
            thread->handling[i].frame = 0;
    }
    thread->timed &= ~NT_BIT(signal);
    if (!is_timed)
        return;
    thread->timed |= NT_BIT(signal);
    if (thread->handling_count == NT_HANDLERS) /* some never return: longjmp */
        memmove(thread->handling, thread->handling + 1, --thread->handling_count * sizeof thread->handling[0]);
    thread->handling[thread->handling_count++] = (struct nt_handling){frame, cpu_time()};
}

void nt_signal_returns(struct nt_thread *thread)
{
    uint64_t frame = thread->area->gpr[NT_RSP] - sizeof(uint64_t);

    thread->has_returned = true;
    for (unsigned i = thread->handling_count; i-- > 0;) {
        if (thread->handling[i].frame == frame) {
            uint64_t now = cpu_time();

            thread->owed_until = now + (now - thread->handling[i].began);
            thread->handling_count = i;
            return;
        }
    }
}

static bool is_owed(struct nt_thread *thread)
{
    if (thread->owed_until != 0 && cpu_time() >= thread->owed_until)
        thread->owed_until = 0;
    return thread->owed_until != 0;
}

/* The next safe point is near. */
static void go_on_for_a_while(struct nt_thread *thread)
{
    enum { HEADS = 1000 };

    thread->area->countdown = HEADS < nt.countdown ? HEADS : nt.countdown;
}

bool nt_signal_puts_off(struct nt_thread *thread)
{
    bool is_behind = thread->held.is_held && thread->has_returned;
    bool waited = is_behind || (thread->held.is_held && is_owed(thread));

    thread->has_returned = false;
    thread->returns = is_behind ? thread->returns + 1 : 0;
    if (!waited || thread->fault.is_held || nt_signal_ready(thread) || !may_be_put_off(thread, &thread->held.info))
        return false;
    thread->puts_off = true;
    thread->area->pending = 0;
    go_on_for_a_while(thread);
    return true;
}

static void is_due(struct nt_thread *thread)
{
    thread->puts_off = false;
    thread->owed_until = 0;
    if (thread->held.is_held)
        thread->area->pending = 1;
}

/* ------------------------------------------------------------------------------------ given back to the kernel */

/* Back to the kernel, which keeps it until the program unblocks it. */
static void give_back(const struct nt_thread *thread, const siginfo_t *info)
{
    nt_sys6(__NR_rt_tgsigqueueinfo, nt_process_id(), thread->tid, info->si_signo, (long)info, 0, 0);
}

/* The same to the whole process. The kernel believes a thread other than the first only if nothing is claimed that a
 * program could not do; else the thread has it alone if it `wants` it. */
static void give_process(struct nt_thread *thread, const siginfo_t *info, bool wants)
{
    int process = nt_process_id();

    if (!nt_failed(nt_sys3(__NR_rt_sigqueueinfo, process, info->si_signo, (long)info)))
        return;
    if (info->si_code == SI_USER && info->si_pid == process)
        nt_sys3(__NR_kill, process, info->si_signo, 0);
    else if (wants)
        give_back(thread, info);
    else
        keep_in(&thread->process->kept, info);
}

/* A call while a signal is put off. One with a mask gets that back, since it opens the mask and sleeps in one step. No
 * other can: it is made with what is held in hand and all else blocked. If it sleeps, an alarm ends it as the signal
 * would have. */
static void call_with_held(struct nt_thread *thread)
{
    enum { ALARM_NS = 1000000 };
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL | SIGEV_THREAD_ID, .sigev_signo = SIGTRAP};
    struct __kernel_itimerspec soon = {.it_value.tv_nsec = ALARM_NS, .it_interval.tv_nsec = ALARM_NS};

    if (thread->call_has_mask) {
        give_back(thread, &thread->held.info);
        thread->held.is_held = thread->puts_off = false;
        return;
    }
    event.sigev_value.sival_ptr = &nt;
    event._sigev_un._tid = thread->tid;
    set_kernel_action(SIGTRAP, (uint64_t)nt_signal_entry,
                      (thread->process->action[thread->held.info.si_signo].flags & SA_RESTART) | SA_SIGINFO |
                          SA_ONSTACK);
    if (nt_failed(nt_sys3(__NR_timer_create, CLOCK_MONOTONIC, (long)&event, (long)&thread->alarm))) {
        is_due(thread); /* the program may have no more of them; and nothing else would end the call */
        return;
    }
    nt_sys6(__NR_timer_settime, thread->alarm, 0, (long)&soon, 0, 0, 0);
}

static void called_with_held(struct nt_thread *thread)
{
    nt_sys3(__NR_timer_delete, thread->alarm, 0, 0);
    nt_signal_apply_action(thread->process, SIGTRAP);
}

void nt_signal_to_kernel(struct nt_thread *thread)
{
    uint64_t blocked = thread->mask & NT_FAULTS;
    uint64_t wanted = thread->waits | (thread->call_has_mask ? ~thread->call_mask : 0);
    siginfo_t info;

    if (thread->puts_off)
        call_with_held(thread);
    if (blocked == 0 || thread->puts_off)
        return;
    change_kernel_mask(SIG_BLOCK, blocked);
    uint64_t kept = nt_signal_kept(thread) & blocked;
    for (int signal = 1; kept != 0; signal++, kept >>= 1) {
        if (!(kept & 1))
            continue;
        if (take_kept(&thread->kept, signal, &info))
            give_back(thread, &info);
        if (take_kept(&thread->process->kept, signal, &info))
            give_process(thread, &info, wanted & NT_BIT(signal));
    }
}

void nt_signal_from_kernel(struct nt_thread *thread)
{
    if (thread->puts_off)
        called_with_held(thread);
    if (thread->mask & NT_FAULTS)
        change_kernel_mask(SIG_UNBLOCK, NT_FAULTS);
}

/* ------------------------------------------------------------------------------------ other programs */

/* Signals for which the program has the default: the kernel gets this, or what it has of us otherwise. Actions that are
 * another process's, too, stay. */
static void change_defaults(const struct nt_thread *thread, bool ours)
{
    bool are_shared = thread->is_child && thread->process->users > 1;

    for (int signal = 1; !are_shared && signal < NT_SIGNALS; signal++) {
        if (thread->process->action[signal].handler != DEFAULT || signal == SIGKILL || signal == SIGSTOP)
            continue;
        if (ours)
            nt_signal_apply_action(thread->process, signal);
        else
            set_kernel_action(signal, DEFAULT, 0);
    }
}

void nt_signal_leave(struct nt_thread *thread)
{
    change_defaults(thread, false);
    if (thread->held.is_held) /* put off, or a fault's, which is not blocked */
        give_back(thread, &thread->held.info);
    thread->puts_off = false;
}

long nt_signal_execute(const uint64_t call[7])
{
    struct nt_thread *thread = nt_area_self()->thread;
    long result;

    do {
        thread->held.is_held = false;
        thread->area->pending = 0;
        nt_signal_to_kernel(thread);
        set_kernel_mask(thread->mask);
    } while (!nt_gate_call(call, &result));
    nt_signal_block_sent();
    return result;
}

void nt_signal_stay(const struct nt_thread *thread)
{
    change_defaults(thread, true);
    nt_signal_apply_mask(thread);
}

/* ------------------------------------------------------------------------------------ taken from the kernel */

/* The program's state where a fault was, from the CPU's and what the code says of this place. */
static void state_of_place(struct nt_area *area, const struct nt_context *context, const struct nt_place *place)
{
    for (int i = 0; i < NT_FRAME_REGISTERS; i++) {
        if (!(place->spilled >> nt_frame_order[i] & 1))
            area->gpr[nt_frame_order[i]] = context->gpr[i];
    }
    area->flags = context->eflags;
    area->rip = place->pc;
}

static void signal_hold(struct nt_held *held, const siginfo_t *info)
{
    held->info = *info;
    held->is_held = true;
}

/* The handler returns to the dispatcher, which finds the program's state in the area. */
static void signal_resume(struct nt_area *area, struct nt_context *context)
{
    area->exit = NT_RESUME;
    context->rip = (uint64_t)nt_run;
    context->gpr[15] = area->engine_sp;
    context->eflags = NT_PLAIN_FLAGS;
}

/* The program's instruction at `place` has faulted: what the dispatcher finds is its state and the fault. */
static void take_fault(struct nt_thread *thread, siginfo_t *info, struct nt_context *context,
                       const struct nt_place *place)
{
    struct nt_area *area = thread->area;

    state_of_place(area, context, place);
    signal_hold(&thread->fault, info);
    thread->fault_is_ours = false;
    thread->fault_segment = place->segment;
    thread->error = context->error;
    thread->trap = context->trap;
    if (context->trap == TRAP_PAGE)
        thread->address = context->address;
    if (info->si_signo != SIGSEGV && info->si_signo != SIGBUS && info->si_addr != NULL)
        thread->fault.info.si_addr = (void *)place->pc; /* it is the instruction's */
    area->pending = 1;
    signal_resume(area, context);
    nt.counts.faults++;
}

/* Sent by somebody: deliver soon. A call that has not reached the kernel yet is not made before. */
static void take_sent(struct nt_thread *thread, const siginfo_t *info, struct nt_context *context)
{
    struct nt_area *area = thread->area;
    int signal = info->si_signo;
    uint64_t mask = thread->call_has_mask ? thread->call_mask : thread->mask;
    siginfo_t kept;

    if (nt_signal_is_nudge(info) && info->si_code == SI_QUEUE) {
        if (!take_kept(&thread->process->kept, signal, &kept))
            return; /* somebody else has it by now */
        info = &kept;
    }
    if (nt_signal_is_nudge(info)) {
        ; /* the alarm: what it stands for is held */
    } else if (is_fault(signal) && (thread->held.is_held || mask & NT_BIT(signal))) {
        signal_keep(thread, info);
    } else if (thread->held.is_held) { /* a call's mask has let it through */
        give_back(thread, info);
        context->mask = ALL_MASK & ~NT_FAULTS;
    } else {
        signal_hold(&thread->held, info);
        context->mask = ALL_MASK & ~NT_FAULTS;
    }
    area->pending = 1;
    area->countdown = -1;
    if (context->rip >= (uint64_t)nt_gate_check && context->rip <= (uint64_t)nt_gate_syscall)
        context->rip = (uint64_t)nt_gate_interrupted;
}

/* A store to a page that is guarded (nt_maps.h), whether or not it is in the kernel's tables (it may be swapped, or be
 * given up by advice), or was guarded until another thread's store. It may be made, and blocks made of the page are
 * forgotten. If the block that runs is one of them it is left behind the store, since what follows may be other code
 * now (take_step). */
static bool take_store(struct nt_thread *thread, const siginfo_t *info, struct nt_context *context)
{
    bool is_store = info->si_signo == SIGSEGV && info->si_code == SEGV_ACCERR && context->error & FAULT_STORE;
    struct nt_place place;

    if (!is_store || !nt_maps_stored(context->address))
        return false;
    nt_code_changed(NT_DOWN(context->address, NT_PAGE), NT_PAGE);
    if (nt_code_is_forgotten(nt.code, context->rip) && nt_code_place(nt.code, context->rip, &place)) {
        thread->step_from = place.pc;
        thread->step_segment = place.segment;
        context->eflags |= FLAG_TF;
    }
    return true;
}

/* One step behind a store: directly behind an instruction of the program's, where its state is known. A string
 * instruction is at itself until its last iteration, and goes on in steps. */
static void take_step(struct nt_thread *thread, struct nt_context *context)
{
    struct nt_area *area = thread->area;
    struct nt_place place;
    uint64_t from = thread->step_from;
    bool is_known = nt_code_place(nt.code, context->rip, &place);

    if (is_known && place.pc == from)
        return;
    thread->step_from = 0;
    context->eflags &= ~FLAG_TF;
    if (!is_known)
        return;
    state_of_place(area, context, &place);
    nt_profile_left(thread, thread->step_segment, from);
    signal_resume(area, context);
}

/* The program steps through itself, and the CPU through the C that generated code calls, too. What counts is when the
 * program has come to another instruction than it was at: there its state is known. The first trap behind the `popf`
 * that begins it may be one instruction further already. */
static void take_trace(struct nt_thread *thread, siginfo_t *info, struct nt_context *context)
{
    enum { POPF = 0x9d };
    struct nt_place place;

    if (!nt_code_place(nt.code, context->rip, &place) || place.pc == thread->traced)
        return;
    /* Nothing may fault here: the byte in front is read if it is in the page that runs. */
    bool begins = thread->traced == 0 && place.pc % NT_PAGE != 0 && ((const uint8_t *)place.pc)[-1] == POPF;
    thread->traced = context->eflags & FLAG_TF ? place.pc : 0;
    if (begins)
        return;
    take_fault(thread, info, context, &place);
    thread->fault_segment = TN_NONE;
}

static bool is_copying(uint64_t rip)
{
    return rip >= (uint64_t)nt_copy_begin && rip < (uint64_t)nt_copy_end;
}

/* Whether the kernel was called here, by the engine: nothing faults there, but a thread may send its own process what
 * looks like a fault. */
static bool is_in_call(uint64_t rip)
{
    static const uint8_t syscall[] = {0x0f, 0x05};

    return nt_region_meets(rip, 1) && !nt_code_holds(nt.code, rip) &&
           (memcmp((const void *)rip, syscall, sizeof syscall) == 0 ||
            memcmp((const void *)(rip - sizeof syscall), syscall, sizeof syscall) == 0);
}

/* A step of the program's, or behind a store: the CPU has made it where the flag was set, even in a call of the
 * engine's. Nothing else traps in the engine's own code, whatever a virtual machine makes of the signal's code. */
static bool is_step(const siginfo_t *info, const struct nt_context *context)
{
    return info->si_signo == SIGTRAP && context->eflags & FLAG_TF &&
           (info->si_code == TRAP_TRACE || !nt_code_holds(nt.code, context->rip));
}

/* One of the program's counters (perf_event_open) has run over, wherever that was. */
static bool is_counter(const siginfo_t *info)
{
    return info->si_signo == SIGTRAP && info->si_code == TRAP_PERF;
}

void nt_signal_handle(int signal, void *siginfo, void *ucontext)
{
    siginfo_t *info = siginfo;
    struct nt_context *context = ucontext;
    struct nt_thread *thread = nt_area_self()->thread;
    struct nt_place place;

    if (info->si_code == SI_QUEUE && info->si_ptr == NT_WAKES) {
        if (nt_code_holds(nt.code, context->rip))
            nt_outside_rest(thread);
    } else if (!is_fault(signal) || info->si_code <= 0 || is_counter(info) ||
               (is_in_call(context->rip) && !is_step(info, context))) {
        take_sent(thread, info, context);
    } else if (signal == SIGTRAP && thread->step_from != 0 && context->eflags & FLAG_TF) {
        take_step(thread, context);
    } else if (signal == SIGTRAP && (info->si_code == TRAP_TRACE || is_step(info, context))) {
        take_trace(thread, info, context);
    } else if ((is_copying(context->rip) || nt_code_holds(nt.code, context->rip)) &&
               take_store(thread, info, context)) {
        nt.counts.guarded++;
    } else if (nt_code_place(nt.code, context->rip, &place)) {
        take_fault(thread, info, context, &place);
    } else if (is_copying(context->rip)) {
        thread->copy_signal = signal;
        thread->copy_code = info->si_code;
        context->rip = (uint64_t)nt_copy_fault;
    } else if (context->trap == TRAP_ALIGNMENT) { /* of the engine's own, while the program has its accesses checked */
        context->eflags &= ~FLAG_AC;
    } else {
        nt_die(125, "the native engine failed: signal %d, code %d, at %lx, address %lx, program at %lx\n", signal,
               info->si_code, context->rip, context->address, thread->area->rip);
    }
}

void nt_signal_fault(struct nt_thread *thread, int signal, int code, uint64_t address)
{
    struct nt_held *held = &thread->fault;

    memset(held, 0, sizeof *held);
    held->info.si_signo = signal;
    held->info.si_code = code;
    held->info.si_addr = (void *)address;
    held->is_held = true;
    thread->fault_is_ours = true;
    thread->area->pending = 1;
    if (code == SI_KERNEL)
        return;
    thread->trap = signal == SIGILL ? TRAP_OPCODE : TRAP_PAGE;
    thread->error = 0;
    if (thread->trap == TRAP_PAGE) {
        char byte;
        /* What the kernel says of a page: of its own, always. */
        bool is_present = address >= NT_USER_END || nt_copy(&byte, (const void *)address, 1) == 0;
        thread->error = FAULT_USER | FAULT_FETCH | (is_present ? FAULT_PRESENT : 0);
        thread->address = address;
    }
}

/* --------------------------------------------------------------------------------------- given to the program */

static struct nt_action take_action(struct nt_process *process, int signal)
{
    struct nt_action action;

    nt_lock_take(&process->lock);
    action = process->action[signal];
    if (action.flags & SA_RESETHAND && action.handler != IGNORE) {
        process->action[signal].handler = DEFAULT;
        nt_signal_apply_action(process, signal);
    }
    nt_lock_give(&process->lock);
    return action;
}

/* `mask` is what the handler's own is added to. */
static void signal_deliver(struct nt_thread *thread, const struct nt_held *held, uint64_t mask,
                           bool is_fault_here)
{
    int signal = held->info.si_signo;
    struct nt_action action = take_action(thread->process, signal);

    if (is_fault_here && (action.handler == IGNORE || (thread->mask & NT_BIT(signal))))
        action.handler = DEFAULT;
    if (action.handler == IGNORE || (action.handler == DEFAULT && (HARMLESS & NT_BIT(signal))))
        return;
    if (action.handler == DEFAULT && (STOPS & NT_BIT(signal))) {
        give_back(thread, &held->info);
        return;
    }
    if (action.handler == DEFAULT)
        nt_signal_die(signal);
    if (!nt_frame_push(thread, held, &action)) {
        if (signal == SIGSEGV)
            nt_signal_die(SIGSEGV);
        nt_signal_fault(thread, SIGSEGV, SI_KERNEL, 0);
        return;
    }
    thread->mask = mask | action.mask | (action.flags & SA_NODEFER ? 0 : NT_BIT(signal));
    thread->mask &= ~(NT_BIT(SIGKILL) | NT_BIT(SIGSTOP));
    handler_begins(thread, signal, may_be_put_off(thread, &held->info));
    nt_profile_handler(thread);
    nt.counts.delivered++;
}

/* What the kernel holds back since another is put off, and did not come of a timer the last time, does not wait with
 * it: a call of the program's may have sent it, or let it through. What would stop the process is the kernel's own. */
static void deliver_others(struct nt_thread *thread)
{
    const struct __kernel_timespec now = {0, 0};
    struct nt_held other = {.is_held = true};
    uint64_t waiting;

    for (;;) {
        nt_sys3(__NR_rt_sigpending, (long)&waiting, sizeof waiting, 0);
        waiting &= ~(thread->mask | thread->timed | NT_FAULTS | STOPS);
        if (waiting == 0 || nt_sys6(__NR_rt_sigtimedwait, (long)&waiting, (long)&other.info, (long)&now,
                                    sizeof waiting, 0, 0) <= 0)
            return;
        signal_deliver(thread, &other, thread->mask, false);
    }
}

/* What is pending has ended a call that slept. */
void nt_signal_went_on(struct nt_thread *thread)
{
    if (!thread->area->pending && is_owed(thread))
        deliver_others(thread);
    if (thread->area->pending || !is_owed(thread))
        is_due(thread);
    else
        go_on_for_a_while(thread);
}

bool nt_signal_ready(const struct nt_thread *thread)
{
    return (nt_signal_kept(thread) & ~thread->mask) != 0;
}

static bool is_traced(const struct nt_thread *thread)
{
    char text[512];
    const char *tracer = NULL;

    if (!nt_host_read_thread(thread->tid, "status", text, sizeof text))
        return false;
    for (const char *at = text; *at != '\0' && tracer == NULL; at++)
        tracer = nt_after(at, "\nTracerPid:\t");
    return tracer != NULL && *tracer != '0';
}

/* A fault that no CPU has raised is sent, so that a tracer sees it as any other; if that one takes it away the program
 * comes to the same instruction again. One that ends the program is seen then. */
static bool is_shown(struct nt_thread *thread)
{
    int signal = thread->fault.info.si_signo;
    uint64_t handler = thread->process->action[signal].handler;

    if (!thread->fault_is_ours || handler == DEFAULT || handler == IGNORE || thread->mask & NT_BIT(signal) ||
        !is_traced(thread))
        return false;
    nt_signal_block_sent(); /* nothing may come between */
    if (thread->held.is_held)
        return false;
    give_back(thread, &thread->fault.info);
    return true;
}

/* The area's countdown is set first: a signal that comes now is seen by the next block. `held` is read when nothing can
 * come between: while one is held, no other comes. */
void nt_signal_deliver(struct nt_thread *thread)
{
    uint64_t call_mask = thread->call_has_mask ? thread->call_mask : thread->mask;

    thread->area->pending = 0;
    thread->area->countdown = nt.countdown;
    thread->call_has_mask = thread->puts_off = false;
    if (thread->fault.is_held) {
        thread->fault.is_held = false;
        nt_profile_fault(thread);
        if (!is_shown(thread))
            signal_deliver(thread, &thread->fault, thread->mask, true);
        call_mask = thread->mask;
    }
    if (thread->held.is_held) {
        if (call_mask & NT_BIT(thread->held.info.si_signo))
            give_back(thread, &thread->held.info);
        else
            signal_deliver(thread, &thread->held, call_mask, false);
        thread->held.is_held = false;
    }
    for (int signal = 1; nt_signal_ready(thread); signal = signal % 31 + 1) {
        struct nt_held held;

        if (!(thread->mask & NT_BIT(signal)) && (take_kept(&thread->kept, signal, &held.info) ||
                                                 take_kept(&thread->process->kept, signal, &held.info)))
            signal_deliver(thread, &held, thread->mask, false);
    }
    nt_signal_apply_mask(thread);
}
