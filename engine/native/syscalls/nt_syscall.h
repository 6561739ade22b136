/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_syscall.h: system calls of the program.
 *
 * Most are handed on as they are. Those that would touch what the engine emulates or owns have a handler, in the file
 * of their group; the table in nt_syscall.c says which. A handler works on a copy of the call, so that it may hand on
 * something else, and leaves the result; the dispatcher puts it into the program's registers.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_SYSCALL_H
#define TENURE_ENGINE_NATIVE_NT_SYSCALL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/native/threads/nt_thread.h"

struct nt_call {
    uint64_t raw[7]; /* number and arguments, as nt_gate_call takes them */
    long result;
    bool keeps_registers; /* all of them are set already (rt_sigreturn) */
};
#define NT_ARG(call, i) ((call)->raw[1 + (i)])

/* False: a signal is to be delivered first; the call was not made. */
typedef bool nt_call_handler(struct nt_thread *thread, struct nt_call *call);

/* Make the call in front of area->rip. */
void nt_system_call(struct nt_thread *thread);
/* Hand it to the kernel. */
bool nt_call_pass(struct nt_thread *thread, struct nt_call *call);

/* Results of our own. */
enum {
    NT_EPERM = 1, NT_ENOENT = 2, NT_ESRCH = 3, NT_EINTR = 4, NT_EBADF = 9, NT_EAGAIN = 11, NT_ENOMEM = 12,
    NT_EACCES = 13, NT_EFAULT = 14, NT_EEXIST = 17, NT_EINVAL = 22, NT_ETXTBSY = 26, NT_ENAMETOOLONG = 36,
    NT_ENOSYS = 38, NT_ETIMEDOUT = 110
};

nt_call_handler nt_sys_brk, nt_sys_mmap, nt_sys_munmap, nt_sys_mprotect, nt_sys_mremap, nt_sys_madvise, nt_sys_shmat,
    nt_sys_shmdt, nt_sys_write, nt_sys_process_vm_writev;
nt_call_handler nt_sys_clone, nt_sys_fork, nt_sys_vfork, nt_sys_execve, nt_sys_execveat, nt_sys_exit, nt_sys_alone,
    nt_sys_exit_group, nt_sys_wait, nt_sys_arch_prctl, nt_sys_prctl, nt_sys_refuse;
nt_call_handler nt_sys_rt_sigaction, nt_sys_rt_sigprocmask, nt_sys_rt_sigreturn, nt_sys_sigaltstack,
    nt_sys_rt_sigpending, nt_sys_rt_sigsuspend, nt_sys_ppoll, nt_sys_pselect6, nt_sys_epoll_pwait;
nt_call_handler nt_sys_path, nt_sys_path_at, nt_sys_open, nt_sys_openat, nt_sys_openat2, nt_sys_creat, nt_sys_truncate,
    nt_sys_readlink, nt_sys_readlinkat, nt_sys_close, nt_sys_dup2, nt_sys_close_range, nt_sys_fcntl, nt_sys_getdents;
nt_call_handler nt_sys_prlimit, nt_sys_setrlimit, nt_sys_getrlimit; /* nt_limit.h */
nt_call_handler nt_sys_kill, nt_sys_tgkill, nt_sys_tkill;

/* Of the memory group: the program break begins here; and the group's lock, for fork. */
void nt_memory_start(uint64_t start);
/* Its pages. */
void nt_memory_break(uint64_t *start, uint64_t *end);
extern struct nt_lock nt_memory_lock;

/* Of the file group: a copy of `fd` at a number that the program is not given, and guarded; -1: there is none. */
int nt_file_guard(int fd);
/* Close it. */
void nt_file_release(int fd);
bool nt_file_is_guarded(uint64_t fd);
/* The file that `path` of the program, which begins in `folder`, means, if it is the executable under one of its names
 * in /proc; else NULL. */
const char *nt_file_own(long folder, uint64_t path);
/* nt_sys_proc.c: a descriptor that reads as /proc/self/maps (or whatever `path` is), without the engine's lines. */
long nt_file_maps(const char *path, uint64_t flags);
/* Of what is mapped, how much is the engine's, and how much of that the kernel counts as data. */
void nt_file_own_bytes(uint64_t *bytes, uint64_t *data);

#endif
