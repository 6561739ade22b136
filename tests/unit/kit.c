/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kit.c: see kit.h. */
#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WHICH = 4, THREADS = 4, DEPTH = 64, LEVELS = 4 };

struct code { /* of one function: blocks of one instruction */
    struct pair_block plain, call[KIT_FUNCTIONS], jump[KIT_FUNCTIONS], ret, read[WHICH], write[WHICH], branch,
        indirect;
    uint16_t read_size[WHICH], write_size[WHICH];
};
struct place {
    uint32_t function;
    uint64_t sp, back;
};
struct level {
    struct place place[DEPTH];
    uint32_t depth;
};
struct kit {
    struct pair *pair;
    struct code code[KIT_FUNCTIONS];
    struct level level[THREADS][LEVELS];
    uint32_t levels[THREADS], running;
    bool declared[KIT_FUNCTIONS], started;
};

struct pair_config kit_config(void)
{
    struct model_cache_config small = {64, 1, 64}, large = {1 << 20, 16, 64};

    return (struct pair_config){.i1 = {32768, 8, 64},
                                .d1 = small,
                                .ll = large,
                                .cache_sim = true,
                                .branch_sim = true,
                                .use = true,
                                .inclusive = true,
                                .flush_at_exit = true,
                                .collect_at_start = true,
                                .paths = 1000000,
                                .most_unmapped = 2};
}

static void make_block(struct pair_block *block, uint64_t *address)
{
    block->instrs = 1;
    block->instr[0].address = *address;
    block->instr[0].length = 4;
    *address += 4;
}

static void make_code(struct code *code, uint64_t address)
{
    make_block(&code->plain, &address);
    for (uint32_t f = 0; f < KIT_FUNCTIONS; f++) {
        make_block(&code->call[f], &address);
        code->call[f].instr[0].call = true;
        make_block(&code->jump[f], &address);
    }
    make_block(&code->ret, &address);
    code->ret.instr[0].ret = true;
    make_block(&code->branch, &address);
    code->branch.instr[0].cond = true;
    make_block(&code->indirect, &address);
    code->indirect.instr[0].indirect = true;
    for (uint32_t i = 0; i < WHICH; i++) {
        make_block(&code->read[i], &address);
        make_block(&code->write[i], &address);
        code->read[i].instr[0].accesses = code->write[i].instr[0].accesses = 1;
        code->write[i].access[0].kind = 1;
    }
}

struct kit *kit_new(const struct pair_config *config)
{
    struct kit *kit = calloc(1, sizeof *kit);

    kit->pair = pair_new(config, stderr);
    for (uint32_t f = 0; f < KIT_FUNCTIONS; f++)
        make_code(&kit->code[f], 0x400000 + f * 1024);
    return kit;
}

void kit_free(struct kit *kit)
{
    bool good = pair_good(kit->pair);

    pair_free(kit->pair);
    free(kit);
    assert_true(good);
}

struct pair *kit_pair(struct kit *kit)
{
    return kit->pair;
}

void kit_function(struct kit *kit, uint32_t function, uint32_t flags)
{
    const struct pair_config *config = pair_config(kit->pair);
    struct pair_function info = {function, 0x400000 + function * 1024, 1024, flags, config->separate_callers,
                                 config->separate_recs};

    kit->declared[function] = true;
    pair_function(kit->pair, &info);
}

/* ------------------------------------------------------------------------------------------- control flow */

static struct level *level_of(struct kit *kit)
{
    return &kit->level[kit->running][kit->levels[kit->running] - 1];
}

static struct place *place_of(struct kit *kit)
{
    return &level_of(kit)->place[level_of(kit)->depth - 1];
}

static uint32_t execute(struct kit *kit, struct pair_block *block, uint64_t address, bool taken,
                        uint64_t target)
{
    struct pair_run run = {
        .address = {address}, .happens = {true}, .taken = {taken, taken}, .target = target};

    pair_execute(kit->pair, kit->running, place_of(kit)->function, block, &run);
    return block->instr[0].id;
}

static void begin(struct kit *kit, uint32_t thread, uint32_t function, bool in_mid_run)
{
    uint64_t sp = 0x7fff00000000 - thread * 0x1000000ull;

    for (uint32_t f = 0; f < KIT_FUNCTIONS; f++)
        if (!kit->declared[f])
            kit_function(kit, f, 0);
    kit->levels[thread] = 1;
    kit->level[thread][0] = (struct level){{{function, sp, 0}}, 1};
    pair_thread(kit->pair, thread, kit->started ? kit->running : thread);
    pair_begin(kit->pair, thread, function, sp, in_mid_run);
    if (!kit->started)
        kit_switch(kit, thread);
    kit->started = true;
}

void kit_begin(struct kit *kit, uint32_t thread, uint32_t function)
{
    begin(kit, thread, function, false);
}

void kit_resume(struct kit *kit, uint32_t thread, uint32_t function)
{
    begin(kit, thread, function, true);
}

void kit_switch(struct kit *kit, uint32_t thread)
{
    kit->running = thread;
    pair_switch(kit->pair, thread);
}

void kit_run(struct kit *kit, uint32_t instructions)
{
    while (instructions--)
        execute(kit, &kit->code[place_of(kit)->function].plain, 0, false, 0);
}

void kit_call(struct kit *kit, uint32_t function)
{
    struct place *caller = place_of(kit);
    struct pair_block *block = &kit->code[caller->function].call[function];
    uint32_t site = execute(kit, block, 0, false, 0);
    struct place callee = {function, caller->sp - 16, block->instr[0].address + 4};

    level_of(kit)->place[level_of(kit)->depth++] = callee;
    pair_call(kit->pair, kit->running, site, function, callee.sp, callee.back, 0);
}

void kit_return(struct kit *kit)
{
    struct place *place = place_of(kit);
    uint32_t site = execute(kit, &kit->code[place->function].ret, 0, false, 0);

    level_of(kit)->depth--;
    pair_return(kit->pair, kit->running, site, place->sp + 8, place->back, 1);
}

void kit_jump(struct kit *kit, uint32_t function)
{
    struct place *place = place_of(kit);
    uint32_t site = execute(kit, &kit->code[place->function].jump[function], 0, false, 0);

    place->function = function;
    pair_jump(kit->pair, kit->running, site, function, place->sp);
}

void kit_longjmp(struct kit *kit, uint32_t frames)
{
    uint32_t to = level_of(kit)->place[level_of(kit)->depth - 1 - frames].function;
    uint32_t site = execute(kit, &kit->code[place_of(kit)->function].jump[to], 0, false, 0);

    level_of(kit)->depth -= frames;
    pair_longjmp(kit->pair, kit->running, site, to, place_of(kit)->sp - 8, 0, frames);
}

void kit_stack(struct kit *kit, uint32_t number, uint32_t function)
{
    struct place *place = place_of(kit);
    uint32_t site = execute(kit, &kit->code[place->function].jump[function], 0, false, 0);
    uint64_t sp = number ? 0x7fff00000000 - number * 0x100000ull : place->sp;

    place->function = function; /* one frame on any stack but the first is all this can do */
    pair_stack(kit->pair, kit->running, number, site, function, sp);
}

void kit_signal(struct kit *kit, uint32_t function)
{
    uint64_t sp = place_of(kit)->sp - 1024;

    kit->levels[kit->running]++;
    *level_of(kit) = (struct level){{{function, sp, 0}}, 1};
    pair_signal_enter(kit->pair, kit->running, function, sp);
}

void kit_signal_return(struct kit *kit)
{
    execute(kit, &kit->code[place_of(kit)->function].ret, 0, false, 0);
    kit->levels[kit->running]--;
    pair_signal_leave(kit->pair, kit->running);
}

void kit_return_above(struct kit *kit, uint32_t function)
{
    struct place *place = place_of(kit);
    uint32_t site = execute(kit, &kit->code[place->function].ret, 0, false, 0);

    place->function = function;
    place->sp += 32;
    pair_raise(kit->pair, kit->running, site, function, place->sp);
}

void kit_dump(struct kit *kit)
{
    pair_dump(kit->pair);
}

void kit_finish(struct kit *kit)
{
    pair_finish(kit->pair);
}

/* ----------------------------------------------------------------------------------------- data, branches */

static void access(struct kit *kit, struct pair_block *block, uint16_t *used, uint64_t address, uint16_t size)
{
    assert_true(*used == 0 || *used == size); /* an instruction has one size */
    *used = size;
    block->access[0].size = size;
    execute(kit, block, address, false, 0);
}

void kit_read(struct kit *kit, uint32_t which, uint64_t address, uint16_t size)
{
    struct code *code = &kit->code[place_of(kit)->function];

    access(kit, &code->read[which], &code->read_size[which], address, size);
}

void kit_write(struct kit *kit, uint32_t which, uint64_t address, uint16_t size)
{
    struct code *code = &kit->code[place_of(kit)->function];

    access(kit, &code->write[which], &code->write_size[which], address, size);
}

void kit_branch(struct kit *kit, bool taken)
{
    execute(kit, &kit->code[place_of(kit)->function].branch, 0, taken, 0);
}

void kit_indirect(struct kit *kit, uint64_t target)
{
    execute(kit, &kit->code[place_of(kit)->function].indirect, 0, false, target);
}

uint64_t kit_branch_address(struct kit *kit)
{
    return kit->code[place_of(kit)->function].branch.instr[0].address;
}

/* ------------------------------------------------------------------------------------------------ results */

static uint64_t value(struct kit *kit, const char *key, int column)
{
    struct sheet *sheet = (struct sheet *)(uintptr_t)pair_sheet(kit->pair); /* a missing row becomes zero */

    return sheet_row(sheet, key)[column];
}

uint64_t kit_total(struct kit *kit, int event)
{
    return value(kit, "total", SHEET_EVENTS + event);
}

static uint64_t of_function(struct kit *kit, uint32_t function, const char *suffix, int column)
{
    char key[64];

    snprintf(key, sizeof key, "func f%u%s", pair_function_id(kit->pair, function), suffix);
    return value(kit, key, column);
}

uint64_t kit_self(struct kit *kit, uint32_t function, int event)
{
    return of_function(kit, function, " self", SHEET_EVENTS + event);
}

uint64_t kit_inclusive(struct kit *kit, uint32_t function, int event)
{
    return of_function(kit, function, "", SHEET_EVENTS + event);
}

static uint64_t of_instr(struct kit *kit, uint32_t instr, int event)
{
    char key[64];
    uint64_t sum = 0;

    for (uint32_t t = 0; t < THREADS; t++) {
        snprintf(key, sizeof key, "self t%u i%u", t, instr);
        sum += value(kit, key, SHEET_EVENTS + event);
    }
    return sum;
}

uint64_t kit_read_cost(struct kit *kit, uint32_t function, uint32_t which, int event)
{
    return of_instr(kit, kit->code[function].read[which].instr[0].id, event);
}

uint64_t kit_write_cost(struct kit *kit, uint32_t function, uint32_t which, int event)
{
    return of_instr(kit, kit->code[function].write[which].instr[0].id, event);
}

void kit_function_is(struct kit *kit, uint32_t function, uint64_t calls, uint64_t self, uint64_t inclusive)
{
    assert_int_equal(of_function(kit, function, "", SHEET_CALLS), calls);
    assert_int_equal(kit_self(kit, function, M_IR), self);
    assert_int_equal(kit_inclusive(kit, function, M_IR), inclusive);
}

static uint64_t of_arc(struct kit *kit, uint32_t site, uint32_t caller, uint32_t callee, int column)
{
    char key[64];

    snprintf(key, sizeof key, "arc i%u f%u f%u", site, pair_function_id(kit->pair, caller),
             pair_function_id(kit->pair, callee));
    return value(kit, key, column);
}

/* The site that calls or jumps from `caller` to `callee`; or, where a skipped stub is between, the stub's. */
static uint64_t any_arc(struct kit *kit, uint32_t caller, uint32_t callee, int column)
{
    const struct code *code = &kit->code[caller];
    uint64_t sum = 0;

    for (uint32_t f = 0; f < KIT_FUNCTIONS; f++) {
        sum += code->call[f].instr[0].id ? of_arc(kit, code->call[f].instr[0].id, caller, callee, column) : 0;
        sum += code->jump[f].instr[0].id ? of_arc(kit, code->jump[f].instr[0].id, caller, callee, column) : 0;
    }
    return sum;
}

uint64_t kit_arc(struct kit *kit, uint32_t caller, uint32_t callee, int event)
{
    return any_arc(kit, caller, callee, SHEET_EVENTS + event);
}

void kit_arc_is(struct kit *kit, uint32_t caller, uint32_t callee, uint64_t calls, uint64_t inclusive)
{
    assert_int_equal(any_arc(kit, caller, callee, SHEET_CALLS), calls);
    assert_int_equal(kit_arc(kit, caller, callee, M_IR), inclusive);
}

void kit_unknown_arc_is(struct kit *kit, uint32_t caller, uint32_t callee, uint64_t calls, uint64_t inclusive)
{
    assert_int_equal(of_arc(kit, 0, caller, callee, SHEET_CALLS), calls);
    assert_int_equal(of_arc(kit, 0, caller, callee, SHEET_EVENTS + M_IR), inclusive);
}

/* ----------------------------------------------------------------------------------------------- contexts */

static char *print_context(struct kit *kit, const struct kit_context *context, char *end)
{
    end += sprintf(end, "f%u", pair_function_id(kit->pair, context->function));
    if (context->level > 1)
        end += sprintf(end, "'%u", context->level);
    if (context->caller < KIT_FUNCTIONS)
        end += sprintf(end, "'f%u", pair_function_id(kit->pair, context->caller));
    return end;
}

void kit_context_is(struct kit *kit, struct kit_context context, uint64_t calls, uint64_t self, uint64_t inclusive)
{
    char key[64] = "func ", *end = print_context(kit, &context, key + strlen(key));

    assert_int_equal(value(kit, key, SHEET_CALLS), calls);
    assert_int_equal(value(kit, key, SHEET_EVENTS + M_IR), inclusive);
    strcpy(end, " self");
    assert_int_equal(value(kit, key, SHEET_EVENTS + M_IR), self);
}

void kit_context_arc_is(struct kit *kit, struct kit_context caller, struct kit_context callee, uint64_t calls,
                        uint64_t inclusive)
{
    char key[96], *end = key + sprintf(key, "arc i%u ", kit->code[caller.function].call[callee.function].instr[0].id);

    end = print_context(kit, &caller, end);
    *end++ = ' ';
    print_context(kit, &callee, end);
    assert_int_equal(value(kit, key, SHEET_CALLS), calls);
    assert_int_equal(value(kit, key, SHEET_EVENTS + M_IR), inclusive);
}

uint64_t kit_context_runs(struct kit *kit, struct kit_context context)
{
    char key[96], *end = key + sprintf(key, "self t0 i%u ", kit->code[context.function].plain.instr[0].id);

    print_context(kit, &context, end);
    return value(kit, key, SHEET_EVENTS + M_IR);
}
