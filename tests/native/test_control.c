/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_control.c: random control flow, native and translated.
 *
 *     test_control [--seed=N] [--count=N] [--hide-features=NAMES]
 *
 * A program is a handful of blocks: some arithmetic, then one way of going on to another block, of all the ways there
 * are. Register r15 is the fuel, taken down by each block: when it is out the program ends, so any graph will do. The
 * stack is full of addresses of blocks: a return always leads somewhere. The same program runs several times, so that
 * links and look-ups are made and used, with changes of its code between some.
 */
#include "bench.h"
#include "simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 12, SPACING = 1024, FUEL = 15, DATA = 5 };

struct program {
    struct bench *bench;
    uint64_t seed;
    unsigned count;
    uint8_t *blocks[BLOCKS], *ends[BLOCKS];
    uint8_t *end;
    uint8_t *at;
};

static uint64_t draw(struct program *program, uint64_t below)
{
    return bench_draw(&program->seed) % below;
}

static void put(struct program *program, const char *bytes, size_t count)
{
    memcpy(program->at, bytes, count);
    program->at += count;
}
#define PUT(program, bytes) put(program, bytes, sizeof(bytes) - 1)

static void put8(struct program *program, uint64_t byte)
{
    *program->at++ = (uint8_t)byte;
}

static void put32(struct program *program, uint64_t value)
{
    memcpy(program->at, &value, 4);
    program->at += 4;
}

static void put64(struct program *program, uint64_t value)
{
    memcpy(program->at, &value, 8);
    program->at += 8;
}

/* Any but rsp, rbp (which points at data) and the fuel. */
static uint8_t any(struct program *program)
{
    uint8_t reg;
    do
        reg = (uint8_t)draw(program, 15);
    while (reg == NT_RSP || reg == DATA);
    return reg;
}

static void registers(struct program *program, uint8_t opcode, uint8_t reg, uint8_t rm)
{
    put8(program, 0x40 | (draw(program, 2) << 3) | (reg >> 3) << 2 | rm >> 3);
    put8(program, opcode);
    put8(program, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

static uint8_t *block(struct program *program)
{
    return program->blocks[draw(program, program->count)];
}

static uint64_t data_word(struct program *program)
{
    return (uintptr_t)program->bench->data + draw(program, 512) * 8;
}

/* reg = address, by a constant or relative to RIP. */
static void set(struct program *program, uint8_t reg, const void *to)
{
    if (draw(program, 2)) {
        put8(program, 0x48 | reg >> 3);
        put8(program, 0xb8 | (reg & 7));
        put64(program, (uintptr_t)to);
    } else {
        put8(program, 0x48 | (reg >> 3) << 2);
        put8(program, 0x8d);
        put8(program, 5 | (reg & 7) << 3);
        put32(program, (uint64_t)((const uint8_t *)to - (program->at + 4)));
    }
}

/* op reg, [rip + somewhere in the data] */
static void relative(struct program *program, uint8_t opcode, uint8_t reg)
{
    put8(program, 0x40 | (draw(program, 2) << 3) | (reg >> 3) << 2);
    put8(program, opcode);
    put8(program, 5 | (reg & 7) << 3);
    put32(program, data_word(program) - ((uintptr_t)program->at + 4));
}

static void arithmetic(struct program *program)
{
    static const uint8_t binary[] = {0x01, 0x09, 0x11, 0x19, 0x21, 0x29, 0x31, 0x39, 0x85, 0x89, 0x8b, 0x03};
    uint8_t a = any(program), b = any(program);
    switch (draw(program, 12)) {
    case 0:
    case 1:
    case 2:
        registers(program, binary[draw(program, sizeof binary)], a, b);
        break;
    case 3:
        registers(program, 0xff, (uint8_t)draw(program, 2), b); /* inc, dec */
        break;
    case 4:
        registers(program, 0xc1, (uint8_t[]){0, 1, 2, 3, 4, 5, 7}[draw(program, 7)], b); /* shifts */
        put8(program, draw(program, 3) ? draw(program, 64) : 0);
        break;
    case 5:
        registers(program, 0xd3, (uint8_t[]){0, 1, 2, 3, 4, 5, 7}[draw(program, 7)], b);
        break;
    case 6:
        put8(program, "\xf5\xf8\xf9\x9e\x9f\x98\x99"[draw(program, 7)]); /* cmc clc stc sahf lahf cwde cdq */
        break;
    case 7:
        relative(program, (uint8_t[]){0x8b, 0x89, 0x01, 0x03, 0x39, 0x3b, 0x8d, 0x87, 0x11}[draw(program, 9)],
                 a);
        break;
    case 8: /* setcc, cmovcc */
        put8(program, 0x48 | b >> 3);
        put8(program, 0x0f);
        put8(program, 0x90 | draw(program, 16));
        put8(program, 0xc0 | (b & 7));
        break;
    case 9:
        PUT(program, "\x48\x0f");
        put8(program, 0x40 | draw(program, 16));
        put8(program, 0xc0 | draw(program, 4) << 3 | draw(program, 4));
        break;
    case 10:
        put8(program, 0x50 | (uint8_t[]){0, 1, 2, 3, 6, 7}[draw(program, 6)]); /* push, pop */
        put8(program, 0x58 | (uint8_t[]){0, 1, 2, 3, 6, 7}[draw(program, 6)]);
        break;
    default:
        put8(program, 0x48 | (b >> 3));
        put8(program, 0xf7);
        put8(program, 0xc0 | (uint8_t[]){2, 3, 4, 5}[draw(program, 4)] << 3 | (b & 7)); /* not neg mul imul */
        break;
    }
}

static void jump32(struct program *program, const char *opcode, size_t bytes, const uint8_t *to)
{
    put(program, opcode, bytes);
    put32(program, (uint64_t)(to - (program->at + 4)));
}

/* jcc or one of loop's relatives, near: over a jump. */
static void short_branch(struct program *program, const uint8_t *to)
{
    if (draw(program, 4) == 0)
        put8(program, 0x67);
    put8(program, 0xe0 + draw(program, 4));
    put8(program, 5);
    jump32(program, "\xe9", 1, block(program));
    jump32(program, "\xe9", 1, to);
}

static void indirect(struct program *program, const uint8_t *to)
{
    uint8_t reg = any(program);
    bool call = draw(program, 2);
    uint64_t word;
    switch (draw(program, 6)) {
    case 0: /* through a register */
        set(program, reg, to);
        put8(program, 0x40 | reg >> 3);
        put8(program, 0xff);
        put8(program, (call ? 0xd0 : 0xe0) | (reg & 7));
        break;
    case 1: /* [rsp] and [rsp + 8] */
        set(program, reg, to);
        put8(program, 0x40 | reg >> 3);
        put8(program, 0x50 | (reg & 7));
        PUT(program, "\x50");
        put8(program, 0xff);
        put8(program, call ? 0x54 : 0x64);
        PUT(program, "\x24\x08");
        break;
    case 2: /* [rip + d] */
    case 3: /* [reg + reg2 * 8 + d] */
        word = data_word(program);
        set(program, reg, to);
        put8(program, 0x48 | (reg >> 3) << 2);
        put8(program, 0x89);
        put8(program, 5 | (reg & 7) << 3);
        put32(program, word - ((uintptr_t)program->at + 4));
        if (draw(program, 2)) {
            put8(program, 0xff);
            put8(program, call ? 0x15 : 0x25);
            put32(program, word - ((uintptr_t)program->at + 4));
        } else {
            PUT(program, "\xb9\x02\x00\x00\x00"); /* mov ecx, 2 */
            set(program, 8, (const void *)(word - 0x40 - 16));
            PUT(program, "\x41\xff");
            put8(program, call ? 0x54 : 0x64);
            PUT(program, "\xc8\x40"); /* [r8 + rcx * 8 + 0x40] */
        }
        break;
    case 4: /* push, ret */
        set(program, reg, to);
        put8(program, 0x40 | reg >> 3);
        put8(program, 0x50 | (reg & 7));
        PUT(program, "\xc3");
        break;
    default:                                              /* call next; pop; add; jmp */
        PUT(program, "\xe8\x00\x00\x00\x00\x58\x48\x05"); /* pop rax; add rax, imm32 */
        put32(program, (uint64_t)(to - (program->at - 3)));
        PUT(program, "\xff\xe0");
        break;
    }
}

/* `start`: of the block. */
static void go_on(struct program *program, const uint8_t *start)
{
    const uint8_t *to = block(program);
    static const char ret16[3][3] = {{'\xc2', 8, 0}, {'\xc2', 0, 0}, {'\xc2', 16, 0}};
    switch (draw(program, 12)) {
    case 0:
        jump32(program, "\xe9", 1, to);
        break;
    case 1:
    case 2:
    case 3:
    case 4: {
        char opcode[2] = {0x0f, (char)(0x80 + draw(program, 16))};
        jump32(program, opcode, 2, to);
        for (uint64_t n = draw(program, 4); n > 0; n--)
            arithmetic(program);
        if (program->at < start + SPACING / 2)
            go_on(program, start);
        else
            jump32(program, "\xe9", 1, block(program));
        break;
    }
    case 5:
        short_branch(program, to);
        break;
    case 6:
    case 7:
        jump32(program, "\xe8", 1, to); /* call; comes back perhaps */
        arithmetic(program);
        jump32(program, "\xe9", 1, block(program));
        break;
    case 8:
        PUT(program, "\xc3");
        break;
    case 9:
        if (draw(program, 4))
            PUT(program, "\xc3");
        else
            put(program, ret16[draw(program, 3)], 3);
        break;
    default:
        indirect(program, to);
        arithmetic(program); /* behind a call */
        jump32(program, "\xe9", 1, block(program));
        break;
    }
}

static void emit_block(struct program *program, unsigned number)
{
    program->at = program->blocks[number];
    PUT(program, "\x4d\x8d\x7f\xff"); /* lea r15, [r15 - 1] */
    PUT(program, "\x49\x87\xcf");     /* xchg r15, rcx: jrcxz leaves the flags alone */
    PUT(program, "\xe3\x05");         /* jrcxz behind the next */
    PUT(program, "\x49\x87\xcf\xeb\x08");
    PUT(program, "\x49\x87\xcf");
    jump32(program, "\xe9", 1, program->end);
    for (uint64_t n = draw(program, 8); n > 0; n--)
        arithmetic(program);
    go_on(program, program->blocks[number]);
    program->ends[number] = program->at;
}

static void make_program(struct program *program)
{
    struct bench *bench = program->bench;
    program->count = 2 + (unsigned)draw(program, BLOCKS - 1);
    program->end = bench->code + SPACING * BLOCKS + 64;
    memset(bench->code, 0xcc, SPACING * (BLOCKS + 1));
    bench_end(bench, program->end);
    for (unsigned b = 0; b < program->count; b++)
        program->blocks[b] = bench->code + b * SPACING + (b ? draw(program, 64) : 0);
    for (unsigned b = 0; b < program->count; b++)
        emit_block(program, b);
}

static void set_state(struct program *program)
{
    struct bench *bench = program->bench;
    bench_random(bench, &program->seed);
    for (size_t i = BENCH_DATA / 4; i < BENCH_DATA; i += 8) {
        uint8_t *to = block(program);
        memcpy(bench->memory_before + i, &to, 8);
    }
    bench->before.gpr[DATA] = (uintptr_t)bench->data + 4096;
    bench->before.gpr[FUEL] = 1 + draw(program, 200);
    bench->before.flags &= ~0x400ull;
    bench->countdown = (int64_t)draw(program, 8);
}

static bool one(struct bench *bench, uint64_t seed)
{
    struct program program = {.bench = bench, .seed = seed};
    make_program(&program);
    nt_code_invalidate(bench->cache, (uintptr_t)bench->code, BENCH_CODE);
    for (unsigned run = 0; run < 4; run++) {
        set_state(&program);
        if (!bench_compare(bench)) {
            printf("  seed %llu, run %u\n", (unsigned long long)seed, run);
            return false;
        }
        if (run % 2 == 0)
            continue;
        unsigned b = (unsigned)draw(&program, program.count);
        emit_block(&program, b);
        nt_code_invalidate(bench->cache, (uintptr_t)program.blocks[b], SPACING - 64);
    }
    return true;
}

static unsigned passed, failed;

/* The four lowest bits of `p` are off switches. */
static void run(uint64_t place, unsigned p, int kind, uint64_t seed, uint64_t rounds)
{
    struct bench *bench = bench_new_simulating(place, p & 8, p & 1, p & 2, p & 4, kind);
    for (uint64_t i = 0; i < rounds && failed < 10; i++) {
        alarm(BENCH_ALARM_S);
        if (one(bench, seed + i * 1000003))
            passed++;
        else
            failed++;
    }
    printf("%s%s%s%s, simulation %d: %llu exits, %llu of them at heads\n", p & 8 ? "joined, " : "",
           p & 1 ? "linked" : "not linked", p & 2 ? ", looked up" : "", p & 4 ? ", returned to" : "", kind,
           (unsigned long long)bench->exits, (unsigned long long)bench->safes);
    if (bench->joins == 0 && p & 8 && kind >= 0 && rounds >= 100) {
        printf("  no block was made longer\n");
        failed++;
    }
    if (bench->reclaims == 0 && rounds >= 500) {
        printf("  the code cache was never full\n");
        failed++;
    }
    failed += !bench_free(bench);
}

int main(int count, char **values)
{
    /* Where the kernel puts nothing, wherever it puts this program, its heap, stack and mappings. */
    static const uint64_t places[] = {0x10000000, 0x355555550000};
    const char *soak = getenv("TENURE_SOAK");
    bench_hide(count, values);
    uint64_t seed = bench_option(count, values, "--seed=", 1);
    uint64_t rounds = bench_option(count, values, "--count=", 500 * (soak ? strtoull(soak, NULL, 0) : 1));
    bool simulates = bench_option(count, values, "--simulate=", 0);
    for (unsigned p = 0; p < 16 && !simulates; p++)
        run(places[p / 8], p, -1, seed, rounds);
    for (unsigned kind = 0; kind < SIMULATE_KINDS && simulates; kind++)
        run(places[kind % 2], kind == 0 ? 15 : 15 - kind * 3, (int)kind, seed, rounds / 8); /* steps take their time */
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
