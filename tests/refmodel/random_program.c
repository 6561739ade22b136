/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random_program.c: see random_program.h.
 *
 * The program is code (functions of blocks of one or two segments, each block with a way to end) and threads
 * that execute it. The truth is kept here as a real machine would: stack pointers, frames, levels. At each
 * step a thread executes a block of the function it is in and does what the block's end asks for. What
 * really happens is said to method 1 in its own words, and to the core in the words of an engine (pair.h).
 */
#include "random_program.h"

#include "method1.h"
#include "pair.h"
#include "random_config.h"
#include "rng.h"

#include "core/tenure_core.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KNOWN = 16 };
enum { MAX_FUNCTIONS = 12, MAX_BLOCKS = 10, MAX_DEPTH = 48, MAX_THREADS = 6, MAX_LEVEL = 4, MAX_STACKS = 3 };
enum { THREAD_SPACE = 0x1000000, STACK_SPACE = 0x180000 }; /* each stack but a level's first has its place in memory */

enum ending {
    END_NONE,
    END_COND,
    END_CALL,
    END_CALL_INDIRECT,
    END_RETURN,
    END_JUMP,
    END_JUMP_INDIRECT,
    ENDINGS
};

enum pattern { AT_FIXED, AT_STREAM, AT_RANDOM, AT_CONFLICT, AT_STACK, AT_CODE, PATTERNS };

struct operand { /* of one access of one instruction */
    enum pattern pattern;
    uint64_t base, stride, at;
};
struct block {
    struct pair_block code;
    struct operand operand[PAIR_MAX_ACCESSES];
    enum ending ending;
    uint32_t target[3]; /* functions called or jumped to */
    uint32_t bias;      /* of a conditional branch: taken in so many of 8 */
};
struct function {
    struct pair_function code;
    struct block block[MAX_BLOCKS];
    uint32_t blocks;
};

struct frame {
    uint32_t function; /* the one that runs, skipped or not */
    uint64_t entry;    /* stack pointer at its beginning: where the return address lies */
    uint64_t sp;       /* now; at most entry */
    uint64_t back;     /* return address */
};
struct stack {
    struct frame frame[MAX_DEPTH];
    uint32_t frames; /* 0: never seen */
};
struct level {
    struct stack stack[MAX_STACKS];
    uint32_t running;
};
struct thread {
    bool alive;
    bool open; /* began in mid-run: has callers that nobody has seen */
    struct level level[MAX_LEVEL];
    uint32_t levels;
};

struct program {
    const struct rp_options *options;
    struct rng rng;
    uint64_t features;
    uint32_t steps;
    struct pair *pair;
    struct function function[MAX_FUNCTIONS];
    uint32_t functions;
    struct thread thread[MAX_THREADS];
    uint32_t threads, running;
    uint64_t pool, pool_size, conflict;
    uint64_t block[MAX_KNOWN]; /* some that functions have returned */
};

static bool has(const struct program *p, uint64_t feature)
{
    return p->features & feature;
}

static bool chance(struct program *p, uint32_t one_in)
{
    return rng_below(&p->rng, one_in) == 0;
}

#define TRACE(p, ...) ((p)->options->trace ? (void)fprintf((p)->options->out, __VA_ARGS__) : (void)0)

/* --------------------------------------------------------------------------------------------------- code */

static uint32_t random_size(struct program *p, uint32_t line)
{
    uint32_t lines = pair_config(p->pair)->remap ? 600 : 900; /* spans take stamps, too */
    uint32_t limit = line * lines < 16000 ? line * lines : 16000;

    if (has(p, RP_WIDE) && chance(p, 12))
        return 1 + rng_below(&p->rng, chance(p, 40) ? limit : 4 * line);
    return chance(p, 3) ? 1 + rng_below(&p->rng, 40) : 1u << rng_below(&p->rng, 5);
}

static void make_operand(struct program *p, struct operand *operand)
{
    operand->pattern = rng_below(&p->rng, PATTERNS);
    operand->base = p->pool + rng_below(&p->rng, (uint32_t)p->pool_size);
    operand->stride = chance(p, 2) ? 8 : 1 + rng_below(&p->rng, 200);
    operand->at = 0;
}

static void make_block(struct program *p, struct block *block, uint64_t *address, enum ending ending)
{
    struct pair_block *code = &block->code;
    uint32_t line = pair_config(p->pair)->d1.line, accesses = 0;

    block->ending = ending;
    block->bias = rng_below(&p->rng, 9);
    for (int i = 0; i < 3; i++)
        block->target[i] = rng_below(&p->rng, p->functions);
    code->instrs = 1 + rng_below(&p->rng, PAIR_MAX_INSTRS - 1);
    code->split = chance(p, 3) ? rng_below(&p->rng, code->instrs) : 0; /* side exit before it; 0: none */
    for (uint32_t i = 0; i < code->instrs; i++) {
        struct pair_instr *instr = &code->instr[i];

        instr->address = *address;
        instr->length = (uint8_t)(1 + rng_below(&p->rng, chance(p, 4) ? 15 : 6));
        *address += instr->length;
        instr->first = accesses;
        if (i + 1 == code->split)
            instr->cond = true;
        while (accesses < PAIR_MAX_ACCESSES && chance(p, 2)) {
            struct pair_access *access = &code->access[accesses];

            access->kind = (uint8_t)rng_below(&p->rng, 3);
            if (access->kind == TN_WRITE && chance(p, 3))
                access->kind = TN_WRITE_PAST;
            access->size = (uint16_t)random_size(p, line);
            access->guarded = has(p, RP_GUARDED) && chance(p, 8);
            make_operand(p, &block->operand[accesses++]);
        }
        instr->accesses = accesses - instr->first;
    }
    code->instr[code->instrs - 1].cond |= ending == END_COND;
    code->instr[code->instrs - 1].indirect = ending == END_CALL_INDIRECT || ending == END_JUMP_INDIRECT;
    code->instr[code->instrs - 1].call = ending == END_CALL || ending == END_CALL_INDIRECT;
    code->instr[code->instrs - 1].ret = ending == END_RETURN;
}

static uint32_t random_flags(struct program *p, uint32_t number)
{
    static const uint32_t flag[] = {M1_TOGGLE, M1_DUMP_BEFORE, M1_DUMP_AFTER, M1_ZERO_BEFORE};

    if (number && has(p, RP_SKIP) && chance(p, 5))
        return M1_SKIP;
    if (number && has(p, RP_POP) && chance(p, 10))
        return M1_POP_ON_JUMP;
    if (number && has(p, RP_FLAGS) && chance(p, 8))
        return flag[rng_below(&p->rng, 4)];
    return 0;
}

/* What it does to blocks: some allocate, some free. */
static void random_allocation(struct program *p, uint8_t allocates[4])
{
    static const uint8_t kinds[][4] = {{1, 0, 0, 0}, {1, 2, 0, 0}, {2, 0, 1, 0}, {3, 2, 1, 0},
                                       {3, 0, 0, 1}, {0, 0, 1, 0}, {0, 0, 2, 0}};

    if (has(p, RP_DATA) && (pair_config(p->pair)->remap ? !chance(p, 5) : chance(p, 2)))
        memcpy(allocates, kinds[rng_below(&p->rng, sizeof kinds / sizeof *kinds)], 4);
}

static void make_function(struct program *p, uint32_t number, uint64_t *address)
{
    struct function *f = &p->function[number];
    uint32_t most_callers = pair_config(p->pair)->separate_callers, most_recs = pair_config(p->pair)->separate_recs;

    *address = chance(p, 2) ? (*address + 15) & ~15ull : *address;
    f->code.start = *address;
    f->code.flags = random_flags(p, number);
    f->code.separate_callers = most_callers && chance(p, 3) ? rng_below(&p->rng, most_callers + 1) : most_callers;
    f->code.separate_recs = most_recs && chance(p, 3) ? rng_below(&p->rng, most_recs + 1) : most_recs;
    f->blocks = 4 + rng_below(&p->rng, MAX_BLOCKS - 3);
    for (uint32_t i = 0; i < f->blocks; i++) {
        enum ending ending = i == 0   ? END_RETURN
                             : i == 1 ? END_CALL
                                      : (enum ending)rng_below(&p->rng, ENDINGS);

        if ((ending == END_JUMP || ending == END_JUMP_INDIRECT) && !has(p, RP_JUMPS | RP_LONGJMPS | RP_COROUTINES))
            ending = END_NONE;
        make_block(p, &f->block[i], address, ending);
    }
    f->code.size = *address - f->code.start;
    f->code.number = number;
    random_allocation(p, f->code.allocates);
    TRACE(p, "f%u flags %u blocks %u\n", number, f->code.flags, f->blocks);
}

static void make_code(struct program *p)
{
    uint64_t address = 0x400000 + rng_below(&p->rng, 4096);

    p->functions = 2 + rng_below(&p->rng, MAX_FUNCTIONS - 1);
    for (uint32_t i = 0; i < p->functions; i++)
        make_function(p, i, &address);
    for (uint32_t i = 0; i < p->functions; i++)
        pair_function(p->pair, &p->function[i].code);
}

/* -------------------------------------------------------------------------------------------- the machine */

static struct thread *running_thread(struct program *p)
{
    return &p->thread[p->running];
}

static struct level *running_level(struct program *p)
{
    struct thread *t = running_thread(p);

    return &t->level[t->levels - 1];
}

static struct stack *running_stack(struct program *p)
{
    struct level *level = running_level(p);

    return &level->stack[level->running];
}

static struct frame *running_frame(struct program *p)
{
    struct stack *stack = running_stack(p);

    return &stack->frame[stack->frames - 1];
}

static void begin_level(struct level *level, uint32_t function, uint64_t sp)
{
    level->running = 0;
    for (int i = 0; i < MAX_STACKS; i++)
        level->stack[i].frames = 0;
    level->stack[0].frame[0] = (struct frame){function, sp, sp, 0};
    level->stack[0].frames = 1;
}

static uint32_t flags_of(const struct program *p, uint32_t function)
{
    return p->function[function].code.flags;
}

/* So far apart, lines of any size have numbers with the same lowest 32 bits. */
#define SAME_LOW_BITS (1ull << 42)
/* The first 32 KB of the last 64 KB of all addresses, where tags are the largest. No access goes beyond the end. */
static uint64_t among_the_last(uint64_t address)
{
    return 0xffffffff0000 | (address & 0x7fff);
}

static uint64_t operand_address(struct program *p, struct operand *operand)
{
    uint64_t address;

    switch (operand->pattern) {
    case AT_FIXED:
        return operand->base;
    case AT_STREAM:
        operand->at = (operand->at + operand->stride) % (2 * p->pool_size);
        return p->pool + operand->at;
    case AT_RANDOM:
        return p->pool + rng_below(&p->rng, (uint32_t)p->pool_size);
    case AT_CONFLICT:
        address = operand->base + p->conflict * rng_below(&p->rng, 10);
        return chance(p, 8) ? address + SAME_LOW_BITS : chance(p, 8) ? among_the_last(address) : address;
    case AT_STACK:
        return running_frame(p)->sp + rng_below(&p->rng, 64);
    default:
        return p->function[rng_below(&p->rng, p->functions)].code.start + rng_below(&p->rng, 64);
    }
}

/* Execute a block. False if its side exit was taken. */
static bool execute(struct program *p, struct block *block)
{
    struct pair_block *code = &block->code;
    struct pair_run run;

    run.taken[0] = code->split && rng_below(&p->rng, 8) < block->bias;
    run.taken[1] = rng_below(&p->rng, 8) < block->bias;
    run.target = p->function[block->target[rng_below(&p->rng, 3)]].code.start;
    for (uint32_t i = 0; i < PAIR_MAX_ACCESSES &&
                         i < code->instr[code->instrs - 1].first + code->instr[code->instrs - 1].accesses;
         i++) {
        run.address[i] = operand_address(p, &block->operand[i]);
        run.happens[i] = !code->access[i].guarded || chance(p, 2);
    }
    pair_execute(p->pair, p->running, running_frame(p)->function, code, &run);
    return !run.taken[0];
}

/* A function was entered: whoever allocates or frees has arguments. */
static void tell_arguments(struct program *p, uint32_t function)
{
    const uint8_t *does = p->function[function].code.allocates;
    uint64_t arguments[TN_ARGUMENTS];

    if (!pair_config(p->pair)->data || !(does[0] || does[2]) || chance(p, 12))
        return;
    for (int i = 0; i < TN_ARGUMENTS; i++)
        arguments[i] = chance(p, 3) ? p->block[rng_below(&p->rng, MAX_KNOWN)] : rng_below(&p->rng, 3);
    if (does[0])
        arguments[does[0] - 1] = rng_below(&p->rng, chance(p, 8) ? 20000 : chance(p, 2) ? 300 : 40);
    if (does[0] && pair_config(p->pair)->remap && chance(p, 4)) /* smaller and larger than 128 KB */
        arguments[does[0] - 1] = chance(p, 2) ? 120000 + rng_below(&p->rng, 200000) : 1 + 24 * rng_below(&p->rng, 9);
    if (does[1])
        arguments[does[1] - 1] = chance(p, 100) ? 1ull << 40 : rng_below(&p->rng, 4);
    if (does[2])
        arguments[does[2] - 1] =
            chance(p, 8) ? p->pool + rng_below(&p->rng, 4000) : p->block[rng_below(&p->rng, MAX_KNOWN)];
    TRACE(p, "t%u f%u arguments %llx %llx %llx\n", p->running, function, (unsigned long long)arguments[0],
          (unsigned long long)arguments[1], (unsigned long long)arguments[2]);
    for (uint32_t times = chance(p, 10) ? 2 : 1; times > 0; times--)
        pair_allocates(p->pair, p->running, function, arguments);
}

/* What the function that returns next returns: often a block, sometimes the one before again. */
static void draw_result(struct program *p)
{
    uint64_t result = p->pool + (rng_below(&p->rng, (uint32_t)p->pool_size) & (chance(p, 4) ? ~0u : ~15u));

    if (!pair_config(p->pair)->data || chance(p, 4))
        return;
    if (pair_config(p->pair)->remap) /* blocks in one unit are not told apart */
        result &= ~15ull;
    if (pair_config(p->pair)->remap && chance(p, 3)) /* where a block was */
        result = p->block[rng_below(&p->rng, MAX_KNOWN)];
    else if (chance(p, 10))
        result = 0;
    else
        p->block[rng_below(&p->rng, MAX_KNOWN)] = result;
    TRACE(p, "result %llx\n", (unsigned long long)result);
    pair_result(p->pair, result);
}

static uint32_t chosen_target(const struct program *p, const struct block *block, struct rng *rng)
{
    (void)p;
    if (block->ending == END_CALL || block->ending == END_JUMP)
        return block->target[0];
    return block->target[rng_below(rng, 3)];
}

static void do_call(struct program *p, const struct block *block, uint32_t site)
{
    struct stack *stack = running_stack(p);
    struct frame *frame = running_frame(p);
    const struct pair_instr *last = &block->code.instr[block->code.instrs - 1];
    uint32_t target = chosen_target(p, block, &p->rng), unseen = 0;
    uint64_t back = last->address + last->length;

    if (stack->frames == MAX_DEPTH)
        return;
    if (has(p, RP_UNSEEN) && chance(p, 10)) /* frames left by a jump that nobody reported, then this call */
        for (uint32_t k = stack->frames - 1; k-- > 0;)
            if (stack->frame[k].function == frame->function && !(flags_of(p, frame->function) & M1_SKIP)) {
                unseen = stack->frames - 1 - k;
                break;
            }
    stack->frames -= unseen;
    frame = running_frame(p);
    /* The same sp as at the call that has been left: a lower one could not be told from a nested call. */
    if (unseen)
        frame->sp = stack->frame[stack->frames].entry + 8;
    else
        frame->sp -= 8 * rng_below(&p->rng, 6);
    TRACE(p, "t%u call f%u (%u unseen) sp %llx\n", p->running, target, unseen,
          (unsigned long long)frame->sp - 8);
    stack->frame[stack->frames++] = (struct frame){target, frame->sp - 8, frame->sp - 8, back};
    pair_call(p->pair, p->running, site, target, frame->sp - 8, back, unseen);
    tell_arguments(p, target);
}

static void do_return(struct program *p, uint32_t site)
{
    struct stack *stack = running_stack(p);
    uint32_t frames = 1, function;
    uint64_t sp;

    if (stack->frames == 1) {
        if (!running_thread(p)->open || running_thread(p)->levels > 1 || running_level(p)->running || !chance(p, 8))
            return;
        function = rng_below(&p->rng, p->functions);
        if (flags_of(p, function) || function == stack->frame[0].function)
            return;
        stack->frame[0].function = function;
        stack->frame[0].entry += 8 + 8 * rng_below(&p->rng, 8);
        stack->frame[0].sp = stack->frame[0].entry;
        TRACE(p, "t%u raise f%u\n", p->running, stack->frame[0].function);
        pair_raise(p->pair, p->running, site, stack->frame[0].function, stack->frame[0].entry);
        return;
    }
    if (has(p, RP_UNSEEN) && chance(p, 20))
        frames = 1 + rng_below(&p->rng, stack->frames - 1);
    stack->frames -= frames;
    sp = stack->frame[stack->frames].entry + 8;
    TRACE(p, "t%u return %u sp %llx\n", p->running, frames, (unsigned long long)sp);
    draw_result(p);
    pair_return(p->pair, p->running, site, sp, stack->frame[stack->frames].back, frames);
}

/* A jump back to a frame further up, of this level or of one that a handler interrupted. */
static bool do_longjmp(struct program *p, uint32_t site)
{
    struct thread *t = running_thread(p);
    uint32_t level = t->levels - 1 - rng_below(&p->rng, t->levels), frame, left,
             handlers = t->levels - 1 - level;
    struct stack *stack = &t->level[level].stack[t->level[level].running];
    const struct frame *to;

    if (stack->frames == 1 && !handlers)
        return false;
    frame = rng_below(&p->rng, stack->frames - (handlers ? 0 : 1));
    to = &stack->frame[frame];
    if (to->function == running_frame(p)->function || flags_of(p, to->function) & M1_SKIP)
        return false;
    left = stack->frames - 1 - frame;
    t->levels = level + 1;
    stack->frames = frame + 1;
    TRACE(p, "t%u longjmp f%u sp %llx, out of %u handlers, %u frames\n", p->running, to->function,
          (unsigned long long)to->sp, handlers, left);
    pair_longjmp(p->pair, p->running, site, to->function, to->sp, handlers, left);
    return true;
}

static uint32_t plain_function(struct program *p);

/* To another stack of the level: a coroutine goes on where it was, or begins. */
static void do_coroutine(struct program *p, uint32_t site)
{
    struct level *level = running_level(p);
    uint32_t depth = running_thread(p)->levels - 1, number = rng_below(&p->rng, MAX_STACKS);
    struct stack *stack = &level->stack[number];
    uint64_t sp = 0x7fff00000000ull - p->running * (uint64_t)THREAD_SPACE -
                  (1 + depth * (MAX_STACKS - 1) + number - 1) * (uint64_t)STACK_SPACE;

    uint32_t function = stack->frames ? stack->frame[stack->frames - 1].function : plain_function(p);

    if (number == level->running || function == running_frame(p)->function)
        return; /* jumps inside a function are not told */
    if (!stack->frames) {
        stack->frame[0] = (struct frame){function, sp, sp, 0};
        stack->frames = 1;
    }
    level->running = number;
    TRACE(p, "t%u stack %u f%u sp %llx\n", p->running, number, running_frame(p)->function,
          (unsigned long long)running_frame(p)->sp);
    pair_stack(p->pair, p->running, number, site, running_frame(p)->function, running_frame(p)->sp);
    tell_arguments(p, running_frame(p)->function);
}

static void do_jump(struct program *p, const struct block *block, uint32_t site)
{
    struct frame *frame = running_frame(p);
    uint32_t target = chosen_target(p, block, &p->rng);

    if (has(p, RP_COROUTINES) && chance(p, 3)) {
        do_coroutine(p, site);
        return;
    }
    if (has(p, RP_LONGJMPS) && chance(p, 3) && !(flags_of(p, frame->function) & (M1_SKIP | M1_POP_ON_JUMP)) &&
        do_longjmp(p, site))
        return;
    if (!has(p, RP_JUMPS) || target == frame->function)
        return;
    if (running_stack(p)->frames == 1 && flags_of(p, target) & M1_POP_ON_JUMP)
        return;
    TRACE(p, "t%u jump f%u sp %llx\n", p->running, target, (unsigned long long)frame->entry);
    frame->function = target;
    frame->sp = frame->entry;
    pair_jump(p->pair, p->running, site, target, frame->sp);
    tell_arguments(p, target);
}

static uint32_t plain_function(struct program *p)
{
    uint32_t function = rng_below(&p->rng, p->functions);

    return flags_of(p, function) & (M1_SKIP | M1_POP_ON_JUMP) ? 0 : function;
}

static void do_signal(struct program *p)
{
    struct thread *t = running_thread(p);
    uint64_t sp = running_frame(p)->sp - 128 - 512 - 8 * rng_below(&p->rng, 100);
    uint32_t function = plain_function(p);

    if (t->levels == MAX_LEVEL)
        return;
    TRACE(p, "t%u signal f%u sp %llx\n", p->running, function, (unsigned long long)sp);
    begin_level(&t->level[t->levels++], function, sp);
    pair_signal_enter(p->pair, p->running, function, sp);
    tell_arguments(p, function);
}

static void do_signal_leave(struct program *p)
{
    TRACE(p, "t%u signal leave\n", p->running);
    running_thread(p)->levels--;
    pair_signal_leave(p->pair, p->running);
}

/* Some pages, perhaps around `around`: unmapped, or anonymous memory. */
static void do_map(struct program *p, uint64_t around)
{
    enum { PAGE_BYTES = 4096 };
    uint64_t start = (around & -(uint64_t)PAGE_BYTES) - PAGE_BYTES * rng_below(&p->rng, 3);
    uint64_t bytes = PAGE_BYTES * (1 + (uint64_t)rng_below(&p->rng, 4));
    bool anonymous = !chance(p, 3);

    if (!pair_config(p->pair)->data)
        return;
    TRACE(p, "t%u map %llx bytes %llx%s\n", p->running, (unsigned long long)start, (unsigned long long)bytes,
          anonymous ? "" : " away");
    pair_map(p->pair, p->running, start, bytes, anonymous);
}

/* Memory of the pool gets a name, or loses it. */
static void do_region(struct program *p)
{
    uint64_t at = p->pool + (rng_below(&p->rng, (uint32_t)p->pool_size) & ~15u);
    uint64_t bytes = chance(p, 3) ? 0 : 1 + rng_below(&p->rng, chance(p, 4) ? 9000 : 200);
    uint32_t name = rng_below(&p->rng, 3), which = rng_below(&p->rng, MAX_KNOWN);

    if (!pair_config(p->pair)->data)
        return;
    if (bytes)
        p->block[which] = at;
    else
        at = p->block[which];
    TRACE(p, "t%u region %llx bytes %llx name %u\n", p->running, (unsigned long long)at, (unsigned long long)bytes,
          name);
    pair_region(p->pair, p->running, at, bytes, name);
}

static uint64_t stack_of_thread(uint32_t thread)
{
    return 0x7fff00000000ull - thread * (uint64_t)THREAD_SPACE;
}

static void begin_thread(struct program *p, uint32_t thread, bool in_mid_run)
{
    struct thread *t = &p->thread[thread];
    uint64_t sp = stack_of_thread(thread) - 8 * rng_below(&p->rng, 64);
    uint32_t function = plain_function(p);

    t->alive = true;
    t->levels = 1;
    begin_level(&t->level[0], function, sp);
    TRACE(p, "t%u begin f%u sp %llx\n", thread, function, (unsigned long long)sp);
    t->open = in_mid_run;
    pair_begin(p->pair, thread, function, sp, in_mid_run);
}

static void do_threads(struct program *p)
{
    uint32_t thread = rng_below(&p->rng, p->threads), other = rng_below(&p->rng, p->threads);

    if (p->threads < MAX_THREADS && chance(p, 4)) {
        if (chance(p, 2))
            do_map(p, stack_of_thread(p->threads) - 1);
        pair_thread(p->pair, p->threads, p->running);
        begin_thread(p, p->threads++, has(p, RP_RAISE) && chance(p, 4));
    } else if (p->thread[thread].alive && thread != p->running) {
        TRACE(p, "switch t%u\n", thread);
        pair_switch(p->pair, thread);
        p->running = thread;
        if (p->thread[other].alive && other != thread && chance(p, 6)) {
            TRACE(p, "end t%u\n", other);
            p->thread[other].alive = false;
            pair_end(p->pair, other);
        }
    }
}

static void do_off(struct program *p)
{
    TRACE(p, "instrumentation off\n");
    pair_off(p->pair);
    for (uint32_t t = 0; t < p->threads; t++)
        if (p->thread[t].alive)
            begin_thread(p, t, has(p, RP_RAISE));
}

static void do_event(struct program *p)
{
    switch (rng_below(&p->rng, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
        if (has(p, RP_THREADS))
            do_threads(p);
        break;
    case 6:
    case 7:
    case 8:
    case 9:
        if (has(p, RP_SIGNALS))
            do_signal(p);
        break;
    case 10:
    case 11:
        if (has(p, RP_TOGGLES)) {
            TRACE(p, "toggle\n");
            pair_toggle(p->pair);
        }
        break;
    case 12:
    case 13:
        if (has(p, RP_DUMPS) && chance(p, 4)) {
            TRACE(p, "dump\n");
            pair_dump(p->pair);
        }
        break;
    case 14:
        if (chance(p, 3)) {
            do_region(p);
            break;
        }
        if (chance(p, 2)) {
            do_map(p, chance(p, 4) ? stack_of_thread(rng_below(&p->rng, p->threads)) - 1
                                   : p->pool + rng_below(&p->rng, (uint32_t)p->pool_size));
            break;
        }
        if (has(p, RP_ZEROES) && chance(p, 4)) {
            TRACE(p, "zero\n");
            pair_zero(p->pair);
        }
        break;
    default:
        if (has(p, RP_OFF) && chance(p, 8))
            do_off(p);
    }
}

static struct block *random_block(struct program *p)
{
    struct thread *t = running_thread(p);
    struct function *f = &p->function[running_frame(p)->function];

    if (t->levels > 1 && running_stack(p)->frames == 1 && chance(p, 6)) {
        do_signal_leave(p);
        f = &p->function[running_frame(p)->function];
    }
    return &f->block[rng_below(&p->rng, f->blocks)];
}

static void step(struct program *p)
{
    struct block *block;
    uint32_t site;

    if (chance(p, 25))
        do_event(p);
    block = random_block(p);
    TRACE(p, "t%u f%u block %u\n", p->running, running_frame(p)->function,
          (unsigned)(block - p->function[running_frame(p)->function].block));
    if (!execute(p, block))
        return;
    site = block->code.instr[block->code.instrs - 1].id;
    switch (block->ending) {
    case END_CALL:
    case END_CALL_INDIRECT:
        do_call(p, block, site);
        break;
    case END_RETURN:
        do_return(p, site);
        break;
    case END_JUMP:
    case END_JUMP_INDIRECT:
        do_jump(p, block, site);
        break;
    default:
        break;
    }
}

static uint64_t random_features(struct rng *rng)
{
    uint32_t features = (uint32_t)rng_next(rng) | (uint32_t)rng_next(rng);

    /* random_config() says whether there are remaps, and further machines */
    return (rng_below(rng, 8) ? features : ~0u) | RP_REMAP | RP_ALSO;
}

static void end_program(struct program *p)
{
    bool all = rng_below(&p->rng, 2); /* the threads end before the program */

    for (uint32_t t = 0; all && t < p->threads; t++)
        if (p->thread[t].alive)
            pair_end(p->pair, t);
    pair_finish(p->pair);
    if (all)
        pair_check_empty(p->pair);
}

#define SHAPE(cache) (unsigned long long)(cache).size, (cache).assoc, (cache).line
#define PAIR(tlb) (tlb)->entries, (tlb)->assoc
static void trace_machine(const struct program *p, uint32_t number, const struct model_also_config *also)
{
    TRACE(p, "also%u L2 %llu,%u,%u I1 %llu,%u,%u D1 %llu,%u,%u LL %llu,%u,%u policies %d%d%d%d\n", number,
          SHAPE(also->l2), SHAPE(also->i1), SHAPE(also->d1), SHAPE(also->ll), also->l2.policy, also->i1.policy,
          also->d1.policy, also->ll.policy);
}

void rp_run(const struct rp_options *options, struct rp_result *result)
{
    struct program *p = calloc(1, sizeof *p);
    struct pair_config config;

    p->options = options;
    rng_seed(&p->rng, options->seed);
    p->features = random_features(&p->rng) & ~options->without;
    random_config(&p->rng, p->features, options->paths, &config);
    if (!config.inclusive)
        p->features &= ~RP_RAISE; /* attribution.md, 7: nobody looks for missing parents then */
    if (!config.inclusive && has(p, RP_COROUTINES))
        p->features &= ~RP_FLAGS; /* 9: nor is it known what runs on a stack that is gone back to */
    p->pair = pair_new(&config, options->out);
    TRACE(p, "L2 %llu,%u,%u I1 %llu,%u,%u D1 %llu,%u,%u LL %llu,%u,%u%s%s%s%s%s%s%s%s%s%s%s%s paths %llu lag %u "
          "callers %u recs %u%s pairs %u sample %u policies %d%d%d%d tlbs %u,%u %u,%u %u,%u %u,%u "
          "prefetch %d%d%d%d %d%d%d%d remap %llu also %u\n",
          SHAPE(config.l2), SHAPE(config.i1), SHAPE(config.d1), SHAPE(config.ll), config.cache_sim ? " caches" : "",
          config.branch_sim ? " branches" : "", config.use ? " use" : "", config.write_back ? " write-back" : "",
          config.coherence ? " coherent" : "", config.strides ? " strides" : "", config.patterns ? " patterns" : "",
          config.curves ? " curves" : "", config.inclusive ? " inclusive" : "",
          config.shared_l1 ? " shared" : config.parallel ? " parallel" : "", config.flush_at_exit ? " flush" : "",
          config.collect_at_start ? " collecting" : "", (unsigned long long)config.paths, config.lag,
          config.separate_callers, config.separate_recs, config.data ? " data" : "", config.most_pairs, config.sample,
          config.l2.policy, config.i1.policy, config.d1.policy, config.ll.policy, PAIR(config.itlb), PAIR(config.dtlb),
          PAIR(config.itlb + 1), PAIR(config.dtlb + 1), config.prefetch[0], config.prefetch[1], config.prefetch[2],
          config.prefetch[3], config.prefetch[4], config.prefetch[5], config.prefetch[6], config.prefetch[7],
          (unsigned long long)config.remap, config.also_count);
    for (uint32_t i = 0; i < config.also_count; i++)
        trace_machine(p, i + 1, &config.also[i]);
    p->pool = 0x10000000;
    p->pool_size = config.d1.size * (1 + rng_below(&p->rng, 3)) + 4096;
    p->conflict = config.d1.size / config.d1.assoc;
    make_code(p);
    p->threads = 1;
    pair_thread(p->pair, 0, 0);
    begin_thread(p, 0, has(p, RP_RAISE) && chance(p, 2));
    pair_switch(p->pair, 0);
    p->steps = 200 + rng_below(&p->rng, 1800);
    if (options->steps && options->steps < p->steps)
        p->steps = options->steps;
    for (result->steps = 0; result->steps < p->steps && pair_good(p->pair); result->steps++) {
        TRACE(p, "-- step %u\n", result->steps);
        step(p);
    }
    end_program(p);
    result->accesses = pair_accesses(p->pair);
    result->good = pair_good(p->pair);
    pair_free(p->pair);
    free(p);
}
