/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_check.c: engine/native/translate/nt_check.c finds what is wrong in generated code.
 *
 *     test_check [--seed=N] [--count=N] [--hide-features=NAMES]
 *
 * Random instructions are translated, simulated and not; the check must find nothing. Then their code is damaged:
 * each bit of each instruction of the program's, in turn; marks are made to say that everything is aside. Each time
 * the check must find something. Loads that bring registers back are left out, and marks say less than is aside: of
 * that most must be found, but not where the register still has its value.
 */
#include "bench.h"
#include "draw.h"
#include "engine/native/base/nt_cpuid.h"
#include "engine/native/translate/nt_block.h"
#include "simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 64 << 10 };

static unsigned passed, failed, tried, found;
static struct bench *bench;
static struct nt_making making;
static struct nt_forms forms;
static struct nt_code_config config;
static const struct nt_target *lookup[NT_LOOKUPS];
static uint8_t *code;

static size_t read_code(uint64_t pc, void *to, size_t bytes)
{
    memcpy(to, (const void *)pc, bytes);
    return bytes;
}

static void translate(void)
{
    memset(&making.shared, 0, sizeof making.shared);
    making.config = &config;
    making.lookup = lookup;
    making.decoder = &bench->decoder;
    making.forms = &forms;
    making.joins = config.join;
    making.has_bmi2 = nt_cpuid_has(NT_CPUID_BMI2);
    making.emit = (struct nt_emit){.at = code, .end = code + ROOM, .near = true};
    making.cold = (struct nt_emit){.at = code + ROOM, .end = code + 2 * ROOM, .near = true};
    nt_find_block(&making, (uintptr_t)bench->code);
    nt_translate(&making);
}

static bool finds(void)
{
    uint64_t pc = 0;
    return nt_check_block(&making, &pc) != NULL;
}

static void expect(bool good, const char *what, const uint8_t *at, unsigned length)
{
    if (good) {
        passed++;
        return;
    }
    failed++;
    printf("  %s:", what);
    for (unsigned k = 0; k < length; k++)
        printf(" %02x", at[k]);
    printf("\n");
}

/* Where the copy of an instruction is that is copied as it is. */
static uint8_t *copy_of(const struct nt_insn *insn)
{
    for (unsigned m = 0; m < making.mark_count; m++) {
        uint8_t *at = (uint8_t *)making.block.head + making.marks[m].code;
        if (making.block.pc + making.marks[m].pc == insn->pc && !memcmp(at, insn->bytes, insn->length))
            return at;
    }
    return NULL;
}

static void damage_bits(const struct nt_insn *insn)
{
    uint8_t *at = copy_of(insn);
    for (unsigned b = 0; at && b < insn->length * 8u; b++) {
        at[b / 8] ^= (uint8_t)(1u << b % 8);
        expect(finds(), "a changed bit is not found", at, insn->length);
        at[b / 8] ^= (uint8_t)(1u << b % 8);
    }
}

/* mov of 64 bits to a register from its home, which is reached through r11 or GS. */
static bool is_load(const struct nt_insn *e)
{
    bool is_near = e->base == NT_R11 && !e->segment;
    int32_t home = e->offset + (is_near ? NT_NEAR_AT : 0) - NT_GPR;
    if (!e->memory || e->index != NT_NO_REG || (!is_near && (e->segment != NT_SEGMENT_GS || e->base != NT_NO_REG)))
        return false;
    bool is_mov = e->bytes[e->opcode] == 0x8b && e->bytes[e->prefix] >> 3 == 9 && e->writes;
    return is_mov && home == 8 * __builtin_ctz(e->writes);
}

/* Loads of homes. */
static void leave_out_loads(uint8_t *end)
{
    struct nt_insn e;
    uint8_t saved[NT_INSN_BYTES];
    for (uint8_t *at = (uint8_t *)making.block.entry; at < end; at += e.length) {
        if (!nt_decode(&bench->decoder, at, (size_t)(end - at), (uintptr_t)at, &e))
            return;
        if (!is_load(&e))
            continue;
        memcpy(saved, at, e.length);
        memset(at, 0x90, e.length);
        tried++;
        found += finds();
        memcpy(at, saved, e.length);
    }
}

static void damage_marks(const struct nt_insn *insn, const uint8_t *at)
{
    for (unsigned m = 0; m < making.mark_count; m++) {
        struct nt_mark *mark = &making.marks[m];
        if (making.block.head + mark->code != at || making.block.pc + mark->pc != insn->pc)
            continue;
        uint16_t aside = mark->aside;
        mark->aside = 0xffff;
        expect(finds(), "a wrong mark is not found", at, insn->length);
        mark->aside = 0;
        tried += aside != 0;
        found += aside != 0 && finds();
        mark->aside = aside;
    }
}

static void one(uint64_t seed)
{
    uint8_t *at = bench->code;
    unsigned count = 1 + (unsigned)(bench_draw(&seed) % 8);
    for (unsigned i = 0; i < count; i++)
        at += draw_insn(bench, at, &seed);
    at = bench_end(bench, at);
    translate();
    expect(!finds(), "right code is called wrong", bench->code, (unsigned)(at - bench->code));
    for (unsigned i = 0; i < making.count; i++) {
        if (making.insn[i].kind != NT_IS_PLAIN)
            break;
        damage_bits(&making.insn[i]);
        damage_marks(&making.insn[i], copy_of(&making.insn[i]));
    }
    if (making.insn[making.count - 1].kind == NT_IS_JUMP_INDIRECT && making.count == count + 1)
        leave_out_loads((uint8_t *)copy_of(&making.insn[count - 1]));
}

static void run(uint64_t place, int kind, uint64_t seed, uint64_t rounds)
{
    bench = bench_new_simulating(place, true, true, true, true, kind);
    config = bench->config;
    config.host.read_code = read_code;
    code = (uint8_t *)bench->config.memory + (3 << 20);
    for (uint64_t i = 0; i < rounds && failed < 10; i++) {
        alarm(BENCH_ALARM_S);
        one(seed + i * 1000003);
    }
    struct simulation *simulation = bench->simulation;
    bench->simulation = NULL; /* nothing was run */
    bench_free(bench);
    if (simulation)
        simulate_free(simulation);
}

int main(int count, char **values)
{
    const char *soak = getenv("TENURE_SOAK");
    bench_hide(count, values);
    uint64_t seed = bench_option(count, values, "--seed=", 1);
    uint64_t rounds = bench_option(count, values, "--count=", 100 * (soak ? strtoull(soak, NULL, 0) : 1));
    run(0x10000000, -1, seed, rounds);
    run(0x7e0000000000, -1, seed, rounds);
    run(0x10000000, 0, seed, rounds);
    run(0x7e0000000000, 1, seed, rounds);
    printf("%u of %u loads and marks found\n", found, tried);
    if (found * 10 < tried * 9 || tried < 50)
        failed++;
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
