/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_rules.c: the rules of advice; advice_rule.h says what a row of this table is.
 *
 * Poor spatial use: bytes that are loaded and never touched, with the reason told apart. What a fix saves is the same
 * for each reason: the lines that would not have been loaded had each been used whole, lost / line, level by level.
 * What of an object's loss is around its blocks, or in fields of its elements that are never needed with the others, is
 * a matter of layout (gaps, fields); the rest is one of order: where the misses of an instruction follow each other at
 * one large distance it is the loops' (stride), where they follow at none it is that of the data (random).
 *
 * Lines that leave before they are used again, and lines that are loaded for nothing: what a fix saves is loads, not
 * parts of lines. Each line that was loaded once more than it had to be counts whole, at each level.
 *
 * Lines that threads take from each other although none needs what the other writes: a fix saves the misses. The
 * estimate counts a miss of level 1 for each; but the line comes from another core, which is as far as memory, or
 * nearly: so a miss of the last level is counted, too.
 *
 * Branches that are predicted badly: a misprediction costs what CEst says, and that is all that a fix saves.
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

const struct tp_rule tp_rules[] = {
    /* poor spatial use */
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
                     {"around", "%", "of the unused bytes are around the blocks"},
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
                     {"idle", "%", "of the unused bytes are of the fields"},
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
    /* lines that leave too early, or are loaded for nothing */
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
    /* false sharing */
    {
        .kind = "false_sharing",
        .title = "Threads write to different parts of the same lines",
        .fix = "give each thread lines of its own: align what it writes to a line, and pad it to one",
        .needs = "D1fr",
        .record = "--coherence=mesi",
        .turns = true,
        .if_so = "SELECT count(*) > 1 FROM threads",
        .other = "misses",
        .sql = "SELECT data_id, w.function_id, w.file_id, w.line, w.loop_id, v.function_id AS other_function_id,"
               " v.file_id AS other_file_id, v.line AS other_line, v.loop_id AS other_loop_id, falsely AS lines1,"
               " :wL * falsely AS cycles, s.false_sharing AS pair, falsely AS misses, 100.0 * falsely / wrongly AS"
               " part, written AS written_text, touched AS touched_text, 1.0 * falsely / wrongly AS confidence"
               " FROM (SELECT *, sum(false_sharing) OVER (PARTITION BY data_id) AS falsely, sum(misses) OVER"
               " (PARTITION BY data_id) AS wrongly, row_number() OVER (PARTITION BY data_id"
               " ORDER BY false_sharing DESC) AS place FROM t_sharing) s"
               " JOIN t_instructions w ON w.id = s.writer_id JOIN t_instructions v ON v.id = s.victim_id"
               " WHERE place = 1 AND 2 * falsely >= wrongly AND falsely > 0",
        .evidence = {{"misses", "", "misses of lines that another thread had written to, and nothing of that"
                                    " was touched"},
                     {"part", "%", "of the misses that other threads' writes cause are such"},
                     {"written", "", "bytes of a line that the one writes"},
                     {"touched", "", "bytes that the other needs"}},
    },
    /* mispredictions */
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
