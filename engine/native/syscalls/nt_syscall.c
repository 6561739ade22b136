/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_syscall.c: see nt_syscall.h. */
#include "nt_syscall.h"

#include "engine/native/base/nt_engine.h"
#include "engine/native/profile/nt_request.h"
#include "engine/native/profile/nt_profile.h"
#include "engine/native/threads/nt_baton.h"

#ifndef __NR_epoll_pwait2
#define __NR_epoll_pwait2 441
#endif
#ifndef __NR_mseal
#define __NR_mseal 462
#endif

static nt_call_handler *const handlers[] = {
    [__NR_brk] = nt_sys_brk,
    [__NR_mmap] = nt_sys_mmap,
    [__NR_munmap] = nt_sys_munmap,
    [__NR_mprotect] = nt_sys_mprotect,
    [__NR_pkey_mprotect] = nt_sys_mprotect,
    [__NR_mremap] = nt_sys_mremap,
    [__NR_madvise] = nt_sys_madvise,
    [__NR_process_madvise] = nt_sys_process_madvise,
    [__NR_mseal] = nt_sys_mseal,
    [__NR_userfaultfd] = nt_sys_userfaultfd,
    [__NR_ioctl] = nt_sys_ioctl,
    [__NR_mlockall] = nt_sys_mlockall,
    [__NR_munlockall] = nt_sys_munlockall,
    [__NR_shmat] = nt_sys_shmat,
    [__NR_shmdt] = nt_sys_shmdt,
    [__NR_write] = nt_sys_write,
    [__NR_pwrite64] = nt_sys_write,
    [__NR_writev] = nt_sys_write,
    [__NR_pwritev] = nt_sys_write,
    [__NR_pwritev2] = nt_sys_write,
    [__NR_process_vm_writev] = nt_sys_process_vm_writev,
    [__NR_read] = nt_sys_read,
    [__NR_pread64] = nt_sys_read,
    [__NR_recvfrom] = nt_sys_read,
    [__NR_msgrcv] = nt_sys_read,
    [__NR_mq_timedreceive] = nt_sys_read,
    [__NR_accept] = nt_sys_accept,
    [__NR_accept4] = nt_sys_accept,
    [__NR_sendfile] = nt_sys_accept,
    [__NR_copy_file_range] = nt_sys_accept,
    [__NR_splice] = nt_sys_accept,
    [__NR_getrandom] = nt_sys_getrandom,
    [__NR_readv] = nt_sys_readv,
    [__NR_preadv] = nt_sys_readv,
    [__NR_preadv2] = nt_sys_readv,
    [__NR_process_vm_readv] = nt_sys_readv,
    [__NR_io_submit] = nt_sys_io_submit,
    [__NR_recvmsg] = nt_sys_recvmsg,
    [__NR_recvmmsg] = nt_sys_recvmmsg,
    [__NR_remap_file_pages] = nt_sys_refuse, /* the kernel only emulates it, too */

    [__NR_clone] = nt_sys_clone,
    [__NR_clone3] = nt_sys_clone3,
    [__NR_fork] = nt_sys_fork,
    [__NR_vfork] = nt_sys_vfork,
    [__NR_execve] = nt_sys_execve,
    [__NR_execveat] = nt_sys_execveat,
    [__NR_exit] = nt_sys_exit,
    [__NR_wait4] = nt_sys_wait,
    [__NR_waitid] = nt_sys_wait,
    [__NR_unshare] = nt_sys_alone,
    [__NR_setns] = nt_sys_alone,
    [__NR_exit_group] = nt_sys_exit_group,
    [__NR_arch_prctl] = nt_sys_arch_prctl,
    [__NR_prctl] = nt_sys_prctl,
    [__NR_prlimit64] = nt_sys_prlimit,
    [__NR_setrlimit] = nt_sys_setrlimit,
    [__NR_getrlimit] = nt_sys_getrlimit,
    [__NR_rseq] =
        nt_sys_refuse, /* its abort handlers are addresses of the program's, not of generated code */
    [__NR_seccomp] = nt_sys_refuse, /* a filter would hold for the engine's calls */

    [__NR_rt_sigaction] = nt_sys_rt_sigaction,
    [__NR_rt_sigprocmask] = nt_sys_rt_sigprocmask,
    [__NR_rt_sigreturn] = nt_sys_rt_sigreturn,
    [__NR_sigaltstack] = nt_sys_sigaltstack,
    [__NR_rt_sigpending] = nt_sys_rt_sigpending,
    [__NR_rt_sigtimedwait] = nt_sys_rt_sigtimedwait,
    [__NR_rt_sigsuspend] = nt_sys_rt_sigsuspend,
    [__NR_ppoll] = nt_sys_ppoll,
    [__NR_pselect6] = nt_sys_pselect6,
    [__NR_io_pgetevents] = nt_sys_pselect6,
    [__NR_io_uring_enter] = nt_sys_io_uring_enter,
    [__NR_epoll_pwait] = nt_sys_epoll_pwait,
    [__NR_epoll_pwait2] = nt_sys_epoll_pwait,
    [__NR_kill] = nt_sys_kill,
    [__NR_rt_sigqueueinfo] = nt_sys_kill,
    [__NR_tgkill] = nt_sys_tgkill,
    [__NR_rt_tgsigqueueinfo] = nt_sys_tgkill,
    [__NR_tkill] = nt_sys_tkill,
    [__NR_pidfd_send_signal] = nt_sys_pidfd_send_signal,
    [__NR_ptrace] = nt_sys_ptrace,

    [__NR_open] = nt_sys_open,
    [__NR_openat] = nt_sys_openat,
    [__NR_openat2] = nt_sys_openat2,
    [__NR_creat] = nt_sys_creat,
    [__NR_truncate] = nt_sys_truncate,
    [__NR_stat] = nt_sys_path,
    [__NR_access] = nt_sys_path,
    [__NR_newfstatat] = nt_sys_path_at,
    [__NR_statx] = nt_sys_path_at,
    [__NR_faccessat] = nt_sys_path_at,
    [__NR_faccessat2] = nt_sys_path_at,
    [__NR_linkat] = nt_sys_linkat,
    [__NR_readlink] = nt_sys_readlink,
    [__NR_readlinkat] = nt_sys_readlinkat,
    [__NR_close] = nt_sys_fcntl,
    [__NR_dup] = nt_sys_fcntl,
    [__NR_dup2] = nt_sys_dup2,
    [__NR_dup3] = nt_sys_dup2,
    [__NR_close_range] = nt_sys_close_range,
    [__NR_fcntl] = nt_sys_fcntl,
    [__NR_getdents] = nt_sys_getdents,
    [__NR_getdents64] = nt_sys_getdents,
};

bool nt_sys_refuse(struct nt_thread *thread, struct nt_call *call)
{
    (void)thread;
    return nt_call_fail(call, ENOSYS);
}

enum { SYSCALL_BYTES = 2 }; /* of int 0x80 as well */

/* False: it was not made, or has set all registers. */
static bool make_call(struct nt_thread *thread, struct nt_call *call)
{
    struct nt_area *area = thread->area;
    uint64_t number = call->raw[0];
    nt_call_handler *handler = number < sizeof handlers / sizeof handlers[0] ? handlers[number] : NULL;

    nt.counts.system_calls++;
    nt_profile_waits(thread);
    nt_baton_stir();
    thread->outside = 1;
    if (control_asked(nt_control_page))
        nt_request_answer(thread);
    if (area->pending || !(handler == NULL ? nt_call_pass : handler)(thread, call)) {
        area->rip -= SYSCALL_BYTES;
        return false;
    }
    nt_profile_called();
    if (call->keeps_registers)
        return false;
    thread->has_returned = false;
    if (call->result == -EINTR)
        thread->owed_until = 0; /* by the signal, whose handler runs now */
    if (thread->traced != 0)
        thread->traced = area->rip; /* the CPU makes no step of a system call */
    area->gpr[NT_RAX] = (uint64_t)call->result;
    return true;
}

void nt_system_call(struct nt_thread *thread)
{
    uint64_t *gpr = thread->area->gpr;
    uint64_t number = (uint64_t)(int32_t)gpr[NT_RAX]; /* as the kernel takes it */
    struct nt_call call = {
        .raw = {number, gpr[NT_RDI], gpr[NT_RSI], gpr[NT_RDX], gpr[NT_R10], gpr[NT_R8], gpr[NT_R9]}};

    if (make_call(thread, &call)) {
        gpr[NT_RCX] = thread->area->rip;
        gpr[NT_R11] = thread->area->flags;
    }
}

void nt_system_call_32(struct nt_thread *thread, uint64_t number)
{
    static const uint8_t arguments[] = {NT_RBX, NT_RCX, NT_RDX, NT_RSI, NT_RDI, NT_RBP};
    struct nt_call call = {.raw = {number}};

    for (unsigned i = 0; i < sizeof arguments; i++)
        NT_ARG(&call, i) = (uint32_t)thread->area->gpr[arguments[i]];
    make_call(thread, &call);
}
