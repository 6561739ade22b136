/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * estimate.c: see estimate.h.
 *
 * What a miss costs depends on what else the processor has to do meanwhile. So loops are looked at, of all that is
 * in no other loop further inside, and what of a function is in no loop, each as a whole: a *place*. Of its misses
 *
 *   covered   are those that follow the miss before by a stride which prefetchers follow: only the transfer is paid,
 *             as it is for lines that simulated prefetchers load
 *   roots     those whose address comes from no load that misses: as many are on their way at once as are within the
 *             instructions that the processor looks ahead, up to what it can have
 *   the rest  wait for a load: they are on their way together only where their roots are
 *
 * and what the place takes is its instructions and its lines, of which half of what takes less is hidden behind the
 * other, and the branches guessed wrong. These are known if they were simulated. Else a branch is taken to be guessed
 * right, but for one that compares what a load brings that misses at places which nobody foresees: this one is guessed
 * wrong each time it goes the way that it seldom goes.
 */
#include "profile/code/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/code/chains.h"

enum { LINE = 64, LOOKS_AHEAD = 256 }; /* bytes, instructions */
enum { WALKERS = 4 }; /* page walks at once */
enum { PAGES = 64 }; /* of a TLB of level 1: a loop of fewer rounds stays in these, also if each step is to another */
static const double HIDDEN = 0.5; /* of lines and instructions, what takes less, as far as the other hides it */
static const double USUAL = 0.4; /* cycles of an instruction whose code is not known */

const char *const tp_time_part[TP_TIME_PARTS] = {"Ir", "L1m", "L2m", "LLm", "Walk", "Cm", "Bm", "pointers", "pages"};

static const char *const counted[TP_COUNTED] = {"Ir",   "Bcm",  "Bim",  "D1cr", "D1cw", "D1mr",
                                                "D1mw", "D2mr", "D2mw", "DLmr", "DLmw", "I1mr", "I2mr", "ILmr",
                                                "DTwr", "DTww", "PfD1", "PfI2", "PfD2", "PfL"};

struct machine {
    double ghz, reach, mispredicted, shared, page, step, walk;
    struct {
        double latency, flights, read, write;
    } from[TP_FROMS];
};

/* What an instruction misses in a data object. */
struct share {
    uint32_t instr, data; /* data object + 1 */
    double lines[TP_FROMS][2], covered, strides, followed; /* reads, writes; a part; how often */
    double far; /* part of its misses that are each in another page than the one before */
    double ahead; /* lines that prefetchers loaded from memory */
};

struct place {
    double executed, issue, wrong, shared, code[TP_FROMS]; /* code: lines of it */
    double blind;                 /* wrong guesses that were not simulated; what they take is in `issue` */
    double walks, walk; /* page walks, and what one takes */
    double open[TP_FROMS], roots, pointers[TP_FROMS], wait[TP_FROMS], stream[TP_FROMS];
    double far[TP_FROMS]; /* of open: those in another page */
    double stalled; /* the part of what its lines take that is waited for */
};

struct making {
    struct tp_recording *rec;
    struct tp_estimate *estimate;
    struct machine machine;
    uint64_t *row;
    TP_VECTOR(struct share) shares; /* by instruction */
    struct tp_idmap of;             /* by instruction and data object */
    double (*open)[TP_FROMS];       /* by instruction: misses that are not covered */
    double *misses, *executed;      /* by instruction: all of its misses; how often it ran */
    double *blind; /* by instruction: wrong guesses of one execution that were not simulated */
    double *waits, *follows;        /* by instruction, a part of these: that wait for a load; that follow pointers */
    struct place *places;           /* loops, then contexts */
    double *page;                   /* by data object + 1: cycles of new pages for each line that comes from memory */
    double past, past_page; /* bytes stored past the caches; cycles of new pages for each */
    double (*paid)[TP_FORS], (*times)[TP_FORS]; /* by context + 1 */
};

/* ------------------------------------------------------------------------------------------ rows */

static double number(const uint64_t *row, uint16_t column)
{
    return column == TP_UNUSED ? 0 : (double)row[column];
}

/* How many there are of what cycles are paid for: sums of rows have the sums. */
static void count_row(const uint64_t *row, const uint16_t *at, double out[TP_FORS])
{
    out[TP_FOR_INSTRUCTIONS] = number(row, at[TP_IR]);
    out[TP_FOR_BRANCHES] = number(row, at[TP_BCM]) + number(row, at[TP_BIM]);
    out[TP_FOR_SHARED] = number(row, at[TP_D1CR]) + number(row, at[TP_D1CW]);
    out[TP_FOR_WALKS] = number(row, at[TP_DTWR]) + number(row, at[TP_DTWW]);
    double i1 = number(row, at[TP_I1MR]), il = number(row, at[TP_ILMR]);
    double i2 = at[TP_I2MR] == TP_UNUSED ? i1 : number(row, at[TP_I2MR]);
    out[TP_FOR_CODE + TP_FROM_L2] = i1 - i2;
    out[TP_FOR_CODE + TP_FROM_LL] = i2 - il;
    out[TP_FOR_CODE + TP_FROM_MEMORY] = il;
    out[TP_FOR_AHEAD + TP_FROM_L2] = number(row, at[TP_PFD1]);
    out[TP_FOR_AHEAD + TP_FROM_LL] = number(row, at[TP_PFI2]) + number(row, at[TP_PFD2]);
    out[TP_FOR_AHEAD + TP_FROM_MEMORY] = number(row, at[TP_PFL]);
    for (int write = 0; write < 2; write++) {
        double d1 = number(row, at[TP_D1MR + write]), last = number(row, at[TP_DLMR + write]);
        double d2 = at[TP_D2MR] == TP_UNUSED ? d1 : number(row, at[TP_D2MR + write]);
        out[TP_FOR_LINES + 2 * TP_FROM_L2 + write] = d1 - d2;
        out[TP_FOR_LINES + 2 * TP_FROM_LL + write] = d2 - last;
        out[TP_FOR_LINES + 2 * TP_FROM_MEMORY + write] = last;
    }
}

uint64_t tp_whole_cycles(double cycles)
{
    const double most = 9e18;

    return cycles > 0 && cycles < most ? (uint64_t)llround(cycles) : 0;
}

double tp_estimate_of(const struct tp_recording *rec, uint32_t context, const uint64_t *row, const uint16_t *at)
{
    double count[TP_FORS], cycles = 0;

    count_row(row, at, count);
    for (int i = 0; i < TP_FORS; i++)
        cycles += count[i] * rec->estimate->each[context][i];
    return cycles;
}

void tp_estimate_row(const struct tp_recording *rec, uint32_t context, uint64_t *row)
{
    if (rec->estimate)
        row[rec->events.time] = tp_whole_cycles(tp_estimate_of(rec, context, row, rec->estimate->at));
}

void tp_estimate_next(const struct tp_recording *rec, uint32_t context, double *spent, uint64_t *row)
{
    uint64_t before = tp_whole_cycles(*spent);

    if (!rec->estimate)
        return;
    *spent += tp_estimate_of(rec, context, row, rec->estimate->at);
    row[rec->events.time] = tp_whole_cycles(*spent) - before;
}

int tp_estimate_add(struct tp_recording *rec, struct tp_blob **costs, uint64_t self, uint64_t incl)
{
    const uint64_t both[] = {self, incl};
    struct tp_blob *blob = tp_arena_alloc(&rec->arena, sizeof *blob + sizeof both);

    if (!blob)
        return -1;
    *blob = (struct tp_blob){.next = *costs, .size = sizeof both, .form = TP_FORM_TIME};
    memcpy(blob->bytes, both, sizeof both);
    *costs = blob;
    return 0;
}

/* ------------------------------------------------------------------------------------------ the machine */

static void read_machine(struct making *m)
{
#define TP_MACHINE(member, key, usual, unit, words) {key, &m->machine.member, usual},
    const struct {
        const char *key;
        double *to, usual;
    } known[] = {
#include "profile/code/machine.inc"
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *text = tp_recording_fact(m->rec, known[i].key);
        double value = text ? strtod(text, NULL) : 0;
        *known[i].to = value > 0 && value < 1e6 ? value : known[i].usual;
    }
    /* Memory was measured in so much of it that each line walked, too: where walks are known, they are paid apart. */
    if (m->estimate->at[TP_DTWR] != TP_UNUSED) {
        double *memory = &m->machine.from[TP_FROM_MEMORY].latency;
        *memory = fmax(*memory / 2, *memory - m->machine.walk);
    }
}

/* ------------------------------------------------------------------------------------------ what is missed */

static struct place *place_of(const struct making *m, uint32_t instr)
{
    const struct tp_instr *x = &m->rec->instrs.at[instr];

    return &m->places[x->loop ? x->loop - 1 : m->rec->loops.count + x->context - 1];
}

static struct share *share_of(struct making *m, uint32_t instr, uint32_t data)
{
    uint32_t at = tp_idmap_find(&m->of, (uint64_t)(instr + 1) << 32 | data);

    return at == TP_NOT_FOUND ? NULL : &m->shares.at[at];
}

/* Cycles of what an instruction stores past the caches: half of what it takes to read a line and to write it back. */
static double past(const struct making *m, const struct tp_instr *x)
{
    return x->past * m->machine.from[TP_FROM_MEMORY].write / (2 * LINE);
}

/* Cycles of the step that brings a prefetched line from where it is counted; the step before it is counted there. */
static double step_ahead(const struct making *m, int from)
{
    bool l2 = m->estimate->at[TP_D2MR] != TP_UNUSED;
    double whole = m->machine.from[from == TP_FROM_L2 && !l2 ? TP_FROM_LL : from].read;

    return from == TP_FROM_L2 ? whole : fmax(0, whole - m->machine.from[from - 1].read);
}

static int gather_instr(struct making *m, uint32_t instr)
{
    const struct tp_events *events = &m->rec->events;
    const struct tp_instr *x = &m->rec->instrs.at[instr];
    struct place *place = place_of(m, instr);
    double count[TP_FORS];

    for (const struct tp_blob *blob = x->costs; blob; blob = blob->next) {
        memset(m->row, 0, events->count * sizeof *m->row);
        tp_blob_add(events, blob, m->row, NULL);
        count_row(m->row, m->estimate->at, count);
        place->executed += count[TP_FOR_INSTRUCTIONS];
        m->executed[instr] += count[TP_FOR_INSTRUCTIONS];
        place->issue += count[TP_FOR_INSTRUCTIONS] * (x->cycles > 0 ? x->cycles : USUAL);
        place->wrong += count[TP_FOR_BRANCHES];
        place->stream[TP_FROM_MEMORY] += count[TP_FOR_INSTRUCTIONS] * past(m, x);
        m->past += count[TP_FOR_INSTRUCTIONS] * x->past;
        place->shared += count[TP_FOR_SHARED];
        place->walks += count[TP_FOR_WALKS];
        for (int from = 0; from < TP_FROMS; from++) {
            place->code[from] += count[TP_FOR_CODE + from];
            place->stream[from] += count[TP_FOR_AHEAD + from] * step_ahead(m, from);
        }
        if (blob->form != TP_FORM_DATA)
            continue;
        struct share *share = share_of(m, instr, blob->data);
        if (!share) {
            if (!(share = TP_VECTOR_ADD(&m->shares)) ||
                tp_idmap_add(&m->of, (uint64_t)(instr + 1) << 32 | blob->data, (uint32_t)m->shares.count - 1))
                return -1;
            *share = (struct share){.instr = instr, .data = blob->data};
        }
        for (int i = 0; i < 2 * TP_FROMS; i++)
            share->lines[i / 2][i % 2] += count[TP_FOR_LINES + i];
        share->ahead += count[TP_FOR_AHEAD + TP_FROM_MEMORY];
    }
    return 0;
}

static void add_strides(struct share *share, const struct tp_strides *strides)
{
    share->strides += (double)strides->count;
    share->followed += (double)strides->covered;
    share->far += (double)strides->far;
}

/* How many rounds the loop around an instruction makes each time, if that is known; else very many. */
static double rounds_of(const struct making *m, uint32_t instr)
{
    uint32_t number = m->rec->instrs.at[instr].loop;
    const struct tp_loop *loop = number ? &m->rec->loops.at[number - 1] : NULL;
    bool known = loop && loop->entries != UINT64_MAX && loop->entries > 0;

    return known ? (double)loop->iterations / (double)loop->entries : INFINITY;
}

static void find_covered(struct making *m)
{
    const struct tp_recording *rec = m->rec;

    for (size_t i = 0; i < rec->stride_sums.count; i++) {
        struct share *share = share_of(m, rec->stride_sums.at[i].instr - 1, rec->stride_sums.at[i].data);
        if (share)
            add_strides(share, &rec->stride_sums.at[i]);
    }
    for (size_t i = 0; i < m->shares.count; i++) {
        struct share *share = &m->shares.at[i];
        share->covered = share->strides > 0 ? fmin(1, share->followed / share->strides) : 0;
        if (rounds_of(m, share->instr) < PAGES)
            share->far = 0;
        share->far = share->strides > 0 ? fmin(1 - share->covered, share->far / share->strides) : 0;
        for (int from = 0; from < TP_FROMS; from++) {
            double lines = share->lines[from][0] + share->lines[from][1];
            m->misses[share->instr] += lines;
            m->open[share->instr][from] += (1 - share->covered) * lines;
        }
    }
}

static double far_misses(const struct making *m, uint32_t instr)
{
    return m->open[instr][TP_FROM_LL] + m->open[instr][TP_FROM_MEMORY];
}

/* The lines that come from memory. */
static double from_memory(const struct share *share)
{
    return share->lines[TP_FROM_MEMORY][0] + share->lines[TP_FROM_MEMORY][1] + share->ahead;
}

/* Pages that are touched for the first time are made by the system. Who of those that load lines of an object from
 * memory touched them is not known: each pays the same, but no line touches more than one. What is left was touched by
 * stores past the caches, if there are any. */
static void find_pages(struct making *m)
{
    const struct tp_recording *rec = m->rec;
    double rest = 0;

    for (size_t i = 0; i < m->shares.count; i++)
        m->page[m->shares.at[i].data] += from_memory(&m->shares.at[i]);
    m->page[0] = 0;
    for (size_t i = 1; i <= rec->data.count; i++) {
        const struct tp_data *data = &rec->data.at[i - 1];
        double pages = data->kind == TN_DATA_FILE ? 0 : (double)data->pages;
        double here = m->past > 0 ? fmin(pages, m->page[i]) : pages;
        m->page[i] = m->page[i] > 0 ? here * m->machine.page / m->page[i] : 0;
        rest += pages - here;
    }
    m->past_page = rest > 0 ? fmin(rest, m->past / LINE) * m->machine.page / m->past : 0;
    m->estimate->part[TP_TIME_LLM] += m->past_page * m->past;
    m->estimate->part[TP_TIME_PAGES] += m->past_page * m->past;
}

/* A miss waits for a load as often as that one misses itself. */
static void find_waits(struct making *m)
{
    for (size_t i = 0; i < m->rec->address_loads.count; i++) {
        const struct tp_address_load *at = &m->rec->address_loads.at[i];
        double own = far_misses(m, at->instr - 1), before = far_misses(m, at->load - 1);
        /* A pointer beside what was missed comes with the same line. */
        double part = own <= 0 ? 0 : at->beside && at->circular ? 1 : fmin(1, before / own);
        m->waits[at->instr - 1] = fmin(1, m->waits[at->instr - 1] + part);
        if (at->circular && at->circular != TP_CHAIN_CHOSEN)
            m->follows[at->instr - 1] = fmin(1, m->follows[at->instr - 1] + part);
    }
}

/* What a load brings is as little foreseen as where it misses; and so is a branch that compares it. */
static void find_blind(struct making *m)
{
    struct tp_recording *rec = m->rec;

    for (size_t i = 0; i < rec->compared_loads.count && m->estimate->at[TP_BCM] == TP_UNUSED; i++) {
        const struct tp_compared_load *at = &rec->compared_loads.at[i];
        const double *open = m->open[at->load - 1], misses = m->misses[at->load - 1];
        double part = misses > 0 ? (open[TP_FROM_L2] + open[TP_FROM_LL] + open[TP_FROM_MEMORY]) / misses : 0;
        m->blind[at->branch - 1] = fmax(m->blind[at->branch - 1], part * at->wrong);
    }
    for (uint32_t i = 0; i < rec->instrs.count; i++) {
        struct tp_instr *x = &rec->instrs.at[i];
        double cycles = m->blind[i] * m->machine.mispredicted;
        if (!(cycles > 0))
            continue;
        place_of(m, i)->blind += m->executed[i] * m->blind[i];
        place_of(m, i)->issue += m->executed[i] * cycles;
        x->cycles = (float)((x->cycles > 0 ? x->cycles : USUAL) + cycles);
    }
}

/* ------------------------------------------------------------------------------------------ what it costs */

/* Cycles of a line that is covered. What an instruction reads and writes is written back, as what is written is. */
static double transfer(const struct making *m, const struct share *share, int from, int write)
{
    bool both = m->rec->instrs.at[share->instr].can == (TP_CAN_READ | TP_CAN_WRITE);

    return write || both ? m->machine.from[from].write : m->machine.from[from].read;
}

static void add_share(struct making *m, const struct share *share)
{
    struct place *place = place_of(m, share->instr);

    double made = m->page[share->data] * from_memory(share);
    m->estimate->part[TP_TIME_LLM] += made;
    m->estimate->part[TP_TIME_PAGES] += made;
    for (int from = 0; from < TP_FROMS; from++) {
        double lines = share->lines[from][0] + share->lines[from][1], open = (1 - share->covered) * lines;
        for (int write = 0; write < 2; write++)
            place->stream[from] += share->covered * share->lines[from][write] * transfer(m, share, from, write);
        place->open[from] += open;
        place->far[from] += share->far * lines;
        place->roots += open * (1 - m->waits[share->instr]);
        place->pointers[from] += open * m->follows[share->instr];
    }
}

/* How many misses that wait for no other one are on their way at once, at most `most`. */
static double at_once(const struct place *place, double most)
{
    double ahead = 1 / (1.0 / LOOKS_AHEAD + (place->wrong + place->blind) / place->executed);

    return fmax(1, fmin(most, ahead * place->roots / place->executed));
}

/* Cycles of a line that is not covered. */
static double wait_of(const struct making *m, const struct place *place, int from)
{
    double flights = at_once(place, m->machine.from[from].flights);

    return fmax(m->machine.from[from].latency / flights, m->machine.from[from].read);
}

/* Cycles of a line of code: processors fetch ahead, too, and have nothing to do where they were not far enough. */
static double fetch(const struct making *m, int from)
{
    return m->machine.from[from].latency / 2;
}

static void finish_place(struct making *m, struct place *place)
{
    double lines = 0;

    if (!(place->executed > 0))
        return;
    for (int from = 0; from < TP_FROMS; from++) {
        double far = place->open[from] > 0 ? place->far[from] / place->open[from] : 0;
        place->wait[from] = wait_of(m, place, from);
        place->wait[from] += far * fmax(0, m->machine.step - place->wait[from]);
        lines += place->open[from] * place->wait[from] + place->stream[from];
    }
    place->walk = m->machine.walk / at_once(place, WALKERS);
    lines += place->walks * place->walk;
    place->stalled = lines > 0 ? 1 - HIDDEN * fmin(place->issue, lines) / lines : 0;
    double *part = m->estimate->part;
    bool l2 = m->estimate->at[TP_D2MR] != TP_UNUSED; /* without it, lines of the last level are missed by level 1 */
    part[TP_TIME_IR] += place->issue;
    part[TP_TIME_BM] += place->wrong * m->machine.mispredicted;
    part[TP_TIME_CM] += place->shared * m->machine.shared;
    part[TP_TIME_WALK] += place->stalled * place->walks * place->walk;
    for (int from = 0; from < TP_FROMS; from++) {
        int missed = from == TP_FROM_LL && !l2 ? TP_TIME_L1M : TP_TIME_L1M + from;
        part[missed] += place->stalled * (place->open[from] * place->wait[from] + place->stream[from]) +
                        place->code[from] * fetch(m, from);
        if (from != TP_FROM_L2)
            part[TP_TIME_POINTERS] += place->stalled * place->pointers[from] * place->wait[from];
    }
}

/* Cycles of each, for what an instruction pays in a data object. */
static void prices(const struct making *m, uint32_t instr, const struct share *share, double out[TP_FORS])
{
    const struct tp_instr *x = &m->rec->instrs.at[instr];
    const struct place *place = place_of(m, instr);

    out[TP_FOR_INSTRUCTIONS] =
        (x->cycles > 0 ? x->cycles : USUAL) + place->stalled * past(m, x) + x->past * m->past_page;
    out[TP_FOR_BRANCHES] = m->machine.mispredicted;
    out[TP_FOR_SHARED] = m->machine.shared;
    out[TP_FOR_WALKS] = place->stalled * place->walk;
    for (int from = 0; from < TP_FROMS; from++) {
        out[TP_FOR_CODE + from] = fetch(m, from);
        out[TP_FOR_AHEAD + from] = place->stalled * step_ahead(m, from);
    }
    out[TP_FOR_AHEAD + TP_FROM_MEMORY] += share ? m->page[share->data] : 0;
    for (int i = 0; i < 2 * TP_FROMS; i++)
        out[TP_FOR_LINES + i] = !share ? 0
                                       : place->stalled * ((1 - share->covered) * place->wait[i / 2] +
                                                           share->covered * transfer(m, share, i / 2, i % 2)) +
                                             (i / 2 == TP_FROM_MEMORY ? m->page[share->data] : 0);
}

/* Behind each blob of an instruction's costs, one with its time. */
static int price_instr(struct making *m, uint32_t instr)
{
    struct tp_recording *rec = m->rec;
    struct tp_instr *x = &rec->instrs.at[instr];
    double count[TP_FORS], each[TP_FORS];

    for (struct tp_blob *blob = x->costs, *next; blob; blob = next) {
        double cycles = 0;
        next = blob->next;
        memset(m->row, 0, rec->events.count * sizeof *m->row);
        tp_blob_add(&rec->events, blob, m->row, NULL);
        count_row(m->row, m->estimate->at, count);
        prices(m, instr, blob->form == TP_FORM_DATA ? share_of(m, instr, blob->data) : NULL, each);
        for (int i = 0; i < TP_FORS; i++) {
            cycles += count[i] * each[i];
            m->paid[x->context][i] += count[i];
            m->times[x->context][i] += count[i] * each[i];
        }
        uint64_t time = tp_whole_cycles(cycles);
        if (!time)
            continue;
        if (tp_estimate_add(rec, &blob->next, time, 0))
            return -1;
        m->estimate->self[x->context] = tp_sum(m->estimate->self[x->context], time);
        blob->next->thread = blob->thread;
        blob->next->data = blob->data;
        if (blob->thread)
            rec->threads.at[blob->thread - 1].self[rec->events.time] =
                tp_sum(rec->threads.at[blob->thread - 1].self[rec->events.time], time);
    }
    return 0;
}

/* The mean of each context; where it has none of something, that of all. */
static void find_means(struct making *m)
{
    size_t contexts = m->rec->contexts.count + 1;

    for (size_t c = 1; c < contexts; c++) {
        double all = 0;
        for (int i = 0; i < TP_FORS; i++)
            all += m->times[c][i];
        for (int i = 0; i < TP_FORS; i++) {
            if (all > 0) /* so that rounding makes no difference to the sums */
                m->times[c][i] *= (double)m->estimate->self[c] / all;
            m->paid[0][i] += m->paid[c][i];
            m->times[0][i] += m->times[c][i];
        }
    }
    for (size_t c = 0; c < contexts; c++) {
        for (int i = 0; i < TP_FORS; i++)
            m->estimate->each[c][i] = m->paid[c][i] > 0   ? m->times[c][i] / m->paid[c][i]
                                      : m->paid[0][i] > 0 ? m->times[0][i] / m->paid[0][i]
                                                          : 0;
    }
}

static int make(struct making *m)
{
    struct tp_recording *rec = m->rec;
    size_t instrs = rec->instrs.count, places = rec->loops.count + rec->contexts.count;

    for (int i = 0; i < TP_COUNTED; i++) {
        m->estimate->at[i] = TP_UNUSED;
        for (size_t k = tp_events_shown(&rec->events); k-- > 0;) {
            if (strcmp(rec->events.column[k].name, counted[i]) == 0)
                m->estimate->at[i] = (uint16_t)k;
        }
    }
    read_machine(m);
    for (uint32_t i = 0; i < instrs; i++) {
        if (gather_instr(m, i))
            return -1;
    }
    find_covered(m);
    find_pages(m);
    find_waits(m);
    find_blind(m);
    for (size_t i = 0; i < m->shares.count; i++)
        add_share(m, &m->shares.at[i]);
    for (size_t i = 0; i < places; i++)
        finish_place(m, &m->places[i]);
    for (uint32_t i = 0; i < instrs; i++) {
        if (price_instr(m, i))
            return -1;
    }
    find_means(m);
    double spent = 0;
    for (size_t i = 0; i < rec->parts.count; i++)
        tp_estimate_next(rec, 0, &spent, rec->parts.at[i].self);
    return 0;
}

int tp_estimate_make(struct tp_recording *rec, struct tp_error *err)
{
    size_t instrs = rec->instrs.count + 1, contexts = rec->contexts.count + 1;
    struct tp_arena arena = {0};
    struct making m = {.rec = rec};

    if (!rec->events.timed)
        return 0;
    rec->estimate = m.estimate = tp_arena_alloc(&rec->arena, sizeof *m.estimate);
    bool ok = m.estimate && (m.estimate->each = tp_arena_alloc(&rec->arena, contexts * sizeof *m.estimate->each)) &&
              (m.estimate->self = tp_arena_alloc(&rec->arena, contexts * sizeof *m.estimate->self)) &&
              (m.page = tp_arena_alloc(&arena, (rec->data.count + 1) * sizeof *m.page)) &&
              (m.row = tp_arena_alloc(&arena, rec->events.count * sizeof *m.row)) &&
              (m.open = tp_arena_alloc(&arena, instrs * sizeof *m.open)) &&
              (m.misses = tp_arena_alloc(&arena, instrs * sizeof *m.misses)) &&
              (m.executed = tp_arena_alloc(&arena, instrs * sizeof *m.executed)) &&
              (m.blind = tp_arena_alloc(&arena, instrs * sizeof *m.blind)) &&
              (m.waits = tp_arena_alloc(&arena, instrs * sizeof *m.waits)) &&
              (m.follows = tp_arena_alloc(&arena, instrs * sizeof *m.follows)) &&
              (m.places = tp_arena_alloc(&arena, (rec->loops.count + contexts) * sizeof *m.places)) &&
              (m.paid = tp_arena_alloc(&arena, contexts * sizeof *m.paid)) &&
              (m.times = tp_arena_alloc(&arena, contexts * sizeof *m.times)) && !make(&m);
    TP_VECTOR_FREE(&m.shares);
    tp_idmap_free(&m.of);
    tp_arena_free(&arena);
    return ok ? 0 : TP_NO_MEMORY(err);
}
