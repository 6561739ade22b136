/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timing_guest.c: for timing.py: one line of memory for each step, in three ways that take very different times, of
 * data that no cache holds; and one with a branch that depends on it. And new memory that is written past the caches.
 */
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 1 << 15, LINE = 64 };

struct line {
    struct line *next;
    uint64_t value;
    char rest[LINE - 16];
};

static __attribute__((noinline)) uint64_t walk(const struct line *lines)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < LINES; i++)
        sum += lines[i].value;
    return sum;
}

static __attribute__((noinline)) uint64_t gather(const struct line *lines, const uint32_t *order)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < LINES; i++)
        sum += lines[order[i]].value;
    return sum;
}

/* Each second line is counted. What stands in the branch keeps it one. */
static __attribute__((noinline)) uint64_t compare(const struct line *lines, const uint32_t *order)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < LINES; i++) {
        if (lines[order[i]].value & 1) {
            sum++;
            __asm__ volatile("" : "+r"(sum));
        }
    }
    return sum;
}

static __attribute__((noinline)) uint64_t chase(const struct line *line)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < LINES; i++, line = line->next)
        sum += line->value;
    return sum;
}

static __attribute__((noinline)) void pass(__m128i *to)
{
    for (size_t i = 0; i < LINES * LINE / sizeof *to; i++)
        _mm_stream_si128(to + i, _mm_set1_epi64x(1));
}

int main(void)
{
    struct line *lines = aligned_alloc(4096, LINES * sizeof *lines);
    __m128i *passed = aligned_alloc(4096, LINES * LINE + 4096);
    uint32_t *order = malloc(LINES * sizeof *order), state = 1;

    for (uint32_t i = 0; i < LINES; i++)
        order[i] = i;
    for (uint32_t i = LINES - 1; i > 0; i--) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        uint32_t other = state % (i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (uint32_t i = 0; i < LINES; i++) {
        lines[order[i]].next = &lines[order[(i + 1) % LINES]];
        lines[order[i]].value = i;
    }
    pass(passed);
    printf("%lu\n", (unsigned long)(walk(lines) + gather(lines, order) + compare(lines, order) + chase(lines)));
    return 0;
}
