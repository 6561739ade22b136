/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_count.c: see nt_count.h.
 *
 * A data access at `a`, in core/cache_hot.h's words; o is the way's offset in units of 8 bytes, everything is at a
 * constant displacement from GS, or from r11 while that is ours (nt_area.h):
 *
 *     lea   a, [operand]
 *     rorx  o, a, line_bits - 1 ; and o, table_mask * 2
 *     movzx o, word table[o]
 *     sub   a, line[o * 8]                         x: also the shift of the mask; of a write, with --coherence=mesi,
 *                                                  exclusive[o * 2]
 *     cmp   a, line_size - size ; ja detour
 *     add   use[o * 8], 1 | size << TN_TOUCH_BITS
 *     mov   m, granules ; shlx m, m, a ; or mask[o * 8], m
 *     lea   m, [clock - back] ; mov stamp[o * 8], m
 *
 * A fetch run is the same with a constant element of the table. The three registers are put aside (nt_aside.h), and one
 * for the clock if more than one stamp is to come; where the flags are live they are kept in rax meanwhile.
 *
 * Where sets are sampled, most accesses are left out, and what is above is in code that the others share. p, which is
 * put aside instead of the clock, has the bits of the lines that are simulated; o is turned so that the offset in the
 * line comes first:
 *
 *     lea   o, [operand]
 *     ror   o, line_bits
 *     bt    p, o ; jc next
 *     cmp   line_size - size, turned, o
 *   next:
 *     jc    detour
 *
 * If only the second of two lines is simulated, the detour has C do the whole access.
 *
 * Lines of more than 64 bytes, whose granules are longer than a byte, and CPUs without shlx have each access done
 * whole, in C.
 */
#include "nt_count.h"

#include "core/cache_hot.h"
#include "engine/native/plan/nt_single.h"
#include "nt_aside.h"

struct registers {
    uint8_t a, o; /* the same where sets are sampled */
    uint8_t m; /* where sets are sampled, NT_NO_REG if nobody needs it */
    uint8_t c, p; /* c: holds the clock, p: the lines that are sampled; NT_NO_REG: none does */
};

static const struct tn_layout *layout_of(const struct nt_making *making)
{
    return tn_layout(making->config->planner->core);
}

static bool samples(const struct nt_making *making)
{
    return layout_of(making)->sampled != ~0ull;
}

static struct nt_mem of_thread(size_t offset)
{
    return nt_gs((int32_t)offset);
}

static struct nt_mem of_way(const struct tn_l1_layout *l1, uint8_t o, size_t field)
{
    return nt_gs_index((int32_t)(l1->origin + field), o);
}

/* Of one word for each way. */
static struct nt_mem of_word(const struct tn_l1_layout *l1, uint8_t o, uint32_t words)
{
    struct nt_mem mem = nt_gs_index((int32_t)tn_hot_words(l1, words), o);

    mem.scale = 2; /* a way is four words */
    return mem;
}

/* ------------------------------------------------------------------------------------------ calling C */

void nt_argument(struct nt_making *making, unsigned index, uint64_t value)
{
    int32_t place = NT_ARGS + 8 * (int32_t)index;

    nt_store32_constant(&making->emit, nt_gs(place), (uint32_t)value);
    nt_store32_constant(&making->emit, nt_gs(place + 4), (uint32_t)(value >> 32));
}

void nt_call_c(struct nt_making *making, enum nt_call which)
{
    struct nt_emit *emit = &making->emit;

    nt_store(emit, nt_gs(NT_HELD_SP), NT_RSP);
    nt_load(emit, NT_RSP, nt_gs(NT_ENGINE_SP));
    nt_call_memory(emit, nt_gs(NT_CALLS + 8 * (int32_t)which));
    nt_load(emit, NT_RSP, nt_gs(NT_HELD_SP));
}

void nt_call_keeping_flags(struct nt_making *making, enum nt_call which)
{
    nt_store(&making->emit, nt_home(NT_RAX), NT_RAX);
    nt_flags_to_rax(&making->emit);
    nt_call_c(making, which);
    nt_flags_from_rax(&making->emit);
    nt_load(&making->emit, NT_RAX, nt_home(NT_RAX));
}

/* ------------------------------------------------------------------------------------------ stretches */

static void add_constant(struct nt_making *making, struct nt_mem to, uint64_t value, uint8_t free)
{
    if (nt_fits(value)) {
        nt_add_constant(&making->emit, to, (int32_t)value);
    } else {
        nt_constant(&making->emit, free, value);
        nt_add(&making->emit, to, free);
    }
}

static void count(struct nt_making *making, uint32_t counter, uint8_t free)
{
    const struct nt_planner *planner = making->config->planner;
    struct nt_mem to = of_thread(layout_of(making)->counters + 8ul * counter);

    if (nt_plan_separate(planner->config)) {
        nt_argument(making, 0, counter);
        nt_call_c(making, NT_CALL_COUNT);
    } else if (planner->by_collecting) {
        nt_load(&making->emit, free, of_thread(offsetof(struct tn_thread, collecting)));
        nt_add(&making->emit, to, free);
    } else {
        nt_add_constant(&making->emit, to, 1);
    }
}

static void begin_stretch(struct nt_making *making, const struct nt_stretch *stretch, uint8_t free)
{
    if (stretch->entered_from != TN_NONE && making->config->planner->config->inclusive) {
        nt_argument(making, 0, stretch->entered_from | (uint64_t)stretch->function << 32);
        nt_call_c(making, NT_CALL_JUMPED);
    }
    making->segment = stretch->counter;
    if (!samples(making))
        making->clock_in = NT_NO_REG; /* the clock goes on */
    add_constant(making, of_thread(offsetof(struct tn_thread, clock)), stretch->clock, free);
    if (stretch->data)
        add_constant(making, of_thread(offsetof(struct tn_thread, data)), stretch->data, free);
    if (stretch->branches)
        add_constant(making, of_thread(offsetof(struct tn_thread, branches)), stretch->branches, free);
    count(making, stretch->counter, free);
}

/* ------------------------------------------------------------------------------------------ tests */

static void count_stamp(struct nt_making *making, const struct tn_l1_layout *l1, const struct registers *r,
                        uint32_t back)
{
    struct nt_emit *emit = &making->emit;

    uint8_t clock = r->c, now = r->m;

    if (clock == NT_NO_REG)
        nt_load(emit, clock = r->m, of_thread(offsetof(struct tn_thread, clock)));
    if (back)
        nt_address(emit, r->m, nt_at(clock, -(int32_t)back));
    else
        now = clock;
    nt_store(emit, of_way(l1, r->o, offsetof(struct tn_way, stamp)), now);
}

static struct nt_detour *new_detour(struct nt_making *making, uint8_t *from)
{
    struct nt_detour *to = &making->detours[making->detour_count++];

    *to = (struct nt_detour){.from = from, .back = making->emit.at, .near = making->emit.near};
    return to;
}

struct nt_detour *nt_detour(struct nt_making *making, uint8_t condition)
{
    return new_detour(making, nt_jcc(&making->emit, condition));
}

void nt_detour_unless_rcx(struct nt_making *making, enum nt_call call, uint64_t argument)
{
    uint8_t *over = nt_loop(&making->emit, NT_JRCXZ);
    struct nt_detour *to = new_detour(making, nt_jump(&making->emit));

    to->call = (uint8_t)call;
    to->argument = argument;
    nt_way8(&making->emit, over, making->emit.at);
}

static void test_line(struct nt_making *making, const struct nt_planned_run *run, const struct registers *r)
{
    struct nt_mem line = of_way(&layout_of(making)->i1, r->o, offsetof(struct tn_way, line));
    struct nt_emit *emit = &making->emit;

    if (nt_fits(run->line)) {
        nt_compare_constant(emit, line, (int32_t)run->line);
    } else {
        nt_constant(emit, r->m, run->line);
        nt_compare(emit, line, r->m);
    }
    struct nt_detour *slow = nt_detour(making, NT_NOT_EQUAL);
    slow->kind = NT_DETOUR_FETCH;
    slow->run = run;
    slow->o = r->o;
    slow->m = r->m;
}

static void test_run(struct nt_making *making, const struct nt_planned_run *run, const struct registers *r)
{
    const struct tn_l1_layout *l1 = &layout_of(making)->i1;
    struct nt_emit *emit = &making->emit;

    if (run->known && !making->config->planner->config->use)
        return;
    nt_load16(emit, r->o, of_thread(run->element));
    if (!run->known)
        test_line(making, run, r);
    if (making->config->planner->config->use) {
        add_constant(making, of_way(l1, r->o, offsetof(struct tn_way, use)), run->use, r->m);
        nt_constant(emit, r->m, run->mask);
        nt_or(emit, of_way(l1, r->o, offsetof(struct tn_way, mask)), r->m);
    }
    if (!run->known)
        count_stamp(making, l1, r, run->back);
}

/* Of the registers that the operand names only rax may be aside, for the flags: nt_count_before has brought back what
 * the instruction reads. */
static void operand_address(struct nt_making *making, const struct nt_access *access, const struct registers *r)
{
    struct nt_emit *emit = &making->emit;
    struct nt_mem mem = nt_at(access->base, (int32_t)access->displacement);

    if (access->kind != NT_LANES) { /* of these, where each element is depends on a vector: the base stands for them */
        mem.index = access->index;
        mem.scale = access->scale;
    }
    if (mem.base == NT_NO_REG && mem.index == NT_NO_REG) {
        uint64_t address = (uint64_t)access->displacement;
        nt_constant(emit, r->a, access->address_bits == 32 ? (uint32_t)address : address);
        return;
    }
    if (mem.base != NT_NO_REG && nt_is_aside(making, mem.base)) {
        nt_load(emit, r->a, nt_home(mem.base));
        mem.base = r->a;
    }
    if (mem.index != NT_NO_REG && nt_is_aside(making, mem.index)) {
        nt_load(emit, r->o, nt_home(mem.index));
        mem.index = r->o;
    }
    if (access->kind == NT_TABLE) { /* and al */
        if (nt_is_aside(making, NT_RAX))
            nt_load8(emit, r->o, nt_home(NT_RAX));
        else
            nt_move8(emit, r->o, NT_RAX);
        mem.index = r->o;
    }
    if (access->address_bits == 32)
        nt_address32(emit, r->a, mem);
    else
        nt_address(emit, r->a, mem);
}

static void address_of(struct nt_making *making, const struct nt_access *access, const struct registers *r)
{
    struct nt_emit *emit = &making->emit;

    operand_address(making, access, r);
    if (access->segment != NT_NO_SEGMENT)
        nt_add_to(emit, r->a, nt_gs(access->segment == NT_SEGMENT_FS ? NT_FS_BASE : NT_GS_BASE));
}

/* The way that the table leads to from the address in `a`. */
static void find_way(struct nt_making *making, uint32_t table, uint8_t a, uint8_t o)
{
    const struct tn_l1_layout *l1 = &layout_of(making)->d1;
    struct nt_emit *emit = &making->emit;
    struct nt_mem element = nt_at(o, (int32_t)table);

    nt_rotate32(emit, o, a, (uint8_t)(l1->line_bits - 1)); /* an element is two bytes */
    nt_and32(emit, o, l1->table_mask << 1);
    element.gs = true;
    nt_load16(emit, o, element);
}

/* What the address is compared with. */
static struct nt_mem line_of(const struct tn_l1_layout *l1, uint8_t o, const struct nt_planned_access *access)
{
    bool is_exclusive = l1->exclusive && access->kind != TN_READ;

    return is_exclusive ? of_word(l1, o, l1->exclusive) : of_way(l1, o, offsetof(struct tn_way, line));
}

/* What is added to the way that is found, but for its stamp. */
static void count_use(struct nt_making *making, const struct nt_planned_access *access, const struct registers *r)
{
    const struct tn_l1_layout *l1 = &layout_of(making)->d1;
    struct nt_emit *emit = &making->emit;

    if (making->config->planner->config->use) {
        add_constant(making, of_way(l1, r->o, offsetof(struct tn_way, use)),
                     1 | (uint64_t)access->size << TN_TOUCH_BITS, r->m);
        nt_constant(emit, r->m, ~0ull >> (64 - access->size));
        nt_shlx(emit, r->m, r->m, r->a);
        nt_or(emit, of_way(l1, r->o, offsetof(struct tn_way, mask)), r->m);
        if (l1->written && access->kind != TN_READ)
            nt_or(emit, of_word(l1, r->o, l1->written), r->m);
    }
}

/* The flags say whether the line is there. */
static void compare_data(struct nt_making *making, const struct nt_planned_access *access, const struct registers *r)
{
    const struct tn_l1_layout *l1 = &layout_of(making)->d1;

    find_way(making, access->table, r->a, r->o);
    nt_subtract(&making->emit, r->a, line_of(l1, r->o, access));
    nt_compare_register(&making->emit, r->a, (int32_t)(1u << l1->line_bits) - access->size);
}

static struct nt_detour *detour_data(struct nt_making *making, const struct nt_planned_access *access,
                                     const struct registers *r, uint8_t condition, enum nt_detour_kind kind)
{
    struct nt_detour *detour = nt_detour(making, condition);

    detour->kind = kind;
    detour->access = access;
    detour->o = r->o;
    detour->a = r->a;
    detour->m = r->m;
    return detour;
}

/* What an address, turned, is beyond if `size` bytes from there on reach into the next line. */
static uint64_t limit_of(const struct tn_layout *layout, unsigned size)
{
    unsigned bits = layout->d1.line_bits;

    return ((uint64_t)((1u << bits) - size + 1) << (64 - bits)) - 1;
}

void nt_count_thread(const struct nt_planner *planner, struct nt_area *area)
{
    const struct tn_layout *layout = tn_layout(planner->core);

    if (!planner->config->cache_sim)
        return;
    area->lines = layout->sampled;
    area->limit_of_4 = limit_of(layout, 4);
    area->limit_of_8 = limit_of(layout, 8);
}

/* The limits of most accesses are in the area, those of the others among the constants. */
static struct nt_mem limit_at(struct nt_making *making, unsigned size)
{
    const uint64_t **limit = &making->shared.limit[size];
    uint64_t value = limit_of(layout_of(making), size);

    if (size == 4 || size == 8)
        return nt_gs(size == 4 ? NT_LIMIT_OF_4 : NT_LIMIT_OF_8);
    if (!*limit) {
        nt_align(&making->cold, sizeof value, 0);
        *limit = (const uint64_t *)making->cold.at;
        nt_put(&making->cold, &value, sizeof value);
    }
    return nt_rip(*limit);
}

/* Leave the access out, unless it touches a line that is simulated. */
static void test_sampled(struct nt_making *making, const struct nt_planned_access *access, const struct registers *r)
{
    const struct tn_layout *layout = layout_of(making);
    struct nt_emit *emit = &making->emit;
    uint8_t lines = r->p;

    nt_rotate(emit, r->o, (uint8_t)layout->d1.line_bits);
    if (lines == NT_NO_REG)
        nt_load(emit, lines = r->m, nt_gs(NT_LINES));
    nt_test_bit(emit, lines, r->o);
    if (access->size > 1) {
        uint8_t *sampled = nt_loop(emit, NT_JC);
        nt_compare(emit, limit_at(making, access->size), r->o);
        nt_way8(emit, sampled, emit->at);
    }
    struct nt_detour *detour = detour_data(making, access, r, NT_BELOW, NT_DETOUR_SAMPLED);
    if (r->m == NT_NO_REG) {
        detour->m = lines;
        detour->holds_lines = true;
    }
}

static void test_data(struct nt_making *making, const struct nt_planned_access *access, const struct registers *r)
{
    if (samples(making)) {
        test_sampled(making, access, r);
        return;
    }
    compare_data(making, access, r);
    detour_data(making, access, r, NT_ABOVE, NT_DETOUR_MISSED);
    count_use(making, access, r);
    count_stamp(making, &layout_of(making)->d1, r, access->back);
}

static void do_whole(struct nt_making *making, uint8_t address, uint32_t id)
{
    nt_store(&making->emit, nt_gs(NT_ARGS), address);
    nt_store32_constant(&making->emit, nt_gs(NT_ARGS + 8), id);
    nt_call_c(making, NT_CALL_WHOLE_DATA);
}

static void test_access(struct nt_making *making, const struct nt_planned_access *access, const struct registers *r)
{
    address_of(making, &making->insn[access->insn].access[access->which], r);
    if (access->whole)
        do_whole(making, r->a, access->id);
    else
        test_data(making, access, r);
}

/* ------------------------------------------------------------------------------------------ detours */

/* Detours are many and run seldom, so what they do is in code that those with the same registers share. They call it on
 * the engine's stack, with the program's stack pointer in a free register, and say what else differs in instructions
 * behind the call that only change flags. */
enum { ID = 1, BACK = 6 }; /* where these constants are, from the return address on */
/* In shared code that has pushed so many registers. */
static void take_constant(struct nt_emit *emit, uint8_t free, unsigned pushed, int32_t which)
{
    nt_load(emit, free, nt_at(NT_RSP, 8 * (int32_t)pushed));
    nt_load32(emit, free, nt_at(free, which));
}

static void take_id(struct nt_emit *emit, uint8_t free, unsigned pushed, int32_t argument)
{
    take_constant(emit, free, pushed, ID);
    nt_store32(emit, nt_gs(argument), free);
}

/* The line is not where the table says. The address is the difference and what was subtracted; of it the mask's shift
 * takes six bits. */
static void miss_data(struct nt_making *making, const struct nt_planned_access *access, uint8_t a, uint8_t o,
                      unsigned pushed)
{
    const struct tn_l1_layout *l1 = &layout_of(making)->d1;
    struct nt_emit *emit = &making->emit;

    nt_add_to(emit, a, line_of(l1, o, access));
    nt_prefetch(emit, nt_at(a, 0));
    nt_store(emit, nt_gs(NT_ARGS), a);
    take_id(emit, o, pushed, NT_ARGS + 8);
    nt_call_memory(emit, nt_gs(NT_CALLS + 8 * NT_CALL_SLOW_DATA));
    find_way(making, access->table, a, o);
    nt_and32(emit, a, (1u << l1->line_bits) - 1);
}

/* Two registers besides the one with the address, pushed. */
static struct registers push_two(struct nt_emit *emit, uint8_t a)
{
    struct registers r = {.a = a, .c = NT_NO_REG, .p = NT_NO_REG};

    r.o = a == NT_RCX ? NT_RBX : NT_RCX;
    r.m = a == NT_RDX ? NT_RBX : NT_RDX;
    nt_push_register(emit, r.o);
    nt_push_register(emit, r.m);
    return r;
}

static void pop_two(struct nt_emit *emit, const struct registers *r)
{
    nt_pop_register(emit, r->m);
    nt_pop_register(emit, r->o);
    nt_return(emit);
}

/* The access touches a line that is simulated, or two lines. */
static void do_sampled(struct nt_making *making, const struct nt_detour *to)
{
    const struct tn_layout *layout = layout_of(making);
    struct nt_emit *emit = &making->emit;
    const struct registers r = push_two(emit, to->a);
    uint8_t turn = (uint8_t)(64 - layout->d1.line_bits);

    nt_load(emit, r.m, nt_gs(NT_LINES));
    nt_test_bit(emit, r.m, r.a);
    uint8_t *second = nt_jcc(emit, NT_ABOVE_OR_EQUAL);
    nt_rotate(emit, r.a, turn);
    compare_data(making, to->access, &r);
    uint8_t *found = nt_jcc(emit, NT_BELOW_OR_EQUAL);
    miss_data(making, to->access, r.a, r.o, 2);
    nt_way(found, emit->at);
    count_use(making, to->access, &r);
    take_constant(emit, r.m, 2, BACK);
    nt_load(emit, r.a, of_thread(offsetof(struct tn_thread, clock)));
    nt_subtract_register(emit, r.a, r.m);
    nt_store(emit, of_way(&layout->d1, r.o, offsetof(struct tn_way, stamp)), r.a);
    pop_two(emit, &r);

    nt_way(second, emit->at);
    nt_address(emit, r.o, nt_at(r.a, 1));
    nt_test_bit(emit, r.m, r.o);
    uint8_t *neither = nt_jcc(emit, NT_ABOVE_OR_EQUAL);
    nt_rotate(emit, r.a, turn);
    nt_store(emit, nt_gs(NT_ARGS), r.a);
    take_id(emit, r.o, 2, NT_ARGS + 8);
    nt_call_memory(emit, nt_gs(NT_CALLS + 8 * NT_CALL_WHOLE_DATA));
    nt_way(neither, emit->at);
    pop_two(emit, &r);
}

static const uint8_t *make_shared(struct nt_making *making, const struct nt_detour *slow)
{
    struct nt_emit *emit = &making->emit;
    const uint8_t *begin = emit->at;
    bool near = emit->near;

    emit->near = false; /* not everywhere that it is called from */
    switch (slow->kind) {
    case NT_DETOUR_SAMPLED:
        do_sampled(making, slow);
        break;
    case NT_DETOUR_MISSED:
        miss_data(making, slow->access, slow->a, slow->o, 0);
        nt_return(emit);
        break;
    default:
        take_id(emit, slow->o, 0, NT_ARGS);
        nt_jump_memory(emit, nt_gs(NT_CALLS + 8 * NT_CALL_SLOW_FETCH));
    }
    emit->near = near;
    return begin;
}

/* What they share is made when it is asked for first, in front of the detour. Accesses that look in another table than
 * the first are few; theirs is made for each. */
static const uint8_t *shared_by(struct nt_making *making, const struct nt_detour *slow)
{
    const struct tn_l1_layout *l1 = &layout_of(making)->d1;
    struct nt_shared *shared = &making->shared;
    const uint8_t **made;

    if (slow->kind == NT_DETOUR_FETCH) {
        made = &shared->fetch[slow->o];
    } else if (slow->access->table != l1->table) {
        return make_shared(making, slow);
    } else {
        bool writes = (l1->exclusive || l1->written) && slow->access->kind != TN_READ;
        made = slow->kind == NT_DETOUR_MISSED ? &shared->missed[writes][slow->a][slow->o]
                                              : &shared->sampled[writes][slow->a][slow->access->size];
    }
    return *made ? *made : (*made = make_shared(making, slow));
}

static void call_shared(struct nt_making *making, const struct nt_detour *slow, uint32_t id, const uint32_t *back)
{
    const uint8_t *shared = shared_by(making, slow);
    struct nt_emit *emit = &making->emit;

    nt_way(slow->from, emit->at);
    nt_move(emit, slow->m, NT_RSP);
    nt_load(emit, NT_RSP, nt_gs(NT_ENGINE_SP));
    nt_way(nt_call(emit), shared);
    nt_test_eax(emit, id);
    if (back)
        nt_test_eax(emit, *back);
    nt_move(emit, NT_RSP, slow->m);
}

void nt_count_detours(struct nt_making *making)
{
    struct nt_emit hot = making->emit;

    making->emit = making->cold;
    for (unsigned i = 0; i < making->detour_count; i++) {
        const struct nt_detour *slow = &making->detours[i];
        making->emit.near = slow->near;
        switch (slow->kind) {
        case NT_DETOUR_FETCH:
            call_shared(making, slow, slow->run->id, NULL);
            nt_load16(&making->emit, slow->o, of_thread(slow->run->element));
            break;
        case NT_DETOUR_SAMPLED:
            call_shared(making, slow, slow->access->id, &slow->access->back);
            if (slow->holds_lines)
                nt_load(&making->emit, slow->m, nt_gs(NT_LINES));
            break;
        case NT_DETOUR_MISSED:
            call_shared(making, slow, slow->access->id, NULL);
            break;
        case NT_DETOUR_CALL:
            nt_way(slow->from, making->emit.at);
            nt_argument(making, 0, slow->argument);
            nt_call_c(making, (enum nt_call)slow->call);
        }
        uint8_t *back = nt_jump(&making->emit);
        nt_way(back, slow->back);
    }
    making->cold = making->emit;
    making->emit = hot;
}

/* ------------------------------------------------------------------------------------------ instructions */

void nt_count_plan(struct nt_making *making)
{
    unsigned count = making->count;

    making->detour_count = 0;
    making->segment = TN_NONE;
    making->now = (struct nt_counting){0};
    making->plan.stretches = making->plan.runs = making->plan.accesses = 0;
    if (count > 0 && making->insn[count - 1].kind == NT_IS_NOTHING)
        count--;
    if (making->config->planner && count > 0)
        nt_plan_make(making->config->planner, making->insn, count, &making->plan);
}

static bool begins_stretch(const struct nt_making *making, unsigned i)
{
    const struct nt_plan *plan = &making->plan;

    return making->now.stretch < plan->stretches && plan->stretch[making->now.stretch].insn == i;
}

static struct nt_single *single_of(const struct nt_making *making, unsigned i)
{
    const struct nt_counting *now = &making->now;
    const struct nt_stretch *stretch = now->stretch ? &making->plan.stretch[now->stretch - 1] : NULL;

    return stretch && i + 1 == (unsigned)stretch->insn + stretch->insns ? stretch->single : NULL;
}

/* More than one stamp is to be made, or line to be tested for being sampled, in what is left of the stretch. */
static bool wants_clock(const struct nt_making *making)
{
    const struct nt_plan *plan = &making->plan;
    const struct nt_counting *now = &making->now;
    const struct nt_stretch *stretch = &plan->stretch[now->stretch - 1];
    unsigned end = stretch->insn + stretch->insns, times = 0;

    for (unsigned i = now->run; !samples(making) && i < plan->runs && plan->run[i].insn < end; i++)
        times += !plan->run[i].known;
    for (unsigned i = now->access; i < plan->accesses && plan->access[i].insn < end; i++)
        times += !plan->access[i].whole;
    return times > 1;
}

static bool has_run(const struct nt_making *making, unsigned i)
{
    return making->now.run < making->plan.runs && making->plan.run[making->now.run].insn == i;
}

/* Registers for a hit test. For the clock: the register that holds it already, or one more if that is worth it. */
static struct registers take_registers(struct nt_making *making, unsigned i, uint16_t avoid)
{
    uint16_t from = NT_MAY_BE_TAKEN & (uint16_t)~(making->insn[i].reads | avoid);
    struct registers r = {.m = NT_NO_REG, .c = NT_NO_REG, .p = NT_NO_REG};

    if (making->clock_in != NT_NO_REG)
        from &= (uint16_t)~(1u << making->clock_in);
    r.a = r.o = nt_take(making, i, from);
    from &= (uint16_t)~(1u << r.o);
    if (begins_stretch(making, i))
        begin_stretch(making, &making->plan.stretch[making->now.stretch++], r.o);
    if (making->clock_in == NT_NO_REG && wants_clock(making)) {
        making->clock_in = nt_take(making, i, from);
        from &= (uint16_t)~(1u << making->clock_in);
        if (samples(making))
            nt_load(&making->emit, making->clock_in, nt_gs(NT_LINES));
        else
            nt_load(&making->emit, making->clock_in, of_thread(offsetof(struct tn_thread, clock)));
    }
    *(samples(making) ? &r.p : &r.c) = making->clock_in;
    if (!samples(making) || r.p == NT_NO_REG || has_run(making, i))
        r.m = nt_take(making, i, from);
    if (!samples(making))
        r.a = nt_take(making, i, from & (uint16_t)~(1u << r.m));
    return r;
}

static bool has_costs(const struct nt_making *making, unsigned i)
{
    const struct nt_plan *plan = &making->plan;
    const struct nt_counting *now = &making->now;

    return begins_stretch(making, i) || has_run(making, i) ||
           (now->access < plan->accesses && plan->access[now->access].insn == i);
}

/* Flags stay as they are. */
static void advance_clock(struct nt_making *making, unsigned i)
{
    const struct nt_stretch *stretch = &making->plan.stretch[making->now.stretch++];
    struct nt_mem clock = of_thread(offsetof(struct tn_thread, clock));
    uint8_t reg = nt_take(making, i, NT_MAY_BE_TAKEN & (uint16_t)~making->insn[i].reads);

    making->segment = stretch->counter;
    nt_load(&making->emit, reg, clock);
    nt_address(&making->emit, reg, nt_at(reg, (int32_t)stretch->clock));
    nt_store(&making->emit, clock, reg);
}

void nt_count_before(struct nt_making *making, unsigned i)
{
    const struct nt_plan *plan = &making->plan;
    struct nt_counting *now = &making->now;
    uint16_t flags = making->flags[i];

    if (!has_costs(making, i))
        return;
    if (making->config->planner->clock_only) {
        advance_clock(making, i);
        return;
    }
    nt_bring_back(making, making->insn[i].reads & (uint16_t)~(flags ? 1 << NT_RAX : 0));
    if (flags)
        nt_put_aside(making, NT_RAX);
    if (flags & NT_FLAG_OF)
        nt_flags_to_rax(&making->emit);
    else if (flags)
        nt_flags_but_overflow_to_rax(&making->emit);
    struct registers r = take_registers(making, i, flags ? 1 << NT_RAX : 0);
    while (has_run(making, i))
        test_run(making, &plan->run[now->run++], &r);
    while (now->access < plan->accesses && plan->access[now->access].insn == i)
        test_access(making, &plan->access[now->access++], &r);
    if (flags & NT_FLAG_OF)
        nt_flags_from_rax(&making->emit);
    else if (flags)
        nt_flags_but_overflow_from_rax(&making->emit);
}

/* The mask and the indices, for nt_lanes.c. */
static void show_lanes(struct nt_making *making, const struct nt_insn *insn)
{
    const struct nt_access *access = &insn->access[0];
    unsigned bits = insn->encoding == NT_EVEX ? 512 : 256;

    if (!nt_lanes_are(access))
        return;
    if (access->kind == NT_LANES)
        nt_store_vector(&making->emit, nt_gs(NT_INDICES), access->index, bits);
    if (access->kind == NT_MASKED_SIGN || access->by_sign)
        nt_store_vector(&making->emit, nt_gs(NT_SIGNS), access->mask, bits);
    else if (access->mask != NT_NO_REG)
        nt_store_opmask(&making->emit, nt_gs(NT_OPMASK), access->mask, access->lanes > 16 ? 64 : 16);
}

static void count_single(struct nt_making *making, unsigned i, const struct nt_single *single)
{
    nt_settle(making);
    if (!single->behind)
        show_lanes(making, &making->insn[i]);
    nt_argument(making, 0, (uintptr_t)single);
    nt_call_c(making, NT_CALL_SINGLE);
}

void nt_count_at(struct nt_making *making, unsigned i)
{
    const struct nt_single *single = single_of(making, i);

    if (!single)
        return;
    if (single->behind) {
        nt_store(&making->emit, nt_gs(NT_BEFORE), NT_RCX);
        nt_store(&making->emit, nt_gs(NT_BEFORE + 8), NT_RSI);
        nt_store(&making->emit, nt_gs(NT_BEFORE + 16), NT_RDI);
    } else {
        count_single(making, i, single);
        nt_aside_before(making, i);
    }
}

void nt_count_behind(struct nt_making *making, unsigned i)
{
    const struct nt_single *single = single_of(making, i);

    if (single && single->behind)
        count_single(making, i, single);
}
