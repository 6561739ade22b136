/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_time.c: lines that leave before they are used again, and lines that are loaded for nothing.
 *
 * What a fix saves is loads, not parts of lines: each line that was loaded once more than it had to be counts whole, at
 * each level; so it does not matter how much of it was touched.
 */
#include "profile/advice_rule.h"

const struct tp_rule tp_rules_time[] = {
    {
        .kind = "stream",
        .title = "Lines are loaded only to be overwritten",
        .fix = "write them with non-temporal stores, which load nothing and leave the cache to others",
        .needs = "BytL UseL DLmw t_instruction_data",
        .sql =
            "SELECT s.function_id, s.file_id, s.line, s.data_id, s.stores1 - first AS lines1,"
            " max(s.stores2 - first, 0) AS lines2, s.storesL - first AS linesL, 100.0 * s.usedL / (s.usedL + "
            "s.lostL) AS spatial,"
            " s.touchedL / s.usedL AS times, s.storesL AS stores, 0.6 AS confidence"
            " FROM (SELECT s.*, o.size / :lineL AS first FROM temp.advice_sites s JOIN temp.advice_objects o"
            " ON o.data_id = s.data_id) s WHERE s.storesL > first AND s.storesL >= 0.9 * s.missesL AND "
            "s.storesL >= 0.5 * s.stores1"
            " AND s.usedL >= 0.95 * (s.usedL + s.lostL) AND s.touchedL <= 1.05 * s.usedL AND s.usedL > 0",
        .evidence = {{"stores", "", "lines are loaded from memory by stores"},
                     {"spatial", "%", "of their bytes are written"},
                     {"times", "", "times in the time that the line is cached"}},
    },
    {0},
};
