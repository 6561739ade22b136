/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_space.c: poor spatial use, bytes that are loaded and never touched, with the reason told apart.
 *
 * What a fix saves is the same for each reason: the lines that would not have been loaded had each been used whole,
 * which is lost / line, level by level. What of an object's loss is around its blocks, or in fields of its elements
 * that are never needed with the others, is a matter of layout (gaps, fields); the rest is one of order: where the
 * misses of an instruction follow each other at one large distance it is the loops' (stride), where they follow at
 * none it is that of the data (random).
 */
#include "profile/advice/advice_rule.h"

/* Of a site: its part of what is not a matter of layout. */
#define ORDER                                                                                                          \
    " FROM (SELECT s.*, o.kind, o.mean, o.blocks, r.hot_fields,"                                                       \
    " 1 - (ifnull(r.around1, 0) + ifnull(r.idle1, 0)) / o.lost1 AS part FROM temp.advice_sites s"                      \
    " JOIN temp.advice_objects o ON o.data_id = s.data_id AND o.lost1 > 0"                                             \
    " LEFT JOIN temp.advice_reasons r ON r.data_id = s.data_id)"
#define SAVED                                                                                                          \
    "part * lost1 / :line1 AS lines1, part * lost2 / max(:line2, 1) AS lines2, part * lostL / :lineL AS linesL"
/* Where misses are not told apart, steps that lead to an eighth of the sets may be a matter of conflicts. */
#define SURE "iif(:kinds OR abs(stride) * 8 % max(:way1, 1) <> 0, 1, 0.6)"
#define UNSURE {"unsure", "", "conflicts may be the reason; to be told by recording with"}
#define POOR "spatial < :spatial AND part >= 0.5 AND 100 * conflict1 < :conflict * misses1"

const struct tp_rule tp_rules_space[] = {
    {
        .kind = "stride",
        .title = "A loop goes through its data in large steps",
        .fix = "exchange the loops, or transpose the data, so that the inner loop goes along the lines; where two"
               " arrays want different orders, work in blocks that fit into the cache",
        .needs = "SpLossD1",
        .strides = TP_STRIDES_KEPT,
        .record = "--strides=yes",
        .sql = "SELECT data_id, function_id, file_id, line, loop_id, " SAVED ", spatial, abs(stride) AS stride,"
               " 100.0 * regular / strides AS regular, misses1 AS misses, 1.0 * regular / strides * " SURE
               " AS confidence, iif(" SURE " = 1, NULL, '--patterns=yes') AS unsure_text" ORDER
               " WHERE " POOR " AND 100 * regular >= :regular * strides AND abs(stride) >= :far",
        .evidence = {{"spatial", "%", "of the bytes loaded are touched"},
                     {"stride", "bytes", "lie between most misses of an instruction"},
                     {"regular", "%", "of the distances between misses are this one"},
                     {"misses", "", "misses in D1"},
                     UNSURE},
    },
    {
        .kind = "gaps",
        .title = "Gaps between small heap blocks",
        .fix = "allocate the blocks together, one behind the other (a pool, an array), in the order in which they"
               " are used",
        .needs = "SpLossD1",
        .sql = "SELECT o.data_id, around1 / :line1 AS lines1, around2 / max(:line2, 1) AS lines2, aroundL / :lineL"
               " AS linesL, spatial, mean, blocks, 100.0 * around1 / lost1 AS around, around1 / lost1 AS confidence"
               " FROM temp.advice_objects o JOIN temp.advice_reasons r ON r.data_id = o.data_id"
               " WHERE kind = 'heap' AND blocks >= 100 AND mean <= :small AND spatial < :spatial AND around1 >= 0.5"
               " * lost1 AND lost1 > 0",
        .evidence = {{"spatial", "%", "of the bytes loaded for them are touched"},
                     {"around", "%", "of what is loaded in vain is around the blocks"},
                     {"blocks", "", "blocks"},
                     {"mean", "bytes", "in a block, on the average"}},
    },
    {
        .kind = "fields",
        .title = "Fields that are loaded with others, and not needed with them",
        .fix = "split the structure: what is needed together in one, the rest in another, reached by the same index"
               " or a pointer",
        .needs = "SpLossD1",
        .sql = "SELECT o.data_id, idle1 / :line1 AS lines1, idle2 / max(:line2, 1) AS lines2, idleL / :lineL AS"
               " linesL, spatial, 100.0 * idle1 / lost1 AS idle, idle_fields AS idle_text, hot_fields AS hot_text,"
               " idle1 / lost1 AS confidence FROM temp.advice_objects o"
               " JOIN temp.advice_reasons r ON r.data_id = o.data_id"
               " WHERE spatial < :spatial AND idle1 >= 0.5 * lost1 AND hot_fields IS NOT NULL AND lost1 > 0",
        .evidence = {{"spatial", "%", "of the bytes loaded are touched"},
                     {"idle", "%", "of what is loaded in vain are the fields"},
                     {"hot", "", "needed with each other are"}},
    },
    {
        .kind = "unused",
        .title = "Much of what is loaded is never touched",
        .fix = "touch data in the order in which it lies in memory, and keep together what is used together;"
               " recorded with --strides=yes, advice says more",
        .needs = "SpLossD1",
        .strides = TP_STRIDES_LOST,
        .sql = "SELECT data_id, function_id, file_id, line, loop_id, " SAVED ", spatial, misses1 AS misses,"
               " 0.4 AS confidence" ORDER " WHERE " POOR " AND 2 * spatial < :spatial",
        .evidence = {{"spatial", "%", "of the bytes loaded are touched"}, {"misses", "", "misses in D1"}},
    },
    {
        .kind = "fields",
        .title = "A part of each record is needed, and all of it is loaded",
        .fix = "split the records: what is needed together in one, the rest in another, reached by the same index",
        .needs = "SpLossD1",
        .strides = TP_STRIDES_KEPT,
        .sql = "SELECT data_id, function_id, file_id, line, loop_id, " SAVED ", spatial, abs(stride) AS stride,"
               " 100.0 * regular / strides AS regular, used1 / tenures1 AS used, misses1 AS misses,"
               " 0.7 * regular / strides AS confidence" ORDER
               " WHERE " POOR " AND 100 * regular >= :regular * strides AND abs(stride) > :line1 AND"
                              " abs(stride) < :far AND hot_fields IS NULL",
        .evidence = {{"spatial", "%", "of the bytes loaded are touched"},
                     {"used", "bytes", "of each line are touched"},
                     {"stride", "bytes", "lie between most misses of an instruction: a record, or several"},
                     {"regular", "%", "of the distances between misses are this one"},
                     {"misses", "", "misses in D1"}},
    },
    {
        .kind = "random",
        .title = "Accesses that follow no order",
        .fix = "sort or group the accesses by place, make the data smaller, or keep together what is used together",
        .needs = "SpLossD1",
        .strides = TP_STRIDES_KEPT,
        .record = "--strides=yes",
        .sql = "SELECT data_id, function_id, file_id, line, loop_id, " SAVED ", spatial, misses1 AS misses,"
               " 100.0 * kept / strides AS regular, iif(:kinds, 0.6, 0.4) * (1.0 - 1.0 * kept / strides) AS"
               " confidence, iif(:kinds, NULL, '--patterns=yes') AS unsure_text" ORDER
               " WHERE " POOR " AND 100 * kept < 0.5 * :regular * strides",
        .evidence = {{"spatial", "%", "of the bytes loaded are touched"},
                     {"regular", "%", "of the distances between misses are among the most frequent ones"},
                     {"misses", "", "misses in D1"},
                     UNSURE},
    },
    {0},
};
