/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch.h: two branch predictors for each thread, as the Valgrind manual describes them (section 5.8.2, "Branch
 * Simulation Specifics").
 */
#ifndef TENURE_CORE_BRANCH_H
#define TENURE_CORE_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

enum { TN_COND_COUNTERS = 16384, TN_INDIRECT_TARGETS = 512, TN_HISTORY_BITS = 7 };

struct tn_branch {
    uint64_t history;                       /* the last conditional branches, 1: taken, newest lowest */
    uint64_t target[TN_INDIRECT_TARGETS];   /* where each went last time */
    uint8_t counter[TN_COND_COUNTERS];      /* 0 to 3; 2 and 3 predict taken */
};

/* Predict, learn; true if the prediction was wrong. */
bool tn_branch_predict_cond(struct tn_branch *branch, uint64_t address, bool taken);
bool tn_branch_predict_indirect(struct tn_branch *branch, uint64_t address, uint64_t target);

#endif
