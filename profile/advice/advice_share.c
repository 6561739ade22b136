/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_share.c: lines that threads take from each other although none needs what the other writes. They are known in
 * a profile that was recorded with --coherence=mesi only.
 *
 * A fix saves the misses. The estimate counts a miss of level 1 for each; but the line comes from another core, which
 * is as far as memory, or nearly: so a miss of the last level is counted, too.
 */
#include "profile/advice/advice_rule.h"

const struct tp_rule tp_rules_share[] = {
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
    {0},
};
