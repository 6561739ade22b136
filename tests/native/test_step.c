/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_step.c: what a place in generated code means, at every instruction.
 *
 *     test_step [--seed=N] [--count=N] [--hide-features=NAMES]
 *
 * Random instructions run one by one (the CPU's trap flag): natively, which gives the registers in front of each, and
 * translated. Wherever generated code reaches an instruction of the program's, or the beginning of another place, the
 * registers that nt_code_place makes must be those that the program has at that address natively.
 */
#include "bench.h"
#include "draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 4096 };

static struct {
    uint64_t pc, gpr[16];
} trace[STEPS];
static unsigned steps, now, checks;
static bool wrong;

static void native_step(struct bench *bench, const struct bench_state *state)
{
    if (state->rip < (uintptr_t)bench->code || state->rip >= (uintptr_t)bench->code + BENCH_CODE ||
        steps == STEPS)
        return;
    trace[steps].pc = state->rip;
    memcpy(trace[steps++].gpr, state->gpr, sizeof state->gpr);
}

static bool is_at(unsigned i, uint64_t pc, const uint64_t *gpr)
{
    return i < steps && trace[i].pc == pc && !memcmp(trace[i].gpr, gpr, sizeof trace[i].gpr);
}

static void complain(uint64_t pc, const uint64_t *gpr)
{
    wrong = true;
    printf("  at %#llx (natively %#llx, then %#llx)\n", (unsigned long long)pc,
           (unsigned long long)trace[now].pc, (unsigned long long)trace[now + 1].pc);
    for (unsigned r = 0; r < 16; r++)
        if (gpr[r] != trace[now].gpr[r])
            printf("  register %u: native %#llx, translated %#llx\n", r,
                   (unsigned long long)trace[now].gpr[r], (unsigned long long)gpr[r]);
}

/* Whether the instruction at `rip` in generated code is the program's at the place: one that accesses memory, perhaps
 * at another address. The engine's own use GS, r11 while that is not the program's, or no memory. */
static bool is_programs(const struct bench *bench, uint64_t rip, const struct nt_place *place)
{
    struct nt_insn generated, original;
    nt_decode(&bench->decoder, (const void *)rip, NT_INSN_BYTES, rip, &generated);
    nt_decode(&bench->decoder, (const void *)place->pc, NT_INSN_BYTES, place->pc, &original);
    bool is_near = generated.base == NT_R11 && place->spilled >> NT_R11 & 1;
    return generated.segment != NT_SEGMENT_GS && !is_near && generated.accesses && generated.name == original.name &&
           generated.accesses == original.accesses;
}

static void translated_step(struct bench *bench, const struct bench_state *state)
{
    struct nt_place place, before;
    uint64_t gpr[16];
    if (wrong || now + 1 == STEPS || !nt_code_place(bench->cache, state->rip, &place))
        return;
    bool begins = !nt_code_place(bench->cache, state->rip - 1, &before) || before.pc != place.pc ||
                  before.spilled != place.spilled;
    if (!begins && !is_programs(bench, state->rip, &place))
        return;
    for (unsigned r = 0; r < 16; r++)
        gpr[r] = place.spilled >> r & 1 ? bench->area->gpr[r] : state->gpr[r];
    checks++;
    if (is_at(now + 1, place.pc, gpr))
        now++;
    else if (!is_at(now, place.pc, gpr))
        complain(place.pc, gpr);
}

static void show(const struct bench *bench, const uint8_t *end, uint64_t seed)
{
    printf("  seed %llu\n", (unsigned long long)seed);
    for (const uint8_t *at = bench->code; at < end;) {
        struct nt_insn insn;
        if (!nt_decode(&bench->decoder, at, (size_t)(end - at), (uintptr_t)at, &insn))
            break;
        printf("  %p %s\n", (const void *)at, nt_decode_name(&bench->decoder, &insn));
        at += insn.length;
    }
}

static bool one(struct bench *bench, uint64_t seed)
{
    uint64_t first = seed;
    bench_random(bench, &seed);
    nt_code_invalidate(bench->cache, (uintptr_t)bench->code, BENCH_CODE);
    uint8_t *at = bench->code;
    for (uint64_t i = 1 + bench_draw(&seed) % 12; i > 0; i--)
        at += draw_insn(bench, at, &seed);
    at = bench_end(bench, at);
    steps = now = 0;
    wrong = false;
    bench->step = native_step;
    bench_native(bench);
    bench->step = translated_step;
    bench_translated(bench);
    bench->step = NULL;
    if (wrong)
        show(bench, at, first);
    return !wrong;
}

int main(int count, char **values)
{
    const char *soak = getenv("TENURE_SOAK");
    bench_hide(count, values);
    uint64_t seed = bench_option(count, values, "--seed=", 1);
    uint64_t rounds = bench_option(count, values, "--count=", 2000 * (soak ? strtoull(soak, NULL, 0) : 1));
    unsigned passed = 0, failed = 0;
    struct bench *bench = bench_new(0x355555550000, true, true, true, true);
    for (uint64_t i = 0; i < rounds && failed < 10; i++) {
        alarm(BENCH_ALARM_S);
        if (one(bench, seed + i * 1000003))
            passed++;
        else
            failed++;
    }
    printf("%u places compared\n", checks);
    bench_free(bench);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0 || checks < rounds;
}
