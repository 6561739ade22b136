/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_gate.h: the ways between generated code, the engine, the kernel and foreign libraries.
 *
 * All in assembly (nt_gate.S), since each is about which registers hold whose values. Nobody else saves or restores
 * anything of the program's.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_GATE_H
#define TENURE_ENGINE_NATIVE_NT_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/native/base/nt_area.h"

#define NT_PLAIN_FLAGS 0x202UL

/* What the gate leads to. Set once, before anything of it is used. */
extern struct nt_gate_to {
    /* The head of the block that the thread is to run next. */
    const void *(*dispatch)(struct nt_area *area);
    /* A signal has come: the handler's arguments as the kernel gives them, on the thread's signal stack. */
    void (*signal)(int signal, void *info, void *context);
    /* A child of nt_gate_clone begins, on its engine stack. */
    void (*child)(void);
} nt_gate_to;

/* The thread's loop, on its engine stack from the top: asks nt_gate_to.dispatch for the head of a block, enters it with
 * the program's registers, and comes back here when generated code leaves. Never returns. */
void nt_run(void) __attribute__((noreturn));
/* Where generated code leaves to: area->leave. */
void nt_leave(void);

/* A system call of the program's: call[0] is its number, call[1..6] its arguments. False if a signal is pending and
 * the call was not made. */
bool nt_gate_call(const uint64_t call[7], long *result);
extern const char nt_gate_check[], nt_gate_syscall[], nt_gate_interrupted[]; /* places in it, for the handler */

/* clone or clone3, with the child's stack at the top of `child`'s engine stack: it sets GS, calls nt_gate_to.child and
 * goes to nt_run. For children that share memory. Returns the kernel's result. */
long nt_gate_clone(const uint64_t call[7], struct nt_area *child);
/* A thread that is none of the program's: calls run(), which does not return, on the stack that ends at `top`. Its
 * number is stored in *tid before this returns, and 0 when it has gone. Returns the kernel's result. */
long nt_gate_helper(void *top, volatile int *tid, void (*run)(void));
/* Store 0 to *state and make the system call `number`, which ends the thread, touching no stack in between. */
void nt_gate_exit(volatile int *state, int status, long number) __attribute__((noreturn));

/* Call fn(argument) with the program's vector state saved: the way to code that was not compiled for this engine. */
void *nt_outer(void *(*fn)(void *), void *argument);

/* Copy to or from memory of the program that may not be there: returns how many bytes were not copied. */
size_t nt_copy(void *to, const void *from, size_t bytes);
extern const char nt_copy_begin[], nt_copy_end[], nt_copy_fault[];
/* Whether `int 0x80` faults here: a kernel may have been built or told to take no system calls of 32 bits. */
bool nt_refuses_32(void);

/* The extended state: `to` or `from` is aligned to 64 bytes, and the components are those of `features`. */
void nt_state_save(void *to, uint64_t features);
void nt_state_load(const void *from, uint64_t features);

/* Entry of all signal handlers, and the return from them. */
void nt_signal_entry(int signal, void *info, void *context);
void nt_signal_return(void);

static inline struct nt_area *nt_area_self(void)
{
    struct nt_area *area;

    __asm__ volatile("mov %%gs:%c1, %0" : "=r"(area) : "i"(NT_SELF));
    return area;
}

#endif
