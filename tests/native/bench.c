/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench.c: a small engine around the translator: a dispatcher, and a handler for faults. */
#include "bench.h"
#include "zydis.h"

#include "engine/native/base/nt_cpuid.h"

#include "simulate.h"
#include "vector.h"

#include <asm/prctl.h>
#include <immintrin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

void gate_enter(void);
void gate_leave(void);
void gate_enter_translated(void);
void gate_left(void);
void gate_left_translated(void);
void gate_fault(void);

enum { CACHE_BYTES = 4 << 20 /* soon full */, SKIPPED = 77 };

/* In the area: what gate.S needs besides. */
struct bench_way {
    uint64_t from, to, where, idle, head, left;
};

static struct bench *running;
static struct bench_state *result; /* of the run now */
struct nt_xstate bench_layout;
static uint8_t idle_state[BENCH_STATE] __attribute__((aligned(64)));

uint64_t bench_draw(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

void bench_hide(int count, char **values)
{
    static const char option[] = "--hide-features=";
    for (int i = 1; i < count; i++)
        if (!strncmp(values[i], option, strlen(option)) && !nt_cpuid_hide(values[i] + strlen(option))) {
            printf("%s: names are " NT_CPUID_NAMES "\n", values[i]);
            exit(1);
        }
}

uint64_t bench_option(int count, char **values, const char *name, uint64_t value)
{
    for (int i = 1; i < count; i++)
        if (!strncmp(values[i], name, strlen(name)))
            value = strtoull(values[i] + strlen(name), NULL, 0);
    return value;
}

static size_t read_code(uint64_t pc, void *to, size_t bytes)
{
    uint64_t start = (uintptr_t)running->code, end = start + BENCH_CODE;
    if (pc < start || pc >= end)
        return 0;
    size_t count = end - pc < bytes ? end - pc : bytes;
    memcpy(to, (const void *)pc, count);
    return count;
}

/* What the translator's own check finds is a mistake of one of them. */
static void is_wrong(uint64_t pc, const char *what)
{
    printf("  the code made of the instruction at %#llx: %s\n", (unsigned long long)pc, what);
    running->found_wrong = true;
}

static void *map(void *where, size_t bytes, int protection, int more)
{
    void *at = mmap(where, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | more, -1, 0);
    if (at == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return at;
}

static uint64_t gs_base(const struct bench *bench)
{
    return (uintptr_t)(bench->area + 1);
}

/* General registers as a fault shows them. */
static void take_registers(struct bench_state *state, const ucontext_t *context)
{
    static const int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    for (int r = 0; r < 16; r++)
        state->gpr[r] = (uint64_t)context->uc_mcontext.gregs[order[r]];
    state->rip = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    state->flags = (uint64_t)context->uc_mcontext.gregs[REG_EFL];
}

static void apply_place(struct bench_state *state, const struct bench *bench)
{
    struct nt_place place;
    if (!nt_code_place(bench->cache, state->rip, &place))
        return;
    state->rip = place.pc;
    for (int r = 0; r < 16; r++)
        if (place.spilled >> r & 1)
            state->gpr[r] = bench->area->gpr[r];
    if (bench->simulation)
        simulate_fault(bench->simulation, place.segment, state);
}

enum { TF = 0x100 };

/* The trap behind each instruction, until the way out. */
static void on_step(ucontext_t *context)
{
    static struct bench_state state;
    take_registers(&state, context);
    memcpy(state.vector, context->uc_mcontext.fpregs, vector_bytes(&bench_layout));
    vector_complete(&bench_layout, state.vector);
    running->stepped = !result || state.rip == (uintptr_t)gate_leave;
    if (running->stepped)
        context->uc_mcontext.gregs[REG_EFL] &= ~TF;
    else
        running->step(running, &state);
}

static void on_fault(int number, siginfo_t *info, void *context_)
{
    ucontext_t *context = context_;
    struct bench_state *state = result;
    /* A virtual machine may lose the reason of a trap; only int3's is SI_KERNEL. */
    if (number == SIGTRAP && info->si_code != SI_KERNEL && running && running->step) {
        on_step(context);
        return;
    }
    if (!state) {
        signal(number, SIG_DFL);
        return;
    }
    take_registers(state, context);
    apply_place(state, running);
    state->signal = number;
    state->signal_code = info->si_code;
    state->signal_address = number == SIGSEGV ? (uintptr_t)info->si_addr : 0;
    const uint8_t *saved = (const uint8_t *)context->uc_mcontext.fpregs;
    uint32_t bytes; /* struct _fpx_sw_bytes: magic1, extended_size, xfeatures, xstate_size */
    memcpy(&bytes, saved + 464 + 16, 4);
    memcpy(state->vector, saved, bytes < BENCH_STATE ? bytes : BENCH_STATE);
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)gate_fault;
    /* There are virtual machines that cannot go on with any stack pointer. */
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)running->area->engine_sp;
    running->stepped |= (context->uc_mcontext.gregs[REG_EFL] & TF) != 0;
    context->uc_mcontext.gregs[REG_EFL] &= ~TF;
}

static void catch_faults(void)
{
    stack_t stack = {.ss_sp = map(NULL, 256 << 10, PROT_READ | PROT_WRITE, 0), .ss_size = 256 << 10};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGILL, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    sigaction(SIGTRAP, &action, NULL);
}

/* What the engine needs, and these tests as well. */
static void check_machine(void)
{
    nt_xstate_start(&bench_layout);
    if (!bench_layout.enabled) {
        printf("the native engine does not run on this processor: it lacks XSAVE\n");
        exit(SKIPPED);
    }
    if (vector_bytes(&bench_layout) > BENCH_VECTOR) {
        printf("the vector state is larger than any processor's that these tests know\n");
        exit(1);
    }
}

struct bench *bench_new(uint64_t where, bool join, bool link, bool lookup, bool returns)
{
    return bench_new_simulating(where, join, link, lookup, returns, -1);
}

struct bench *bench_new_simulating(uint64_t where, bool join, bool link, bool lookup, bool returns, int kind)
{
    check_machine();
    struct bench *bench = calloc(1, sizeof *bench + 64);
    bench = (struct bench *)(((uintptr_t)bench + 63) & ~(uintptr_t)63); /* freed with the process */
    int all = PROT_READ | PROT_WRITE | PROT_EXEC;
    bench->code = map((void *)where, BENCH_CODE, all, MAP_FIXED_NOREPLACE);
    bench->data = map((void *)(where + (1 << 20)), BENCH_DATA, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE);
    bench->memory_before = map(NULL, BENCH_DATA, PROT_READ | PROT_WRITE, 0);
    bench->memory_native = map(NULL, BENCH_DATA, PROT_READ | PROT_WRITE, 0);
    /* Less than 2 GB from the data, so that an operand under GS reaches it with 32 bits; not where the number of a bit
     * (`bts [data], ebp`, 256 MB) or a small multiple of the data's address (`[rbp + rbp * 4]`) leads, or the program
     * would read and write what the simulation keeps. */
    if (kind >= 0) {
        bench->simulation = simulate_new(where + 0x48000000, (unsigned)kind, where, join);
        bench->area = simulate_area(bench->simulation);
    } else {
        bench->area = map((void *)(where + (2 << 20)), sizeof(struct nt_area), PROT_READ | PROT_WRITE,
                          MAP_FIXED_NOREPLACE);
    }
    bench->config = (struct nt_code_config){.host = {zydis_symbol, read_code, is_wrong},
                                            .check = true,
                                            .bytes = CACHE_BYTES,
                                            .join = join,
                                            .link = link,
                                            .lookup = lookup,
                                            .returns = returns};
    if (bench->simulation)
        bench->config.planner = simulate_planner(bench->simulation);
    bench->config.memory = map((void *)0x100000000000, CACHE_BYTES, all, MAP_FIXED_NOREPLACE);
    bench->cache = nt_code_new(&bench->config);
    bool good = nt_decoder_init(&bench->decoder, zydis_symbol, nt_cpuid_is_amd());
    if (!bench->cache || !good) {
        printf("the decoder library is not the one of the headers\n");
        exit(1);
    }
    catch_faults();
    _xsave64(idle_state, VECTOR_COMPONENTS);
    running = bench;
    return bench;
}

bool bench_free(struct bench *bench)
{
    bool good = !bench->simulation || simulate_finish(bench->simulation);
    munmap(bench->code, BENCH_CODE);
    munmap(bench->data, BENCH_DATA);
    munmap(bench->memory_before, BENCH_DATA);
    munmap(bench->memory_native, BENCH_DATA);
    if (bench->simulation)
        simulate_free(bench->simulation);
    else
        munmap(bench->area, sizeof(struct nt_area));
    munmap(bench->config.memory, CACHE_BYTES);
    running = NULL;
    return good;
}

void bench_random(struct bench *bench, uint64_t *seed)
{
    struct bench_state *state = &bench->before;
    for (size_t i = 0; i < BENCH_DATA; i += 8) {
        uint64_t value = bench_draw(seed);
        if (value % 4 == 0) /* some words are addresses */
            value = (uintptr_t)bench->data + (value >> 8) % BENCH_DATA;
        memcpy(bench->memory_before + i, &value, 8);
    }
    for (int r = 0; r < 16; r++) {
        uint64_t draw = bench_draw(seed), value = bench_draw(seed);
        switch (draw % 8) {
        case 0:
            break;
        case 1:
        case 2:
            value = value % 64;
            break;
        case 3:
            value = -(value % 64);
            break;
        default:
            value = (uintptr_t)bench->data + BENCH_DATA / 4 + value % (BENCH_DATA / 2);
            break;
        }
        state->gpr[r] = value;
    }
    state->gpr[NT_RSP] = (uintptr_t)bench->data + BENCH_DATA / 2 + (bench_draw(seed) % 64) * 8;
    state->flags = 0x202 | (bench_draw(seed) & 0x8d5) | (bench_draw(seed) % 16 == 0 ? 0x400 : 0);
    memset(state->vector, 0, BENCH_STATE);
    memcpy(state->vector, idle_state, 576);
    for (uint64_t rest = vector_components(&bench_layout) & ~1ull; rest;) {
        unsigned component = vector_next(&rest);
        for (uint32_t i = 0; i < bench_layout.size[component]; i++)
            state->vector[bench_layout.offset[component] + i] = (uint8_t)bench_draw(seed);
    }
    for (size_t i = 32; i < 160; i++)
        state->vector[i] = i % 16 < 8    ? (uint8_t)bench_draw(seed)
                           : i % 16 == 9 ? 0x3f
                           : i % 16 == 8 ? 0xff
                                         : 0;
    uint64_t components = vector_components(&bench_layout);
    memcpy(state->vector + 512, &components, 8);
    memset(state->vector + 520, 0, 56);
}

uint8_t *bench_end(struct bench *bench, uint8_t *at)
{
    static const uint8_t jump_through_gs[] = {0x65, 0xff, 0x24, 0x25};
    int32_t leave = NT_LEAVE;
    (void)bench;
    memcpy(at, jump_through_gs, 4);
    memcpy(at + 4, &leave, 4);
    return at + 8;
}

static struct bench_way *way_of(const struct bench *bench)
{
    return (struct bench_way *)((char *)(bench->area + 1) + NT_RESERVED);
}

static void begin(struct bench *bench, struct bench_state *state)
{
    struct nt_area *area = bench->area;
    struct bench_way *way = way_of(bench);
    memcpy(bench->data, bench->memory_before, BENCH_DATA);
    memset(area, 0, sizeof *area);
    memcpy(area->gpr, bench->before.gpr, sizeof area->gpr);
    area->flags = bench->before.flags;
    syscall(SYS_arch_prctl, ARCH_GET_FS, &area->fs_base);
    area->gs_base = gs_base(bench);
    area->leave = gate_leave;
    nt_area_place(area);
    area->countdown = bench->countdown ? bench->countdown : INT64_MAX;
    way->from = (uintptr_t)bench->before.vector;
    way->to = (uintptr_t)state->vector;
    way->idle = (uintptr_t)idle_state;
    way->left = (uintptr_t)gate_left;
    memset(state, 0, sizeof *state);
    syscall(SYS_arch_prctl, ARCH_SET_GS, gs_base(bench));
}

static void enter(struct bench *bench, struct bench_state *state, const void *where)
{
    way_of(bench)->where = (uintptr_t)where;
    if (bench->read_only)
        mprotect(bench->data, BENCH_DATA, PROT_READ);
    if (bench->step)
        bench->area->flags |= TF;
    result = state;
    gate_enter();
    result = NULL;
}

static void finish(struct bench *bench, struct bench_state *state)
{
    if (bench->read_only)
        mprotect(bench->data, BENCH_DATA, PROT_READ | PROT_WRITE);
    if (state->signal)
        return;
    memcpy(state->gpr, bench->area->gpr, sizeof state->gpr);
    state->flags = bench->area->flags;
}

void bench_native(struct bench *bench)
{
    begin(bench, &bench->native);
    enter(bench, &bench->native, bench->code);
    finish(bench, &bench->native);
}

/* End the run with a fault at `pc`. */
static void stop(const struct nt_area *area, struct bench_state *state, uint64_t pc, int number, int why)
{
    memcpy(state->gpr, area->gpr, sizeof state->gpr);
    state->flags = area->flags;
    state->rip = pc;
    state->signal = number;
    state->signal_code = why;
    state->signal_address = number == SIGSEGV && why != SI_KERNEL ? pc : 0;
}

/* What the exit asks for. False: the run is over. */
static bool dispatch(struct bench *bench, struct bench_state *state, uint64_t *pc)
{
    struct nt_area *area = bench->area;
    const struct nt_exit left = nt_code_exit(bench->cache, area->exit), *exit = &left;
    bench->exits++;
    if (exit->kind == NT_EXIT_INDIRECT && (int64_t)area->rip >> 47 != 0 && (int64_t)area->rip >> 47 != -1) {
        area->gpr[NT_RSP] -= (uint64_t)(int64_t)exit->rsp_taken;
        stop(area, state, exit->pc, SIGSEGV, SI_KERNEL);
        return false;
    }
    *pc = exit->kind == NT_EXIT_INDIRECT ? area->rip : exit->pc;
    if (*pc == (uintptr_t)gate_leave)
        return false;
    switch (exit->kind) {
    case NT_EXIT_DIRECT:
    case NT_EXIT_INDIRECT: {
        const void *head = nt_code_make(bench->cache, *pc);
        if (head) /* else made again, when there is room */
            nt_code_link(bench->cache, area->exit, *pc);
        return true;
    }
    case NT_EXIT_SAFE:
        bench->safes++;
        area->countdown = bench->countdown;
        return true;
    case NT_EXIT_CPUID:
    case NT_EXIT_SYSCALL:
    case NT_EXIT_REQUEST:
        return true;
    case NT_EXIT_RARE:
    case NT_EXIT_STOP:
    case NT_EXIT_NOCODE:
    case NT_EXIT_CHANGED: /* no code here is of shared memory */
        break;
    }
    bench->unsupported = exit->why;
    if (exit->kind == NT_EXIT_STOP)
        stop(area, state, exit->pc, SIGILL, ILL_ILLOPN);
    else
        stop(area, state, exit->pc, SIGSEGV, SEGV_MAPERR);
    return false;
}

/* The head of the block at `pc`, which is made longer if it is one of those that are; NULL: there is no room. */
static const void *make(struct bench *bench, uint64_t pc)
{
    const void *head = nt_code_make(bench->cache, pc);
    if (!head || !bench_makes_longer(pc) || !nt_code_may_join(bench->cache, pc))
        return head;
    nt_code_join(bench->cache, pc);
    bench->joins++;
    return nt_code_may_join(bench->cache, pc) ? NULL : nt_code_make(bench->cache, pc);
}

void bench_translated(struct bench *bench)
{
    struct bench_state *state = &bench->translated;
    uint64_t pc = (uintptr_t)bench->code;
    begin(bench, state);
    nt_code_thread(bench->cache, bench->area);
    way_of(bench)->left = (uintptr_t)gate_left_translated;
    do {
        const void *head = make(bench, pc);
        if (!head) {
            bench->reclaims++;
            nt_code_reclaim(bench->cache);
            nt_code_thread(bench->cache, bench->area);
            head = make(bench, pc);
        }
        way_of(bench)->head = (uintptr_t)head;
        enter(bench, state, gate_enter_translated);
        if (state->signal)
            break;
        way_of(bench)->from = way_of(bench)->to; /* goes on with what it left */
    } while (dispatch(bench, state, &pc));
    finish(bench, state);
}

static void simulated_step(struct bench *bench, const struct bench_state *state)
{
    uint64_t start = (uintptr_t)bench->code;
    if (state->rip >= start && state->rip < start + BENCH_CODE)
        simulate_step(bench->simulation, state);
}

/* Once more on the bare CPU, step by step to its end. A virtual machine may lose the flag that makes steps. */
static void run_in_steps(struct bench *bench, struct bench_state *state)
{
    simulate_begin(bench->simulation);
    bench->stepped = false;
    bench->step = simulated_step;
    begin(bench, state);
    enter(bench, state, bench->code);
    finish(bench, state);
    bench->step = NULL;
}

static bool compare_simulation(struct bench *bench)
{
    static struct bench_state stepped;
    do
        run_in_steps(bench, &stepped);
    while (!bench->stepped);
    return simulate_compare(bench->simulation, &bench->decoder, stepped.signal ? stepped.rip : (uintptr_t)gate_leave,
                            stepped.gpr[NT_RSP]);
}

static bool differ(const char *what, uint64_t before, uint64_t native, uint64_t translated)
{
    if (native == translated)
        return false;
    printf("  %s: before %#llx, native %#llx, translated %#llx\n", what, (unsigned long long)before,
           (unsigned long long)native, (unsigned long long)translated);
    return true;
}

static bool canonical(uint64_t address)
{
    return (int64_t)(address << 16) >> 16 == (int64_t)address;
}

static bool same(struct bench *bench)
{
    static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    const struct bench_state *before = &bench->before, *native = &bench->native,
                             *translated = &bench->translated;
    if (bench->simulation)
        simulate_hide(bench->simulation, true);
    bench_native(bench);
    if (bench->simulation) {
        simulate_hide(bench->simulation, false);
        if (native->signal && simulate_has(bench->simulation, native->signal_address))
            return true; /* nothing to compare: its memory is not the program's */
        if (!canonical(native->gpr[NT_RSP]))
            return true; /* there are virtual machines that make no steps with such a stack pointer */
    }
    memcpy(bench->memory_native, bench->data, BENCH_DATA);
    bench->unsupported = NULL;
    bench->found_wrong = false;
    bench_translated(bench);
    if (bench->found_wrong)
        return false;
    if (bench->unsupported) /* that was said, loudly */
        return !bench->simulation || compare_simulation(bench);
    bool bad = false;
    for (int r = 0; r < 16; r++)
        bad |= differ(names[r], before->gpr[r], native->gpr[r], translated->gpr[r]);
    bad |= differ("rip", 0, native->rip, translated->rip);
    /* A fault shows flags that nobody will read as the countdown left them. RF is the kernel's. */
    uint64_t flags = ~0x10000ull & ~(native->signal ? 0x8d5ull : 0);
    bad |= differ("flags", before->flags, native->flags & flags, translated->flags & flags);
    bad |= differ("signal", 0, (uint64_t)native->signal, (uint64_t)translated->signal);
    if (native->signal_address != native->rip) /* whether there is code is not asked here */
        bad |= differ("its code", 0, (uint64_t)native->signal_code, (uint64_t)translated->signal_code);
    bad |= differ("its address", 0, native->signal_address, translated->signal_address);
    for (size_t i = 0; i < BENCH_DATA && !bad; i++)
        if (bench->memory_native[i] != bench->data[i])
            bad |= differ("memory", (uintptr_t)bench->data + i, bench->memory_native[i], bench->data[i]);
    if (!bench->native.signal || bench->translated.vector[512]) {
        vector_complete(&bench_layout, bench->native.vector);
        vector_complete(&bench_layout, bench->translated.vector);
        for (size_t i = 0; i < vector_bytes(&bench_layout) && !bad; i++)
            if (native->vector[i] != translated->vector[i])
                bad |= differ("vector state", i, native->vector[i], translated->vector[i]);
    }
    if (bench->simulation && !bad)
        bad = !compare_simulation(bench);
    return !bad;
}

/*
 * Whether one of the two runs ended with an undefined instruction and the other did not. There are virtual machines
 * that say so of one good instruction in some 100,000 while the stack pointer is not an address, engine or no engine.
 */
static bool is_machines_fault(const struct bench *bench)
{
    const struct bench_state *native = &bench->native, *translated = &bench->translated;
    const struct bench_state *ended = native->signal == SIGILL ? native : translated;
    return (native->signal == SIGILL) != (translated->signal == SIGILL) && !canonical(ended->gpr[NT_RSP]);
}

/* A program that meets its own code faults: what is to be compared is not code that changes. */
bool bench_compare(struct bench *bench)
{
    mprotect(bench->code, BENCH_CODE, PROT_READ | PROT_EXEC);
    bool good = same(bench);
    for (int again = 0; again < 3 && !good && is_machines_fault(bench); again++) {
        printf("an undefined instruction in one of two runs: once more\n");
        good = same(bench);
    }
    mprotect(bench->code, BENCH_CODE, PROT_READ | PROT_WRITE | PROT_EXEC);
    return good;
}
