/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kit.h: small programs, written as a test reads them, executed by the core and by the models at once.
 *
 *     kit_begin(k, 0, MAIN);  kit_run(k, 2);  kit_call(k, F);  kit_run(k, 3);  kit_return(k);  kit_finish(k);
 *     kit_function_is(k, F, 1, 4, 4);
 *
 * Functions are small numbers. Each function has one instruction per purpose, so that an arc has one site.
 * All acts on the thread switched to last. Every part is compared with the models too
 * (tests/refmodel/pair.h).
 */
#ifndef TENURE_UNIT_KIT_H
#define TENURE_UNIT_KIT_H

#include "../refmodel/pair.h"

enum { KIT_MAIN, KIT_F, KIT_G, KIT_L, KIT_H, KIT_P, KIT_FUNCTIONS };

struct kit;

/* One-way caches of 64-byte lines unless changed; everything on. */
struct pair_config kit_config(void);
struct kit *kit_new(const struct pair_config *config);
void kit_free(struct kit *kit); /* fails the test if core and models differed anywhere */
struct pair *kit_pair(struct kit *kit);

void kit_function(struct kit *kit, uint32_t function, uint32_t flags); /* M1_*; before kit_begin */
void kit_begin(struct kit *kit, uint32_t thread, uint32_t function);
void kit_resume(struct kit *kit, uint32_t thread, uint32_t function); /* in mid-run */
void kit_switch(struct kit *kit, uint32_t thread);

void kit_run(struct kit *kit, uint32_t instructions); /* of the running function */
void kit_call(struct kit *kit, uint32_t function);    /* one instruction, and what it does */
void kit_return(struct kit *kit);
void kit_jump(struct kit *kit, uint32_t function);
void kit_longjmp(struct kit *kit, uint32_t frames); /* to the frame so many further up */
/* To stack `number` of the level (0 to 3), by a jump; `function` is entered, or goes on there. */
void kit_stack(struct kit *kit, uint32_t number, uint32_t function);
void kit_signal(struct kit *kit, uint32_t function);
void kit_signal_return(struct kit *kit);                   /* one instruction, and the end of the handler */
void kit_return_above(struct kit *kit, uint32_t function); /* past the bottom of a resumed stack */
void kit_dump(struct kit *kit);
void kit_finish(struct kit *kit);

/* One instruction of the running function, number `which` of its loads or stores (0 to 3). */
void kit_read(struct kit *kit, uint32_t which, uint64_t address, uint16_t size);
void kit_write(struct kit *kit, uint32_t which, uint64_t address, uint16_t size);
/* A conditional branch; an indirect jump that stays in the function. */
void kit_branch(struct kit *kit, bool taken);
void kit_indirect(struct kit *kit, uint64_t target);
uint64_t kit_branch_address(struct kit *kit);

/* What the core wrote last. Events: M_*. */
uint64_t kit_total(struct kit *kit, int event);
uint64_t kit_self(struct kit *kit, uint32_t function, int event);
uint64_t kit_inclusive(struct kit *kit, uint32_t function, int event);
uint64_t kit_read_cost(struct kit *kit, uint32_t function, uint32_t which, int event);
uint64_t kit_write_cost(struct kit *kit, uint32_t function, uint32_t which, int event);
void kit_function_is(struct kit *kit, uint32_t function, uint64_t calls, uint64_t self, uint64_t inclusive);
void kit_arc_is(struct kit *kit, uint32_t caller, uint32_t callee, uint64_t calls, uint64_t inclusive);
void kit_unknown_arc_is(struct kit *kit, uint32_t caller, uint32_t callee, uint64_t calls,
                        uint64_t inclusive);
uint64_t kit_arc(struct kit *kit, uint32_t caller, uint32_t callee, int event);

/* A context: function and caller (KIT_FUNCTIONS: none) of a program with one separated caller, level of recursion. */
struct kit_context {
    uint32_t function, level, caller;
};
void kit_context_is(struct kit *kit, struct kit_context context, uint64_t calls, uint64_t self, uint64_t inclusive);
void kit_context_arc_is(struct kit *kit, struct kit_context caller, struct kit_context callee, uint64_t calls,
                        uint64_t inclusive);
/* Executions, in a context, of the instruction that kit_run executes. */
uint64_t kit_context_runs(struct kit *kit, struct kit_context context);

#endif
