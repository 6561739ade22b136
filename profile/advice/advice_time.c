/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_time.c: lines that leave before they are used again, and lines that are loaded for nothing.
 *
 * What a fix saves is loads, not parts of lines: each line that was loaded once more than it had to be counts whole,
 * at each level; so it does not matter how much of it was touched.
 */
#include "profile/advice/advice_rule.h"

const struct tp_rule tp_rules_time[] = {
    {
        .kind = "conflict",
        .title = "Lines throw each other out of few sets",
        .fix = "add a line's worth of padding to each row, so that rows no longer lie a power of two apart",
        .needs = "ColdD1",
        .record = "--patterns=yes",
        .sql = "SELECT s.data_id, function_id, file_id, line, loop_id, conflict1 AS lines1, conflict2 AS lines2,"
               " conflictL AS linesL, misses1 AS misses, 100.0 * conflict1 / misses1 AS conflicts, abs(stride) AS"
               " stride, conflict1 / misses1 AS confidence FROM temp.advice_sites s"
               " WHERE 100 * conflict1 >= :conflict * misses1 AND misses1 > 0",
        .evidence = {{"misses", "", "misses in D1"},
                     {"conflicts", "%", "of them would be none if the cache could hold its lines anywhere"},
                     {"stride", "bytes", "lie between most misses of an instruction"}},
    },
    {
        .kind = "blocking",
        .title = "A loop walks the same data again, and it does not fit",
        .fix = "work in blocks: do all that is to be done with a part that fits into the cache before the next part",
        .needs = "ColdD1",
        .record = "--patterns=yes",
        .sql = "SELECT s.data_id, s.function_id, s.file_id, s.line, s.loop_id, misses1 - once1 AS lines1,"
               " max(misses2 - once2, 0) AS lines2, max(missesL - onceL, 0) AS linesL, misses1 / once1 AS times,"
               " touched1 / used1 - 1 AS temporal, size, 100.0 * capacity1 / misses1 AS capacity, iif(siblings = 1,"
               " 0.7, 0.4) AS confidence FROM (SELECT s.*, l.siblings, l.is_inner, o.size, l.entries * o.size /"
               " :line1 AS once1, l.entries * o.size / max(:line2, 1) AS once2, l.entries * o.size / :lineL AS onceL"
               " FROM temp.advice_sites s JOIN temp.advice_nests l ON l.loop_id = s.loop_id"
               " JOIN temp.advice_objects o ON o.data_id = s.data_id AND o.size > 0) s"
               " WHERE is_inner AND spatial >= :spatial AND 2 * capacity1 >= misses1 AND misses1 >= :again * once1"
               " AND once1 > 0 AND touched1 < (1 + :reused) * used1",
        .evidence = {{"times", "times", "each line is loaded into D1 while the outermost loop runs once"},
                     {"temporal", "times", "a touched byte is touched again before its line leaves"},
                     {"size", "bytes", "is what is walked"},
                     {"capacity", "%", "of the misses are of lines that had to leave for lack of room"}},
    },
    {
        .kind = "fusion",
        .title = "Loops walk the same data one after the other",
        .fix = "make one loop of them, or run them one after the other on a part of the data that fits into the cache",
        .needs = "ColdD1",
        .record = "--patterns=yes",
        .sql = "WITH saved AS (SELECT fusion, data_id, sum(misses1) - max(misses1) AS lines1, sum(misses2) -"
               " max(misses2) AS lines2, sum(missesL) - max(missesL) AS linesL, count(*) AS walks"
               " FROM temp.advice_fusions GROUP BY fusion, data_id HAVING count(*) > 1) SELECT s.fusion, s.data_id,"
               " max(s.lines1) AS most, sum(s.lines1) AS lines1, sum(s.lines2) AS lines2, sum(s.linesL) AS linesL,"
               " (SELECT group_concat(name, ', ') FROM (SELECT DISTINCT d.name FROM saved x"
               " JOIN t_data d ON d.id = x.data_id WHERE x.fusion = s.fusion)) AS data_text, f.loops, f.times,"
               " (SELECT :line1 * sum(m.misses1) FROM temp.advice_reloads m"
               " WHERE m.loader IN (SELECT root_id FROM temp.advice_fusions a WHERE a.fusion = s.fusion)"
               " AND m.root_id IN (SELECT root_id FROM temp.advice_fusions b WHERE b.fusion = s.fusion))"
               " AS reloaded, iif(EXISTS (SELECT 1 FROM t_pairs), 0.8, 0.7) AS confidence FROM saved s"
               " JOIN (SELECT fusion, count(DISTINCT root_id) AS loops, max(entries) AS times FROM"
               " temp.advice_fusions GROUP BY fusion) f ON f.fusion = s.fusion GROUP BY s.fusion",
        .evidence = {{"loops", "", "loops, of as many rounds each"},
                     {"times", "times", "each is run"},
                     {"reloaded", "bytes", "were loaded again by one that another one of them had loaded"},
                     {"data", "", "data that several of them walk from end to end, and that does not fit the cache"}},
    },
    {
        .kind = "stream",
        .title = "Lines are loaded only to be overwritten",
        .fix = "write them with non-temporal stores, which load nothing and leave the cache to others",
        .needs = "BytL UseL DLmw",
        .sql = "SELECT s.function_id, s.file_id, s.line, s.loop_id, s.data_id, s.stores1 - first AS lines1,"
               " max(s.stores2 - first, 0) AS lines2, s.storesL - first AS linesL, 100.0 * s.usedL / (s.usedL +"
               " s.lostL) AS spatial, s.touchedL / s.usedL AS times, s.storesL AS stores, 0.6 AS confidence"
               " FROM (SELECT s.*, iif(s.coldL > 0, s.coldL, o.size / :lineL) AS first FROM temp.advice_sites s"
               " JOIN temp.advice_objects o ON o.data_id = s.data_id) s"
               " WHERE s.storesL > first AND s.storesL >= 0.9 * s.missesL AND s.storesL >= 0.5 * s.stores1 AND"
               " s.usedL >= 0.95 * (s.usedL + s.lostL) AND s.touchedL <= 1.05 * s.usedL AND s.usedL > 0",
        .evidence = {{"stores", "", "lines are loaded from memory by stores"},
                     {"spatial", "%", "of their bytes are written"},
                     {"times", "times", "each byte, while the line is cached"}},
    },
    {0},
};
