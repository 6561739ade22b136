/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nest_test: loops of small control flow graphs, with their iterations and entries.
 *
 * A program is a list of instructions of one byte each, at addresses from 100 on: what it does, where it goes, and how
 * often it was executed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/code/nest.h"

enum { BASE = 100, MOST = 32 };

struct op {
    enum tp_flow flow;
    unsigned to; /* index of the target */
    uint64_t count;
};

static struct tp_site sites[MOST];
static struct tp_graph graph;
static struct tp_nest nest;

static void make(const struct op *ops, uint32_t count)
{
    static const struct tp_image none;

    tp_graph_clear(&graph);
    graph.site = sites;
    graph.sites = count;
    graph.start = BASE;
    graph.end = BASE + count;
    graph.image = &none;
    assert_int_equal(TP_VECTOR_ZEROES(&graph.code, count), 0);
    assert_int_equal(TP_VECTOR_ZEROES(&graph.count, count), 0);
    for (uint32_t i = 0; i < count; i++) {
        sites[i] = (struct tp_site){BASE + i, i};
        graph.code.at[i] = (struct tp_decoded){.length = 1, .flow = (uint8_t)ops[i].flow};
        if (ops[i].flow == TP_FLOW_BRANCH || ops[i].flow == TP_FLOW_JUMP)
            graph.code.at[i].target = BASE + ops[i].to;
        graph.count.at[i] = ops[i].count;
    }
    assert_int_equal(tp_graph_make(&graph), 1);
    assert_int_equal(tp_nest_make(&nest, &graph), 0);
}

#define MAKE(...) make((const struct op[]){__VA_ARGS__}, sizeof((const struct op[]){__VA_ARGS__}) / sizeof(struct op))

static void check(size_t i, uint32_t parent, uint32_t head, uint64_t iterations, uint64_t entries)
{
    assert_in_range(i, 0, nest.loops.count - 1);
    const struct tp_nested *loop = &nest.loops.at[i];
    assert_int_equal(loop->parent, parent);
    assert_int_equal(loop->depth, parent ? nest.loops.at[parent - 1].depth + 1 : 1);
    assert_int_equal(loop->head, head);
    assert_int_equal(loop->iterations, iterations);
    assert_int_equal(loop->entries, entries);
}

static uint32_t loop_at(uint32_t site)
{
    return nest.loop_of.at[graph.block_of.at[site]];
}

static void test_nested(void **state)
{
    (void)state;
    MAKE({TP_FLOW_NEXT, 0, 1}, {TP_FLOW_NEXT, 0, 10}, /* head of the outer one */
         {TP_FLOW_NEXT, 0, 70}, {TP_FLOW_BRANCH, 2, 70}, {TP_FLOW_BRANCH, 1, 10}, {TP_FLOW_END, 0, 1});
    assert_int_equal(nest.loops.count, 2);
    check(0, 0, 1, 10, 1);
    check(1, 1, 2, 70, 10);
    assert_int_equal(loop_at(0), 0);
    assert_int_equal(loop_at(1), 1);
    assert_int_equal(loop_at(3), 2);
    assert_int_equal(loop_at(4), 1);
}

/* A while loop that tests first, with two ways back. */
static void test_ways_back(void **state)
{
    (void)state;
    MAKE({TP_FLOW_JUMP, 4, 3}, {TP_FLOW_BRANCH, 3, 50}, {TP_FLOW_JUMP, 4, 20}, {TP_FLOW_NEXT, 0, 30},
         {TP_FLOW_BRANCH, 1, 53}, {TP_FLOW_END, 0, 3});
    assert_int_equal(nest.loops.count, 1);
    check(0, 0, 4, 53, 3);
}

/* What was never repeated is no loop, but what is in it may be one. */
static void test_once(void **state)
{
    (void)state;
    MAKE({TP_FLOW_NEXT, 0, 1}, {TP_FLOW_NEXT, 0, 1}, {TP_FLOW_BRANCH, 2, 9}, {TP_FLOW_BRANCH, 1, 1},
         {TP_FLOW_END, 0, 1});
    assert_int_equal(nest.loops.count, 1);
    check(0, 0, 2, 9, 1);
}

/* A loop that is entered in the middle, too. */
static void test_two_heads(void **state)
{
    (void)state;
    MAKE({TP_FLOW_BRANCH, 3, 10}, {TP_FLOW_NEXT, 0, 6}, /* 6 of 10 come here */
         {TP_FLOW_NEXT, 0, 26}, {TP_FLOW_NEXT, 0, 30}, {TP_FLOW_BRANCH, 2, 30}, {TP_FLOW_END, 0, 10});
    assert_int_equal(nest.loops.count, 1);
    check(0, 0, 2, 30, 6 + 4);
}

/* The loop of an interpreter: jumps that lead anywhere. */
static void test_hub(void **state)
{
    (void)state;
    MAKE({TP_FLOW_INDIRECT, 0, 1}, {TP_FLOW_NEXT, 0, 60}, {TP_FLOW_INDIRECT, 0, 60}, {TP_FLOW_INDIRECT, 0, 40},
         {TP_FLOW_END, 0, 1});
    assert_int_equal(nest.loops.count, 1);
    check(0, 0, 1, 101, 1);
    assert_int_equal(loop_at(3), 1);
    assert_int_equal(loop_at(4), 0);
}

/* Calls that return less often than they are made: the loop is left through them, too. */
static void test_leaving(void **state)
{
    (void)state;
    MAKE({TP_FLOW_NEXT, 0, 5}, {TP_FLOW_CALL, 0, 20}, {TP_FLOW_BRANCH, 1, 18}, {TP_FLOW_END, 0, 3});
    assert_int_equal(nest.loops.count, 1);
    check(0, 0, 1, 20, 5);
}

/* Behind a call that never returns comes code that is reached otherwise. */
static void test_no_return(void **state)
{
    (void)state;
    MAKE({TP_FLOW_NEXT, 0, 1}, {TP_FLOW_BRANCH, 4, 5}, {TP_FLOW_BRANCH, 5, 5}, {TP_FLOW_CALL, 0, 1},
         {TP_FLOW_END, 0, 0}, {TP_FLOW_JUMP, 1, 4});
    assert_int_equal(nest.loops.count, 1);
    check(0, 0, 1, 5, 1);
    assert_int_equal(loop_at(3), 0);
}

/* A loop that nothing is known to enter. */
static void test_unentered(void **state)
{
    (void)state;
    MAKE({TP_FLOW_END, 0, 1}, {TP_FLOW_BRANCH, 1, 7}, {TP_FLOW_END, 0, 2});
    assert_int_equal(nest.loops.count, 1);
    assert_int_equal(nest.loops.at[0].iterations, 7);
}

/* A `rep` of which it is not known how often it was begun: in a block, as a head, and with ways around it. */
static void test_repeated(void **state)
{
    (void)state;
    MAKE({TP_FLOW_NEXT, 0, 1}, {TP_FLOW_NEXT, 0, 8}, {TP_FLOW_NEXT, 0, TP_FLOW_UNKNOWN_COUNT},
         {TP_FLOW_BRANCH, 1, 8}, {TP_FLOW_END, 0, 1});
    assert_int_equal(nest.loops.count, 1);
    check(0, 0, 1, 8, 1);
    MAKE({TP_FLOW_NEXT, 0, 2}, {TP_FLOW_NEXT, 0, TP_FLOW_UNKNOWN_COUNT}, {TP_FLOW_BRANCH, 1, 9},
         {TP_FLOW_END, 0, 2});
    assert_int_equal(nest.loops.count, 1);
    check(0, 0, 1, 9, 2);
    MAKE({TP_FLOW_NEXT, 0, 3}, {TP_FLOW_BRANCH, 3, 9}, {TP_FLOW_NEXT, 0, TP_FLOW_UNKNOWN_COUNT},
         {TP_FLOW_BRANCH, 1, 9}, {TP_FLOW_END, 0, 3});
    assert_int_equal(nest.loops.count, 1);
    check(0, 0, 1, 9, 3);
}

/* The test in front of a loop and the one at its end go to the same place: if there is only one entry, it was taken. */
static void test_shared_end(void **state)
{
    (void)state;
    MAKE({TP_FLOW_BRANCH, 3, 1}, {TP_FLOW_NEXT, 0, 20}, {TP_FLOW_BRANCH, 1, 20}, {TP_FLOW_END, 0, 1});
    assert_int_equal(nest.loops.count, 1);
    check(0, 0, 1, 20, 1);
    MAKE({TP_FLOW_BRANCH, 3, 2}, {TP_FLOW_NEXT, 0, 20}, {TP_FLOW_BRANCH, 1, 20}, {TP_FLOW_END, 0, 2});
    assert_int_equal(nest.loops.count, 1);
    check(0, 0, 1, 20, TP_FLOW_UNKNOWN_COUNT);
}

/* Code that is not known has no graph. */
static void test_unknown(void **state)
{
    (void)state;
    MAKE({TP_FLOW_END, 0, 1});
    graph.code.at[0].flow = TP_FLOW_UNKNOWN;
    assert_int_equal(tp_graph_make(&graph), 0);
}

static int end(void **state)
{
    (void)state;
    tp_graph_free(&graph);
    tp_nest_free(&nest);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested), cmocka_unit_test(test_ways_back), cmocka_unit_test(test_once),
        cmocka_unit_test(test_two_heads), cmocka_unit_test(test_hub), cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_no_return), cmocka_unit_test(test_unentered), cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_repeated), cmocka_unit_test(test_shared_end),
    };

    return cmocka_run_group_tests(tests, NULL, end);
}
