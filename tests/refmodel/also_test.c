/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * also_test.c: known answers of the model about further machines, each reckoned by hand from docs/model.md, 23.
 */
#include "model.h"

#include <stdio.h>
#include <string.h>

static unsigned passed, failed;
static uint64_t cost[M_EVENTS];

static void charge(void *user, const struct model_payer *payer, int event, uint64_t amount)
{
    (void)user, (void)payer;
    cost[event] += amount;
}

static void missed(void *user, const struct model_payer *payer, const struct model_miss *miss)
{
    (void)user, (void)payer, (void)miss;
}

/* What it cost since this was last asked. */
static void same(const char *what, int event, uint64_t wanted)
{
    passed += cost[event] == wanted;
    failed += cost[event] != wanted;
    if (cost[event] != wanted)
        printf("%s: %s %llu, not %llu\n", what, model_event_name(event), (unsigned long long)cost[event],
               (unsigned long long)wanted);
    cost[event] = 0;
}

static void access_lines(struct model *model, uint32_t thread, enum model_kind kind, const char *lines)
{
    static const struct model_payer payer = {.pays = true};

    for (; *lines; lines++)
        model_access(model, thread, kind, (uint64_t)(*lines - 'A') * 64, 8, &payer);
}

/* The recorded caches are of two lines, above a last level of 64. Machine 1 has the same I1, a third way in D1, and an
 * LL of four lines; machine 2 the same level 1, an L2 of four lines, of one set, and an LL as the recorded one. */
enum { D1MR_1 = M_D_ALSO, DLMR_1 = D1MR_1 + 2, D1MW_1, DLMW_1 = D1MW_1 + 2, D1MR_2, D2MR_2, DLMR_2, D1MW_2, D2MW_2 };
enum { I1MR_1 = M_I_ALSO, ILMR_1 = I1MR_1 + 2, I1MR_2, I2MR_2, ILMR_2 };
static const struct model_config config = {
    .i1 = {128, 2, 64}, .d1 = {128, 2, 64}, .ll = {4096, 64, 64}, .traces = 1, .also_count = 2,
    .also = {{.i1 = {128, 2, 64}, .d1 = {192, 3, 64}, .ll = {256, 4, 64}},
             {.i1 = {128, 2, 64}, .d1 = {128, 2, 64}, .l2 = {256, 4, 64}, .ll = {4096, 64, 64}}}};

static void reads(struct model *model)
{
    /* A is used again before C and D come, so that machine 1 gives up B and still has it. */
    access_lines(model, 0, MODEL_READ, "ABACDA");
    same("recorded", M_D1MR, 5);
    same("more ways", D1MR_1, 4);
    same("misses of these alone", DLMR_1, 4);
    same("no events of the same cache", D1MR_2, 0);
    same("L2 has what D1 has lost", D2MR_2, 4);
    same("and so has LL", DLMR_2, 4);
    /* From the line used last on, machine 1 has A D C in D1 and D C B A in LL, machine 2 has A D in D1 and A D C B in
     * L2. */
    access_lines(model, 0, MODEL_WRITE, "EAB");
    same("writes", M_D1MW, 2);
    same("writes with more ways", D1MW_1, 2);
    same("E throws out A, though D1 has used it since", DLMW_1, 1);
    same("E throws out B", D2MW_2, 2);
    same("none of machine 2's D1", D1MW_2, 0);
    access_lines(model, 0, MODEL_WRITE_PAST, "XYZ");
    same("past", D1MW_1, 0);
}

static void lines_and_threads(struct model *model)
{
    static const struct model_payer payer = {.pays = true};

    /* Two lines are one miss of each cache, of which thread 1 has its own; LL is everybody's. */
    model_access(model, 0, MODEL_FETCH, 60, 8, &payer);
    model_access(model, 1, MODEL_FETCH, 60, 8, &payer);
    same("fetches", M_I1MR, 2);
    same("the same I1", I1MR_1, 0);
    same("A had left, and B not", ILMR_1, 1);
    same("thread 0 has both in L2, as data", I2MR_2, 1);
    same("LL has both", ILMR_2, 0);
    model_access(model, 0, MODEL_MODIFY, 0x4000 + 60, 8, &payer);
    same("a modification is a read", D1MR_1, 1);
    same("in L2, too", D2MR_2, 1);
    same("and in LL", DLMR_2, 1);
    memset(cost, 0, sizeof cost);
    model_thread_end(model, 0);
    access_lines(model, 0, MODEL_READ, "B");
    same("D1 is empty", D1MR_1, 1);
    same("L2 is empty", D2MR_2, 1);
    same("LL is not", DLMR_2, 0);
    model_empty(model);
    access_lines(model, 0, MODEL_READ, "B");
    same("now it is", DLMR_2, 1);
}

int main(void)
{
    struct model *model = model_new(&config, charge, NULL, missed, NULL);

    reads(model);
    lines_and_threads(model);
    model_free(model);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
