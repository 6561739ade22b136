/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_calls.c: see trace_calls.h. Guests are small: functions, sites and arcs are searched one by one. */
#include "trace_calls.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FUNCTIONS = 256, MAX_SITES = 4096, MAX_ARCS = 8192, NAME = 64 };

struct function {
    uint64_t start, size;
    char name[NAME];
    bool toggles;
    uint64_t active; /* activations */
};
struct site {
    uint64_t address;
    bool is_call;
};
struct arc {
    int caller, callee;
    uint64_t calls, *cost;
};
struct activation {
    int arc;
    uint64_t sp, block; /* the calling superblock */
};

static struct function function[MAX_FUNCTIONS];
static struct site site[MAX_SITES];
static struct arc arc[MAX_ARCS];
static int functions, sites, arcs, width;
static struct activation *stack;
static uint64_t *snapshot; /* width totals for each activation */
static size_t depth, room;

static int running; /* the function of the superblock that runs */
static uint64_t running_block;
static void (*paid)(uint64_t block);
static bool collecting = true;

static void toggling(const char *name)
{
    for (int i = 0; i < functions; i++)
        if (!strcmp(function[i].name, name)) {
            function[i].toggles = true;
            collecting = false;
        }
}

bool calls_read(FILE *map, int totals, void (*pays)(uint64_t block))
{
    char line[256];

    width = totals;
    paid = pays;
    while (fgets(line, sizeof line, map)) {
        unsigned long long start, size;
        char name[NAME];

        if (sscanf(line, "f %llx %llx %63s", &start, &size, name) == 3 && functions < MAX_FUNCTIONS) {
            function[functions].start = start;
            function[functions].size = size;
            strcpy(function[functions++].name, name);
        } else if (sscanf(line, "t %63s", name) == 1) {
            toggling(name);
        } else if ((line[0] == 'c' || line[0] == 'r') && sscanf(line + 1, "%llx", &start) == 1 &&
                   sites < MAX_SITES) {
            site[sites++] = (struct site){start, line[0] == 'c'};
        } else {
            return fprintf(stderr, "oracle_trace: too much, or not a map: %s", line), false;
        }
    }
    return functions > 0;
}

static int function_at(uint64_t address)
{
    for (int i = 0; i < functions; i++)
        if (address - function[i].start < function[i].size)
            return i;
    return 0;
}

static const struct site *site_at(uint64_t address)
{
    for (int i = 0; i < sites; i++)
        if (site[i].address == address)
            return &site[i];
    return NULL;
}

static int arc_of(int caller, int callee)
{
    int i;

    for (i = 0; i < arcs; i++)
        if (arc[i].caller == caller && arc[i].callee == callee)
            return i;
    if (i == MAX_ARCS)
        abort();
    arc[i] = (struct arc){caller, callee, 0, calloc((size_t)width, sizeof *arc[i].cost)};
    arcs++;
    return i;
}

/* The outermost activation of a function that switches collection does so. */
static void enter(int callee)
{
    if (function[callee].active++ == 0)
        collecting ^= function[callee].toggles;
}

static void push(int callee, uint64_t sp, const uint64_t *totals)
{
    if (depth == room) {
        room = room ? room * 2 : 64;
        stack = realloc(stack, room * sizeof *stack);
        snapshot = realloc(snapshot, room * (size_t)width * sizeof *snapshot);
    }
    memcpy(snapshot + depth * (size_t)width, totals, (size_t)width * sizeof *totals);
    stack[depth++] = (struct activation){arc_of(running, callee), sp, running_block};
    enter(callee);
}

static void pop(const uint64_t *totals)
{
    struct arc *a = &arc[stack[--depth].arc];
    const uint64_t *before = snapshot + depth * (size_t)width;
    bool counts = false;

    for (int i = 0; i < width; i++) {
        a->cost[i] += totals[i] - before[i];
        counts |= totals[i] != before[i];
    }
    a->calls += counts;
    if (counts)
        paid(stack[depth].block);
    if (--function[a->callee].active == 0)
        collecting ^= function[a->callee].toggles;
}

void calls_block(uint64_t first, uint64_t last, uint64_t sp, const uint64_t *totals)
{
    const struct site *how = site_at(last);
    int callee = function_at(first);

    if (!last) {
        enter(callee);
    } else if (how && how->is_call) {
        push(callee, sp, totals);
    } else {
        size_t before = depth;

        while (how && depth && stack[depth - 1].sp <= sp)
            pop(totals);
        if (depth == before && (callee != running || first == function[callee].start))
            push(callee, depth ? stack[depth - 1].sp : UINT64_MAX, totals);
    }
    running = callee;
    running_block = first;
}

void calls_finish(const uint64_t *totals)
{
    while (depth)
        pop(totals);
}

bool calls_collecting(void)
{
    return collecting;
}

void calls_print(void)
{
    for (int i = 0; i < arcs; i++) {
        printf("arc %s %s %llu", function[arc[i].caller].name, function[arc[i].callee].name,
               (unsigned long long)arc[i].calls);
        for (int k = 0; k < width; k++)
            printf(" %llu", (unsigned long long)arc[i].cost[k]);
        putchar('\n');
        free(arc[i].cost);
    }
    free(stack);
    free(snapshot);
}
