/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_call.h: one system call of the program's, on its way to the kernel.
 *
 * A handler (nt_syscall.h) works on a copy of what the program has asked for, so that it may hand on something else. It
 * leaves the result in the copy, and nt_system_call puts it into the program's registers.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_CALL_H
#define TENURE_ENGINE_NATIVE_NT_CALL_H

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

/* Hand it to the kernel. The thread gives the baton away meanwhile. */
bool nt_call_pass(struct nt_thread *thread, struct nt_call *call);
/* It has failed with `error`. Returns true. */
bool nt_call_fail(struct nt_call *call, int error);

#endif
