/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_plan.c: engine/native/plan/nt_plan.h: how instructions are counted (engine/CONTRACT.md, 4), how a block is cut
 * into stretches, where its fetches and accesses stand in time.
 *
 * Instructions come from the assembler; nothing of them is executed.
 */
#include "tests/common/fb_host.h"
#include "tests/native/zydis.h"

#include "engine/native/plan/nt_plan.h"
#include "engine/native/plan/nt_single.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CODE(name, text)                                                                                               \
    extern const uint8_t name[], name##_end[];                                                                         \
    __asm__(".pushsection .rodata\n" #name ":\n" text "\n" #name "_end:\n.popsection")

static struct nt_decoder decoder;
static struct nt_plan plan;
static struct nt_insn insns[NT_BLOCK_INSNS];
static unsigned insn_count;
static struct fb_test_host files;
static struct code_map_host host;
static struct tn_config config;
static struct nt_planner planner;
static void *given[64];
static int givens;

/* Functions are 128 bytes each. */
static bool mapping_at(void *user, uint64_t address, struct code_mapping *out)
{
    (void)user;
    out->start = address & -(uint64_t)128;
    out->end = out->start + 128;
    return true;
}

static void describe(void *user, uint32_t fb_flags, struct tn_function_info *info)
{
    (void)user;
    (void)fb_flags;
    (void)info;
}

static uint64_t process_id(void *user)
{
    (void)user;
    return 1;
}

static void *allocate(size_t bytes)
{
    return given[givens++] = calloc(1, bytes);
}

static int begin(void **state)
{
    (void)state;
    fb_test_host(&files);
    host = (struct code_map_host){&files.host, NULL, mapping_at, describe, process_id};
    tn_config_default(&config);
    config.i1 = config.d1 = (struct tn_geometry){1024, 2, 64};
    config.ll = (struct tn_geometry){4096, 2, 64};
    config.branch_sim = true;
    givens = 0;
    memset(&planner, 0, sizeof planner);
    planner.config = &config;
    planner.core = tn_core_new(&config);
    planner.map = code_map_new(&host, planner.core);
    planner.allocate = allocate;
    planner.shifts = true;
    return nt_decoder_init(&decoder, zydis_symbol, false) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    code_map_free(planner.map);
    tn_core_free(planner.core);
    while (givens > 0)
        free(given[--givens]);
    return files.balance ? -1 : 0;
}

static void make(uint64_t pc, const uint8_t *code, const uint8_t *code_end)
{
    insn_count = 0;
    while (code < code_end) {
        struct nt_insn *insn = &insns[insn_count++];
        assert_true(nt_decode(&decoder, code, (size_t)(code_end - code), pc, insn));
        code += insn->length;
        pc += insn->length;
    }
    nt_plan_make(&planner, insns, insn_count, &plan);
}

CODE(load, "mov (%rsi), %rax");
CODE(store, "mov %rax, 8(%rdi)");
CODE(modify, "add %rax, (%rsi)");
CODE(increment, "incl (%rsi)");
CODE(compare, "cmp %rax, (%rsi)");
CODE(push, "push %r12");
CODE(pop, "pop %r12");
CODE(push_memory, "push 8(%rsi)");
CODE(pop_memory, "pop 8(%rsi)");
CODE(call, ".byte 0xe8, 0, 1, 0, 0");
CODE(call_memory, "call *8(%rax)");
CODE(call_register, "call *%rax");
CODE(jump_memory, "jmp *8(%rax)");
CODE(return_, "ret");
CODE(return_more, "ret $16");
CODE(leave_, "leave");
CODE(enter_, "enter $32, $0");
CODE(push_flags, "pushf");
CODE(pop_flags, "popf");
CODE(set, "setz (%rsi)");
CODE(nontemporal, "movnti %rax, (%rsi)");
CODE(locked_add, "lock add %rax, (%rsi)");
CODE(locked_xadd, "lock xadd %rax, (%rsi)");
CODE(locked_bit, "lock btsl $3, (%rsi)");
CODE(exchange, "xchg %rax, (%rsi)");
CODE(exchange_registers, "xchg %rax, %rsi");
CODE(swap, "cmpxchg %rcx, (%rsi)");
CODE(locked_swap, "lock cmpxchg %rcx, (%rsi)");
CODE(swap_wide, "lock cmpxchg16b (%rsi)");
CODE(move_string, "movsb");
CODE(store_string, "stosq");
CODE(load_string, "lodsw");
CODE(compare_string, "cmpsb");
CODE(prefetch, "prefetcht0 (%rsi)");
CODE(flush, "clflush (%rsi)");
CODE(address, "lea 8(%rsi,%rcx,4), %rax");
CODE(nothing, "nopw 8(%rsi)");
CODE(conditional_move, "cmovz (%rsi), %rax");
CODE(bit_test, "bt %rax, (%rsi)");
CODE(vector_load, "vmovdqu (%rsi), %ymm1");
CODE(vector_store, "movaps %xmm1, (%rsi)");
CODE(vector_wide, "vmovdqu64 %zmm1, (%rsi)");
CODE(x87_load, "fldt (%rsi)");
CODE(x87_environment, "fnstenv (%rsi)");
CODE(branch, "jz . + 32");
CODE(loop_, "loop . - 32");

static void everything_is_counted_as_the_contract_says(void **state)
{
    (void)state;
#define ROW(name, reads, writes, conditional, indirect) \
    {#name, name, name##_end, reads, writes, conditional, indirect}
    static const struct {
        const char *name;
        const uint8_t *code, *code_end;
        uint32_t reads, writes, conditional, indirect;
    } table[] = {
        ROW(load, 1, 0, 0, 0), ROW(store, 0, 1, 0, 0), ROW(modify, 1, 0, 0, 0), ROW(increment, 1, 0, 0, 0),
        ROW(compare, 1, 0, 0, 0), ROW(push, 0, 1, 0, 0), ROW(pop, 1, 0, 0, 0), ROW(push_memory, 1, 1, 0, 0),
        ROW(pop_memory, 1, 1, 0, 0), ROW(call, 0, 1, 0, 0), ROW(call_memory, 1, 1, 0, 1),
        ROW(call_register, 0, 1, 0, 1), ROW(jump_memory, 1, 0, 0, 1), ROW(return_, 1, 0, 0, 0),
        ROW(return_more, 1, 0, 0, 0), ROW(leave_, 1, 0, 0, 0), ROW(enter_, 0, 1, 0, 0), ROW(push_flags, 0, 1, 0, 0),
        ROW(pop_flags, 1, 0, 0, 0), ROW(set, 0, 1, 0, 0), ROW(nontemporal, 0, 1, 0, 0), ROW(locked_add, 2, 0, 0, 0),
        ROW(locked_xadd, 2, 0, 0, 0), ROW(locked_bit, 2, 0, 0, 0), ROW(exchange, 2, 0, 0, 0),
        ROW(exchange_registers, 0, 0, 0, 0), ROW(swap, 1, 0, 0, 0), ROW(locked_swap, 1, 0, 0, 0),
        ROW(swap_wide, 1, 0, 0, 0), ROW(move_string, 1, 1, 0, 0), ROW(store_string, 0, 1, 0, 0),
        ROW(load_string, 1, 0, 0, 0), ROW(compare_string, 2, 0, 0, 0), ROW(prefetch, 0, 0, 0, 0),
        ROW(flush, 0, 0, 0, 0), ROW(address, 0, 0, 0, 0), ROW(nothing, 0, 0, 0, 0),
        ROW(conditional_move, 1, 0, 0, 0), ROW(bit_test, 1, 0, 0, 0), ROW(vector_load, 1, 0, 0, 0),
        ROW(vector_store, 0, 1, 0, 0), ROW(vector_wide, 0, 1, 0, 0), ROW(x87_load, 1, 0, 0, 0),
        ROW(x87_environment, 0, 1, 0, 0), ROW(branch, 0, 0, 1, 0), ROW(loop_, 0, 0, 1, 0),
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        make(0x1000, table[i].code, table[i].code_end);
        const struct nt_stretch *s = &plan.stretch[0];
        uint64_t data = table[i].reads | (uint64_t)table[i].writes << 32;
        uint64_t branches = table[i].conditional | (uint64_t)table[i].indirect << 32;
        if (plan.stretches != 1 || s->data != data || s->branches != branches ||
            s->clock != (1 + table[i].reads + table[i].writes) * TN_STEP) {
            printf("%s: data %lx, branches %lx, clock %lu\n", table[i].name, s->data, s->branches, s->clock / TN_STEP);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

CODE(block, "mov (%rsi), %rax; add %rax, 8(%rsi); push (%rdi); jz . + 8");

static void accesses_have_their_time(void **state)
{
    (void)state;
    make(0x1000, block, block_end);
    assert_int_equal(plan.stretches, 1);
    assert_int_equal(plan.stretch[0].insns, 4);
    assert_int_equal(plan.stretch[0].accesses, 4 + 4);
    assert_int_equal(plan.runs, 1);
    assert_int_equal(plan.run[0].line, 0x1000);
    assert_int_equal(plan.run[0].back, 1 * TN_STEP); /* of the last instruction */
    assert_int_equal(plan.accesses, 4);
    const struct nt_planned_access expected[] = {
        {.insn = 0, .kind = TN_READ, .size = 8, .back = 7 * TN_STEP},
        {.insn = 1, .kind = TN_MODIFY, .size = 8, .back = 5 * TN_STEP},
        {.insn = 2, .kind = TN_READ, .size = 8, .back = 3 * TN_STEP},
        {.insn = 2, .kind = TN_WRITE, .size = 8, .back = 2 * TN_STEP},
    };
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(plan.access[i].insn, expected[i].insn);
        assert_int_equal(plan.access[i].kind, expected[i].kind);
        assert_int_equal(plan.access[i].size, expected[i].size);
        assert_int_equal(plan.access[i].back, expected[i].back);
        assert_false(plan.access[i].whole);
    }
    assert_int_equal(insns[2].access[plan.access[2].which].base, NT_RDI);
    assert_int_equal(insns[2].access[plan.access[3].which].base, NT_RSP);
    assert_int_equal(insns[2].access[plan.access[3].which].displacement, -8);
}

static void a_block_is_cut_where_its_function_ends(void **state)
{
    (void)state;
    make(0x1080 - 7, block, block_end); /* the last two instructions belong to the next 128 bytes */
    assert_int_equal(plan.stretches, 2);
    assert_int_equal(plan.stretch[0].insns, 2);
    assert_int_equal(plan.stretch[0].entered_from, TN_NONE);
    assert_int_equal(plan.stretch[1].insns, 2);
    assert_int_equal(plan.stretch[1].entered_from, plan.site[1]);
    assert_int_not_equal(plan.stretch[0].function, plan.stretch[1].function);
    assert_int_equal(plan.function.id, plan.stretch[1].function);
    assert_int_equal(plan.runs, 2);
    assert_int_equal(plan.run[1].line, 0x1080);
}

static void an_instruction_may_lie_in_two_lines(void **state)
{
    (void)state;
    make(0x1040 - 5, block, block_end);
    assert_int_equal(plan.runs, 2);
    assert_int_equal(plan.run[0].insn, 0);
    assert_int_equal(plan.run[1].insn, 1);
    assert_int_equal(plan.run[1].line, 0x1040);
}

CODE(branches, "test %eax, %eax; jz . + 64; mov (%rsi), %rax; jz . + 64; nop");

static void a_line_is_tested_once_in_a_row(void **state)
{
    (void)state;
    make(0x1040 - 7, branches, branches_end); /* the load, in the second stretch, lies in both lines */
    assert_int_equal(plan.stretches, 3);
    assert_int_equal(plan.runs, 4);
    static const struct {
        uint64_t line;
        bool known;
    } expected[] = {{0x1000, false}, {0x1000, true}, {0x1040, false}, {0x1040, true}};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(plan.run[i].line, expected[i].line);
        assert_int_equal(plan.run[i].known, expected[i].known);
    }
    make(0x1080 - 4, branches, branches_end); /* the core is called between the two stretches */
    assert_int_equal(plan.runs, 3);
    assert_false(plan.run[1].known);
    assert_true(plan.run[2].known);
    config.i1.policy = TN_RRIP; /* to which a line used twice is not one used once */
    make(0x1040 - 7, branches, branches_end);
    for (unsigned i = 0; i < plan.runs; i++)
        assert_false(plan.run[i].known);
}

CODE(copy, "mov $1, %ecx; rep movsb; mov $2, %ecx");

static void a_string_instruction_is_counted_one_by_one(void **state)
{
    (void)state;
    make(0x1000, copy, copy_end);
    assert_int_equal(plan.stretches, 2);
    assert_int_equal(plan.stretch[0].insns, 2);
    assert_int_equal(plan.stretch[0].data, 0);
    assert_int_equal(plan.stretch[0].accesses, 2);
    struct nt_single *single = plan.stretch[0].single;
    assert_non_null(single);
    assert_null(plan.stretch[1].single);
    assert_true(single->behind);
    assert_int_equal(single->accesses, 2);
    assert_int_equal(single->access[0].base, NT_RSI);
    assert_int_equal(single->access[1].base, NT_RDI);
    assert_int_equal(single->access[1].how, NT_WRITE);
    make(0x1000, copy, copy_end);
    assert_ptr_equal(plan.stretch[0].single, single);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything_is_counted_as_the_contract_says, begin, end),
        cmocka_unit_test_setup_teardown(accesses_have_their_time, begin, end),
        cmocka_unit_test_setup_teardown(a_block_is_cut_where_its_function_ends, begin, end),
        cmocka_unit_test_setup_teardown(an_instruction_may_lie_in_two_lines, begin, end),
        cmocka_unit_test_setup_teardown(a_line_is_tested_once_in_a_row, begin, end),
        cmocka_unit_test_setup_teardown(a_string_instruction_is_counted_one_by_one, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
