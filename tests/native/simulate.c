/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate.c: see simulate.h. */
#include "simulate.h"

#include "core/cache_hot.h"
#include "core/host.h"
#include "core/raw_format.h"
#include "engine/native/base/nt_cpuid.h"
#include "engine/native/plan/nt_single.h"
#include "engine/native/translate/nt_block.h"
#include "tests/common/fb_host.h"
#include "vector.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, STEPS = 1 << 16, BLOCKS = 256, FUNCTION = 128, PROFILE = 64 << 20 };

struct step {
    uint64_t pc, flags, gpr[16];
    uint8_t vector[BENCH_VECTOR];
};

/* A block that the walk has met. */
struct walked {
    uint64_t pc;
    unsigned count;
    size_t bytes;
    uint8_t code[NT_BLOCK_INSNS * NT_INSN_BYTES];
    struct nt_insn insn[NT_BLOCK_INSNS];
    struct nt_plan plan;
};

/* One core and what it needs. */
struct side {
    struct fb_test_host files;
    struct code_map_host host;
    struct nt_planner planner;
    tn_thread *thread;
    uint8_t *profile;
    size_t size;
};

struct simulation {
    struct tn_config config;
    bool join;
    struct side code, walk;
    struct step *steps;
    unsigned step_count;
    struct walked *blocks[BLOCKS];
    unsigned stretch; /* that the walk is in */
};

/* ------------------------------------------------------------------------------------------ hosts */

static uint64_t memory_at, memory_low;

void *tn_host_alloc(size_t bytes)
{
    void *memory = mmap((void *)memory_at, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == MAP_FAILED)
        tn_host_panic("memory");
    memory_at += (bytes + PAGE - 1) & -(size_t)PAGE;
    return memory;
}

void *tn_host_alloc_sparse(size_t bytes)
{
    return tn_host_alloc(bytes);
}

/* Its addresses stay, so that all can be hidden at once. */
void tn_host_free(void *memory, size_t bytes)
{
    madvise(memory, bytes, MADV_DONTNEED);
}

int tn_host_write(void *stream, const void *data, size_t bytes)
{
    struct side *side = stream;
    if (side->size + bytes > PROFILE)
        tn_host_panic("the profile is too long");
    memcpy(side->profile + side->size, data, bytes);
    side->size += bytes;
    return 0;
}

void tn_host_yield(uint32_t times)
{
    (void)times;
    sched_yield();
}

uint64_t tn_host_time(void) /* a clock that nobody waits for */
{
    static uint64_t time;

    return __atomic_add_fetch(&time, 1000, __ATOMIC_RELAXED);
}

void tn_host_panic(const char *what)
{
    printf("panic: %s\n", what);
    fflush(stdout);
    abort();
}

static bool mapping_at(void *user, uint64_t address, struct code_mapping *out)
{
    (void)user;
    out->start = address & -(uint64_t)FUNCTION;
    out->end = out->start + FUNCTION;
    return true;
}

static void describe(void *user, uint32_t fb_flags, struct tn_function_info *info)
{
    (void)fb_flags;
    const struct simulation *simulation = user;
    info->separate_callers = (uint16_t)simulation->config.separate_callers;
    info->separate_recs = (uint16_t)simulation->config.separate_recs;
}

static uint64_t process_id(void *user)
{
    (void)user;
    return 1;
}

/* Functions are known from the beginning, by perf's map: the walk asks for them in another order. */
static char perf_map[BENCH_CODE / FUNCTION * 32];

static const void *map_file(void *user, const char *path, size_t *bytes)
{
    (void)user;
    (void)path;
    *bytes = strlen(perf_map);
    return perf_map;
}

static void unmap_file(void *user, const void *memory, size_t bytes)
{
    (void)user;
    (void)memory;
    (void)bytes;
}

static uint32_t function_at(void *user, uint64_t address)
{
    (void)user;
    (void)address;
    return TN_NONE;
}

static void *allocate(size_t bytes)
{
    return calloc(1, bytes);
}

static void side_begin(struct simulation *simulation, struct side *side)
{
    fb_test_host(&side->files);
    side->files.host.map = map_file;
    side->files.host.unmap = unmap_file;
    side->host = (struct code_map_host){&side->files.host, simulation, mapping_at, describe, process_id};
    side->planner.config = &simulation->config;
    side->planner.core = tn_core_new(&simulation->config);
    side->planner.map = code_map_new(&side->host, side->planner.core);
    side->planner.allocate = allocate;
    side->planner.shifts = nt_cpuid_has(NT_CPUID_BMI2);
    side->thread = tn_thread_new(side->planner.core, NULL, 1);
    side->profile = malloc(PROFILE);
}

static void side_start(struct side *side, uint64_t code)
{
    for (uint64_t at = code; at < code + BENCH_CODE; at += FUNCTION)
        code_map_function_id(side->planner.map, at);
    tn_thread_begin(side->thread, code_map_function_id(side->planner.map, code), UINT64_MAX);
}

struct simulation *simulate_new(uint64_t where, unsigned kind, uint64_t code, bool join)
{
    struct simulation *simulation = calloc(1, sizeof *simulation);
    simulation->join = join;
    struct tn_config *config = &simulation->config;
    memory_at = memory_low = where;
    tn_config_default(config);
    config->i1 = config->d1 = config->ll = (struct tn_geometry){
        kind == 1 ? 1024 : 4096, 4, kind == 1 ? 32 : kind == 2 ? 128 : 64, (enum tn_policy)(kind % TN_POLICIES)};
    config->ll.size = 16384;
    config->front = sizeof(struct nt_area);
    config->counter_limit = 1 << 20;
    config->alias_limit = UINT32_MAX;
    config->function_at = function_at;
    config->inclusive = kind != 3;
    config->branch_sim = kind == 1 || kind == 4;
    config->use = kind != 4;
    config->write_back = kind == 0 || kind == 6;
    config->sample = kind == 6 ? 4 : 1;
    config->separate_callers = kind == 5 ? 2 : 0;
    config->separate_recs = kind == 5 ? 2 : 0;
    const char *wrong = tn_config_check(config);
    if (wrong)
        tn_host_panic(wrong);
    char *to = perf_map;
    for (uint64_t at = code; at < code + BENCH_CODE; at += FUNCTION)
        to += sprintf(to, "%lx %x f\n", (unsigned long)at, (unsigned)FUNCTION);
    side_begin(simulation, &simulation->code);
    side_begin(simulation, &simulation->walk);
    side_start(&simulation->code, code);
    side_start(&simulation->walk, code);
    simulation->code.planner.by_collecting = kind == 1;
    simulation->steps = malloc(STEPS * sizeof *simulation->steps);
    return simulation;
}

void simulate_free(struct simulation *simulation)
{
    for (unsigned i = 0; i < BLOCKS; i++)
        free(simulation->blocks[i]);
    free(simulation->code.profile);
    free(simulation->walk.profile);
    free(simulation->steps);
    free(simulation);
    munmap((void *)memory_low, memory_at - memory_low);
}

struct nt_planner *simulate_planner(struct simulation *simulation)
{
    return &simulation->code.planner;
}

struct nt_area *simulate_area(struct simulation *simulation)
{
    return (struct nt_area *)simulation->code.thread - 1;
}

void simulate_hide(struct simulation *simulation, bool hidden)
{
    uint64_t area = (uintptr_t)simulate_area(simulation), end = area + sizeof(struct nt_area);
    int how = hidden ? PROT_NONE : PROT_READ | PROT_WRITE;
    area &= -(uint64_t)PAGE;
    end = (end + PAGE - 1) & -(uint64_t)PAGE;
    if (mprotect((void *)memory_low, area - memory_low, how) || mprotect((void *)end, memory_at - end, how))
        tn_host_panic("memory cannot be hidden");
}

bool simulate_has(const struct simulation *simulation, uint64_t address)
{
    (void)simulation; /* there is one at a time */
    return address >= memory_low && address < memory_at;
}

/* ------------------------------------------------------------------------------------------ steps */

static uint32_t function_of(struct side *side, uint64_t address)
{
    return code_map_function_id(side->planner.map, address);
}

void simulate_begin(struct simulation *simulation)
{
    simulation->step_count = 0;
}

void simulate_step(struct simulation *simulation, const struct bench_state *state)
{
    if (simulation->step_count == STEPS)
        tn_host_panic("too many steps");
    struct step *step = &simulation->steps[simulation->step_count++];
    step->pc = state->rip;
    step->flags = state->flags;
    memcpy(step->gpr, state->gpr, sizeof step->gpr);
    memcpy(step->vector, state->vector, sizeof step->vector);
}

void simulate_fault(struct simulation *simulation, uint32_t segment, const struct bench_state *state)
{
    struct nt_area *area = simulate_area(simulation);
    if (segment == TN_NONE)
        return;
    memcpy(area->gpr, state->gpr, sizeof area->gpr);
    area->flags = state->flags;
    area->rip = state->rip;
    tn_take_back(simulation->code.thread, segment, state->rip);
    nt_single_faulted(&simulation->code.planner, area, (const uint8_t *)state->rip);
}

/* ------------------------------------------------------------------------------------------ the walk */

static bool ends_block(const struct nt_insn *insn, bool join, unsigned *branches)
{
    if (insn->kind == NT_IS_JCC)
        return !join || ++*branches > NT_BLOCK_BRANCHES;
    return insn->kind != NT_IS_PLAIN && insn->kind != NT_IS_GS_READ && insn->kind != NT_IS_GS_WRITE;
}

static bool is_same(const struct walked *block, uint64_t pc)
{
    return block && block->pc == pc && memcmp(block->code, (const void *)pc, block->bytes) == 0;
}

static struct walked *block_at(struct simulation *simulation, const struct nt_decoder *decoder, uint64_t pc)
{
    struct walked **place = &simulation->blocks[pc / 8 % BLOCKS], *block = *place;
    if (is_same(block, pc))
        return block;
    free(block);
    *place = block = calloc(1, sizeof *block);
    block->pc = pc;
    unsigned branches = 0;
    while (block->count < NT_BLOCK_INSNS) {
        struct nt_insn *insn = &block->insn[block->count];
        if (!nt_decode(decoder, (const uint8_t *)pc + block->bytes, NT_INSN_BYTES, pc + block->bytes, insn))
            break;
        block->bytes += insn->length;
        block->count++;
        if (ends_block(insn, simulation->join && bench_makes_longer(pc), &branches))
            break;
    }
    memcpy(block->code, (const void *)pc, block->bytes);
    if (block->count)
        nt_plan_make(&simulation->walk.planner, block->insn, block->count, &block->plan);
    return block;
}

static uint64_t address_of(const struct simulation *simulation, const struct nt_access *access, const uint64_t *gpr)
{
    uint64_t address = (uint64_t)access->displacement;
    if (access->base != NT_NO_REG)
        address += gpr[access->base];
    if (access->index != NT_NO_REG && access->kind != NT_LANES)
        address += gpr[access->index] * access->scale;
    if (access->kind == NT_TABLE)
        address += (uint8_t)gpr[NT_RAX];
    if (access->address_bits == 32)
        address = (uint32_t)address;
    if (access->segment == NT_SEGMENT_GS)
        address += (uintptr_t)simulation->code.thread;
    return address;
}

static void count(struct simulation *simulation, uint32_t counter)
{
    tn_thread *thread = simulation->walk.thread;
    if (nt_plan_separate(&simulation->config))
        tn_count(thread, counter);
    else
        ((uint64_t *)((char *)thread + tn_layout(simulation->walk.planner.core)->counters))[counter]++;
}

static void walk_stretch(struct simulation *simulation, const struct nt_stretch *stretch, const struct step *step)
{
    tn_thread *thread = simulation->walk.thread;
    if (stretch->entered_from && simulation->config.inclusive)
        tn_jump(thread, stretch->entered_from, stretch->function, step->gpr[NT_RSP]);
    thread->clock += stretch->clock;
    thread->data += stretch->data;
    thread->branches += stretch->branches;
    count(simulation, stretch->counter);
}

static void walk_run(struct simulation *simulation, const struct nt_planned_run *run)
{
    tn_thread *thread = simulation->walk.thread;
    const struct tn_l1_layout *i1 = &tn_layout(simulation->walk.planner.core)->i1;
    struct tn_way *way = tn_hot_way(thread, i1, run->line);
    if (run->known) {
        if (way->line != run->line)
            tn_host_panic("a line has gone");
        way->use += simulation->config.use ? run->use : 0;
        way->mask |= simulation->config.use ? run->mask : 0;
        return;
    }
    if (way->line != run->line) {
        tn_slow_fetch(thread, run->id);
        way = tn_hot_way(thread, i1, run->line);
    }
    if (simulation->config.use) {
        way->use += run->use;
        way->mask |= run->mask;
    }
    way->stamp = thread->clock - run->back;
}

static void walk_access(struct simulation *simulation, const struct walked *block,
                        const struct nt_planned_access *access, const struct step *step)
{
    tn_thread *thread = simulation->walk.thread;
    const struct tn_layout *layout = tn_layout(simulation->walk.planner.core);
    uint64_t address = address_of(simulation, &block->insn[access->insn].access[access->which], step->gpr);
    uint64_t line = 1ull << layout->d1.line_bits;
    bool reaches = address % line > line - access->size && tn_is_sampled(layout, address + line);
    if (access->whole || (reaches && !tn_is_sampled(layout, address))) {
        tn_whole_data(thread, address, access->id);
        return;
    }
    tn_hot_data_in(thread, layout, access->table, address, access->id, access->size, access->back,
                   access->kind != TN_READ, simulation->config.use);
    if (layout->d1.written && access->kind != TN_READ && simulation->config.use)
        tn_hot_written_in(thread, layout, access->table, address, access->size);
}

static void take_state(struct nt_area *area, const struct step *step)
{
    memcpy(area->gpr, step->gpr, sizeof area->gpr);
    area->flags = step->flags;
}

static void take_lanes(struct nt_area *area, const struct step *step, const struct nt_access *where)
{
    if (where->kind == NT_LANES)
        vector_register(&bench_layout, step->vector, where->index, area->indices);
    if (where->mask < 8)
        vector_opmask(&bench_layout, step->vector, where->mask, &area->opmask);
    if (where->mask < 32)
        vector_register(&bench_layout, step->vector, where->mask, area->signs);
}

static void walk_single(struct simulation *simulation, const struct nt_single *single, const struct step *before,
                        const struct step *behind)
{
    struct nt_area *area = (struct nt_area *)simulation->walk.thread - 1;
    area->gs_base = (uintptr_t)simulation->code.thread;
    take_state(area, single->behind ? behind : before);
    area->before.rcx = before->gpr[NT_RCX];
    area->before.rsi = before->gpr[NT_RSI];
    area->before.rdi = before->gpr[NT_RDI];
    if (!single->behind)
        take_lanes(area, before, &single->where);
    nt_single_run(&simulation->walk.planner, area, single);
}

/* The instruction began with `before`. */
static void walk_faulted(struct simulation *simulation, const struct step *before, const struct step *now)
{
    struct nt_area *area = (struct nt_area *)simulation->walk.thread - 1;
    take_state(area, now);
    area->rip = now->pc;
    area->before.rcx = before->gpr[NT_RCX];
    area->before.rsi = before->gpr[NT_RSI];
    area->before.rdi = before->gpr[NT_RDI];
    nt_single_faulted(&simulation->walk.planner, area, (const uint8_t *)now->pc);
}

/* Condition codes, as the CPU numbers them. */
static bool holds(uint8_t condition, uint64_t flags)
{
    bool c = flags & 1, p = flags & 4, z = flags & 0x40, s = flags & 0x80, o = flags & 0x800;
    const bool even[8] = {o, c, z, c || z, s, p, s != o, z || s != o};
    return even[condition >> 1 & 7] != (condition & 1);
}

static void walk_jump(struct simulation *simulation, uint32_t site, uint32_t from, uint64_t to, uint64_t sp)
{
    uint32_t function = function_of(&simulation->walk, to);
    if (function != from)
        tn_jump(simulation->walk.thread, site, function, sp);
}

static void walk_call(struct simulation *simulation, const struct nt_insn *insn, uint32_t site, uint32_t from,
                      uint64_t to, uint64_t sp)
{
    uint64_t back = insn->pc + insn->length;
    bool at_end = function_of(&simulation->walk, back) != from;
    if (to != back)
        tn_call(simulation->walk.thread, site, function_of(&simulation->walk, to), sp, at_end ? 0 : back);
}

/* Instruction i of the block leads to `to`, and out of the block. */
static void walk_transfer(struct simulation *simulation, const struct walked *block, unsigned i, uint64_t to,
                          uint64_t sp)
{
    const struct nt_insn *insn = &block->insn[i];
    uint32_t site = block->plan.site[i], from = block->plan.function_of[i];
    tn_thread *thread = simulation->walk.thread;
    if (simulation->config.branch_sim) {
        if (insn->kind == NT_IS_LOOP) /* the tests' never lead behind themselves */
            tn_branch_cond(thread, site, to != insn->pc + insn->length);
        else if (insn->kind == NT_IS_JUMP_INDIRECT || insn->kind == NT_IS_CALL_INDIRECT)
            tn_branch_indirect(thread, site, to);
    }
    if (!simulation->config.inclusive)
        return;
    switch (insn->kind) {
    case NT_IS_CALL:
    case NT_IS_CALL_INDIRECT:
        walk_call(simulation, insn, site, from, to, sp);
        break;
    case NT_IS_RETURN:
        tn_return(thread, site, sp, to);
        break;
    case NT_IS_SYSCALL:
    case NT_IS_CPUID:
    case NT_IS_TRAP:
        break;
    default:
        walk_jump(simulation, site, from, to, sp);
        break;
    }
}

/* The step `step` of a block, its instruction i; `next` is the state behind it, NULL if it faulted. */
static void walk_insn(struct simulation *simulation, const struct walked *block, unsigned i, const struct step *step,
                      const struct step *next)
{
    const struct nt_plan *plan = &block->plan;
    const struct nt_single *single = NULL;
    for (unsigned s = 0; s < plan->stretches; s++) {
        const struct nt_stretch *stretch = &plan->stretch[s];
        if (stretch->insn == i)
            walk_stretch(simulation, stretch, step);
        if (i + 1 == (unsigned)stretch->insn + stretch->insns)
            single = stretch->single;
        if (stretch->insn <= i)
            simulation->stretch = s;
    }
    for (unsigned r = 0; r < plan->runs; r++)
        if (plan->run[r].insn == i)
            walk_run(simulation, &plan->run[r]);
    for (unsigned a = 0; a < plan->accesses; a++)
        if (plan->access[a].insn == i)
            walk_access(simulation, block, &plan->access[a], step);
    if (single && (next || !single->behind))
        walk_single(simulation, single, step, next);
}

/* From step `n` on, a block. Returns the step behind it. */
static unsigned walk_block(struct simulation *simulation, const struct nt_decoder *decoder, unsigned n)
{
    const struct walked *block = block_at(simulation, decoder, simulation->steps[n].pc);
    for (unsigned i = 0; i < block->count; i++, n++) {
        const struct step *step = &simulation->steps[n];
        while (block->insn[i].repeated && n + 1 < simulation->step_count && simulation->steps[n + 1].pc == step->pc)
            n++; /* the same instruction: its iterations */
        bool faulted = n + 1 == simulation->step_count;
        if (step->pc != block->insn[i].pc)
            tn_host_panic("the walk has lost its way");
        walk_insn(simulation, block, i, step, faulted ? NULL : &simulation->steps[n + 1]);
        if (faulted) {
            const struct nt_stretch *stretch = &block->plan.stretch[simulation->stretch];
            tn_take_back(simulation->walk.thread, stretch->counter, step->pc);
            walk_faulted(simulation, step, &simulation->steps[n]);
            return n + 1;
        }
        const struct step *next = &simulation->steps[n + 1];
        bool jcc = block->insn[i].kind == NT_IS_JCC, on = next->pc == step->pc + block->insn[i].length;
        if (jcc && simulation->config.branch_sim)
            tn_branch_cond(simulation->walk.thread, block->plan.site[i], holds(block->insn[i].condition, step->flags));
        if (i + 1 == block->count || (jcc && !on)) {
            walk_transfer(simulation, block, i, next->pc, next->gpr[NT_RSP]);
            return n + 1;
        }
    }
    return n + 1; /* no code */
}

static bool same_memory(const struct simulation *simulation)
{
    const struct tn_layout *layout = tn_layout(simulation->code.planner.core);
    const tn_thread *code = simulation->code.thread, *walk = simulation->walk.thread;
    bool same = code->clock == walk->clock && code->data == walk->data && code->branches == walk->branches;
    size_t end = layout->counters + 8ul * tn_counters(simulation->code.planner.core);
    if (!same)
        printf("  %u steps; clock %lu, %lu; data %lx, %lx; branches %lx, %lx\n", simulation->step_count, code->clock,
               walk->clock, code->data, walk->data, code->branches, walk->branches);
    for (size_t at = sizeof *code; at + 8 <= end && same; at += 8) {
        uint64_t a, b;
        memcpy(&a, (const char *)code + at, 8);
        memcpy(&b, (const char *)walk + at, 8);
        same = a == b;
        if (!same)
            printf("  at %#zx (i1 from %#x, d1 from %#x, counters from %#x): generated %#lx, walked %#lx\n", at,
                   layout->i1.table, layout->d1.table, layout->counters, a, b);
    }
    return same;
}

bool simulate_compare(struct simulation *simulation, const struct nt_decoder *decoder, uint64_t end, uint64_t end_sp)
{
    unsigned count = simulation->step_count;
    if (count && simulation->steps[count - 1].pc != end) { /* no fault of the last step's */
        static struct bench_state last;
        last.rip = end;
        last.gpr[NT_RSP] = end_sp;
        simulate_step(simulation, &last);
    }
    for (unsigned n = 0; n < count;)
        n = walk_block(simulation, decoder, n);
    return same_memory(simulation);
}

/* What comes in front of its statistics, which the profile ends with. */
static size_t costs_of(const struct side *side)
{
    enum { FILE_HEADER = 16, CHUNK_HEADER = 16 };
    size_t at = FILE_HEADER;
    while (at + CHUNK_HEADER <= side->size && side->profile[at] != TN_RAW_STAT) {
        uint32_t bytes;
        memcpy(&bytes, side->profile + at + 4, sizeof bytes);
        at += CHUNK_HEADER + bytes;
    }
    return at;
}

/* But for the bytes of arenas: the walk plans a block once, generated code is made again when its room is wanted. */
static bool same_statistics(const struct side *code, const struct side *walk)
{
    struct tn_statistics a, b;
    tn_statistics(code->planner.core, &a);
    tn_statistics(walk->planner.core, &b);
    a.bytes = b.bytes = 0;
    return memcmp(&a, &b, sizeof a) == 0;
}

bool simulate_finish(struct simulation *simulation)
{
    struct side *code = &simulation->code, *walk = &simulation->walk;
    tn_finish(code->planner.core, code, "exit");
    tn_finish(walk->planner.core, walk, "exit");
    size_t costs = costs_of(code);
    bool same = costs == costs_of(walk) && memcmp(code->profile, walk->profile, costs) == 0;
    if (!same)
        printf("  the profiles differ: %zu bytes, %zu bytes\n", code->size, walk->size);
    if (!same_statistics(code, walk)) {
        printf("  the statistics differ\n");
        same = false;
    }
    return same;
}
