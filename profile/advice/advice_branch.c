/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_branch.c: branches that are predicted badly. They are simulated with --branch-sim=yes only; without it these
 * rules have nothing to ask. A misprediction costs what CEst says, and that is all that a fix saves: nothing is loaded
 * for it.
 */
#include "profile/advice/advice_rule.h"

const struct tp_rule tp_rules_branch[] = {
    {
        .kind = "indirect",
        .title = "Mispredicted indirect jumps or calls",
        .fix = "for a switch or a call through a pointer: sort the work by target, give each target a dispatch of"
               " its own, or replace code by a table of values",
        .needs = "Bi Bim",
        .record = "--branch-sim=yes",
        .without_data = true,
        .sql =
            "SELECT function_id, file_id, line, :wb * Bim AS cycles, 100.0 * Bim / Bi AS missed, Bi AS jumps, 0.5"
            " * Bim / Bi AS confidence FROM temp.advice_code WHERE 100.0 * Bim >= :mispredicted * Bi AND Bim > 0",
        .evidence = {{"jumps", "", "indirect jumps or calls"},
                     {"missed", "%", "of them have another target than the last time"}},
    },
    {
        .kind = "branches",
        .title = "Mispredicted branches",
        .fix = "make the outcome data: a conditional move, arithmetic, a table, or sort the data first",
        .needs = "Bc Bcm",
        .record = "--branch-sim=yes",
        .without_data = true,
        .sql =
            "SELECT function_id, file_id, line, :wb * Bcm AS cycles, 100.0 * Bcm / Bc AS missed, Bc AS jumps, min(1,"
            " 2.0 * Bcm / Bc) AS confidence FROM temp.advice_code WHERE 100.0 * Bcm >= :mispredicted * Bc AND Bcm > 0",
        .evidence = {{"jumps", "", "conditional branches"}, {"missed", "%", "of them are mispredicted"}},
    },
    {0},
};
