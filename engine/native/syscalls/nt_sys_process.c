/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_sys_process.c: threads and processes come and go.
 *
 * A child that shares our memory (a thread, a child of vfork or of clone with CLONE_VM) gets a record, an area and
 * stacks before it exists; its engine begins in the dispatcher with the registers that the program's child begins with.
 * A child that does not (fork) goes on with its copy of this thread's record. Meanwhile all signals are blocked and,
 * for a fork, all locks held, so that the child finds nothing half done. If its parent is to wait for it, as in vfork,
 * the kernel is not told: others must not wait, too. The child says by a word in memory that both have when it is about
 * to end or to become another program.
 */
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "engine/native/base/nt_cpuid.h"
#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/kernel/nt_limit.h"
#include "engine/native/kernel/nt_maps.h"
#include "engine/native/kernel/nt_region.h"
#include "engine/native/load/nt_exec.h"
#include "engine/native/profile/nt_consumer.h"
#include "engine/native/profile/nt_profile.h"
#include "engine/native/profile/nt_request.h"
#include "engine/native/signals/nt_signal.h"
#include "engine/native/threads/nt_baton.h"
#include "engine/native/threads/nt_outside.h"
#include "engine/native/translate/nt_code.h"
#include "nt_syscall.h"

enum {
    SET_GS = 0x1001, SET_FS = 0x1002, GET_FS = 0x1003, GET_GS = 0x1004, GET_CPUID = 0x1011, SET_CPUID = 0x1012,
    GET_XCOMP_SUPPORT = 0x1021, REQUEST_XCOMP = 0x1023, SHADOW_STACK_FIRST = 0x5001, SHADOW_STACK_LAST = 0x5005
};
enum { STOPPED = 125, LARGEST_NULL = 3 };
#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

/* ----------------------------------------------------------------------------------- records of threads that end */

static void forget_thread(struct nt_thread *thread)
{
    nt_thread_forget(thread);
    nt_profile_thread_ends(thread);
}

/* The thread ends by the system call `number`, which takes `status`. */
static void __attribute__((noreturn)) end_thread(struct nt_thread *thread, long number, int status)
{
    nt_signal_block_all();
    forget_thread(thread);
    nt_baton_leave();
    nt_gate_exit(&thread->running, status, number);
}

/* A child has left our memory, or never came to be. If it died of a signal's default action and shared its actions,
 * that default is now the kernel's action for all who share them: it gets ours back. */
static void forget_child(struct nt_thread *child)
{
    struct nt_process *process = child->process;

    if (child->died_of != 0) {
        nt_lock_take(&process->lock);
        if (process->users > 1)
            nt_signal_apply_action(process, child->died_of);
        nt_lock_give(&process->lock);
    }
    forget_thread(child);
    child->running = 0;
}

/* What children have left behind that are gone. */
static void forget_gone_children(void)
{
    struct nt_thread *child;

    while ((child = nt_thread_take_gone()) != NULL)
        forget_child(child);
}

/* ----------------------------------------------------------------------------------- children that share memory */

void nt_child_begins(void)
{
    struct nt_thread *child = nt_area_self()->thread;

    nt_thread_become(child);
    if (child->clears_actions)
        nt_signal_clear_actions(child->process);
    nt_signal_apply_mask(child);
    nt_baton_take();
}

/* `stack`: the end of the child's, or 0. `wanted`: what clone3 was told; NULL: this is clone. */
static bool clone_shared(struct nt_thread *thread, struct nt_call *call, uint64_t flags, uint64_t stack,
                         struct clone_args *wanted)
{
    forget_gone_children();
    struct nt_thread *child = nt_thread_new(thread, nt_profile_area(thread), nt_profile_countdown());
    nt_code_thread(nt.code, child->area);
    /* It begins with the parent's registers, behind the call. */
    struct nt_area *area = child->area;
    area->gpr[NT_RAX] = 0;
    area->gpr[NT_RCX] = area->rip;
    area->gpr[NT_R11] = area->flags;
    if (stack != 0)
        area->gpr[NT_RSP] = stack;
    area->exit = NT_RESUME;
    if (!(flags & CLONE_SIGHAND)) {
        child->process->users--;
        child->process = nt_process_copy(thread->process);
        child->process->users = 1;
    }
    child->clears_actions = (flags & CLONE_CLEAR_SIGHAND) != 0;
    if (!(flags & CLONE_THREAD))
        nt_thread_is_child(child, (flags & CLONE_VFORK) != 0);
    if (flags & CLONE_VFORK)
        child->altstack = thread->altstack;
    else if (!(flags & CLONE_THREAD))
        nt_consumer_stop(true); /* the child may outlive our process */
    nt_signal_block_all();
    if (flags & CLONE_VFORK)
        nt_baton_lend();
    else
        nt_lock_take(&nt_thread_lock); /* the record is not another thread's before the child's number is in it */
    if (wanted == NULL) {
        NT_ARG(call, 1) = area->engine_sp;
    } else {
        wanted->stack = (uint64_t)child->engine_low;
        wanted->stack_size = area->engine_sp - wanted->stack;
    }
    call->result = nt_gate_clone(call->raw, child->area);
    if (call->result == -EAGAIN && nt_consumer_tid() != 0) { /* there are as many as there may be */
        nt_consumer_stop(true);
        call->result = nt_gate_clone(call->raw, child->area);
    }
    if (flags & CLONE_VFORK) {
        nt_baton_take();
    } else {
        int none = 0, tid = (int)call->result; /* it has not begun, and may be killed before */
        if (tid > 0)
            __atomic_compare_exchange_n(&child->tid, &none, tid, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        nt_lock_give(&nt_thread_lock);
    }
    /* The child of vfork has become another program by now, or has ended. */
    if (flags & CLONE_VFORK && !child->outside)
        nt_thread_killed_inside(child);
    if (nt_failed(call->result) || flags & CLONE_VFORK)
        forget_child(child);
    nt_signal_apply_mask(thread);
    return true;
}

/* ----------------------------------------------------------------------------------- children with a copy of it */

/* In such a child: the word that says that it has gone; NULL: nobody waits for that. */
static int *parent_waits_for;

static void let_parent_go_on(void)
{
    if (parent_waits_for == NULL)
        return;
    __atomic_store_n(parent_waits_for, 1, __ATOMIC_RELEASE);
    nt_futex(parent_waits_for, FUTEX_WAKE, 1);
}

/* It may be killed without a word, or be reaped by another thread. */
static bool has_ended(int child)
{
    siginfo_t info = {0};
    long result = nt_sys6(__NR_waitid, P_PID, child, (long)&info, WEXITED | WNOHANG | WNOWAIT | __WALL, 0, 0);

    return nt_failed(result) ? nt_failed(nt_sys3(__NR_kill, child, 0, 0)) : info.si_pid != 0;
}

static void wait_until_gone(int *word, int child)
{
    const struct __kernel_timespec most = {0, 5000000}; /* before it is asked whether the child was killed */

    nt_baton_give();
    while (!__atomic_load_n(word, __ATOMIC_ACQUIRE) && !has_ended(child))
        nt_sys6(__NR_futex, (long)word, FUTEX_WAIT, 0, (long)&most, 0, 0);
    nt_baton_take();
}

static struct nt_lock *const locks[] = {&nt_memory_lock, &nt.translation, &nt_maps_lock, &nt_thread_lock,
                                        &nt_consumer_lock};
enum { LOCKS = sizeof locks / sizeof locks[0] };

/* The call's own flags are without CLONE_VFORK. */
static bool clone_copied(struct nt_thread *thread, struct nt_call *call, uint64_t flags, uint64_t stack)
{
    int *word = flags & CLONE_VFORK ? nt_host_shared_page() : NULL;

    nt_stop_others(thread);
    nt_profile_forks();
    nt_lock_take(&thread->process->lock);
    for (int i = 0; i < LOCKS; i++)
        nt_lock_take(locks[i]);
    nt_consumer_end();
    nt_lock_take(&nt_host_lock); /* not earlier: the consumer wants memory */
    nt_lock_take(&nt_limit_sizes);
    nt_lock_take(&nt_limit_lock);
    nt_lock_take(&nt_limit_descriptors);
    nt_signal_block_all();
    call->result = nt_sys6((long)call->raw[0], (long)NT_ARG(call, 0), (long)NT_ARG(call, 1), (long)NT_ARG(call, 2),
                           (long)NT_ARG(call, 3), (long)NT_ARG(call, 4), 0);
    nt_lock_give(&nt_limit_descriptors);
    nt_lock_give(&nt_limit_lock);
    nt_lock_give(&nt_limit_sizes);
    nt_lock_give(&nt_host_lock);
    if (call->result == 0) {
        nt_thread_alone(thread);
        nt_thread_fs(thread);
        nt_request_lock.state = 0; /* its holder is not here */
        parent_waits_for = word;
        nt_profile_forked(thread, (flags & CLONE_FILES) != 0);
        if (stack != 0)
            thread->area->gpr[NT_RSP] = stack;
        if (flags & CLONE_CLEAR_SIGHAND)
            nt_signal_clear_actions(thread->process);
        if (nt.forks_change_code)
            nt_code_invalidate(nt.code, 0, UINT64_MAX);
    }
    for (int i = LOCKS; i-- > 0;)
        nt_lock_give(locks[i]);
    nt_lock_give(&thread->process->lock);
    nt_others_go_on(thread);
    if (word != NULL && call->result > 0)
        wait_until_gone(word, (int)call->result);
    if (word != NULL && call->result != 0)
        nt_sys3(__NR_munmap, (long)word, NT_PAGE, 0);
    nt_signal_apply_mask(thread);
    return true;
}

bool nt_sys_clone(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t flags = (uint32_t)NT_ARG(call, 0), stack = NT_ARG(call, 1);

    if (flags & CLONE_VM)
        return clone_shared(thread, call, flags, stack, NULL);
    NT_ARG(call, 0) &= ~(uint64_t)CLONE_VFORK;
    NT_ARG(call, 1) = 0; /* it goes on with ours */
    return clone_copied(thread, call, flags, stack);
}

/* What the program says, as far as it is known here; 0 or an error number. */
static int read_clone_args(uint64_t from, uint64_t size, struct clone_args *wanted)
{
    memset(wanted, 0, sizeof *wanted);
    if (size > NT_PAGE)
        return E2BIG;
    if (size < CLONE_ARGS_SIZE_VER0)
        return EINVAL;
    if (nt_copy(wanted, (const void *)from, size < sizeof *wanted ? size : sizeof *wanted) != 0)
        return EFAULT;
    for (uint64_t i = sizeof *wanted; i < size; i++) {
        char byte;

        if (nt_copy(&byte, (const void *)(from + i), 1) != 0)
            return EFAULT;
        if (byte != 0)
            return E2BIG;
    }
    if ((wanted->stack == 0) != (wanted->stack_size == 0) || wanted->stack + wanted->stack_size < wanted->stack ||
        wanted->stack + wanted->stack_size > NT_USER_END)
        return EINVAL;
    return (wanted->flags & CLONE_CLEAR_SIGHAND) && (wanted->flags & CLONE_SIGHAND) ? EINVAL : 0;
}

/* The kernel gets a copy: with a stack of the engine's, and the engine's own actions are never cleared. */
bool nt_sys_clone3(struct nt_thread *thread, struct nt_call *call)
{
    struct clone_args wanted;
    int error = read_clone_args(NT_ARG(call, 0), NT_ARG(call, 1), &wanted);

    if (error != 0)
        return nt_call_fail(call, error);
    uint64_t flags = wanted.flags, stack = wanted.stack + wanted.stack_size;
    wanted.flags &= ~CLONE_CLEAR_SIGHAND;
    wanted.stack = wanted.stack_size = 0;
    NT_ARG(call, 0) = (uint64_t)&wanted;
    NT_ARG(call, 1) = sizeof wanted;
    if (flags & CLONE_VM)
        return clone_shared(thread, call, flags, stack, &wanted);
    wanted.flags &= ~(uint64_t)CLONE_VFORK;
    return clone_copied(thread, call, flags, stack);
}

bool nt_sys_fork(struct nt_thread *thread, struct nt_call *call)
{
    memset(&call->raw[1], 0, sizeof call->raw - sizeof call->raw[0]);
    return clone_copied(thread, call, 0, 0);
}

/* The same as clone, which lets us choose the stack. */
bool nt_sys_vfork(struct nt_thread *thread, struct nt_call *call)
{
    memset(call->raw, 0, sizeof call->raw);
    call->raw[0] = __NR_clone;
    NT_ARG(call, 0) = CLONE_VM | CLONE_VFORK | 17; /* SIGCHLD */
    return clone_shared(thread, call, CLONE_VM | CLONE_VFORK, 0, NULL);
}

/* ----------------------------------------------------------------------------------- ends */

bool nt_sys_exit(struct nt_thread *thread, struct nt_call *call)
{
    if (thread->is_vfork) /* its parent does the rest */
        return nt_call_pass(thread, call);
    nt_signal_block_sent();
    /* Nobody else would get what is held. It comes once: a timer's could come for ever. */
    if (thread->held.is_held && !thread->took_last) {
        thread->took_last = true;
        thread->puts_off = false;
        thread->area->pending = 1;
        nt_signal_apply_mask(thread);
        return false;
    }
    if (nt_thread_ends_last(thread)) { /* which is the program's end */
        nt_finish();
        nt_consumer_stop(true);
    }
    if (!thread->is_child && thread->tid == nt_process_id()) /* the kernel waits for this one alone */
        let_parent_go_on();
    end_thread(thread, __NR_exit, (int)NT_ARG(call, 0));
}

bool nt_sys_exit_group(struct nt_thread *thread, struct nt_call *call)
{
    if (thread->is_child && !thread->is_vfork)
        end_thread(thread, __NR_exit_group, (int)NT_ARG(call, 0));
    nt_finish();
    if (!thread->is_child)
        let_parent_go_on();
    if (nt_profile_is_over()) /* no signal is delivered any more */
        nt_sys3(__NR_exit_group, (long)NT_ARG(call, 0), 0, 0);
    return nt_call_pass(thread, call);
}

bool nt_sys_wait(struct nt_thread *thread, struct nt_call *call)
{
    nt_call_give_back_stored(call);
    if (!nt_call_pass(thread, call))
        return false;
    if (!nt_failed(call->result))
        forget_gone_children();
    return true;
}

/* What the kernel lets only those do who share nothing with another thread. */
bool nt_sys_alone(struct nt_thread *thread, struct nt_call *call)
{
    nt_consumer_stop(false);
    return nt_call_pass(thread, call);
}

/* Another program keeps what is blocked and what is ignored, faults' signals included. From the last part on nothing of
 * this one runs any more, signal handlers included: the baton is kept, but by a child, whose parent wants it. */
static bool process_execute(struct nt_thread *thread, struct nt_call *call, const struct nt_exec *exec)
{
    if (!nt_exec_succeeds(exec))
        return nt_call_pass(thread, call);
    nt_signal_block_sent();
    if (thread->area->pending) {
        nt_signal_apply_mask(thread);
        return false;
    }
    nt_profile_become(!thread->is_child, exec->path);
    if (!thread->is_child)
        let_parent_go_on();
    nt_signal_leave(thread);
    if (thread->is_child) {
        thread->has_left = true;
        nt_baton_give();
    }
    if (nt.options.trace_children) {
        nt_exec_traced(exec, thread->own_limits, nt_signal_execute);
        nt_say("the program that is executed is not profiled: the engine cannot be executed (no /proc, or no file that "
               "it could find)\n");
    }
    nt_limit_leave(thread->own_limits);
    call->result = nt_signal_execute(call->raw);
    nt_profile_stays();
    if (thread->is_child) {
        thread->has_left = false;
        nt_baton_take();
    } else if (nt_profile_is_over()) {
        nt_die(STOPPED, "an exec has failed (error %ld) that the engine took for good, and the program ended there\n",
               -call->result);
    }
    nt_signal_stay(thread);
    return true;
}

/* The program's file, if `path` is a link to the executable's, by its whole path. Links to links are not followed. */
static const char *own_by_link(long folder, uint64_t path)
{
    char text[64];
    long length = nt_sys6(__NR_readlinkat, folder, (long)path, (long)text, sizeof text - 1, 0, 0);

    if (nt_failed(length))
        return NULL;
    text[length] = '\0';
    return text[0] == '/' ? nt_file_own(folder, (uint64_t)text) : NULL;
}

/* `argument`: where the path is among the call's arguments, with the two vectors behind it. */
static bool execute_path(struct nt_thread *thread, struct nt_call *call, long folder, int argument,
                         uint64_t flags)
{
    uint64_t *arguments = &NT_ARG(call, argument);
    const char *own = flags & AT_SYMLINK_NOFOLLOW ? NULL : nt_file_own(folder, arguments[0]);

    if (own == NULL && !(flags & AT_SYMLINK_NOFOLLOW))
        own = own_by_link(folder, arguments[0]);
    if (own != NULL)
        arguments[0] = (uint64_t)own;
    return process_execute(thread, call,
                           &(struct nt_exec){folder, arguments[0], arguments[1], arguments[2], (long)flags});
}

bool nt_sys_execve(struct nt_thread *thread, struct nt_call *call)
{
    return execute_path(thread, call, AT_FDCWD, 0, 0);
}

bool nt_sys_execveat(struct nt_thread *thread, struct nt_call *call)
{
    return execute_path(thread, call, (int)NT_ARG(call, 0), 1, NT_ARG(call, 4));
}

/* ----------------------------------------------------------------------------------- what a thread can set */

void nt_fs_load(struct nt_thread *thread, uint16_t selector)
{
    __asm__ volatile("mov %w0, %%fs" : : "r"(selector));
    nt_thread_fs(thread);
}

/* The CPU's own GS has the selector then, as the program may ask, and our base. The null selector may leave the base as
 * it is. No signal may come while it is not ours. The kernel sets a base by nulling the selector. */
bool nt_gs_load(struct nt_thread *thread, uint16_t selector)
{
    uint64_t ours = (uint64_t)(thread->area + 1), base = ours;
    bool by_instruction = nt_cpuid_has(NT_CPUID_FSGSBASE);

    if (!by_instruction && selector > LARGEST_NULL)
        return false;
    nt_signal_block_all();
    if (by_instruction) {
        __asm__ volatile("mov %w1, %%gs; rdgsbase %0; wrgsbase %2" : "=&r"(base) : "r"(selector), "r"(ours));
    } else {
        __asm__ volatile("mov %w0, %%gs" : : "r"(selector));
        nt_sys3(__NR_arch_prctl, GET_GS, (long)&base, 0);
        nt_sys3(__NR_arch_prctl, SET_GS, (long)ours, 0);
    }
    nt_signal_apply_mask(thread);
    if (base != ours)
        thread->area->gs_base = base;
    return true;
}

bool nt_sys_arch_prctl(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t what = (uint32_t)NT_ARG(call, 0), value = NT_ARG(call, 1);

    if (what == SET_GS) {
        if (value >= NT_USER_END)
            return nt_call_fail(call, EPERM);
        nt_gs_load(thread, 0);
        thread->area->gs_base = value;
        call->result = 0;
        return true;
    }
    if (what == GET_GS) {
        call->result =
            nt_copy((void *)value, &thread->area->gs_base, sizeof thread->area->gs_base) == 0 ? 0 : -EFAULT;
        return true;
    }
    if (what == SET_CPUID || (what >= GET_XCOMP_SUPPORT && what <= REQUEST_XCOMP + 2) ||
        (what >= SHADOW_STACK_FIRST && what <= SHADOW_STACK_LAST))
        return nt_call_fail(call, EINVAL);
    bool done = nt_call_pass(thread, call);
    if (what == SET_FS)
        nt_thread_fs(thread);
    return done;
}

bool nt_sys_prctl(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t what = (uint32_t)NT_ARG(call, 0);

    if (what == PR_SET_MM)
        return nt_call_fail(call, EPERM);
    if (what == PR_SET_MDWE && NT_ARG(call, 1) & PR_MDWE_REFUSE_EXEC_GAIN)
        nt_memory_sealed(0, NT_USER_END);
    /* As on a kernel without seccomp, see nt_syscall.c. */
    if (what == PR_SET_SECCOMP || what == PR_GET_SECCOMP || what == PR_SET_SYSCALL_USER_DISPATCH)
        return nt_call_fail(call, EINVAL);
    return nt_call_pass(thread, call);
}

/* What a child that shares our memory sets is its own, and the kernel keeps it; its other limits are the program's. */
static bool process_limit(struct nt_thread *thread, struct nt_call *call, uint64_t resource, uint64_t now,
                          uint64_t old)
{
    int i = nt_limit_number(resource);

    if (i < 0 || (now == 0 && old == 0)) /* an error, but for prlimit */
        return nt_call_pass(thread, call);
    if (thread->is_child && now != 0)
        thread->own_limits |= (uint8_t)(1U << i);
    if (thread->own_limits & 1U << i)
        return nt_call_pass(thread, call);
    return nt_call_fail(call, nt_limit_get_and_set(i, now, old));
}

bool nt_sys_prlimit(struct nt_thread *thread, struct nt_call *call)
{
    int process = (int)NT_ARG(call, 0);

    if (process != 0 && process != nt_process_id())
        return nt_call_pass(thread, call);
    return process_limit(thread, call, (uint32_t)NT_ARG(call, 1), NT_ARG(call, 2), NT_ARG(call, 3));
}

bool nt_sys_setrlimit(struct nt_thread *thread, struct nt_call *call)
{
    return process_limit(thread, call, (uint32_t)NT_ARG(call, 0), NT_ARG(call, 1), 0);
}

bool nt_sys_getrlimit(struct nt_thread *thread, struct nt_call *call)
{
    return process_limit(thread, call, (uint32_t)NT_ARG(call, 0), 0, NT_ARG(call, 1));
}
