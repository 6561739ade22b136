/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_space.c: poor spatial use, bytes that are loaded and never touched, with the reason told apart.
 *
 * What a fix saves is the same for each reason: the lines that would not have been loaded had each been used whole,
 * which is lost / line, level by level.
 */
#include "profile/advice_rule.h"

#define SAVED "lost1 / :line1 AS lines1, lost2 / max(:line2, 1) AS lines2, lostL / :lineL AS linesL"

const struct tp_rule tp_rules_space[] = {
    {
        .kind = "gaps",
        .title = "Gaps between small heap blocks",
        .fix = "allocate the blocks together, one behind the other (a pool, an array), in the order in which "
               "they are used",
        .needs = "SpLossD1 SpLossL t_data",
        .sql = "SELECT data_id, " SAVED ", spatial, mean, blocks, used1 / tenures1 AS used, 0.7 AS confidence"
               " FROM temp.advice_objects WHERE kind = 'heap' AND blocks >= 100 AND mean <= :small AND tenures1 > 0"
               " AND spatial < :spatial",
        .evidence = {{"spatial", "%", "of the bytes loaded for them are touched"},
                     {"blocks", "", "blocks"},
                     {"mean", "bytes", "in a block, on the average"},
                     {"used", "bytes", "of each line are touched"}},
    },
    {0},
};
