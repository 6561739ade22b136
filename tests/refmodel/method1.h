/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * method1.h: docs/attribution.md, literally: "inclusive cost aggregation method 1" of Weidendorfer
 * and Breitbart, "Inclusive Cost Attribution for Cache Use Profiling" (ICCS 2016).
 *
 * The whole chain of activations is known at every moment and every cost remembers the chain it belongs to.
 * When a part ends, each cost is charged once to each distinct arc and each distinct function on its chain,
 * and to the path that the chain folds to. Nothing is shared, pruned or charged early.
 *
 * Contexts (attribution.md, 10) are found on the real chain and known by their names, such as f3'2'f1.
 *
 * Functions and instructions are named by the numbers of the core (from 1), threads by the caller (from 0;
 * the profile's os_id). The caller says what really happens: no stack pointer is looked at here.
 */
#ifndef TENURE_REFMODEL_METHOD1_H
#define TENURE_REFMODEL_METHOD1_H

#include "memory_model.h"
#include "sheet.h"

enum {
    M1_SKIP = 1,
    M1_POP_ON_JUMP = 2,
    M1_TOGGLE = 4,
    M1_DUMP_BEFORE = 8,
    M1_DUMP_AFTER = 16,
    M1_ZERO_BEFORE = 32,
    M1_ENTRY = M1_TOGGLE | M1_DUMP_BEFORE | M1_DUMP_AFTER | M1_ZERO_BEFORE /* entry and exit mean something */
};

/* `most_callers`: as many as any function may separate. */
/* `memory`: the blocks that it counts are written and forgotten with all else; or NULL. */
struct method1 *m1_new(uint32_t most_callers, uint32_t most_pairs, struct memory_model *memory);
void m1_free(struct method1 *m);
void m1_function(struct method1 *m, uint32_t function, uint32_t flags, uint32_t callers, uint32_t recs);

/* A thread is there, and whether it collects; its level 0 begins, or begins again after m1_off. */
void m1_thread(struct method1 *m, uint32_t thread, bool collecting);
void m1_begin(struct method1 *m, uint32_t thread, uint32_t function);
void m1_end(struct method1 *m, uint32_t thread);
void m1_off(struct method1 *m);

void m1_call(struct method1 *m, uint32_t thread, uint32_t site, uint32_t function);
void m1_jump(struct method1 *m, uint32_t thread, uint32_t site, uint32_t function);
void m1_unwind(struct method1 *m, uint32_t thread, uint32_t frames);  /* so many call frames end */
void m1_raise(struct method1 *m, uint32_t thread, uint32_t function); /* a missing parent shows */
/* The level goes on, on its stack `number` (0: its first). `function` is entered if that was never seen: true. */
bool m1_stack(struct method1 *m, uint32_t thread, uint32_t number, uint32_t site, uint32_t function);
void m1_signal_enter(struct method1 *m, uint32_t thread, uint32_t function);
void m1_signal_leave(struct method1 *m, uint32_t thread);
uint32_t m1_frames(const struct method1 *m, uint32_t thread); /* call frames of the running level */
uint32_t m1_levels(const struct method1 *m, uint32_t thread);
uint32_t m1_running_stack(const struct method1 *m, uint32_t thread); /* its number */
/* The path that runs, without threads and contexts; `entered`: the function entered last, if that is to be shown even
 * where it is skipped; or 0. */
void m1_origin(const struct method1 *m, uint32_t thread, uint32_t entered, char *text);

void m1_collect(struct method1 *m, bool on); /* all threads */
bool m1_collecting(const struct method1 *m, uint32_t thread);
void m1_zero(struct method1 *m);
bool m1_dump_wanted(struct method1 *m); /* true once */

/* An immediate cost of `instr`, now. */
void m1_count(struct method1 *m, uint32_t thread, uint32_t instr, int event, uint64_t amount);
/* Who is to pay for a line loaded by `instr`, now; and the payment (a model_charge; `user` is the method1).
 * */
struct model_payer m1_payer(const struct method1 *m, uint32_t thread, uint32_t instr);
/* The same at a place of its data object. */
void m1_charge_at(void *user, const struct model_payer *payer, int event, uint32_t place, uint64_t amount);
void m1_charge(void *user, const struct model_payer *payer, int event, uint64_t amount);
/* A model_share. */
void m1_share(void *user, const struct model_payer *writer, const struct model_payer *victim, enum model_shared what,
              uint64_t written, uint64_t touched);
void m1_reused(void *user, const struct model_payer *payer, const struct model_reuse *reuse); /* of model_config */
void m1_missed(void *user, const struct model_payer *payer, const struct model_miss *miss); /* a model_missed */

/* The part so far, as a sheet; then a new part begins. */
void m1_part(struct method1 *m, struct sheet *sheet);

#endif
