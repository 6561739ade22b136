/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_signal.h: signals: taken from the kernel at any time, given to the program between two of its instructions.
 *
 * The kernel keeps what is pending. Its mask is the program's, except for the five signals of faults, which the engine
 * must be able to take whenever it or generated code runs; so a signal that the program has blocked stays with the
 * kernel, and calls that ask for pending ones (sigtimedwait, signalfd) need nothing. A fault's signal that somebody
 * sends to code that has it blocked is *kept* here, and given to the kernel for the time of each system call.
 *
 * A signal that comes is *held*: its information is noted, the thread's other signals are blocked, and the countdown is
 * made negative, so that the next block's head leaves for the dispatcher, which *delivers*: builds the frame that the
 * kernel would have built. A thread holds at most one signal that somebody sent and one fault of its own.
 *
 * Interrupted system calls need nothing more: the kernel's action has the program's SA_RESTART, so the kernel ends a
 * call with EINTR or puts the address back to `syscall` by the program's own rules (nt_gate_call).
 */
#ifndef TENURE_ENGINE_NATIVE_NT_SIGNAL_H
#define TENURE_ENGINE_NATIVE_NT_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/native/threads/nt_thread.h"

#define NT_BIT(signal) (1UL << ((signal)-1))

/* Faults' signals: SIGILL SIGTRAP SIGBUS SIGFPE SIGSEGV. */
#define NT_FAULTS (NT_BIT(4) | NT_BIT(5) | NT_BIT(7) | NT_BIT(8) | NT_BIT(11))

/* nt_gate_to.signal. */
void nt_signal_handle(int signal, void *siginfo, void *ucontext);
/* Takes over what the process was started with, and installs the handlers. */
void nt_signal_start(struct nt_thread *thread);
/* Tells the kernel the thread's mask: the program's, or while a signal is held one that blocks all others. */
void nt_signal_apply_mask(const struct nt_thread *thread);
void nt_signal_block_all(void);
void nt_signal_block_sent(void); /* all that the engine can do without */
/* A system call of the program's begins: the kernel's mask is the program's from here to nt_signal_from_kernel, and the
 * kernel has what was kept for it. Nothing of the engine's may fault meanwhile. */
void nt_signal_to_kernel(struct nt_thread *thread);
void nt_signal_from_kernel(struct nt_thread *thread);
/* Signals that are kept for the thread, or for its process. */
uint64_t nt_signal_kept(const struct nt_thread *thread);
/* Whether it is one that the engine has sent itself. */
bool nt_signal_is_nudge(const siginfo_t *info);
/* Tells the kernel the program's action for `signal`. */
void nt_signal_apply_action(const struct nt_process *process, int signal);
/* The process has the default for all that it does not ignore (CLONE_CLEAR_SIGHAND); it is the one that runs. */
void nt_signal_clear_actions(struct nt_process *process);
/* The process is about to become another program, and nothing has been delivered since nt_signal_block_sent. Signals
 * whose default ends a process do so from here on. */
void nt_signal_leave(struct nt_thread *thread);
/* Makes the exec `call` with the program's mask, which the other program keeps. What comes before that, and the program
 * handles, is forgotten: it came in time. Returns the kernel's result, with signals blocked as they were. */
long nt_signal_execute(const uint64_t call[7]);
/* It has failed: all is as before nt_signal_block_sent. */
void nt_signal_stay(const struct nt_thread *thread);
/* The instruction at area->rip has raised `signal`. With SI_KERNEL it is the kernel that raises it, without a fault of
 * the CPU's: the frame goes on showing the trap number and the error of the last one. */
void nt_signal_fault(struct nt_thread *thread, int signal, int code, uint64_t address);
/* Everything that is held and may be delivered: the state in the area becomes that of a handler's first instruction.
 * The state must be the program's, between two instructions. */
void nt_signal_deliver(struct nt_thread *thread);
/* A thread makes progress between any two signals: one that comes directly behind a handler's return, as those of a
 * timer of a short period always do, is put off until what the handler has interrupted has run for as long as the
 * handler did, and has passed some safe points or made a system call. (With less, each of several handlers that
 * interrupt one another would multiply the time.) Whether what is pending is put off; if not it is to be delivered. */
bool nt_signal_puts_off(struct nt_thread *thread);
/* It has come to a safe point or from a system call: what was put off is pending again if it has made that progress.
 * What else has come and is no timer's is delivered, so the state must be as for nt_signal_deliver. */
void nt_signal_went_on(struct nt_thread *thread);
/* A handler is about to return: to be asked while its frame is the one at the stack pointer. */
void nt_signal_returns(struct nt_thread *thread);
/* Whether a kept signal has become deliverable. */
bool nt_signal_ready(const struct nt_thread *thread);
/* Ends the process by `signal`, as if the program had no engine. */
void nt_signal_die(int signal) __attribute__((noreturn));

/* nt_frame.c: build the frame of a handler on the program's stack; false if there is no memory for it. And take the
 * state back from one: false if it is no frame. */
bool nt_frame_push(struct nt_thread *thread, const struct nt_held *held, const struct nt_action *action);
bool nt_frame_pop(struct nt_thread *thread);
bool nt_frame_on_altstack(const struct nt_thread *thread);

#endif
