/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.c: Lackey's trace of a program through the reference model, as it is and in Callgrind's way.
 *
 *   oracle_trace MAP I1 D1 LL [I1 D1 LL]... < trace
 *
 * I1, D1 and LL are size,assoc,line[,policy]; MAP is a file as trace_calls.h says, or - for none. Every geometry is
 * simulated twice in one reading of the trace. Output, a line for each instruction of each superblock executed:
 *
 *   tenure|callgrind GEOMETRY ADDRESS COST...
 *
 * GEOMETRY counts from 0, ADDRESS is hexadecimal, the costs are those of model.h's events, in their order. With a MAP
 * the arcs in Callgrind's way follow; their costs are, for each geometry, those named in `inclusive`.
 *
 * A trace has a line per access: `I  ADDRESS,SIZE` for a fetch; ` L`, ` S` and ` M` for the data it reads, writes
 * and modifies, behind it. `SB ADDRESS` begins a superblock. What else is in the file begins with `==`.
 */
#include "tests/refmodel/model.h"
#include "trace_calls.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_GEOMETRIES = 8, MODES = 2, MAX_SIMULATIONS = MAX_GEOMETRIES * MODES };

struct simulation {
    struct model *model;
    bool callgrind;
    int geometry;
    uint64_t (*cost)[M_EVENTS]; /* per instruction, by its number */
};

static struct simulation simulation[MAX_SIMULATIONS];
static int simulations, geometries;

/* What Callgrind counts inclusively, per geometry; line use it does not. */
static const int inclusive[] = {M_IR, M_DR, M_DW, M_I1MR, M_D1MR, M_D1MW, M_ILMR, M_DLMR, M_DLMW};
enum { INCLUSIVE = sizeof inclusive / sizeof *inclusive };
static uint64_t totals[MAX_GEOMETRIES * INCLUSIVE];
static int column_of[M_EVENTS]; /* in `inclusive`, from 1 */
static bool with_calls;

/* An instruction in a superblock; numbered as they come, from 1. A hash table finds them. */
struct instr {
    uint64_t block, address;
    bool written; /* by Callgrind */
};
static struct instr *instr;
static uint32_t *slot, instrs = 1, room;

static uint32_t slot_of(uint64_t block, uint64_t address)
{
    uint32_t at = (uint32_t)((address * 31 + block) * 0x9e3779b97f4a7c15ull >> 32) & (2 * room - 1);

    while (slot[at] && (instr[slot[at]].address != address || instr[slot[at]].block != block))
        at = (at + 1) & (2 * room - 1);
    return at;
}

static void grow(void)
{
    uint32_t old = room;

    room = room ? room * 2 : 4096;
    instr = realloc(instr, room * sizeof *instr);
    free(slot);
    slot = calloc(2 * (size_t)room, sizeof *slot);
    for (uint32_t i = 1; i < instrs; i++)
        slot[slot_of(instr[i].block, instr[i].address)] = i;
    for (int i = 0; i < simulations; i++) {
        simulation[i].cost = realloc(simulation[i].cost, room * sizeof *simulation[i].cost);
        memset(simulation[i].cost + old, 0, (room - old) * sizeof *simulation[i].cost);
    }
}

static uint32_t instr_at(uint64_t block, uint64_t address)
{
    uint32_t at;

    if (instrs >= room)
        grow();
    at = slot_of(block, address);
    if (!slot[at]) {
        instr[instrs] = (struct instr){block, address, false};
        slot[at] = instrs++;
    }
    return slot[at];
}

static bool collecting(void)
{
    return !with_calls || calls_collecting();
}

/* Nobody asks for more of a miss than what it costs. */
static void missed(void *user, const struct model_payer *payer, const struct model_miss *miss)
{
    (void)user, (void)payer, (void)miss;
}

/* A miss counts and a line pays if collection was on at the access that missed or loaded it. Callgrind asks whether
 * it is on when it ends, which the model does. */
static void charge(void *user, const struct model_payer *payer, int event, uint64_t amount)
{
    struct simulation *s = user;

    if (!payer->pays && !s->callgrind)
        return;
    s->cost[payer->instr][event] += amount;
    if (s->callgrind && column_of[event])
        totals[s->geometry * INCLUSIVE + column_of[event] - 1] += amount;
}

static void access_all(enum model_kind kind, uint64_t address, uint32_t size, uint32_t number)
{
    static const int counts[MODES][4] = {{M_IR, M_DR, M_DW, M_DR}, {M_IR, M_DR, M_DW, M_DW}};
    struct model_payer payer = {.instr = number, .pays = collecting()};

    for (int i = 0; i < simulations; i++) {
        struct simulation *s = &simulation[i];

        if (payer.pays)
            charge(s, &payer, counts[s->callgrind][kind], 1);
        model_access(s->model, 0, kind, address, size, &payer);
    }
}

/* The superblock that runs: its instructions, and the latest address it accessed. */
static uint32_t *running;
static size_t runnings, running_room;
static uint64_t accessed;

static uint32_t append(uint32_t number)
{
    if (runnings == running_room) {
        running_room = running_room ? running_room * 2 : 64;
        running = realloc(running, running_room * sizeof *running);
    }
    return running[runnings++] = number;
}

static void write_block(uint64_t block)
{
    for (uint32_t i = 1; i < instrs; i++)
        if (instr[i].block == block)
            instr[i].written = true;
}

/* Callgrind adds a superblock to its instructions' costs when the next one begins; the program's last one has none.
 * It writes those that it ever added while collecting, before or behind a call that switches collection, and
 * those with an arc that has costs. */
static void begin_block(uint64_t address)
{
    bool collected = collecting();

    if (with_calls)
        calls_block(address, runnings ? instr[running[runnings - 1]].address : 0, accessed, totals);
    for (size_t i = 0; i < runnings && (collected || collecting()); i++)
        instr[running[i]].written = true;
    runnings = 0;
}

static bool read_trace(void)
{
    char line[256], *end;
    uint64_t block = 0;

    while (fgets(line, sizeof line, stdin)) {
        uint64_t address;
        uint32_t size;

        if (line[0] == '=' || strlen(line) < 5)
            continue;
        address = strtoull(line + 3, &end, 16);
        size = *end == ',' ? (uint32_t)strtoul(end + 1, NULL, 10) : 0;
        if (line[0] == 'S') {
            begin_block(block = address);
            continue;
        }
        accessed = address;
        if (!size || !block || (line[0] != 'I' && !runnings))
            return fprintf(stderr, "oracle_trace: not a trace: %s", line), false;
        else if (line[0] == 'I')
            access_all(MODEL_FETCH, accessed, size, append(instr_at(block, accessed)));
        else
            access_all(line[1] == 'L'   ? MODEL_READ
                       : line[1] == 'S' ? MODEL_WRITE
                                        : MODEL_MODIFY,
                       accessed, size, running[runnings - 1]);
    }
    free(running);
    return instrs > 1;
}

static bool parse_cache(const char *text, struct model_cache_config *config)
{
    unsigned long long size;
    unsigned assoc, line;
    char policy = 'l';

    if (sscanf(text, "%llu,%u,%u,%c", &size, &assoc, &line, &policy) < 3)
        return fprintf(stderr, "oracle_trace: not a cache: %s\n", text), false;
    *config = (struct model_cache_config){
        size, assoc, line, policy == 'p' ? MODEL_PLRU : policy == 'r' ? MODEL_RRIP : MODEL_LRU};
    return true;
}

static bool parse(int argc, char **argv)
{
    FILE *map;

    if (argc < 5 || argc % 3 != 2 || argc > 2 + 3 * MAX_GEOMETRIES)
        return fprintf(stderr, "usage: oracle_trace MAP I1 D1 LL [I1 D1 LL]... < trace\n"), false;
    for (int i = 2; i < argc; i += 3, geometries++) {
        struct model_config config = {.shared_l1 = true, .flush_at_exit = true, .use = true, .write_back = true};

        if (!parse_cache(argv[i], &config.i1) || !parse_cache(argv[i + 1], &config.d1) ||
            !parse_cache(argv[i + 2], &config.ll))
            return false;
        for (int mode = 0; mode < MODES; mode++) {
            struct simulation *s = &simulation[simulations++];

            config.callgrind = mode;
            s->callgrind = mode;
            s->geometry = geometries;
            s->model = model_new(&config, charge, NULL, missed, s);
        }
    }
    for (int i = 0; i < INCLUSIVE; i++)
        column_of[inclusive[i]] = i + 1;
    with_calls = strcmp(argv[1], "-") != 0;
    map = with_calls ? fopen(argv[1], "r") : NULL;
    if (with_calls && (!map || !calls_read(map, geometries * INCLUSIVE, write_block)))
        return fprintf(stderr, "oracle_trace: cannot read %s\n", argv[1]), false;
    if (map)
        fclose(map);
    return true;
}

static void print(const struct simulation *s)
{
    for (uint32_t i = 1; i < instrs; i++) {
        if (s->callgrind && !instr[i].written)
            continue;
        printf("%s %d %llx", s->callgrind ? "callgrind" : "tenure", s->geometry,
               (unsigned long long)instr[i].address);
        for (int event = 0; event < M_EVENTS; event++)
            printf(" %llu", (unsigned long long)s->cost[i][event]);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    if (!parse(argc, argv) || !read_trace())
        return 1;
    if (with_calls) {
        calls_finish(totals);
        calls_print();
    }
    for (int i = 0; i < simulations; i++) {
        model_finish(simulation[i].model);
        print(&simulation[i]);
        model_free(simulation[i].model);
        free(simulation[i].cost);
    }
    free(instr);
    free(slot);
    return 0;
}
