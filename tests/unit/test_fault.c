/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_fault.c: a segment that a fault cut short leaves what the segment up to the fault would have left. */
#include "bare.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { LENGTH = 24, INSTRS = 8 };
static const uint64_t START = 0x400000;

/* Instructions of 24 bytes, so that some straddle lines; number i has i mod 3 reads and i mod 2 writes. */
struct program {
    struct bare bare;
    uint32_t instr[INSTRS];
};

static uint32_t accesses(uint32_t i)
{
    return 1 + i % 3 + i % 2;
}

static void open_program(struct program *p)
{
    struct tn_config config;
    uint32_t function;

    tn_config_default(&config);
    config.branch_sim = true;
    bare_open(&p->bare, &config);
    function = bare_function(&p->bare, "f");
    tn_thread_begin(p->bare.thread, function, 0x7fff0000);
    for (uint32_t i = 0; i < INSTRS; i++) {
        uint8_t flags = (i % 2 ? TN_INSTR_COND : 0) | (i % 3 ? 0 : TN_INSTR_INDIRECT);
        struct tn_instr_info info = {START + i * LENGTH, function, LENGTH, flags, i % 3, i % 2};

        p->instr[i] = tn_instr(p->bare.core, &info);
    }
}

/* The run of line `line` in the segment of the first `n` instructions; false if it begins behind instruction `to`. */
static bool run_of(const struct program *p, uint32_t n, uint32_t to, uint64_t line, struct tn_fetch_info *run)
{
    uint32_t first = (uint32_t)((line - START) / LENGTH), back = 0;

    *run = (struct tn_fetch_info){.instr = p->instr[first], .line = line, .second = START + first * LENGTH < line};
    if (first > to)
        return false;
    for (uint32_t i = n; i-- > first;) {
        uint64_t from = START + i * LENGTH, end = from + LENGTH;

        back += accesses(i);
        if (from >= line + 64)
            continue;
        from = from > line ? from : line;
        end = end < line + 64 ? end : line + 64;
        run->back_last = run->touches ? run->back_last : back * TN_STEP;
        run->back_first = back * TN_STEP;
        run->touches++;
        run->bytes += (uint32_t)(end - from);
        run->mask |= (~0ull >> (64 - (end - from))) << (from - line);
    }
    run->last_second = run->second && run->touches == 1;
    return true;
}

/* Executes the segment of the first `n` instructions, up to number `to`; returns it. */
static uint32_t execute(struct program *p, uint32_t n, uint32_t to)
{
    struct tn_thread *thread = p->bare.thread;
    uint32_t segment = tn_segment(p->bare.core, p->instr, n);
    struct tn_fetch_info run;

    for (uint32_t i = 0; i < n; i++) {
        thread->clock += accesses(i) * TN_STEP;
        thread->data += i % 3 + ((uint64_t)(i % 2) << 32);
        thread->branches += i % 2 + ((uint64_t)(i % 3 == 0) << 32);
    }
    ((uint64_t *)((char *)thread + p->bare.layout->counters))[segment]++;
    for (uint64_t line = START; line < START + (uint64_t)n * LENGTH && run_of(p, n, to, line, &run); line += 64)
        tn_hot_fetch(thread, p->bare.layout, tn_fetch(p->bare.core, &run), &run, true);
    return segment;
}

static void same_ways(const struct program *a, const struct program *b, bool masks)
{
    for (uint64_t line = START; line < START + INSTRS * LENGTH; line += 64) {
        const struct tn_way *x = tn_hot_way(a->bare.thread, &a->bare.layout->i1, line);
        const struct tn_way *y = tn_hot_way(b->bare.thread, &b->bare.layout->i1, line);

        assert_int_equal(x->line, y->line);
        assert_int_equal(x->use, y->use);
        assert_int_equal(x->stamp, y->stamp);
        if (masks)
            assert_int_equal(x->mask, y->mask);
    }
}

static void compare(uint32_t fault, bool touched_before)
{
    struct program cut, plain;
    uint32_t segment;

    open_program(&cut);
    open_program(&plain);
    if (touched_before) {
        execute(&cut, INSTRS, INSTRS - 1);
        execute(&plain, INSTRS, INSTRS - 1);
    }
    segment = execute(&cut, INSTRS, fault);
    tn_take_back(cut.bare.thread, segment, START + fault * LENGTH);
    execute(&plain, fault + 1, fault);
    assert_int_equal(cut.bare.thread->clock, plain.bare.thread->clock);
    assert_int_equal(cut.bare.thread->data, plain.bare.thread->data);
    assert_int_equal(cut.bare.thread->branches, plain.bare.thread->branches);
    same_ways(&cut, &plain, touched_before);
    tn_finish(cut.bare.core, &cut.bare.stream, "exit");
    tn_finish(plain.bare.core, &plain.bare.stream, "exit");
    assert_true(bare_part(&cut.bare) && bare_part(&plain.bare));
    for (int event = M_IR; event <= M_DW; event++)
        assert_int_equal(bare_value(&cut.bare, "total", SHEET_EVENTS + event),
                         bare_value(&plain.bare, "total", SHEET_EVENTS + event));
    bare_close(&cut.bare);
    bare_close(&plain.bare);
}

static void a_fault_at_each_instruction(void **state)
{
    (void)state;
    for (uint32_t fault = 0; fault < INSTRS; fault++) {
        compare(fault, false);
        compare(fault, true);
    }
}

static void accesses_are_told(void **state)
{
    struct program p;
    uint32_t segment, sum = 0;

    (void)state;
    open_program(&p);
    segment = execute(&p, INSTRS, INSTRS - 1);
    for (uint32_t i = 0; i < INSTRS; i++) {
        sum += accesses(i);
        assert_int_equal(tn_accesses_to(p.bare.core, segment, START + i * LENGTH), sum);
    }
    assert_int_equal(tn_accesses_to(p.bare.core, segment, START + 1), sum);
    bare_close(&p.bare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_fault_at_each_instruction),
                                       cmocka_unit_test(accesses_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
