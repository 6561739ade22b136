/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_syscall.h: system calls of the program.
 *
 * Most are handed on as they are. Those that would touch what the engine emulates or owns have a handler, in the file
 * of their group; the table in nt_syscall.c says which.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_SYSCALL_H
#define TENURE_ENGINE_NATIVE_NT_SYSCALL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/native/threads/nt_thread.h"

/* One system call of the program's, on its way to the kernel. A handler works on a copy of what the program has asked
 * for, so that it may hand on something else. It leaves the result in the copy, and nt_system_call puts it into the
 * program's registers. */
struct nt_call {
    uint64_t raw[7]; /* number and arguments, as nt_gate_call takes them */
    long result;
    bool keeps_registers; /* all of them are set already (rt_sigreturn) */
};
#define NT_ARG(call, i) ((call)->raw[1 + (i)])

/* False: a signal is to be delivered first; the call was not made. */
typedef bool nt_call_handler(struct nt_thread *thread, struct nt_call *call);

/* Hand it to the kernel. The thread gives the baton away meanwhile. */
bool nt_call_pass(struct nt_thread *thread, struct nt_call *call);
/* The kernel is going to write to [start, start + bytes) of the program, or to what a struct iovec[] names: it finds no
 * page of that guarded. */
void nt_call_give_back(uint64_t start, uint64_t bytes);
void nt_call_give_back_vector(uint64_t vector, uint64_t parts);
/* The same of what the call stores besides, where it is one of those that cannot be made again. */
void nt_call_give_back_stored(const struct nt_call *call);
/* It has failed with `error`. Returns true. */
bool nt_call_fail(struct nt_call *call, int error);

/* Make the call in front of area->rip. */
void nt_system_call(struct nt_thread *thread);
/* The same by `int 0x80`, which is the call `number` of 64 bits. */
void nt_system_call_32(struct nt_thread *thread, uint64_t number);

nt_call_handler nt_sys_brk, nt_sys_mmap, nt_sys_munmap, nt_sys_mprotect, nt_sys_mremap, nt_sys_madvise,
    nt_sys_mlockall, nt_sys_munlockall, nt_sys_userfaultfd, nt_sys_ioctl, nt_sys_shmat, nt_sys_shmdt,
    nt_sys_write, nt_sys_process_vm_writev, nt_sys_process_madvise, nt_sys_mseal;
nt_call_handler nt_sys_read, nt_sys_accept, nt_sys_getrandom, nt_sys_readv, nt_sys_io_submit, nt_sys_recvmsg,
    nt_sys_recvmmsg;
nt_call_handler nt_sys_clone, nt_sys_clone3, nt_sys_fork, nt_sys_vfork, nt_sys_execve, nt_sys_execveat, nt_sys_exit,
    nt_sys_alone, nt_sys_exit_group, nt_sys_wait, nt_sys_arch_prctl, nt_sys_prctl, nt_sys_refuse;
nt_call_handler nt_sys_rt_sigaction, nt_sys_rt_sigprocmask, nt_sys_rt_sigreturn, nt_sys_sigaltstack,
    nt_sys_rt_sigpending, nt_sys_rt_sigtimedwait, nt_sys_rt_sigsuspend, nt_sys_ppoll, nt_sys_pselect6,
    nt_sys_epoll_pwait, nt_sys_io_uring_enter;
nt_call_handler nt_sys_path, nt_sys_path_at, nt_sys_linkat, nt_sys_open, nt_sys_openat, nt_sys_openat2, nt_sys_creat,
    nt_sys_truncate, nt_sys_readlink, nt_sys_readlinkat, nt_sys_fcntl, nt_sys_dup2, nt_sys_close_range,
    nt_sys_getdents;
nt_call_handler nt_sys_prlimit, nt_sys_setrlimit, nt_sys_getrlimit; /* nt_limit.h */
nt_call_handler nt_sys_kill, nt_sys_tgkill, nt_sys_tkill, nt_sys_pidfd_send_signal, nt_sys_ptrace;

/* nt_gate_to.child. */
void nt_child_begins(void);

/* Whether the byte at `at`, which is not known to be executable, is so all the same: the kernel is asked. */
bool nt_memory_look(uint64_t at);

/* The kernel is going to refuse other protection of [start, start + bytes). */
void nt_memory_sealed(uint64_t start, uint64_t bytes);

/* Held while what is mapped changes. */
extern struct nt_lock nt_memory_lock;

/* The file that `path` of the program, which begins in `folder`, means, if it is the executable under one of its names
 * in /proc; else NULL. */
const char *nt_file_own(long folder, uint64_t path);
/* nt_sys_process.c: the program loads FS or GS with `selector`, which is good. False: GS would lose our base. */
void nt_fs_load(struct nt_thread *thread, uint16_t selector);
bool nt_gs_load(struct nt_thread *thread, uint16_t selector);
/* nt_sys_proc.c: a descriptor that reads as /proc/self/maps, status (or whatever `path` is) without the engine. */
long nt_file_seen(const char *path, uint64_t flags);

#endif
