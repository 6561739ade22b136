/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_random.c: random instructions, native and translated.
 *
 *     test_random [--seed=N] [--count=N] [--hide-features=NAMES]
 *
 * Most accesses meet the data; those that miss fault, and what the fault shows is compared as well.
 */
#include "bench.h"
#include "draw.h"
#include "simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void show(const struct bench *bench, const uint8_t *end, uint64_t seed)
{
    printf("  seed %llu\n", (unsigned long long)seed);
    for (const uint8_t *at = bench->code; at < end;) {
        struct nt_insn insn;
        if (!nt_decode(&bench->decoder, at, (size_t)(end - at), (uintptr_t)at, &insn))
            break;
        printf("  %p %-12s", (const void *)at, nt_decode_name(&bench->decoder, &insn));
        for (unsigned i = 0; i < insn.length; i++)
            printf(" %02x", at[i]);
        printf("\n");
        at += insn.length;
    }
}

static bool one(struct bench *bench, uint64_t seed)
{
    uint64_t first = seed;
    bench_random(bench, &seed);
    uint8_t *at = bench->code;
    nt_code_invalidate(bench->cache, (uintptr_t)bench->code, BENCH_CODE);
    uint64_t count = 1 + bench_draw(&seed) % 12;
    for (uint64_t i = 0; i < count; i++)
        at += draw_insn(bench, at, &seed);
    at = bench_end(bench, at);
    bench->countdown = (int64_t)(bench_draw(&seed) % 4);
    bool good = bench_compare(bench);
    if (!good)
        show(bench, at, first);
    return good;
}

static unsigned passed, failed;

static void run(uint64_t place, int kind, uint64_t seed, uint64_t rounds)
{
    struct bench *bench = bench_new_simulating(place, true, true, true, true, kind);
    uint64_t faults = 0;
    for (uint64_t i = 0; i < rounds && failed < 10; i++) {
        alarm(BENCH_ALARM_S);
        if (one(bench, seed + i * 1000003))
            passed++;
        else
            failed++;
        faults += bench->native.signal != 0;
    }
    printf("at %#llx, simulation %d: %llu of %llu ended with a fault, %llu exits at heads\n", (unsigned long long)place,
           kind, (unsigned long long)faults, (unsigned long long)rounds, (unsigned long long)bench->safes);
    failed += !bench_free(bench);
}

int main(int count, char **values)
{
    /* Where the kernel puts nothing, wherever it puts this program, its heap, stack and mappings. */
    static const uint64_t places[] = {0x10000000, 0x355555550000, 0x7e0000000000};
    const char *soak = getenv("TENURE_SOAK");
    bench_hide(count, values);
    uint64_t seed = bench_option(count, values, "--seed=", 1);
    uint64_t rounds = bench_option(count, values, "--count=", 4000 * (soak ? strtoull(soak, NULL, 0) : 1));
    bool simulates = bench_option(count, values, "--simulate=", 0);
    for (unsigned p = 0; p < 3 && !simulates; p++)
        run(places[p], -1, seed, rounds);
    for (int kind = 0; kind < SIMULATE_KINDS && simulates; kind++)
        run(places[kind % 3], kind, seed, rounds / 4);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
