/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_sys_signal.c: system calls about signals: actions, masks, the alternate stack, calls that wait for a signal or
 * bring a mask along, the signal that nobody can take, and being traced by one's own.
 *
 * What the kernel keeps, and whom it interrupts, is right by itself (nt_signal.h).
 */
#include <linux/ptrace.h>

#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/profile/nt_profile.h"
#include "engine/native/profile/nt_request.h"
#include "engine/native/signals/nt_signal.h"
#include "engine/native/threads/nt_outside.h"
#include "nt_syscall.h"

enum { MASK_BYTES = 8, LEAST_STACK = 2048 };

/* What the kernel keeps of an action's flags. */
#ifndef SA_EXPOSE_TAGBITS
#define SA_EXPOSE_TAGBITS 0x800
#endif
#define FLAGS_KNOWN                                                                                             \
    (SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER | SA_RESETHAND |           \
     SA_RESTORER | SA_EXPOSE_TAGBITS)
#define NEVER_BLOCKED (NT_BIT(SIGKILL) | NT_BIT(SIGSTOP))

static bool signal_give(uint64_t to, const void *from, size_t bytes)
{
    return to == 0 || nt_copy((void *)to, from, bytes) == 0;
}

bool nt_sys_rt_sigaction(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t signal = (uint32_t)NT_ARG(call, 0);
    struct nt_process *process = thread->process;
    struct nt_action new;

    if (NT_ARG(call, 3) != MASK_BYTES)
        return nt_call_fail(call, EINVAL);
    if (NT_ARG(call, 1) != 0 && nt_copy(&new, (const void *)NT_ARG(call, 1), sizeof new) != 0)
        return nt_call_fail(call, EFAULT);
    if (signal == 0 || signal >= NT_SIGNALS || (NT_ARG(call, 1) != 0 && (signal == SIGKILL || signal == SIGSTOP)))
        return nt_call_fail(call, EINVAL);
    nt_lock_take(&process->lock);
    struct nt_action old = process->action[signal];
    if (NT_ARG(call, 1) != 0) {
        new.mask &= ~NEVER_BLOCKED;
        new.flags &= FLAGS_KNOWN;
        process->action[signal] = new;
        nt_signal_apply_action(process, (int)signal);
    }
    nt_lock_give(&process->lock);
    call->result = signal_give(NT_ARG(call, 2), &old, sizeof old) ? 0 : -EFAULT;
    return true;
}

bool nt_sys_rt_sigprocmask(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t set, old = thread->mask;
    int how = (int)NT_ARG(call, 0);

    if (NT_ARG(call, 3) != MASK_BYTES)
        return nt_call_fail(call, EINVAL);
    if (NT_ARG(call, 1) != 0) {
        if (nt_copy(&set, (const void *)NT_ARG(call, 1), sizeof set) != 0)
            return nt_call_fail(call, EFAULT);
        if (how == SIG_BLOCK)
            thread->mask |= set;
        else if (how == SIG_UNBLOCK)
            thread->mask &= ~set;
        else if (how == SIG_SETMASK)
            thread->mask = set;
        else
            return nt_call_fail(call, EINVAL);
        thread->mask &= ~NEVER_BLOCKED;
        nt_signal_apply_mask(thread);
        if (nt_signal_ready(thread))
            thread->area->pending = 1;
    }
    call->result = signal_give(NT_ARG(call, 2), &old, sizeof old) ? 0 : -EFAULT;
    return true;
}

bool nt_sys_rt_sigreturn(struct nt_thread *thread, struct nt_call *call)
{
    call->keeps_registers = true;
    nt_profile_handled(thread);
    nt_signal_returns(thread);
    if (!nt_frame_pop(thread))
        nt_signal_fault(thread, SIGSEGV, SI_KERNEL, 0);
    nt_signal_apply_mask(thread);
    if (nt_signal_ready(thread))
        thread->area->pending = 1;
    return true;
}

bool nt_sys_sigaltstack(struct nt_thread *thread, struct nt_call *call)
{
    stack_t new, old = thread->altstack;
    bool is_on = nt_frame_on_altstack(thread);

    old.ss_flags = (old.ss_flags & (int)SS_AUTODISARM) | (old.ss_size == 0 ? SS_DISABLE : is_on ? SS_ONSTACK : 0);
    if (NT_ARG(call, 0) != 0) {
        if (nt_copy(&new, (const void *)NT_ARG(call, 0), sizeof new) != 0)
            return nt_call_fail(call, EFAULT);
        if (is_on)
            return nt_call_fail(call, EPERM);
        int mode = new.ss_flags & ~(int)SS_AUTODISARM;
        if (mode != SS_DISABLE && mode != SS_ONSTACK && mode != 0)
            return nt_call_fail(call, EINVAL);
        if (mode == SS_DISABLE) {
            new.ss_size = 0;
            new.ss_sp = NULL;
        } else if (new.ss_size < LEAST_STACK) {
            return nt_call_fail(call, ENOMEM);
        }
        thread->altstack = new;
    }
    call->result = signal_give(NT_ARG(call, 1), &old, sizeof old) ? 0 : -EFAULT;
    return true;
}

bool nt_sys_rt_sigpending(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t pending;

    if (!nt_call_pass(thread, call))
        return false;
    if (call->result == 0 && nt_signal_kept(thread) != 0 && NT_ARG(call, 1) == MASK_BYTES &&
        nt_copy(&pending, (const void *)NT_ARG(call, 0), sizeof pending) == 0) {
        pending |= nt_signal_kept(thread) & thread->mask;
        signal_give(NT_ARG(call, 0), &pending, sizeof pending);
    }
    return true;
}

/* Whether the call has ended by a nudge, or since another thread took the signal first, which it will keep for this
 * one. What is kept is given to the kernel when the call is made again. */
static bool has_waited_for_nothing(const struct nt_thread *thread, const struct nt_call *call, const siginfo_t *info)
{
    if (thread->puts_off)
        return false;
    if (call->result == -EINTR)
        return thread->waits & NT_FAULTS && !thread->held.is_held;
    return !nt_failed(call->result) && nt_signal_is_nudge(info);
}

/* The information comes by a place of ours, in which a nudge is found out. */
bool nt_sys_rt_sigtimedwait(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t to = NT_ARG(call, 1), set;
    siginfo_t info;
    bool was_made;

    if (NT_ARG(call, 3) != MASK_BYTES || nt_copy(&set, (const void *)NT_ARG(call, 0), sizeof set) != 0)
        return nt_call_pass(thread, call);
    NT_ARG(call, 1) = (uint64_t)&info;
    thread->waits = set;
    do {
        was_made = nt_call_pass(thread, call);
    } while (was_made && has_waited_for_nothing(thread, call, &info));
    thread->waits = 0;
    if (was_made && !nt_failed(call->result) && nt_signal_is_nudge(&info))
        return nt_call_fail(call, EINTR);
    if (was_made && !nt_failed(call->result) && !signal_give(to, &info, sizeof info))
        call->result = -EFAULT;
    return was_made;
}

/* ----------------------------------------------------------------------------- calls with a mask for their time */

/* Make the call, which brings the mask at `at`. A handler that ends the call runs with this mask and its own; when it
 * returns, the thread has its old one again. */
static bool pass_with_mask(struct nt_thread *thread, struct nt_call *call, uint64_t at)
{
    uint64_t mask;

    if (at == 0 || nt_copy(&mask, (const void *)at, sizeof mask) != 0)
        return nt_call_pass(thread, call);
    thread->call_mask = mask & ~NEVER_BLOCKED;
    thread->call_has_mask = true;
    bool was_made = nt_call_pass(thread, call);
    if (!was_made || !thread->held.is_held)
        thread->call_has_mask = false;
    return was_made;
}

bool nt_sys_rt_sigsuspend(struct nt_thread *thread, struct nt_call *call)
{
    return pass_with_mask(thread, call, NT_ARG(call, 0));
}

bool nt_sys_ppoll(struct nt_thread *thread, struct nt_call *call)
{
    return pass_with_mask(thread, call, NT_ARG(call, 3));
}

bool nt_sys_epoll_pwait(struct nt_thread *thread, struct nt_call *call)
{
    return pass_with_mask(thread, call, NT_ARG(call, 4));
}

/* Where it waits: the mask, or where a structure is that begins with it. */
bool nt_sys_io_uring_enter(struct nt_thread *thread, struct nt_call *call)
{
    const uint64_t waits = 1, structure = 8, registered = 64; /* IORING_ENTER_GETEVENTS, _EXT_ARG, _EXT_ARG_REG */
    uint64_t flags = NT_ARG(call, 3), at = NT_ARG(call, 4);

    if (!(flags & waits) || flags & registered || (flags & structure && nt_copy(&at, (const void *)at, sizeof at) != 0))
        return nt_call_pass(thread, call);
    return pass_with_mask(thread, call, at);
}

/* And io_pgetevents. */
bool nt_sys_pselect6(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t pair[2]; /* the mask's address and size */

    if (NT_ARG(call, 5) == 0 || nt_copy(pair, (const void *)NT_ARG(call, 5), sizeof pair) != 0)
        return nt_call_pass(thread, call);
    return pass_with_mask(thread, call, pair[0]);
}

/* ----------------------------------------------------------------------------- SIGKILL */

static void make_at_once(struct nt_call *call)
{
    call->result = nt_sys6((long)call->raw[0], (long)call->raw[1], (long)call->raw[2], (long)call->raw[3],
                           (long)call->raw[4], (long)call->raw[5], (long)call->raw[6]);
}

/* Nobody can take it: whoever sends it to this process has the last part written first, unless the kernel would not
 * send it: so it is asked with signal 0. The baton is not given back, so that nothing of the program runs meanwhile. A
 * child writes nothing, and has nothing of the engine in its hands. `signal`: which argument that is. */
static bool kill_all(struct nt_thread *thread, struct nt_call *call, int signal)
{
    if (thread->is_child) {
        thread->died_of = SIGKILL;
        bool was_made = nt_call_pass(thread, call);
        thread->died_of = 0;
        return was_made;
    }
    NT_ARG(call, signal) = 0;
    make_at_once(call);
    if (nt_failed(call->result))
        return true;
    nt_finish();
    NT_ARG(call, signal) = SIGKILL;
    make_at_once(call);
    nt_die(128 + SIGKILL, "could not end by signal %d\n", SIGKILL);
}

/* Whether the thread has been killed. It may still run, until its processor is told. */
static bool is_killed(const struct nt_thread *thread)
{
    static const char *const keys[] = {"\nSigPnd:\t", "\nShdPnd:\t"};
    char text[2048];
    uint64_t pending = 0;

    if (nt_thread_is_gone(thread))
        return true;
    if (!nt_host_read_thread(thread->tid, "status", text, sizeof text))
        return false;
    for (const char *line = text; *line != '\0'; line++) {
        for (unsigned i = 0; i < 2; i++) {
            const char *number = nt_after(line, keys[i]);
            if (number != NULL)
                pending |= nt_number(&number, 16);
        }
    }
    return pending & NT_BIT(SIGKILL);
}

/* A call that ends or stops others that share our memory: not in the middle of the engine, where they may hold what
 * others wait for. One that sleeps in the kernel, however long, never comes back from there. `stopped`: a thread that
 * is stopped where the call succeeds, or 0. */
static bool pass_at_rest(struct nt_thread *thread, struct nt_call *call, int stopped)
{
    thread->outside = 1;
    nt_lock_take(&nt_request_lock); /* its holder may rest while others are stopped */
    nt_stop_others(thread);
    nt_lock_take(&nt_thread_lock); /* one that makes a child has it in hand while the kernel does */
    make_at_once(call);
    for (struct nt_thread *other = nt_threads; other != NULL; other = other->next) {
        bool ends = other->running && other->is_child && is_killed(other);
        bool stops = other->running && other->tid == stopped && !nt_failed(call->result);

        for (unsigned times = 0; (ends || stops) && nt_host_thread_state(other->tid) == 'R'; times++)
            nt_yield(times);
        if (ends)
            other->died_of = SIGKILL; /* with nothing of the engine in its hands */
    }
    nt_lock_give(&nt_thread_lock);
    nt_others_go_on(thread);
    nt_lock_give(&nt_request_lock);
    return true;
}

/* Any other call that sends it. A child is passed: it may be killed as well, and would let nobody go on. */
static bool kill_others(struct nt_thread *thread, struct nt_call *call)
{
    if (thread->is_child || !nt_thread_has_children())
        return nt_call_pass(thread, call);
    return pass_at_rest(thread, call, 0);
}

/* To a process, by the number of any of its threads, or to one's own group. */
bool nt_sys_kill(struct nt_thread *thread, struct nt_call *call)
{
    int to = (int)NT_ARG(call, 0);

    if ((int)NT_ARG(call, 1) != SIGKILL)
        return nt_call_pass(thread, call);
    if ((to > 0 && nt_sys3(__NR_tgkill, nt_process_id(), to, 0) == 0) ||
        (call->raw[0] == __NR_kill && (to == 0 || (to < -1 && -to == (int)nt_sys3(__NR_getpgid, 0, 0, 0)))))
        return kill_all(thread, call, 1);
    return kill_others(thread, call);
}

/* To one of its threads. */
bool nt_sys_tgkill(struct nt_thread *thread, struct nt_call *call)
{
    if ((int)NT_ARG(call, 2) != SIGKILL)
        return nt_call_pass(thread, call);
    if ((int)NT_ARG(call, 0) == nt_process_id())
        return kill_all(thread, call, 2);
    return kill_others(thread, call);
}

bool nt_sys_tkill(struct nt_thread *thread, struct nt_call *call)
{
    if ((int)NT_ARG(call, 1) != SIGKILL)
        return nt_call_pass(thread, call);
    if (nt_sys3(__NR_tgkill, nt_process_id(), (int)NT_ARG(call, 0), 0) == 0)
        return kill_all(thread, call, 1);
    return kill_others(thread, call);
}

/* Whether it is one of the numbers that stand for oneself (PIDFD_SELF_THREAD_GROUP, PIDFD_SELF_THREAD), a descriptor of
 * this process or of a thread of it, or one of its folder in /proc. */
static bool stands_for_self(int fd)
{
    static const char key[] = "\nPid:\t";
    char path[40], text[512];
    const char *at = text;

    if (fd == -10001 || fd == -10000)
        return true;
    nt_format(path, sizeof path, "/proc/thread-self/fdinfo/%d", fd);
    if (!nt_host_read_text(path, text, sizeof text))
        return false;
    while (*at != '\0' && nt_after(at, key) == NULL)
        at++;
    at = nt_after(at, key);
    if (at == NULL && !nt_failed(nt_host_name_of(fd, path, sizeof path)))
        at = nt_after(path, "/proc/");
    return at != NULL && nt_sys3(__NR_tgkill, nt_process_id(), (long)nt_number(&at, 10), 0) == 0;
}

/* To the process that a descriptor stands for. The kernel refuses information about another signal. */
bool nt_sys_pidfd_send_signal(struct nt_thread *thread, struct nt_call *call)
{
    siginfo_t info = {.si_signo = SIGKILL};
    const void *given = (const void *)NT_ARG(call, 2);

    if ((int)NT_ARG(call, 1) != SIGKILL)
        return nt_call_pass(thread, call);
    bool is_good = given == NULL || (nt_copy(&info, given, sizeof info) == 0 && info.si_signo == SIGKILL);
    if (!is_good || !stands_for_self((int)NT_ARG(call, 0)))
        return kill_others(thread, call);
    NT_ARG(call, 2) = 0;
    return kill_all(thread, call, 1);
}

/* A thread that is stopped by another one of this memory (LeakSanitizer stops all so at a program's end): at rest,
 * where nobody waits for it and it holds nothing. */
bool nt_sys_ptrace(struct nt_thread *thread, struct nt_call *call)
{
    if ((NT_ARG(call, 0) != PTRACE_ATTACH && NT_ARG(call, 0) != PTRACE_INTERRUPT) || !nt_thread_has_children())
        return nt_call_pass(thread, call);
    return pass_at_rest(thread, call, (int)NT_ARG(call, 1));
}
