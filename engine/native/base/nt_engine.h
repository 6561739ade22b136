/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_engine.h: state of which the process has one: the options, the code, what is known of the program's start.
 *
 * Everything in it is set before the program begins, but for the counts and what says itself how it is kept. A forked
 * child goes on with its copy.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_ENGINE_H
#define TENURE_ENGINE_NATIVE_NT_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/common/options.h"
#include "nt_lock.h"

struct nt_code;

/* What --stats counts; only approximately where several threads run. */
struct nt_counts {
    uint64_t dispatched, made, joined, linked, system_calls, delivered, faults, invalidated, emptied, guarded,
        different;
};

struct nt_engine {
    struct engine_options options;
    struct nt_code *code;
    struct nt_lock translation; /* whoever changes the code holds it */
    struct nt_counts counts;
    int64_t countdown;          /* blocks' heads from one safe point to the next (area->countdown) */
    char program[4096];         /* the program's file, absolute: what /proc/self/exe must say */
    uint64_t program_device, program_inode; /* and which file that is */
    uint64_t stack_top;         /* of the program's first thread */
    bool saw_no_code;           /* a block was made of memory that cannot be executed */
    bool opened_memory;         /* /proc/self/mem was opened for writing */
    bool saw_userfaults;        /* the program has a userfaultfd */
    bool forks_change_code;     /* a forked child has not all code of its parent's: MADV_DONTFORK, MADV_WIPEONFORK */
    uint64_t break_start, break_now; /* the program break, under nt_memory_lock */
    struct nt_lock world;       /* held by the thread that wants all others out of generated code ... */
    volatile int stop;          /* ... while this is not 0 */
};
extern struct nt_engine nt;

#endif
