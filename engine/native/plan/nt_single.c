/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_single.c: see nt_single.h.
 *
 * A string instruction under rep is an instruction for each iteration, and one more for the test that finds rcx 0
 * (engine/CONTRACT.md, 1). The block has counted and tested the first of them; here are the others, behind the
 * instruction, from what rcx, rsi and rdi were and are.
 */
#include "nt_single.h"

#include "core/cache_hot.h"
#include "engine/common/fetch_run.h"
#include "nt_plan.h"
#include "nt_xstate.h"

bool nt_single_is(const struct nt_insn *insn)
{
    for (unsigned i = 0; i < insn->accesses; i++) {
        switch (insn->access[i].kind) {
        case NT_STRING:
            if (insn->repeated)
                return true;
            break;
        case NT_BIT:
        case NT_FRAMES:
        case NT_STATE:
            return true;
        default:
            if (nt_lanes_are(&insn->access[i]))
                return true;
            break;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------------ making one */

static struct nt_single_access *add_access(const struct nt_planner *planner, struct nt_single *single,
                                           const struct nt_access *access, uint32_t back, bool always)
{
    struct nt_single_access *to = &single->access[single->accesses++];
    uint8_t kind = access->how == NT_READ ? TN_READ : access->how == NT_WRITE ? TN_WRITE : TN_MODIFY;
    struct tn_access_info info = {.instr = single->site, .back = back, .size = access->size, .kind = kind};

    to->how = access->how;
    to->base = access->base;
    to->segment = access->segment;
    to->size = access->size;
    to->back = back;
    to->id = tn_access(planner->core, &info);
    to->counter = always ? TN_NONE : tn_guarded(planner->core, single->site, access->how == NT_WRITE);
    return to;
}

/* The accesses of one iteration, reads first; and what one more iteration executes and fetches. */
static void make_string(const struct nt_planner *planner, struct nt_single *single, const struct nt_insn *insn)
{
    enum { CMPS = 0xa6, SCAS = 0xae, REPE = 0xf3 };
    uint8_t opcode = insn->bytes[insn->length - 1] & 0xfe;
    const struct tn_l1_layout *l1 = &tn_layout(planner->core)->i1;
    uint64_t size = 1ull << l1->line_bits, line = insn->pc & -size, last = (insn->pc + insn->length - 1) & -size;
    struct fetch_insn fetch = {insn->pc, insn->length, 0, single->site};
    uint32_t order = 0;

    single->behind = true;
    single->compares = opcode == CMPS || opcode == SCAS;
    for (unsigned i = 0; i + 1u < insn->length; i++)
        single->while_equal |= insn->bytes[i] == REPE;
    single->address_bits = insn->address_bits;
    for (uint8_t how = NT_READ; how <= NT_WRITE; how++) {
        for (unsigned i = 0; i < insn->accesses; i++) {
            if (insn->access[i].how == how)
                add_access(planner, single, &insn->access[i], (insn->accesses - order++) * TN_STEP, false);
        }
    }
    single->segment = tn_segment(planner->core, &single->site, 1);
    for (; planner->config->cache_sim && line <= last; line += size) {
        fetch_run(l1, &fetch, 1, 1, line, &single->run[single->runs]);
        single->run_id[single->runs] = tn_fetch(planner->core, &single->run[single->runs]);
        single->runs++;
    }
}

/* One for each size that pieces have. */
static void make_state(struct nt_planner *planner, struct nt_single *single)
{
    struct nt_piece pieces[NT_XSTATE_PIECES];

    if (!planner->xstate) {
        planner->xstate = planner->allocate(sizeof *planner->xstate);
        nt_xstate_start(planner->xstate);
    }
    unsigned count = nt_xstate_all(planner->xstate, &single->where, pieces);
    for (unsigned i = 0; i < count; i++) {
        struct nt_access access = {.how = pieces[i].how, .size = pieces[i].size};
        unsigned k = 0;
        while (k < single->accesses && (single->access[k].size != access.size || single->access[k].how != access.how))
            k++;
        if (k == single->accesses && k < NT_SINGLE_ACCESSES)
            add_access(planner, single, &access, TN_STEP, false);
    }
}

/* A locked bit instruction reads, then swaps. `enter` reads between its writes. */
static void make_other(struct nt_planner *planner, struct nt_single *single, const struct nt_insn *insn)
{
    bool is_bit = insn->access[0].kind == NT_BIT;

    single->where = insn->access[0];
    single->address_bits = insn->address_bits;
    single->behind = insn->access[0].kind == NT_STATE;
    if (single->behind) {
        make_state(planner, single);
        return;
    }
    if ((is_bit && insn->locked) || insn->access[0].kind == NT_FRAMES) {
        struct nt_access read = insn->access[0];
        read.how = NT_READ;
        add_access(planner, single, &read, is_bit ? 2 * TN_STEP : TN_STEP, is_bit);
    }
    add_access(planner, single, &insn->access[0], TN_STEP, is_bit);
}

struct nt_single *nt_single_make(struct nt_planner *planner, const struct nt_insn *insn, uint32_t site)
{
    struct nt_single **bucket = &planner->singles[insn->pc % NT_SINGLE_BUCKETS], *single = *bucket;

    while (single && (single->site != site || __builtin_memcmp(single->bytes, insn->bytes, NT_INSN_BYTES) != 0))
        single = single->next;
    if (single)
        return single;
    single = planner->allocate(sizeof *single);
    *single = (struct nt_single){.next = *bucket, .pc = insn->pc, .site = site, .length = insn->length};
    __builtin_memcpy(single->bytes, insn->bytes, NT_INSN_BYTES);
    *bucket = single;
    single->where.kind = insn->access[0].kind;
    if (insn->access[0].kind == NT_STRING)
        make_string(planner, single, insn);
    else
        make_other(planner, single, insn);
    return single;
}

/* ------------------------------------------------------------------------------------------ running one */

struct run {
    const struct nt_planner *planner;
    const struct tn_config *config;
    const struct tn_layout *layout;
    tn_thread *thread;
    const struct nt_single *single;
};

static struct run begin_run(const struct nt_planner *planner, struct nt_area *area, const struct nt_single *single)
{
    return (struct run){planner, planner->config, tn_layout(planner->core), (tn_thread *)(area + 1), single};
}

static void single_count(const struct run *r, uint32_t counter, uint64_t times)
{
    uint64_t *counters = (uint64_t *)((char *)r->thread + r->layout->counters);

    if (!nt_plan_separate(r->config))
        counters[counter] += times * r->thread->collecting;
    else
        while (times-- > 0)
            tn_count(r->thread, counter);
}

static void simulate(const struct run *r, const struct nt_single_access *access, uint64_t address)
{
    if (!r->config->cache_sim)
        return;
    tn_hot_data(r->thread, r->layout, address, access->id, access->size, access->back, access->how != NT_READ,
                r->config->use);
    if (r->layout->d1.written && access->how != NT_READ)
        tn_hot_written_in(r->thread, r->layout, r->layout->d1.table, address, access->size);
}

/* The clock is that behind it already. */
static void do_access(const struct run *r, const struct nt_single_access *access, uint64_t address)
{
    r->thread->data += access->how == NT_WRITE ? 1ull << 32 : 1;
    single_count(r, access->counter, 1);
    simulate(r, access, address);
}

static void single_iterate(const struct run *r, const uint64_t *address)
{
    r->thread->clock += (uint64_t)r->single->accesses * TN_STEP;
    for (unsigned i = 0; i < r->single->accesses; i++)
        do_access(r, &r->single->access[i], address[i]);
}

/* The instruction comes to its test again. */
static void single_again(const struct run *r, bool goes_on)
{
    r->thread->clock += TN_STEP;
    single_count(r, r->single->segment, 1);
    for (unsigned i = 0; i < r->single->runs; i++)
        tn_hot_fetch(r->thread, r->layout, r->single->run_id[i], &r->single->run[i], r->config->use);
    if (r->config->branch_sim) {
        r->thread->branches += 1;
        tn_branch_cond(r->thread, r->single->site, goes_on);
    }
}

static uint64_t single_narrow(const struct nt_single *single, uint64_t value)
{
    return single->address_bits == 32 ? (uint32_t)value : value;
}

/* Whether an access to `line` needs nothing but additions to the way that the table leads to. That of a line which is
 * not simulated belongs to nobody. */
static bool holds(const struct run *r, const struct tn_l1_layout *l1, uint64_t line)
{
    return !tn_is_sampled(r->layout, line) || tn_hot_way(r->thread, l1, line)->line == line;
}

/* Of `most` more iterations, how many need nothing but the lines that the one at `address` has just accessed. */
static uint64_t on_same_lines(const struct run *r, const uint64_t *address, bool down, uint64_t most)
{
    const struct tn_l1_layout *d1 = &r->layout->d1;
    uint64_t line = 1ull << d1->line_bits;

    if (!r->config->cache_sim)
        return most;
    for (unsigned i = 0; i < r->single->accesses && most > 0; i++) {
        uint64_t size = r->single->access[i].size, low = address[i] & (line - 1);
        uint64_t fit = low + size > line ? 0 : down ? low / size : (line - low) / size - 1;
        most = !holds(r, d1, address[i] - low) ? 0 : fit < most ? fit : most;
    }
    for (unsigned i = 0; i < r->single->runs && most > 0; i++)
        most = holds(r, &r->layout->i1, r->single->run[i].line) ? most : 0;
    return most;
}

/* `times` elements from `address` on, all of one line that is there; `clock`: behind the last of them. */
static void single_touch(const struct run *r, const struct nt_single_access *access, uint64_t address,
                         uint64_t times, uint64_t clock)
{
    const struct tn_layout *layout = r->layout;
    uint32_t bytes = (uint32_t)times * access->size;
    struct tn_way *way = tn_hot_way(r->thread, &layout->d1, address);

    way->use += times * (1 | (uint64_t)access->size << TN_TOUCH_BITS);
    way->mask |= tn_hot_mask(&layout->d1, address, bytes);
    way->stamp = clock - access->back;
    if (layout->d1.written && access->how == NT_WRITE)
        tn_hot_written_in(r->thread, layout, layout->d1.table, address, bytes);
}

static void fetch_again(const struct run *r, uint64_t times)
{
    for (unsigned i = 0; i < r->single->runs; i++) {
        const struct tn_fetch_info *run = &r->single->run[i];
        struct tn_way *way = tn_hot_way(r->thread, &r->layout->i1, run->line);
        way->use += times * tn_fetch_use(run);
        way->mask |= run->mask;
        way->stamp = r->thread->clock - tn_fetch_stamp_back(run);
    }
}

/* What `times` iterations from `address` on would do one by one, each with its test, which goes on: they miss nothing,
 * and so only the last of their stamps is ever looked at. */
static void iterate_at_once(const struct run *r, const uint64_t *address, bool down, uint64_t times)
{
    const struct nt_single *single = r->single;

    r->thread->clock += times * (single->accesses + 1) * TN_STEP;
    for (unsigned i = 0; i < single->accesses; i++) {
        const struct nt_single_access *access = &single->access[i];
        r->thread->data += times * (access->how == NT_WRITE ? 1ull << 32 : 1);
        single_count(r, access->counter, times);
        if (r->config->cache_sim)
            single_touch(r, access, down ? address[i] - (times - 1) * access->size : address[i], times,
                         r->thread->clock - TN_STEP);
    }
    single_count(r, single->segment, times);
    fetch_again(r, times);
    if (r->config->branch_sim) {
        r->thread->branches += times;
        while (times-- > 0)
            tn_branch_cond(r->thread, single->site, true);
    }
}

/* `faulted`: in the iteration that comes next: it came to its test, its accesses did not happen. */
static void run_string(const struct run *r, const struct nt_area *area, bool faulted)
{
    const struct nt_single *single = r->single;
    uint64_t before = single_narrow(single, area->before.rcx),
             n = before - single_narrow(single, area->gpr[NT_RCX]);
    bool equal = (area->flags & NT_FLAG_ZF) != 0, down = (area->flags & NT_FLAG_DF) != 0;
    bool tested = !single->compares || equal == single->while_equal; /* the last iteration came to the test */
    uint64_t address[2], step[2], segment[2];

    for (unsigned i = 0; i < single->accesses; i++) {
        address[i] = single->access[i].base == NT_RSI ? area->before.rsi : area->before.rdi;
        segment[i] = single->access[i].segment == NT_SEGMENT_FS ? area->fs_base : 0;
        step[i] = down ? -(uint64_t)single->access[i].size : single->access[i].size;
    }
    if (r->config->branch_sim)
        tn_branch_cond(r->thread, single->site, before != 0);
    for (uint64_t k = 0, more = 0; k < n; k += 1 + more) {
        uint64_t now[2] = {segment[0] + single_narrow(single, address[0]),
                           segment[1] + single_narrow(single, address[1])};
        single_iterate(r, now);
        if (k + 1 < n || tested || faulted)
            single_again(r, k + 1 < n || faulted);
        more = k + 2 < n && single->address_bits == 64 ? on_same_lines(r, now, down, n - k - 2) : 0;
        for (unsigned i = 0; i < single->accesses; i++) {
            now[i] += step[i];
            address[i] += (1 + more) * step[i];
        }
        if (more > 0)
            iterate_at_once(r, now, down, more);
    }
}

/* The operand, and as many times its size further as the bit's number says. */
static void run_bit(const struct run *r, const struct nt_area *area)
{
    const struct nt_access *where = &r->single->where;
    uint64_t number = area->gpr[where->mask];
    int64_t bits = where->size == 2 ? (int16_t)number : where->size == 4 ? (int32_t)number : (int64_t)number;
    int64_t words = bits >> (where->size == 2 ? 4 : where->size == 4 ? 5 : 6);
    uint64_t address = nt_lanes_address(where, area, (uint64_t)(words * where->size));

    for (unsigned i = 0; i < r->single->accesses; i++)
        simulate(r, &r->single->access[i], address);
}

static void frames_access(const struct run *r, unsigned which, uint64_t address)
{
    r->thread->clock += TN_STEP;
    do_access(r, &r->single->access[which], address);
}

/* rbp, the frames of the levels above, and where rsp was behind the first of these. */
static void run_frames(const struct run *r, const struct nt_area *area)
{
    enum { READ, WRITE };
    const struct nt_access *where = &r->single->where;
    uint64_t to = area->gpr[NT_RSP] - where->size, from = area->gpr[NT_RBP];

    frames_access(r, WRITE, to);
    for (unsigned i = 1; i < where->lanes; i++) {
        frames_access(r, READ, from -= where->size);
        frames_access(r, WRITE, to -= where->size);
    }
    frames_access(r, WRITE, to - where->size);
}

/* Each lane is an access of its own, at its own time. */
static void run_lanes(const struct run *r, const struct nt_area *area)
{
    uint64_t address[NT_LANES_MOST];
    unsigned count = nt_lanes_find(&r->single->where, area, address);

    for (unsigned i = 0; i < count; i++)
        single_iterate(r, &address[i]);
}

static void run_state(const struct run *r, const struct nt_area *area)
{
    const struct nt_single *single = r->single;
    struct nt_piece pieces[NT_XSTATE_PIECES];
    unsigned count = nt_xstate_find(r->planner->xstate, &single->where, area, nt_lanes_address(&single->where, area, 0),
                                    pieces);

    for (unsigned i = 0; i < count; i++) {
        /* The access of pieces of this size and kind. */
        const struct nt_single_access *access = single->access, *last = access + single->accesses - 1;
        while (access < last && (access->size != pieces[i].size || access->how != pieces[i].how))
            access++;
        r->thread->clock += TN_STEP;
        do_access(r, access, pieces[i].address);
    }
}

void nt_single_run(const struct nt_planner *planner, struct nt_area *area, const struct nt_single *single)
{
    struct run r = begin_run(planner, area, single);

    if (single->where.kind == NT_STATE)
        run_state(&r, area);
    else if (single->behind)
        run_string(&r, area, false);
    else if (single->where.kind == NT_BIT)
        run_bit(&r, area);
    else if (single->where.kind == NT_FRAMES)
        run_frames(&r, area);
    else
        run_lanes(&r, area);
}

static const struct nt_single *single_at(const struct nt_planner *planner, uint64_t pc,
                                         const uint8_t bytes[NT_INSN_BYTES])
{
    const struct nt_single *single = planner->singles[pc % NT_SINGLE_BUCKETS];

    while (single && (single->pc != pc || __builtin_memcmp(single->bytes, bytes, single->length) != 0))
        single = single->next;
    return single;
}

void nt_single_faulted(const struct nt_planner *planner, struct nt_area *area, const uint8_t bytes[NT_INSN_BYTES])
{
    const struct nt_single *single = single_at(planner, area->rip, bytes);
    struct run r = begin_run(planner, area, single);

    if (single && single->behind && single->where.kind != NT_STATE)
        run_string(&r, area, true);
}

void nt_single_left(const struct nt_planner *planner, struct nt_area *area, uint64_t pc,
                    const uint8_t bytes[NT_INSN_BYTES])
{
    const struct nt_single *single = single_at(planner, pc, bytes);

    if (single && single->behind)
        nt_single_run(planner, area, single);
}
