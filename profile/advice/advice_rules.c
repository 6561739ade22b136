/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_rules.c: the rules of advice; advice_rule.h says what a row of this table is.
 *
 * Pointers: where what is missed is found through the access before, no order of accesses helps: the data has to lie in
 * the order in which it is walked, or several steps in one line.
 *
 * Poor spatial use: bytes that are loaded and never touched, with the reason told apart. What of an object's loss is
 * around its blocks, or in fields of its elements that are never needed with the others, is a matter of layout (gaps,
 * fields). What is left is one of order, where the misses of an instruction follow each other at one large distance
 * (stride), or at none (random); unless the distance is that of records of which the same part is needed again and
 * again (fields).
 *
 * What a fix saves is the lines that would not be loaded. In a walk through the data that is those that would not have
 * been loaded had each been used whole. Under random access each access still loads a line; but what is smaller is
 * more often found in a cache. And what fits into a cache is loaded once.
 *
 * Lines that leave before they are used again, and lines that are loaded for nothing: what a fix saves is loads, not
 * parts of lines. Each line that was loaded once more than it had to be counts whole, at each level.
 *
 * Pages that no TLB has: large pages are as few as the TLBs hold. A walk is waited for whole where the access has to
 * wait for the one before, else with others (docs/model.md, 19).
 *
 * Lines that threads take from each other: a fix saves the misses, with what CEst says of a coherence miss.
 *
 * Branches that are predicted badly: a misprediction costs what CEst says, and that is all that a fix saves.
 */
#include "profile/advice/advice_rule.h"

/* Lines that a level still loads where it now has `misses`: `lines`, or each line of `footprint` bytes once, if these
 * fit. Some of the cache is for other data. */
#define LEFT_AT(level, lines)                                                                                          \
    "iif(footprint <= 0.9 * :size" level ", min(footprint / max(:line" level ", 1), " lines "), " lines ")"
#define SAVED_AT(level, lines) "max(misses" level " - " LEFT_AT(level, lines) ", 0) AS lines" level
/* The part of misses that is left under random access where an object of `size` bytes has `footprint` bytes. */
#define SMALLER(level)                                                                                                 \
    "max(0, 1 - :size" level " / max(footprint, 1.0)) / max(0.05, 1 - :size" level " / max(size, 1.0))"

/* What the calls cost that allocate and free blocks of which there would be one, or a site's part of it; and, where it
 * is one percent at least, what they cost altogether. */
#define CALLS                                                                                                          \
    "calls, called, iif(100 * all_calls < :total, NULL, iif(:time > 0, 100 * all_called / :time, 100 * all_calls /"    \
    " :total)) AS allocating, "
#define ALL_CALLS "c.cest AS all_calls, c.time AS all_called"
#define ALLOCATING {"allocating", "%", "of the estimated time goes into allocating and freeing them"}

/* Of a site: its part of what is not a matter of layout; what it pays in pointers; and, by its misses, its part of what
 * the allocation costs. */
#define ORDER                                                                                                          \
    " FROM (SELECT s.*, o.kind, o.mean, o.blocks, o.size, o.element, r.hot_fields, l.entries, l.iterations,"           \
    " 1.0 * l.iterations / nullif(l.entries, 0) AS trips, c.cest * s.misses1 / max(1, o.misses1) AS calls,"            \
    " c.time * s.misses1 / max(1, o.misses1) AS called, " ALL_CALLS ","                                                \
    " 1 - (ifnull(r.around1, 0) + ifnull(r.idle1, 0)) / o.lost1 AS part FROM temp.advice_sites s"                      \
    " JOIN temp.advice_objects o ON o.data_id = s.data_id AND o.lost1 > 0"                                             \
    " LEFT JOIN temp.advice_allocations c ON c.data_id = s.data_id"                                                    \
    " LEFT JOIN t_loops l ON l.id = s.loop_id LEFT JOIN temp.advice_reasons r ON r.data_id = s.data_id) s"
#define PLACE "data_id, function_id, file_id, line, loop_id, "
#define SAVED                                                                                                          \
    "part * lost1 / :line1 AS lines1, part * lost2 / max(:line2, 1) AS lines2, part * lostL / :lineL AS linesL"
/* Where misses are not told apart, steps that lead to an eighth of the sets may be a matter of conflicts. */
#define SURE "iif(:kinds OR abs(stride) * 8 % max(:way1, 1) <> 0, 1, 0.6)"
#define UNSURE {"unsure", "", "conflicts may be the reason; to be told by recording with"}
#define POOR "spatial < :spatial AND part >= 0.5 AND 100 * conflict1 < :conflict * misses1"
#define REGULAR "100 * regular >= :regular * strides AND strides > 0"
/* Whether the same part of each record is walked each time: what is at the end of a walk says so, or, where there is
 * but one, what stays in the lower levels: the rest of the lines is not used by others later. */
#define LAYOUT                                                                                                         \
    "iif(turns IS NULL, abs(stride) > :line1 AND abs(stride) < :far AND 100 * usedL < :spatial * (usedL + lostL),"     \
    " NOT turns)"
/* Other data that the loop of a site walks in the order of memory: that would be walked in steps if loops were
 * exchanged. */
#define ALONG                                                                                                          \
    "(SELECT d.name FROM temp.advice_sites x JOIN t_data d ON d.id = x.data_id WHERE x.loop_id = s.loop_id AND"        \
    " x.data_id <> s.data_id AND abs(x.stride) <= :line1 AND 100 * x.regular >= :regular * x.strides AND"              \
    " 20 * x.misses1 > s.misses1 ORDER BY x.misses1 DESC LIMIT 1)"
/* Half of the misses of a site are found by following pointers. */
#define CHASED "2 * chased1 >= misses1 AND misses1 > 0 AND 100 * conflict1 < :conflict * misses1"
#define NOT_CHASED(of) "NOT EXISTS (SELECT 1 FROM temp.advice_found f WHERE f.kind IN ('list', 'tree', 'chain',"       \
    " 'search') AND f.data_id = " of ".data_id)"
/* The data is not what holds the pointers to data of which the reason is said. A set of what does is found once, from
 * table to table: asked row by row, all that is loaded would be gone through for each. */
#define NOT_POINTERS(of)                                                                                               \
    of ".data_id NOT IN (SELECT data_id FROM temp.advice_shares WHERE instruction_id IN (SELECT load_id FROM"          \
    " t_address_loads WHERE instruction_id IN (SELECT instruction_id FROM temp.advice_shares WHERE data_id IN"         \
    " (SELECT data_id FROM temp.advice_found WHERE kind IN ('chain', 'stride')))))"
/* A loop of a few rounds, if it is one, from where another load leads to; a tree's step leads to one of several
 * places. */
#define CHAIN                                                                                                          \
    "(2 * entered1 >= misses1 AND blocks >= 100 AND mean <= :small AND 100 * kept < 0.5 * :regular * strides AND"      \
    " misses1 > 0 AND 100 * conflict1 < :conflict * misses1)"
#define TREE "NOT ifnull(" CHAIN ", 0) AND 2 * forked1 >= chased1 AND (blocks >= 100 OR element >= 16)"
/* What is left of a node without its pointers: of a tree's up to 32 bytes, of a list's 8 of those that are touched. */
#define TREE_DATA "size * max(8, mean - 32) / max(mean, 8)"
#define LIST_DATA "iif(blocks >= 100, max(0.25, 1 - 8 / max(used1 / max(tenures1, 1), 8)), 1)"
/* Lines left without gaps between blocks: in walks, those that the bytes touched make; of what is not walked, misses
 * that a smaller object has. */
#define GAPS_LEFT(level)                                                                                               \
    "walked * (misses" level " - around" level " / max(:line" level ", 1)) + (1 - walked) * misses" level              \
    " * min(1, (" SMALLER(level) "))"
/* The same without idle fields. */
#define FIELDS_LEFT(level)                                                                                             \
    "walked * (misses" level " - idle" level " / max(:line" level ", 1)) + (1 - walked) * misses" level " * min(1, ("  \
    SMALLER(level) "))"
/* With eight keys in a line a step is three; the last three steps of a binary search are in one line already. */
#define SEARCH_LEFT(level) "min(misses" level ", (misses" level " + 2 * entries) / 3)"
#define HALVES "trips >= 6 AND trips <= 60 AND (1 << trips) <= size AND (1 << (trips + 5)) >= size"

#define OWN_MEMORY "('heap', 'mapping', 'static')" /* whose pages the program can choose */
#define LARGE "2097152" /* bytes of a large page */

/* Of each data object the write that takes most lines, and who misses them: of misses of this kind, false or true. */
#define SHARING(kind, most)                                                                                            \
    "SELECT data_id, w.function_id, w.file_id, w.line, w.loop_id, v.function_id AS other_function_id,"                 \
    " v.file_id AS other_file_id, v.line AS other_line, v.loop_id AS other_loop_id, falsely AS lines1,"                \
    " falsely AS shared, falsely AS misses, 100.0 * falsely / wrongly AS part, written AS written_text, touched AS"    \
    " touched_text, 1.0 * falsely / wrongly AS confidence FROM (SELECT *, sum(" kind "_sharing)"                       \
    " OVER (PARTITION BY data_id) AS falsely, sum(misses) OVER (PARTITION BY data_id) AS wrongly, row_number()"        \
    " OVER (PARTITION BY data_id ORDER BY " kind "_sharing DESC) AS place FROM t_sharing) s"                           \
    " JOIN t_instructions w ON w.id = s.writer_id JOIN t_instructions v ON v.id = s.victim_id"                         \
    " WHERE place = 1 AND " most " AND falsely > 0"

const struct tp_rule tp_rules[] = {
    /* pointers */
    {
        .kind = "chain",
        .title = "Each lookup loads a pointer, and then what it points to",
        .fix = "keep the entries themselves where the pointers are: in the table (open addressing), in an array",
        .needs = "SpLossD1",
        .sql = "SELECT " PLACE CALLS "misses1 AS lines1, misses2 AS lines2,"
               " max(missesL + iif(footprint <= 0.9 * :sizeL, enteredL - footprint / :lineL, 0), 0) AS linesL,"
               " misses1 AS misses,"
               " 100.0 * entered1 / misses1 AS entered, spatial, 0.6 AS confidence FROM (SELECT *, 1.5 * size *"
               " max(8, mean - 8) / max(mean, 8) AS footprint" ORDER " WHERE " CHAIN ")",
        .evidence = {{"entered", "%", "of the misses follow one of the load that brings the address"},
                     {"spatial", "%", "of the bytes loaded are touched"},
                     ALLOCATING,
                     {"misses", "", "misses in D1"}},
    },
    {
        .kind = "tree",
        .title = "A tree is searched node by node",
        .fix = "put several steps of the search into one line: a B-tree, or a sorted array searched in blocks",
        .needs = "SpLossD1",
        .sql = "SELECT " PLACE CALLS SAVED_AT("1", "misses1 / 3") ", " SAVED_AT("2", "misses2 / 3") ", "
               SAVED_AT("L", "missesL / 3") ", trips, misses1 AS misses, 100.0 * chased1 / misses1 AS chased, 0.6 AS"
               " confidence FROM (SELECT *, " TREE_DATA " AS footprint" ORDER " WHERE " CHASED " AND " TREE ")",
        .evidence = {{"chased", "%", "of the misses are at an address that the access before has loaded"},
                     {"trips", "", "steps are taken each time"},
                     ALLOCATING,
                     {"misses", "", "misses in D1"}},
    },
    {
        .kind = "list",
        .walks = true,
        .title = "A list is followed from element to element",
        .fix = "keep the elements in an array, or lay them in the order in which they are walked (a pool, filled in"
               " that order)",
        .needs = "SpLossD1",
        .sql = "SELECT " PLACE CALLS SAVED_AT("1", "kept_part * used1 / :line1") ", "
               SAVED_AT("2", "kept_part * used2 / max(:line2, 1)") ", "
               SAVED_AT("L", "kept_part * usedL / :lineL") ", trips, misses1 AS misses, 100.0 * chased1 / misses1 AS"
               " chased, spatial, 0.7 AS confidence FROM (SELECT *, " LIST_DATA " AS kept_part, size * " LIST_DATA
               " AS footprint" ORDER " WHERE " CHASED " AND NOT ifnull(" CHAIN ", 0) AND 2 * forked1 < chased1 AND"
               " spatial < :spatial AND (blocks >= 100 OR"
               " ifnull(trips, 0) * 2 * :line1 >= size))",
        .evidence = {{"chased", "%", "of the misses are at an address that the access before has loaded"},
                     {"spatial", "%", "of the bytes loaded are touched"},
                     {"trips", "", "elements are walked each time"},
                     ALLOCATING,
                     {"misses", "", "misses in D1"}},
    },
    {
        .kind = "search",
        .title = "A binary search jumps over data that does not fit",
        .fix = "put several steps of the search into one line: a B-tree, or the Eytzinger order; or sort what is looked"
               " up first",
        .needs = "SpLossD1",
        .strides = TP_STRIDES_KEPT,
        .sql = "SELECT " PLACE SAVED_AT("1", SEARCH_LEFT("1")) ", " SAVED_AT("2", SEARCH_LEFT("2")) ", "
               SAVED_AT("L", SEARCH_LEFT("L")) ", trips, spatial, misses1 AS misses, 0.5 AS confidence FROM (SELECT *,"
               " size AS footprint" ORDER " WHERE " POOR " AND 100 * kept < 0.5 * :regular * strides AND blocks IS NOT"
               " NULL AND entries > 100 AND " HALVES " AND 2 * chased1 < misses1)",
        .evidence = {{"spatial", "%", "of the bytes loaded are touched"},
                     {"trips", "", "steps are taken each time, each to another line"},
                     {"misses", "", "misses in D1"}},
    },
    /* poor spatial use */
    {
        .kind = "stride",
        .walks = true,
        .title = "A loop goes through its data in large steps",
        .fix = "exchange the loops, or transpose the data, so that the inner loop goes along the lines; where two"
               " arrays want different orders, work in blocks that fit into the cache",
        .needs = "SpLossD1",
        .strides = TP_STRIDES_KEPT,
        .record = "--strides=yes",
        .sql = "SELECT " PLACE "part * lost1 / :line1 + entered1 AS lines1, part * lost2 / max(:line2, 1) AS lines2,"
               " part * lostL / :lineL + enteredL AS linesL, spatial, abs(stride) AS stride, 100.0 * regular / strides"
               " AS regular, misses1 AS misses, nullif(entered1, 0) AS entered, 1.0 * regular / strides * " SURE " *"
               " iif(along IS NULL, 1, 0.75) AS confidence, iif(" SURE " = 1,"
               " NULL, '--patterns=yes') AS unsure_text, along AS along_text FROM (SELECT *, " ALONG " AS along" ORDER
               " WHERE " POOR " AND " REGULAR " AND abs(stride) >= :line1 AND NOT "
               LAYOUT " AND (turns OR abs(stride) > :line1))",
        .evidence = {{"spatial", "%", "of the bytes loaded are touched"},
                     {"stride", "bytes", "lie between most misses of an instruction"},
                     {"regular", "%", "of the distances between misses are this one"},
                     {"misses", "", "misses in D1"},
                     {"entered", "", "misses in D1 of the pointers that lead there"},
                     {"along", "", "the same loop walks along its lines"},
                     UNSURE},
    },
    {
        .kind = "gaps",
        .walks = true,
        .title = "Gaps between small heap blocks",
        .fix = "allocate the blocks together, one behind the other (a pool, an array), in the order in which they"
               " are used",
        .needs = "SpLossD1",
        .sql = "SELECT *, " CALLS SAVED_AT("1", GAPS_LEFT("1")) ", " SAVED_AT("2", GAPS_LEFT("2")) ", "
               SAVED_AT("L", GAPS_LEFT("L")) ", iif(mean <= 8, 0.7, 1) * walked AS confidence"
               " FROM (SELECT o.*, r.around1, r.around2, r.aroundL, 100.0 * around1 / o.lost1 AS around,"
               " ifnull(w.walked, 0) AS walked, o.size AS footprint, c.cest AS calls, c.time AS called, "
               ALL_CALLS " FROM temp.advice_objects o"
               " JOIN temp.advice_reasons r ON r.data_id = o.data_id"
               " LEFT JOIN temp.advice_allocations c ON c.data_id = o.data_id"
               " LEFT JOIN temp.advice_orders w ON w.data_id = o.data_id) o"
               " WHERE kind = 'heap' AND blocks >= 100 AND mean <= :small AND spatial < :spatial AND around1 >= 0.5"
               " * lost1 AND lost1 > 0 AND " NOT_CHASED("o") " AND " NOT_POINTERS("o"),
        .evidence = {{"spatial", "%", "of the bytes loaded for them are touched"},
                     {"around", "%", "of the unused bytes are around the blocks"},
                     ALLOCATING,
                     {"blocks", "", "blocks"},
                     {"mean", "bytes", "in a block, on the average"}},
    },
    {
        .kind = "fields",
        .walks = true,
        .title = "Fields that are loaded with others, and not needed with them",
        .fix = "split the structure: what is needed together in one, the rest in another, reached by the same index"
               " or a pointer",
        .needs = "SpLossD1",
        .sql = "SELECT *, " SAVED_AT("1", FIELDS_LEFT("1")) ", " SAVED_AT("2", FIELDS_LEFT("2")) ", "
               SAVED_AT("L", FIELDS_LEFT("L")) ", 100.0 * idle1 / lost1 AS idle, idle_fields AS idle_text,"
               " hot_fields AS hot_text, idle1 / lost1 AS confidence FROM (SELECT o.*, r.idle1, r.idle2, r.idleL,"
               " r.idle_fields, r.hot_fields, ifnull(w.walked, 0) AS walked, o.size * (1 - min(1, idle_bytes /"
               " max(o.element, idle_bytes + hot_bytes))) AS footprint FROM temp.advice_objects o"
               " JOIN temp.advice_reasons r ON r.data_id = o.data_id"
               " LEFT JOIN temp.advice_orders w ON w.data_id = o.data_id) o"
               " WHERE spatial < :spatial AND idle1 >= 0.5 * lost1 AND hot_fields IS NOT NULL AND lost1 > 0"
               " AND " NOT_POINTERS("o"),
        .evidence = {{"spatial", "%", "of the bytes loaded are touched"},
                     {"idle", "%", "of the unused bytes are of the fields"},
                     {"hot", "", "needed with each other are"}},
    },
    {
        .kind = "unused",
        .title = "Much of what is loaded is never touched",
        .fix = "touch data in the order in which it lies in memory, and keep together what is used together;"
               " recorded with --strides=yes and --sample=1, advice says more",
        .needs = "SpLossD1",
        .strides = TP_STRIDES_LOST,
        .sql = "SELECT " PLACE SAVED ", spatial, misses1 AS misses, 0.4 AS confidence" ORDER " WHERE " POOR
               " AND 2 * spatial < :spatial AND " NOT_CHASED("s"),
        .evidence = {{"spatial", "%", "of the bytes loaded are touched"}, {"misses", "", "misses in D1"}},
    },
    {
        .kind = "fields",
        .walks = true,
        .title = "A part of each record is needed, and all of it is loaded",
        .fix = "split the records: what is needed together in one, the rest in another, reached by the same index",
        .needs = "SpLossD1",
        .strides = TP_STRIDES_KEPT,
        .sql = "SELECT " PLACE SAVED_AT("1", "part * used1 / :line1 + (1 - part) * misses1") ", "
               SAVED_AT("2", "part * used2 / max(:line2, 1) + (1 - part) * misses2") ", "
               SAVED_AT("L", "part * usedL / :lineL + (1 - part) * missesL") ", spatial, abs(stride) AS stride,"
               " 100.0 * regular / strides AS regular, used1 / tenures1 AS used, misses1 AS misses,"
               " iif(turns IS NULL, 0.7, 0.8) * regular / strides AS confidence FROM (SELECT *, size * used1 / tenures1"
               " / abs(stride) AS footprint" ORDER " WHERE " POOR " AND " REGULAR " AND abs(stride) >= :line1 AND "
               LAYOUT " AND (hot_fields IS NULL OR NOT EXISTS (SELECT 1 FROM temp.advice_found f"
               " WHERE f.kind = 'fields' AND f.data_id = s.data_id)))",
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
        .sql = "SELECT " PLACE SAVED ", spatial, misses1 AS misses, 100.0 * kept / strides AS regular, iif(:kinds, 0.6,"
               " 0.4) * (1.0 - 1.0 * kept / strides) AS confidence, iif(:kinds, NULL, '--patterns=yes') AS unsure_text"
               ORDER " WHERE " POOR " AND 100 * kept < 0.5 * :regular * strides AND " NOT_CHASED("s")
               " AND " NOT_POINTERS("s"),
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
               " 0.7, 0.4) AS confidence, (SELECT (below - iif(b.needs < below, b.needs, 0)) / 2 FROM"
               " (SELECT iif(:size2 > 0, :size2, :sizeL) AS below) JOIN temp.advice_beside b"
               " ON b.data_id = s.data_id AND b.loop_id = s.loop_id) AS block"
               " FROM (SELECT s.*, l.siblings, l.is_inner, o.size, l.entries * o.size /"
               " :line1 AS once1, l.entries * o.size / max(:line2, 1) AS once2, l.entries * o.size / :lineL AS onceL"
               " FROM temp.advice_sites s JOIN temp.advice_nests l ON l.loop_id = s.loop_id"
               " JOIN temp.advice_objects o ON o.data_id = s.data_id AND o.size > 0) s"
               " WHERE is_inner AND spatial >= :spatial AND 2 * capacity1 >= misses1 AND misses1 >= :again * once1"
               " AND NOT EXISTS (SELECT 1 FROM temp.advice_found f WHERE f.kind = 'stride' AND f.loop_id = s.loop_id)"
               " AND NOT EXISTS (SELECT 1 FROM temp.advice_fusions f JOIN temp.advice_around a ON a.around_id ="
               " f.root_id WHERE a.loop_id = s.loop_id) AND once1 > 0 AND touched1 < (1 + :reused) * used1",
        .evidence = {{"block", "bytes", "at a time would stay in the level below D1, beside what else the loop uses"},
                     {"times", "times", "each line is loaded into D1 while the outermost loop runs once"},
                     {"temporal", "times", "a touched byte is touched again before its line leaves"},
                     {"size", "bytes", "is what is walked"},
                     {"capacity", "%", "of the misses are of lines that had to leave for lack of room"}},
    },
    {
        .kind = "narrow",
        .title = "Data that would fit into the last level if its elements were half as large",
        .fix = "use a smaller type for them, where their values allow it: float for double, 32 bits for 64, an index"
               " for a pointer",
        .needs = "Dist1L",
        .record = "--curves=yes",
        .if_so = "SELECT count(*) FROM temp.advice_objects WHERE element = 8 AND missesL > 0 AND kind IN " OWN_MEMORY,
        .sql = "SELECT *, walked / 2 * misses1 AS lines1,"
               " max(misses2 - (1 - walked / 2) * ifnull(doubled2, misses2), 0) AS lines2,"
               " missesL - (1 - walked / 2) * doubledL AS linesL, 100.0 * (missesL - doubledL) / missesL AS doubled,"
               " 0.5 AS confidence FROM (SELECT o.*, z.doubled2, z.doubledL, (SELECT total(iif(abs(stride) <= :line1"
               " AND 100 * regular >= :regular * strides, misses1, 0)) / total(misses1) FROM temp.advice_sites s"
               " WHERE s.data_id = o.data_id) AS walked FROM temp.advice_objects o JOIN temp.advice_sizes z"
               " ON z.data_id = o.data_id) WHERE element = 8 AND kind IN " OWN_MEMORY " AND missesL > 0 AND"
               " 2 * doubledL <= missesL AND walked IS NOT NULL",
        .evidence = {{"doubled", "%", "of its misses in the last level would be none if that were twice as large"},
                     {"size", "bytes", "it has"},
                     {"element", "bytes", "an element has"}},
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
        .evidence = {{"loops", "", "loops over the same data"},
                     {"times", "times", "each is run"},
                     {"reloaded", "bytes", "were loaded again by one that another one of them had loaded"},
                     {"data", "", "data that several of them walk from end to end, and that does not fit the cache"}},
    },
    {
        .kind = "stream",
        .past = true,
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
    {
        .kind = "reuse",
        .pages = true,
        .title = "Memory is used for a while, and never again",
        .fix = "use the same memory again: one buffer for all, or a pool to which blocks are given back soon",
        .needs = "ColdD1 BytL",
        .record = "--patterns=yes",
        .sql = "SELECT data_id, max(cold1 - :size1 / :line1, 0) AS lines1, max(cold2 - :size2 / max(:line2, 1), 0) AS"
               " lines2, coldL - :sizeL / :lineL AS linesL, size, 100.0 * coldL / missesL AS cold, touchedL / usedL AS"
               " times, 0.6 AS confidence FROM temp.advice_objects WHERE kind IN ('heap', 'mapping', 'static') AND"
               " coldL >= 0.95 * missesL AND storesL >= 0.9 * missesL AND missesL * :lineL >= 2 * :sizeL AND usedL > 0"
               " AND 1000 * tenuresL / rareL * touchedL / touchesL >= 1.5 * usedL / tenuresL",
        .evidence = {{"cold", "%", "of the misses in the last level are of lines never loaded before"},
                     {"times", "times", "a byte is touched while its line is cached, and not later"},
                     {"size", "bytes", "are used so"}},
    },
    {
        .kind = "pages",
        .title = "Accesses to so many pages that each has to be looked up in memory",
        .fix = "put it into large pages: memory aligned to 2 MB, and madvise(MADV_HUGEPAGE); or do together what is"
               " to be done in a page",
        .needs = "DTwr",
        .record = "--tlb=yes",
        .if_so = "SELECT count(*) FROM temp.advice_objects WHERE size >= " LARGE " AND kind IN " OWN_MEMORY,
        .sql = "SELECT " PLACE "walks * min(1, :held * " LARGE " / size) AS walks, (1 + 3 * chased) / 4 AS waited,"
               " walks AS walked, size, 0.7 AS confidence FROM (SELECT s.data_id, s.function_id, s.file_id, s.line,"
               " s.loop_id, o.size, o.walks, min(1, s.chased1 / max(1, s.misses1)) AS chased, row_number()"
               " OVER (PARTITION BY s.data_id ORDER BY s.walks DESC) AS place FROM temp.advice_sites s"
               " JOIN temp.advice_objects o ON o.data_id = s.data_id WHERE o.kind IN " OWN_MEMORY
               " AND o.size >= " LARGE ") WHERE place = 1 AND walks > 0",
        .evidence = {{"walked", "", "accesses to a page that no TLB had"},
                     {"size", "bytes", "are so many pages of 4 KB that TLBs hold few of them"}},
    },
    /* threads */
    {
        .kind = "false_sharing",
        .title = "Threads write to different parts of the same lines",
        .fix = "give each thread lines of its own: align what it writes to a line, and pad it to one",
        .needs = "D1fr",
        .record = "--coherence=mesi",
        .turns = true,
        .if_so = "SELECT count(*) > 1 FROM threads",
        .other = "misses",
        .sql = SHARING("false", "2 * falsely >= wrongly"),
        .evidence = {{"misses", "", "misses of lines that another thread had written to, and nothing of that"
                                    " was touched"},
                     {"part", "%", "of the misses that other threads' writes cause are such"},
                     {"written", "", "bytes of a line that the one writes"},
                     {"touched", "", "bytes that the other needs"}},
    },
    {
        .kind = "true_sharing",
        .title = "Threads write to the same data in turn",
        .fix = "let each thread work on data of its own, and put the results together at the end, or less often",
        .needs = "D1fr",
        .record = "--coherence=mesi",
        .turns = true,
        .if_so = "SELECT count(*) > 1 FROM threads",
        .other = "misses",
        .sql = SHARING("true", "2 * falsely > wrongly"),
        .evidence = {{"misses", "", "misses of data that another thread had written"},
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
        .sampled = true,
        .without_data = true,
        .sql =
            "SELECT function_id, file_id, line, Bim AS wrong, 100.0 * Bim / Bi AS missed, Bi AS jumps, 0.5"
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
        .sampled = true,
        .without_data = true,
        .sql =
            "SELECT function_id, file_id, line, Bcm AS wrong, 100.0 * Bcm / Bc AS missed, Bc AS jumps, min(1,"
            " 2.0 * Bcm / Bc) AS confidence FROM temp.advice_code WHERE 100.0 * Bcm >= :mispredicted * Bc AND Bcm > 0",
        .evidence = {{"jumps", "", "conditional branches"}, {"missed", "%", "of them are mispredicted"}},
    },
    {0},
};
