/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.h: run a piece of machine code on the bare CPU and translated, from the same state, and compare.
 *
 * The code lies in a page of its own, next to the memory it works on; both at an address that the test chooses. It
 * ends with bench_end's bytes, or with a fault: then what its handler would see is compared.
 */
#ifndef TENURE_TESTS_NATIVE_BENCH_H
#define TENURE_TESTS_NATIVE_BENCH_H

#include "engine/native/base/nt_area.h"
#include "engine/native/decode/nt_decode.h"
#include "engine/native/plan/nt_xstate.h"
#include "engine/native/translate/nt_code.h"

enum {
    BENCH_CODE = 64 << 10,  /* bytes of code, from bench->code on */
    BENCH_DATA = 64 << 10,  /* bytes of data, from bench->data on; nothing is mapped around them */
    BENCH_STATE = 16 << 10, /* more than xsave writes */
    BENCH_VECTOR = 2688,    /* of it up to the last vector register, at most: Intel's order of it is the longest */
    BENCH_ALARM_S = 120,    /* what runs longer hangs; QEMU is slow, but not like that */
};

/* Of this processor's state (vector.h); from bench_new on. */
extern struct nt_xstate bench_layout;

/* What a run leaves, and begins with. */
struct bench_state {
    uint64_t gpr[16], rip, flags;
    int signal, signal_code; /* 0: ended by itself */
    uint64_t signal_address;
    uint8_t vector[BENCH_STATE] __attribute__((aligned(64)));
};

struct bench {
    uint8_t *code, *data;
    struct nt_area *area;
    struct nt_code *cache;
    struct nt_code_config config;
    struct nt_decoder decoder;
    uint64_t exits, safes, joins, reclaims; /* what the translated runs did */
    const char *unsupported;                                  /* an instruction that the last run met */
    bool found_wrong;                                         /* by nt_check.c, in the last run */
    bool read_only;                                           /* the data */
    void (*step)(struct bench *, const struct bench_state *); /* called in front of each instruction */
    bool stepped;                                             /* the last run in steps came to its end so */
    struct simulation *simulation;                            /* NULL: none (simulate.h) */
    int64_t countdown;                                        /* from which each is counted down; 0: never */
    uint8_t *memory_before, *memory_native;
    struct bench_state before, native, translated;
};

/* While code is simulated: whether the block at `pc` goes on behind conditional branches, if any does. */
static inline bool bench_makes_longer(uint64_t pc)
{
    return (pc ^ pc >> 3 ^ pc >> 6) & 1;
}

/* `where`: the address of the code. */
struct bench *bench_new(uint64_t where, bool join, bool link, bool lookup, bool returns);
/* The same, and everything is simulated too: `kind` of simulate.h; negative: it is not. */
struct bench *bench_new_simulating(uint64_t where, bool join, bool link, bool lookup, bool returns, int kind);
/* False: the simulation's profile is wrong. */
bool bench_free(struct bench *bench);
/* Fill memory, registers and vector state at random. */
void bench_random(struct bench *bench, uint64_t *seed);
/* Append what ends a run. */
uint8_t *bench_end(struct bench *bench, uint8_t *at);
/* Run both ways from bench->before and memory_before. True: all the same, and what was simulated. Else says what
 * differs, on stdout. */
bool bench_compare(struct bench *bench);
void bench_native(struct bench *bench);
void bench_translated(struct bench *bench);

uint64_t bench_draw(uint64_t *seed);
/* --hide-features=NAMES, as the engine has it (nt_cpuid.h): in front of bench_new. */
void bench_hide(int count, char **values);
/* What the argument that begins with `name` says. */
uint64_t bench_option(int count, char **values, const char *name, uint64_t value);

#endif
