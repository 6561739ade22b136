/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_threads.c: who runs, and in which handler.
 *
 * Valgrind runs one thread at a time and announces each turn (start_client_code), at the latest after a hundred
 * thousand blocks. A turn is where the engine learns what it could not be told earlier: a thread's first function
 * and stack pointer, and a signal handler's. Valgrind says that it is about to deliver a signal before it has
 * built the frame; at the next turn the program counter is the handler's first instruction. If two signals are
 * delivered before the thread runs, the first handler is seen when the second is announced.
 *
 * A signal that comes while the program runs, not between two turns, is a fault of the running stretch, which then has
 * not run to its end. Only the part that ran is to count (engine/CONTRACT.md, section 2).
 *
 * Generated code finds its thread in the first shadow of the guest state, which Valgrind keeps per thread, saves
 * and restores with signal frames and copies to a clone; each thread's first instruction finds it overwritten
 * with its own.
 */
#include "vg_run.h"

#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

#include "engine/valgrind/base/vg_code.h"
#include "engine/valgrind/base/vg_output.h"
#include "engine/valgrind/program/vg_program.h"
#include "engine/valgrind/translate/vg_emit.h"

extern Bool VG_(is_exiting)(ThreadId tid); /* not announced to tools */

struct thread {
    tn_thread *core;
    ThreadId parent;
    enum { RUNS, BEGINS, RESUMES } state; /* what the core is to be told at the next turn */
    Bool handler;                         /* a signal handler's first instruction is next */
    UInt handlers;                        /* told to the core and not left, as far as the engine knows */
};

static struct thread *threads; /* by ThreadId */
static Bool in_program;        /* between a turn's beginning and its end */
static tn_thread *ended;       /* runs no more, but is vg.current until another one runs */

/* ------------------------------------------------------------------------------------------ birth and death */

static void will_create(ThreadId parent, ThreadId child)
{
    if (threads == NULL)
        threads = VG_(calloc)("tenure.threads", VG_N_THREADS + 1, sizeof threads[0]);
    threads[child].parent = parent;
}

static void first_instruction(ThreadId tid)
{
    struct thread *thread = &threads[tid];
    tn_thread *parent = thread->parent != VG_INVALID_THREADID ? threads[thread->parent].core : NULL;

    if (parent == NULL)
        vg_client_start(tid);
    thread->core = tn_thread_new(vg.core, parent, VG_(gettid)());
    thread->state = BEGINS;
    thread->handler = False;
    VG_(set_shadow_regs_area)(tid, 1, 0, sizeof thread->core, (const UChar *)&thread->core);
}

static void will_exit(ThreadId tid)
{
    tn_thread *thread = threads[tid].core;

    threads[tid].core = NULL;
    if (thread == NULL)
        return;
    if (thread == vg.current)
        ended = thread;
    else
        tn_thread_end(thread);
}

/* ------------------------------------------------------------------------------------------ turns */

static void settle(ThreadId tid, struct thread *thread)
{
    Addr pc = VG_(get_IP)(tid), sp = VG_(get_SP)(tid);

    if (!vg.instrumenting) {
        if (thread->state == BEGINS)
            thread->state = RESUMES;
    } else {
        if (thread->state == BEGINS)
            tn_thread_begin(thread->core, vg_function_id(pc), sp);
        else if (thread->state == RESUMES)
            tn_thread_resume(thread->core, vg_function_id(pc), sp);
        else if (thread->handler)
            tn_signal_enter(thread->core, vg_function_id(pc), sp);
        thread->handlers = thread->state == RUNS ? thread->handlers + thread->handler : 0;
        thread->state = RUNS;
    }
    thread->handler = False;
}

static void switch_to(tn_thread *next)
{
    tn_thread_switch(vg.core, next);
    vg.current = next;
    if (ended != NULL)
        tn_thread_end(ended);
    ended = NULL;
}

/* The turn's last block was left by a fault in its middle, at the program counter. */
static void faulted(ThreadId tid)
{
    ULong running;

    in_program = False;
    if (!vg.instrumenting)
        return;
    VG_(get_shadow_regs_area)(tid, (UChar *)&running, 1, sizeof(ULong), sizeof running);
    if ((running & 3) == 3)
        vg_join_fault(tid, running >> 2, VG_(get_IP)(tid));
    else if (running & 1)
        tn_take_back(vg.current, running >> 2, VG_(get_IP)(tid));
    else if (running != 0)
        vg_cold_fault(tid, running >> 1, VG_(get_IP)(tid));
    running = 0;
    VG_(set_shadow_regs_area)(tid, 1, sizeof(ULong), sizeof running, (const UChar *)&running);
}

tn_thread *vg_threads_turn(ThreadId tid)
{
    if (threads[tid].core != vg.current)
        switch_to(threads[tid].core);
    return vg.current;
}

void vg_threads_go(ThreadId tid)
{
    if (threads[tid].state != RUNS || threads[tid].handler)
        settle(tid, &threads[tid]);
    in_program = True;
}

void vg_threads_stop(ThreadId tid)
{
    if (in_program && VG_(is_exiting)(tid))
        faulted(tid); /* it was deadly: no signal is delivered */
    in_program = False;
}

/* ------------------------------------------------------------------------------------------ signals */

static void will_deliver(ThreadId tid, Int signal, Bool alternate_stack)
{
    struct thread *thread = &threads[tid];

    (void)signal;
    (void)alternate_stack;
    if (in_program)
        faulted(tid);
    if (thread->handler)
        settle(tid, thread);
    thread->handler = vg.config.inclusive;
}

static void delivered(ThreadId tid, Int signal)
{
    struct thread *thread = &threads[tid];

    (void)signal;
    if (thread->core == NULL || !vg.instrumenting || !vg.config.inclusive)
        return;
    if (thread->core != vg.current)
        switch_to(thread->core);
    if (thread->handler)
        settle(tid, thread);
    if (thread->handlers == 0)
        return; /* it began while nothing was instrumented */
    thread->handlers--;
    tn_signal_leave(thread->core);
}

/* ------------------------------------------------------------------------------------------ fork */

/* Only the forking thread goes on in the child. */
static void forked(ThreadId tid)
{
    for (UInt i = 0; i <= VG_N_THREADS; i++) {
        if (i != tid)
            threads[i].core = NULL;
    }
    ended = NULL;
    vg.forked = True;
    tn_thread_alone(threads[tid].core);
    if (!vg.options.fork_inherit)
        tn_zero(vg.core);
    options_meta_number(vg.core, "pid", VG_(getpid)());
    tn_restart_output(vg.core);
    vg_output_forked();
    vg_control_forked();
}

static void mapped(Addr address, SizeT bytes, Bool r, Bool w, Bool x, ULong handle)
{
    (void)r;
    (void)w;
    (void)handle;
    if (x)
        vg_code_mapped(address);
    vg_data_mapped(address, bytes);
}

static void unmapped(Addr address, SizeT bytes)
{
    vg_code_unmapped(address, bytes);
    vg_data_unmapped(address, bytes);
}

void vg_threads_see(void (*see)(void *user, tn_thread *thread), void *user)
{
    for (UInt i = 0; threads != NULL && i <= VG_N_THREADS; i++) {
        if (threads[i].core != NULL)
            see(user, threads[i].core);
    }
}

void vg_threads_begin_again(void)
{
    for (UInt i = 0; threads != NULL && i <= VG_N_THREADS; i++)
        threads[i].state = threads[i].core != NULL ? RESUMES : RUNS;
}

void vg_threads_track(void)
{
    VG_(track_pre_thread_ll_create)(will_create);
    VG_(track_pre_thread_first_insn)(first_instruction);
    VG_(track_pre_thread_ll_exit)(will_exit);
    VG_(track_pre_deliver_signal)(will_deliver);
    VG_(track_post_deliver_signal)(delivered);
    VG_(track_new_mem_mmap)(mapped);
    VG_(track_die_mem_munmap)(unmapped);
    VG_(track_die_mem_brk)(vg_data_unmapped);
    VG_(track_copy_mem_remap)(vg_data_moved);
    VG_(atfork)(NULL, NULL, forked);
}
