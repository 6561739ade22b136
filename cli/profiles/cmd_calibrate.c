/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_calibrate.c: how fast this machine is, for the estimate of time.
 *
 * Each level is measured with data that fill a part of it, in pages of the usual size, as those of most programs are:
 * so what translating their addresses takes is in it.
 *
 *   latency  a chain of pointers through all lines, in random order: each load waits for the one before
 *   flights  the same with many chains at once: how many times faster the best of them is
 *   read     a sum over all lines, one after the other; write: a value stored in each
 *
 * The fastest of a few rounds is taken. How far the slowest is from it says whether the machine was busy.
 */
#include "cli/base/caches.h"
#include "cli/base/machine.h"
#include "cli/base/opt.h"
#include "cli/base/term.h"
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { ROUNDS = 5, LINE = 64, MOST_CHAINS = 24, PAGE = 4096, MEMORY_AT_LEAST = 128 << 20, MEMORY_AT_MOST = 512 << 20 };

struct calibrate {
    bool quiet;
};

static const struct opt rows[] = {
    {OPT_FLAG, "quiet", 'q', NULL, "print nothing if all is well", offsetof(struct calibrate, quiet)},
};

static const struct opt_command command = {
    "calibrate",
    "[options]",
    "Measures how long this machine takes for lines from each level of its caches and from memory, and for\n"
    "branches guessed wrong: some seconds. `tenure record` then estimates time with what was measured;\n"
    "`tenure info` shows it.",
    OPT_ROWS(rows),
};

/* ------------------------------------------------------------------------------------------ clock */

/* Nanoseconds of the fastest round, per step; and how far the slowest was from it. */
struct reading {
    double best, scatter;
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static volatile uint64_t sink; /* of what is measured, so that it is computed */

/* What runs `steps` steps, on `data`. */
typedef uint64_t work(void *data, uint64_t steps);

static struct reading measure(work *run, void *data, uint64_t steps)
{
    struct reading reading = {0};
    double worst = 0;

    sink += run(data, steps);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        sink += run(data, steps);
        double each = (now() - begin) / (double)steps;
        reading.best = round == 0 || each < reading.best ? each : reading.best;
        worst = each > worst ? each : worst;
    }
    reading.scatter = worst / reading.best - 1;
    return reading;
}

/* ------------------------------------------------------------------------------------------ what is measured */

/* Additions that wait for each other: one in a cycle. */
static uint64_t add(void *data, uint64_t steps)
{
    uint64_t sum = 0;

    (void)data;
    for (uint64_t i = 0; i < steps; i += 8)
        __asm__ volatile("add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n"
                         "add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0"
                         : "+r"(sum));
    return sum;
}

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

struct chains {
    char *data;
    uint64_t bytes;
    bool by_page; /* of each page one line, so that they are spread over the sets of caches; else all lines */
    void *at[MOST_CHAINS];
};

static char *line_at(const struct chains *c, uint64_t i)
{
    return c->data + (c->by_page ? i * PAGE + i / 16 * LINE % PAGE : i * LINE);
}

/* All lines of the data in one circle, in random order; chains begin at even distances in it. */
static bool make_circle(struct chains *c)
{
    uint64_t lines = c->bytes / (c->by_page ? PAGE : LINE), state = 88172645463325252u;
    uint32_t *order = malloc(lines * sizeof *order);

    if (order == NULL)
        return false;
    for (uint64_t i = 0; i < lines; i++)
        order[i] = (uint32_t)i;
    for (uint64_t i = lines - 1; i > 0; i--) {
        uint64_t other = random_next(&state) % (i + 1);
        uint32_t line = order[i];
        order[i] = order[other];
        order[other] = line;
    }
    for (uint64_t i = 0; i < lines; i++) {
        char *line = line_at(c, order[i]);
        *(void **)line = line_at(c, order[(i + 1) % lines]);
        if (i % (lines / MOST_CHAINS) == 0 && i / (lines / MOST_CHAINS) < MOST_CHAINS)
            c->at[i / (lines / MOST_CHAINS)] = line;
    }
    free(order);
    return true;
}

static uint64_t follow_one(void *data, uint64_t steps)
{
    struct chains *c = data;
    void *at = c->at[0];

    for (uint64_t i = 0; i < steps; i++)
        at = *(void *volatile *)at;
    c->at[0] = at;
    return (uintptr_t)at;
}

static uint64_t follow_many(void *data, uint64_t steps)
{
    struct chains *c = data;

    for (uint64_t i = 0; i < steps; i += MOST_CHAINS) {
        for (int chain = 0; chain < MOST_CHAINS; chain++)
            c->at[chain] = *(void *volatile *)c->at[chain];
    }
    return (uintptr_t)c->at[0];
}

/* Sixteen bytes at once, which every processor can. A step is a line. */
typedef uint64_t vector __attribute__((vector_size(16), may_alias));

static uint64_t read_lines(void *data, uint64_t steps)
{
    struct chains *c = data;
    vector sum = {0, 0};
    uint64_t lines = c->bytes / LINE;

    for (uint64_t done = 0; done < steps; done += lines) {
        for (const vector *at = (const vector *)c->data, *end = at + c->bytes / sizeof *at; at < end; at += 4)
            sum += (at[0] + at[1]) + (at[2] + at[3]);
    }
    return sum[0] + sum[1];
}

static uint64_t write_lines(void *data, uint64_t steps)
{
    struct chains *c = data;
    uint64_t lines = c->bytes / LINE;

    for (uint64_t done = 0; done < steps; done += lines) {
        for (volatile vector *at = (vector *)c->data, *end = at + c->bytes / sizeof *at; at < end; at++)
            *at = (vector){done, done};
    }
    return *(uint64_t *)c->data;
}

/* A line of each fifth page in turn, always the same one, so that level 1 has no room for all and L2 has. */
enum { STEPS = 1500, STEP = 5 * PAGE };
static uint64_t step_pages(void *data, uint64_t steps)
{
    const char *pages = data;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < steps; i++) {
        uint64_t step = i % STEPS;
        sum += *(const uint64_t *)(pages + step * STEP + step * LINE % PAGE);
    }
    return sum;
}

/* A branch for each bit, which is random or 0. */
static uint64_t branch(void *data, uint64_t steps)
{
    const uint8_t *bits = data;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < steps; i++) {
        uint64_t bit = bits[i];
        __asm__ volatile("test %1, %1\n jz 1f\n add $1, %0\n 1:" : "+r"(sum) : "r"(bit) : "cc");
    }
    return sum;
}

static uint64_t touch_pages(void *data, uint64_t steps)
{
    uint64_t bytes = steps * PAGE;
    volatile char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)data;
    if (pages == MAP_FAILED)
        return 0;
    madvise((void *)pages, bytes, MADV_NOHUGEPAGE);
    for (uint64_t i = 0; i < bytes; i += PAGE)
        pages[i] = 1;
    munmap((void *)pages, bytes);
    return bytes;
}

/* A line that two threads write in turn. */
static _Alignas(LINE) _Atomic uint64_t turn;

static void *answer(void *steps)
{
    for (uint64_t i = 0; i < *(uint64_t *)steps; i++) {
        while (atomic_load_explicit(&turn, memory_order_acquire) != 2 * i + 1)
            ;
        atomic_store_explicit(&turn, 2 * i + 2, memory_order_release);
    }
    return NULL;
}

static uint64_t take_turns(void *data, uint64_t steps)
{
    pthread_t other;
    uint64_t rounds = steps / 2;

    (void)data;
    atomic_store(&turn, 0);
    if (pthread_create(&other, NULL, answer, &rounds) != 0)
        return 0;
    for (uint64_t i = 0; i < rounds; i++) {
        atomic_store_explicit(&turn, 2 * i + 1, memory_order_release);
        while (atomic_load_explicit(&turn, memory_order_acquire) != 2 * i + 2)
            ;
    }
    pthread_join(other, NULL);
    return rounds;
}

/* ------------------------------------------------------------------------------------------ all */

struct gauge {
    struct machine machine;
    double cycle, scatter; /* nanoseconds; the worst of all readings */
};

/* In cycles. */
static double gauge_cycles(struct gauge *g, work *run, void *data, uint64_t steps)
{
    struct reading reading = measure(run, data, steps);

    g->scatter = reading.scatter > g->scatter ? reading.scatter : g->scatter;
    return reading.best / g->cycle;
}

static void gauge_set(struct gauge *g, const char *key, double value)
{
    *machine_value(&g->machine, key) = value;
}

static char *map(uint64_t bytes)
{
    char *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (data == MAP_FAILED)
        return NULL;
    madvise(data, bytes, MADV_NOHUGEPAGE);
    return data;
}

static bool gauge_level(struct gauge *g, const char *level, uint64_t bytes, uint64_t steps)
{
    struct chains c = {.bytes = bytes, .data = map(bytes)};
    char key[64];

    if (c.data == NULL)
        return false;
    if (!make_circle(&c)) {
        munmap(c.data, bytes);
        return false;
    }
    double latency = gauge_cycles(g, follow_one, &c, steps);
    double flights = latency / gauge_cycles(g, follow_many, &c, steps * 4);
    uint64_t lines = bytes / LINE, streamed = lines > steps ? lines : steps / lines * lines;
    snprintf(key, sizeof key, "time.%s.latency", level);
    gauge_set(g, key, latency);
    snprintf(key, sizeof key, "time.%s.flights", level);
    gauge_set(g, key, flights > 1 ? flights : 1);
    snprintf(key, sizeof key, "time.%s.read", level);
    gauge_set(g, key, gauge_cycles(g, read_lines, &c, streamed));
    snprintf(key, sizeof key, "time.%s.write", level);
    gauge_set(g, key, gauge_cycles(g, write_lines, &c, streamed));
    munmap(c.data, bytes);
    return true;
}

/* How large data may be for their lines to come from the last level rather than from memory: in steps of an eighth. */
static bool gauge_reach(struct gauge *g, uint64_t last, uint64_t steps)
{
    double far = *machine_value(&g->machine, "time.memory.latency");
    double near = *machine_value(&g->machine, "time.LL.latency");
    uint64_t bytes = last / 8;
    char *data = map(last);

    if (data == NULL)
        return false;
    for (uint64_t next = bytes; next <= last; next += last / 8) {
        struct chains c = {.data = data, .bytes = next};
        if (!make_circle(&c)) {
            munmap(data, last);
            return false;
        }
        if (gauge_cycles(g, follow_one, &c, steps) > (near + far) / 2)
            break;
        bytes = next;
    }
    munmap(data, last);
    gauge_set(g, "time.LL.reach", (double)bytes / (1 << 20));
    return true;
}

static double gauge_branch(struct gauge *g)
{
    static uint8_t bits[1 << 16];
    uint64_t state = 88172645463325252u;
    double known = gauge_cycles(g, branch, bits, sizeof bits);

    for (size_t i = 0; i < sizeof bits; i++)
        bits[i] = random_next(&state) >> 32 & 1;
    return 2 * (gauge_cycles(g, branch, bits, sizeof bits) - known); /* half of them are guessed right */
}

/* The same lines in small pages, of which the TLBs hold a part, and in large ones, of which they hold all. Where there
 * are no large ones it is not known. */
static bool gauge_walk(struct gauge *g, uint64_t steps)
{
    enum { LARGE = 2 << 20, TIMES = 4, MOST = 1 << 16 };
    struct tn_tlb_geometry itlb[2] = {{0}}, dtlb[2] = {{0}};
    double cycles[2];

    tlb_detect(geometry_ask_processor, itlb, dtlb);
    uint64_t held = dtlb[1].entries ? dtlb[1].entries : dtlb[0].entries;
    uint64_t pages = held * TIMES < MOST ? held * TIMES : MOST, bytes = pages * PAGE + LARGE;
    for (int large = 0; large < 2; large++) {
        char *data = map(bytes);
        if (data == NULL)
            return false;
        struct chains c = {.data = data + (LARGE - (uintptr_t)data % LARGE) % LARGE,
                           .bytes = pages * PAGE,
                           .by_page = true};
        if (large)
            madvise(data, bytes, MADV_HUGEPAGE);
        bool is_made = make_circle(&c);
        cycles[large] = is_made ? gauge_cycles(g, follow_one, &c, steps) : 0;
        munmap(data, bytes);
        if (!is_made)
            return false;
    }
    double walk = (cycles[0] - cycles[1]) / (1 - (double)held / (double)pages);
    if (walk > 1)
        gauge_set(g, "time.walk", walk);
    return true;
}

static bool gauge_machine(struct gauge *g)
{
    struct tn_geometry found[GEOMETRY_LEVELS];
    const char *source[GEOMETRY_LEVELS];
    const uint64_t steps = 1 << 20;
    cpu_set_t usable;

    geometry_detect(caches_read_text, found, source);
    uint64_t last = found[GEOMETRY_LL].size, second = found[GEOMETRY_L2].size;
    uint64_t memory = 4 * last < MEMORY_AT_LEAST ? MEMORY_AT_LEAST
                                                 : 4 * last > MEMORY_AT_MOST ? MEMORY_AT_MOST : 4 * last;
    uint64_t first = found[GEOMETRY_D1].size;
    g->cycle = measure(add, NULL, steps * 8).best;
    gauge_set(g, "time.clock", 1 / g->cycle);
    if (!gauge_level(g, "L2", second ? second / 2 : 4 * first, steps) ||
        !gauge_level(g, "LL", last / 8 > 2 * second ? last / 8 : 2 * second, steps) ||
        !gauge_level(g, "memory", memory, steps) || !gauge_reach(g, last, steps) || !gauge_walk(g, steps))
        return false;
    char *pages = map((uint64_t)STEPS * STEP);
    if (pages == NULL)
        return false;
    memset(pages, 1, (size_t)STEPS * STEP);
    gauge_set(g, "time.step", gauge_cycles(g, step_pages, pages, steps));
    munmap(pages, (size_t)STEPS * STEP);
    gauge_set(g, "time.mispredicted", gauge_branch(g));
    gauge_set(g, "time.page", gauge_cycles(g, touch_pages, NULL, 4096));
    /* On one processor each turn would wait for the scheduler. */
    if (sched_getaffinity(0, sizeof usable, &usable) == 0 && CPU_COUNT(&usable) > 1)
        gauge_set(g, "time.shared", gauge_cycles(g, take_turns, NULL, steps / 16));
    return true;
}

static int calibrate(const struct calibrate *options)
{
    const double busy = 0.5;
    struct gauge gauge = {0};
    char path[PATH_MAX], text[64];

    if (!machine_path(path, sizeof path)) {
        term_error("no folder is known to keep what is measured in; set XDG_CACHE_HOME or HOME to one");
        return CLI_ERROR;
    }
    machine_read(&gauge.machine);
    if (!gauge_machine(&gauge)) {
        term_error("there is not enough memory to measure with");
        return CLI_ERROR;
    }
    if (!machine_write(&gauge.machine)) {
        term_error("cannot keep what was measured in %s: %s", path, strerror(errno));
        return CLI_ERROR;
    }
    for (int i = 0; i < MACHINE_FACTS && !options->quiet; i++) {
        machine_text(&gauge.machine, i, text, sizeof text);
        printf("%-20s %-14s %s\n", machine_fact[i].key, text, machine_fact[i].words);
    }
    if (!options->quiet)
        printf("kept in %s\n", path);
    if (gauge.scatter > busy)
        term_error("readings differ by up to %.0f %%: the machine may be busy; run `tenure calibrate` again when it is "
                   "not", 100 * gauge.scatter);
    return CLI_GOOD;
}

int cmd_calibrate(int argc, char **argv)
{
    struct calibrate options = {0};
    int first = opt_parse(&command, &options, argc, argv);

    if (first < 0)
        return term_finish(-1 - first);
    if (first < argc)
        return opt_misused(&command, "%s: calibrate takes no operands", argv[first]);
    return term_finish(calibrate(&options));
}
