/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_sys.h: system calls of the engine's own, raw.
 *
 * The kernel's result is returned as it is: an error is a negative number (`nt_failed`). Calls on the program's behalf
 * go through nt_gate_call (nt_gate.h), which knows of signals; these here are for what the engine wants itself, and
 * never block.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_SYS_H
#define TENURE_ENGINE_NATIVE_NT_SYS_H

#include <stdbool.h>
#include <stdint.h>

#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/futex.h>
#include <linux/time_types.h>

static inline long nt_sys6(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static inline long nt_sys3(long number, long a, long b, long c)
{
    return nt_sys6(number, a, b, c, 0, 0, 0);
}

static inline bool nt_failed(long result)
{
    return (unsigned long)result > -4096UL;
}

/* FUTEX_WAIT, FUTEX_WAKE: without a time limit. */
static inline long nt_futex(volatile void *word, int operation, uint32_t value)
{
    return nt_sys3(__NR_futex, (long)word, operation, value);
}

/* Another thread is to go on that this one waits for, which has done so `times` times. Now and then it sleeps: one of a
 * real-time priority that only yields keeps less urgent ones from the processor for ever. */
static inline void nt_yield(unsigned times)
{
    enum { OFTEN = 1 << 10 };
    const struct __kernel_timespec a_while = {0, 50000};

    if (times % OFTEN == OFTEN - 1)
        nt_sys3(__NR_nanosleep, (long)&a_while, 0, 0);
    else
        nt_sys3(__NR_sched_yield, 0, 0, 0);
}

static inline int nt_process_id(void)
{
    return (int)nt_sys3(__NR_getpid, 0, 0, 0);
}

#endif
