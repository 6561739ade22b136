/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_profile.h: what the runtime tells the core: threads, signals, forks, ends; and what translating needs of it.
 *
 * With --profile=no there is no core, and everything here does nothing.
 *
 * Threads run at the same time (--parallel=yes): the core keeps apart what each does (core/base/lock.h), and what
 * concerns all of them is done while the others are outside (nt_dispatch.h). Where they do not, one has the baton
 * (nt_baton.h).
 */
#ifndef TENURE_ENGINE_NATIVE_NT_PROFILE_H
#define TENURE_ENGINE_NATIVE_NT_PROFILE_H

#include "engine/common/code_map.h"
#include "engine/common/options.h"
#include "engine/native/load/nt_stack.h"
#include "engine/native/plan/nt_plan.h"
#include "engine/native/threads/nt_thread.h"

struct nt_profile {
    bool on;
    bool instruments; /* code is simulated */
    tn_core *core;
    code_map *map;
    struct nt_planner planner;
};
extern struct nt_profile nt_profile;

/* Before the options are read. */
void nt_profile_default(void);
/* Behind them: makes the core and the raw profile's file, or ends the run with one line. */
void nt_profile_start(const char *const *command, const struct nt_vector *vector);

/* What makes code now; NULL: nothing is counted. */
struct nt_planner *nt_profile_planner(void);

/* The area of a thread that is about to exist: that in front of its tn_thread. NULL: not profiled, take one of your
 * own. */
struct nt_area *nt_profile_area(const struct nt_thread *parent);
/* What the countdown of such a thread begins with. */
int64_t nt_profile_countdown(void);
/* The thread ends, or never came to be. */
void nt_profile_thread_ends(struct nt_thread *thread);

/* The thread is about to run from area->rip on. Tells the core what it could not be told earlier: that the thread
 * begins, goes on elsewhere, or has its turn. */
void nt_profile_turn(struct nt_thread *thread);
/* The thread is about to make a system call, in which it may wait for others. */
void nt_profile_waits(struct nt_thread *thread);
/* At a safe point: what the core does from time to time (tn_tick). */
void nt_profile_tick(struct nt_thread *thread);
/* Whether an access looks in another way table from now on; the address of its instruction, whose code is made anew. */
bool nt_profile_moved(uint64_t *address);
/* An instruction has faulted, and its signal is about to be delivered. */
void nt_profile_fault(struct nt_thread *thread);
/* The thread has left `segment` behind its instruction at `from`. */
void nt_profile_left(struct nt_thread *thread, uint32_t segment, uint64_t from);
/* An instruction that generated code has told the site of (nt_tell_site) has led to where the thread is. */
void nt_profile_jumped(struct nt_thread *thread);
/* A handler's frame was pushed: area->rip is its first instruction. */
void nt_profile_handler(struct nt_thread *thread);
/* rt_sigreturn. */
void nt_profile_handled(struct nt_thread *thread);

/* What programs ask for: a part of this name; all costs forgotten; collection, and instrumentation, on or off. */
void nt_profile_part(const char *why);
void nt_profile_zero(void);
bool nt_profile_collects(void);
void nt_profile_collect(struct nt_thread *thread, bool on);
void nt_profile_instrument(struct nt_thread *thread, bool on);

/* A child is about to be forked; other threads are outside, and the lock of the consumer is free. */
void nt_profile_forks(void);
/* This is the child of a fork, with this thread alone; the baton is its. `shares_files` as below. */
void nt_profile_forked(struct nt_thread *thread, bool shares_files);
/* A system call has been made: names of code may have been written down. */
void nt_profile_called(void);
void nt_profile_mapped(uint64_t address);
void nt_profile_unmapped(uint64_t address, uint64_t bytes);
/* An exec of `path`, a string of the program's, is about to succeed. If it is a `process`, not a child that runs in its
 * parent's memory: the last part, unless this is a forked child, which has done nothing but that, and the other program
 * is not profiled. */
void nt_profile_become(bool process, uint64_t path);
/* The exec has failed. */
void nt_profile_stays(void);
/* There is a profile, and its last part was written: nothing can be counted any more. */
bool nt_profile_is_over(void);

/* The program is over: what is to be done before the process ends or becomes another program: the last part, and what
 * --stats says. Another process that only shares its memory (nt_thread.h) may end without. */
void nt_finish(void);

/* ------------------------------------------------------------------------------------ the raw profile (nt_output.c) */

/* Makes the file; ends the run before the program starts if it cannot. Programs that this one executes get the pattern
 * (nt_exec_hand_on), absolute and with variables replaced. */
void nt_output_begin(const char *pattern, const struct nt_vector *vector);
/* The file; "" if there is none yet. */
const char *nt_output_name(void);
/* A part, or the last one (tn_dump, tn_finish). A failure is told in one line, and the part is lost. */
void nt_output_write(tn_core *core, const char *why, int (*write)(tn_core *, void *, const char *));
/* This is a forked child: its parts go to a file of its own. `shares_files`: its descriptors are its parent's, too. */
void nt_output_forked(bool shares_files);
/* The child has no profile: nothing more is written, and a file that nothing has been written to goes. */
void nt_output_leave(void);

/* ----------------------------------------------------------------------------------------- data objects (nt_data.c) */

/* Before the core is made. `stack`: any address in the main thread's stack. */
void nt_data_start(struct engine_options *options, const struct code_map_host *host, const void *stack);

/* A system call of `thread` has unmapped [start, start + bytes), or mapped something else there. `is_anonymous`: what
 * is there now is no file. */
void nt_data_changed(struct nt_thread *thread, uint64_t start, uint64_t bytes, bool is_anonymous);

/* ------------------------------------------------------------------------------------- page sizes (nt_page_size.c) */

/* Before the core is made: it asks for them if it has TLBs. */
void nt_page_size_start(struct tn_config *config);
/* This is a forked child. `shares_files`: its descriptors are its parent's, too. */
void nt_page_size_forked(bool shares_files);
/* The program may have large pages from now on, or others than before. */
void nt_page_size_may_be_large(void);
/* It has mapped something with these arguments of mmap. */
void nt_page_size_mapped(uint64_t flags, uint64_t fd);

#endif
