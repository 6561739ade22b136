/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start.h: where a recording begins (--start, --warm), for every engine alike.
 *
 * There are up to two points, each a function's first entry or a number of instructions: from --warm on the program is
 * simulated, and from --start on its costs are collected, too. Without --warm both begin at once, with empty caches.
 * Until then nothing is simulated: an engine only counts instructions, and that only if a number is next, and asks here
 * whenever it makes code for an address that it has made none for: that is where a function is entered first.
 * Freestanding.
 */
#ifndef TENURE_ENGINE_START_H
#define TENURE_ENGINE_START_H

#include <stdbool.h>
#include <stdint.h>

struct start_point {
    const char *text;      /* as given; NULL: not given */
    bool is_number;        /* of instructions; else names of functions, a pattern */
    uint64_t instructions;
};

enum start_phase { START_WAITS, START_WARMS, START_RUNS }; /* what the program does now */

struct recording_start {
    struct start_point warm, run;
    enum start_phase phase;
    bool collects;   /* at the start, or as somebody has asked for meanwhile */
    uint64_t begun;  /* the instructions that were counted until then */
};

/* Sets the first phase. NULL, or what is wrong with the points: --warm is given with --start only. */
const char *start_check(struct recording_start *start);

/* The next thing to wait for is so many instructions / there is a function to wait for. */
bool start_counts(const struct recording_start *start);
bool start_watches(const struct recording_start *start);

/* The phase that begins after so many instructions / at a function's first instruction, of which options_describe said
 * that it is TN_FN_START or TN_FN_WARM; the present one if none does. */
enum start_phase start_after(const struct recording_start *start, uint64_t instructions);
enum start_phase start_at(const struct recording_start *start, uint32_t function_flags);

/* How many instructions are left until start_after says more; 0: none, or nothing is counted. */
uint64_t start_left(const struct recording_start *start, uint64_t instructions);

#endif
