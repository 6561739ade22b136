/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_thread.h: what the engine keeps of a thread and of a process.
 *
 * A thread's record, its area, its engine stack and the stack of its signal handlers are one piece of memory, made
 * before the thread and used again after it. A process is what threads share of signals: there is one for the program's
 * threads. A child that shares our memory (clone with CLONE_VM, vfork) is a thread of ours that belongs to another
 * process of the kernel's, with actions of its own unless it shares them. It ends alone; if it is killed, or becomes
 * another program, its record is free when somebody notices (nt_thread_take_gone).
 */
#ifndef TENURE_ENGINE_NATIVE_NT_THREAD_H
#define TENURE_ENGINE_NATIVE_NT_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/signal.h>

#include "engine/native/base/nt_area.h"
#include "engine/native/base/nt_lock.h"

#define NT_SIGNALS 65

/* A signal as the kernel takes and gives it; our own names, since the kernel's clash with libc's. */
struct nt_action {
    uint64_t handler, flags, restorer, mask;
};

/* Signals of faults that somebody sent while the program had them blocked, which the kernel cannot keep for it
 * (nt_signal.h). Signal handlers put them in, at any time, so there is no lock. */
struct nt_kept {
    volatile uint64_t signals; /* whose information is here, by bit */
    volatile uint64_t claimed; /* or is about to be, or is being taken */
    siginfo_t info[12];        /* by number: SIGSEGV is the last */
};

struct nt_process {
    struct nt_action action[NT_SIGNALS]; /* what the program asked for */
    struct nt_kept kept;                 /* sent to all of it */
    struct nt_lock lock;
    int users; /* threads */
    struct nt_process *next_free;
};

/* A signal that was taken from the kernel and not delivered yet. */
struct nt_held {
    siginfo_t info;
    bool is_held;
};

/* A handler that runs: where its frame is, and the thread's CPU time when it began. */
enum { NT_HANDLERS = 16 };
struct nt_handling {
    uint64_t frame, began;
};

enum nt_turn { NT_TURN_RUNS, NT_TURN_BEGINS, NT_TURN_RESUMES };

struct nt_thread {
    struct nt_area *area;
    struct nt_area *own_area; /* NULL: it has not been without the core's yet */
    struct nt_process *process;
    volatile int running; /* 0: the record is free; cleared as the thread's last store */
    int tid;                /* 0: it has not been made yet */
    struct nt_thread *next; /* all records ever made */

    uint32_t number;              /* of threads made before it */
    const struct nt_thread *parent; /* that made it; NULL: the first */
    uint64_t turn_began;          /* nt_profile.c: the clock then */
    uint32_t baton;               /* nt_baton.c: where it is, or the number for which the thread waits or waited last */
    uint32_t safe_points;         /* and how many it has passed since the baton passed it */

    uint64_t mask;          /* the program's signal mask */
    stack_t altstack;       /* the program's */
    uint64_t error, trap, address; /* of the last fault: err, trapno and cr2, which every frame shows */
    int copy_signal, copy_code;    /* of the last fault in nt_copy */
    struct nt_held fault;   /* caused by the instruction at area->rip */
    bool fault_is_ours;     /* no CPU has raised it */
    uint32_t fault_segment; /* the core's, that it left; TN_NONE: none */
    uint64_t step_from;     /* while a store to its own block is made (nt_signal.c): that instruction; 0: none is */
    uint32_t step_segment;  /* the core's, that it will leave then */
    uint64_t traced;        /* while the program steps through itself (TF): where it is; 0: not known */
    struct nt_held held;    /* any other; while one is held, the kernel holds the rest back */
    uint32_t returns;       /* from handlers, with a signal behind each before the program had made progress */
    bool has_returned;      /* from the last of them; it has made none since */
    struct nt_handling handling[NT_HANDLERS]; /* of timers' signals and the like, the innermost last */
    unsigned handling_count;
    uint64_t timed;         /* signals that have come of these the last time */
    uint64_t owed_until;    /* CPU time of this thread, until which what the last one has interrupted runs on */
    int alarm;              /* the timer that ends a call meanwhile */
    bool took_last;         /* it has asked for its end, and was given first the signal that waited */
    bool puts_off;          /* what is held waits until the program has made progress (nt_signal_puts_off) */
    struct nt_kept kept;    /* sent to this thread */
    volatile uint64_t waits; /* the signals that the system call in progress waits for (sigtimedwait) */
    uint64_t call_mask;     /* the mask that the system call in progress brought along ... */
    bool call_has_mask;     /* ... if it did */

    bool is_profiled;            /* nt_profile.c: has a tn_thread behind its area */
    uint8_t turn;                /* what that is to be told at the next turn: enum nt_turn */
    bool is_child;               /* of another process, which shares our memory: what it does to its own is not ours */
    bool is_vfork;               /* and its parent waits until it has gone, and tidies up */
    bool clears_actions;         /* and it begins with the default for what it does not ignore */
    bool has_left;               /* and it is another program by now, or about to be */
    bool ends;                   /* it is about to end, and nt_thread_ends_last was asked of it */
    uint8_t died_of;             /* the signal that it is about to die of, holding nothing of the engine; 0: none */
    uint8_t own_limits;          /* and the limits that it has set itself, by bit (nt_limit.h) */
    uint32_t handlers;           /* of signals, that the core was told of and that have not returned */

    volatile int outside; /* not 0: not in generated code, and with nothing of it in hand */
    volatile int rests;   /* not 0: waits for the others, perhaps in the middle of a block */
    uint8_t *engine_low, *signal_low; /* the stacks' low ends */
    void *state;                      /* room for the CPU's extended state */
};

/* The records of all threads, for those who must look at all of them; they only become more. */
extern struct nt_thread *volatile nt_threads;
extern struct nt_lock nt_thread_lock;

/* A record for a thread that will begin with `parent`'s state, or with none (NULL: the first). `area`: the one in
 * front of the core's tn_thread; NULL: the thread is not profiled. */
struct nt_thread *nt_thread_new(const struct nt_thread *parent, struct nt_area *area, int64_t countdown);
/* Makes `thread` the one that runs here: GS, what its FS base is, and the signal stack. The kernel's mask is not
 * touched. */
void nt_thread_become(struct nt_thread *thread);
/* What the thread's FS base is, is in its area from now on. For the thread itself, whenever the kernel has set it. */
void nt_thread_fs(struct nt_thread *thread);
/* The thread has ended, or is about to: its process has one less, and its record is free once `running` is 0. */
void nt_thread_forget(struct nt_thread *thread);
/* It ends now: whether no other thread of the program's process is left. */
bool nt_thread_ends_last(struct nt_thread *thread);

/* Makes `child`, which has not begun, a thread of another process. */
void nt_thread_is_child(struct nt_thread *child, bool is_vfork);
/* Whether other processes share our memory. */
bool nt_thread_has_children(void);
/* Whether the kernel has no such thread any more. */
bool nt_thread_is_gone(const struct nt_thread *thread);
/* The child is gone, and was killed while it was inside: it may have held what others wait for, who are told so if they
 * wait for long (nt_while_waiting). */
void nt_thread_killed_inside(struct nt_thread *child);
/* A child that is gone, and that nobody waits for; NULL: there is none. It is found once. */
struct nt_thread *nt_thread_take_gone(void);
/* In a forked child: the only thread there is. */
void nt_thread_alone(struct nt_thread *thread);
/* A process that begins with a copy of `process`'s actions. */
struct nt_process *nt_process_copy(struct nt_process *process);

#endif
