/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_plan.c: see nt_plan.h.
 */
#include "nt_plan.h"

#include "core/cache_hot.h"
#include "engine/common/fetch_run.h"
#include "nt_single.h"

struct making {
    struct nt_planner *planner;
    const struct nt_insn *insn;
    unsigned count;
    struct nt_plan *plan;
    struct fetch_insn fetch[NT_BLOCK_INSNS];
    uint32_t reads[NT_BLOCK_INSNS], writes[NT_BLOCK_INSNS]; /* that always happen */
};

/* ------------------------------------------------------------------------------------------ instructions */

/* A locked read-modify-write, and xchg with memory, reads first and then swaps: two accesses. A compare-and-swap is
 * one. */
static bool is_swap(const struct nt_insn *insn, const struct nt_access *access)
{
    enum { XCHG = 0x86, CMPXCHG = 0xb0, CMPXCHG_WIDE = 0xc7, ESCAPE = 0x0f };
    uint8_t opcode = insn->bytes[insn->opcode], width = 1;
    bool two_bytes = insn->opcode > 0 && insn->bytes[insn->opcode - 1] == ESCAPE;

    if (access->how != NT_MODIFY || insn->encoding != NT_LEGACY || !insn->memory)
        return false;
    if (!two_bytes && (opcode & ~width) == XCHG)
        return true;
    bool compares = two_bytes && ((opcode & ~width) == CMPXCHG || opcode == CMPXCHG_WIDE);
    return insn->locked && !compares;
}

static void count_accesses(struct making *m, unsigned i)
{
    const struct nt_insn *insn = &m->insn[i];

    if (m->planner->clock_only) /* then neither the clock nor data knows of them */
        return;
    if (nt_single_is(insn)) {
        if (insn->access[0].kind == NT_BIT) /* of the others, none that always happens */
            m->reads[i] = 1 + insn->locked;
        return;
    }
    for (unsigned k = 0; k < insn->accesses; k++) {
        const struct nt_access *access = &insn->access[k];
        m->reads[i] += (access->how & NT_READ ? 1 : 0) + (is_swap(insn, access) ? 1 : 0);
        m->writes[i] += access->how == NT_WRITE;
    }
}

static uint8_t flags_of(const struct nt_insn *insn)
{
    switch (insn->kind) {
    case NT_IS_JCC:
    case NT_IS_LOOP:
        return TN_INSTR_COND;
    case NT_IS_CALL:
        return TN_INSTR_CALL;
    case NT_IS_CALL_INDIRECT:
        return TN_INSTR_CALL | TN_INSTR_INDIRECT;
    case NT_IS_JUMP_INDIRECT:
        return TN_INSTR_INDIRECT;
    case NT_IS_RETURN:
        return TN_INSTR_RETURN;
    default:
        return insn->repeated ? TN_INSTR_COND : 0;
    }
}

static void plan_name(struct making *m, unsigned i)
{
    const struct nt_insn *insn = &m->insn[i];
    struct code_function *function = &m->plan->function;

    if (i == 0 || insn->pc < function->start || insn->pc >= function->end)
        code_map_function(m->planner->map, insn->pc, function);
    m->plan->function_of[i] = function->id;
    struct tn_instr_info info = {.address = insn->pc,
                                 .function = function->id,
                                 .length = insn->length,
                                 .flags = flags_of(insn),
                                 .reads = (uint16_t)m->reads[i],
                                 .writes = (uint16_t)m->writes[i]};
    m->plan->site[i] = tn_instr(m->planner->core, &info);
}

/* ------------------------------------------------------------------------------------------ stretches */

static void plan_cut(struct making *m)
{
    struct nt_stretch *stretch = NULL;

    for (unsigned i = 0; i < m->count; i++) {
        const struct nt_insn *insn = &m->insn[i];
        uint32_t function = m->plan->function_of[i];
        bool left = i > 0 && (nt_single_is(insn - 1) || insn[-1].kind == NT_IS_JCC);
        bool fell = i > 0 && function != m->plan->function_of[i - 1];
        uint8_t flags = flags_of(insn);
        if (i == 0 || left || fell) {
            stretch = &m->plan->stretch[m->plan->stretches++];
            *stretch = (struct nt_stretch){
                .insn = (uint8_t)i, .function = function, .entered_from = fell ? m->plan->site[i - 1] : TN_NONE};
        }
        m->fetch[i] = (struct fetch_insn){insn->pc, insn->length, stretch->accesses, m->plan->site[i]};
        stretch->insns++;
        stretch->accesses += 1 + m->reads[i] + m->writes[i];
        stretch->data += m->reads[i] | (uint64_t)m->writes[i] << 32;
        if (m->planner->config->branch_sim)
            stretch->branches += (flags & TN_INSTR_COND ? 1 : 0) | (flags & TN_INSTR_INDIRECT ? 1ull << 32 : 0);
    }
    for (unsigned s = 0; s < m->plan->stretches; s++) {
        stretch = &m->plan->stretch[s];
        stretch->clock = (uint64_t)stretch->accesses * TN_STEP;
        stretch->counter = tn_segment(m->planner->core, &m->plan->site[stretch->insn], stretch->insns);
    }
}

/* ------------------------------------------------------------------------------------------ what is tested */

static void plan_run(struct making *m, const struct nt_stretch *stretch, unsigned i, uint64_t line, bool known)
{
    const struct tn_l1_layout *l1 = &tn_layout(m->planner->core)->i1;
    struct nt_planned_run *run = &m->plan->run[m->plan->runs++];
    unsigned rest = stretch->insn + stretch->insns - i;
    struct tn_fetch_info info;

    fetch_run(l1, &m->fetch[i], rest, stretch->accesses, line, &info);
    *run = (struct nt_planned_run){.insn = (uint8_t)i,
                                   .known = known,
                                   .id = known ? TN_NONE : tn_fetch(m->planner->core, &info),
                                   .element = l1->table + 2 * (uint32_t)(line >> l1->line_bits & l1->table_mask),
                                   .line = line,
                                   .use = tn_fetch_use(&info),
                                   .mask = info.mask,
                                   .back = tn_fetch_stamp_back(&info)};
}

/* The runs that begin with instruction `i`; *fetched is the line that the last one was from, in this stretch or one in
 * front of it. */
static void plan_fetches(struct making *m, const struct nt_stretch *stretch, unsigned i, uint64_t *fetched)
{
    uint64_t size = 1ull << tn_layout(m->planner->core)->i1.line_bits;
    uint64_t line = m->insn[i].pc & -size, last = (m->insn[i].pc + m->insn[i].length - 1) & -size;

    for (; line <= last; line += size) {
        if (!tn_is_sampled(tn_layout(m->planner->core), line))
            continue;
        if (line != *fetched || i == stretch->insn)
            plan_run(m, stretch, i, line, line == *fetched && !tn_any_i1_is_rrip(m->planner->config));
        *fetched = line;
    }
}

/* Its address is known. */
static bool is_constant(const struct nt_access *access)
{
    return access->base == NT_NO_REG && access->index == NT_NO_REG && access->segment == NT_NO_SEGMENT &&
           access->kind == NT_ONE && access->address_bits != 32;
}

static void plan_access(struct making *m, const struct nt_stretch *stretch, unsigned i, unsigned which, uint8_t kind,
                        uint32_t order)
{
    const struct tn_l1_layout *l1 = &tn_layout(m->planner->core)->d1;
    const struct tn_layout *layout = tn_layout(m->planner->core);
    const struct nt_access *where = &m->insn[i].access[which];
    uint16_t size = (uint16_t)nt_access_bytes(where);
    if (is_constant(where) && !tn_hot_sampled(layout, (uint64_t)where->displacement, size))
        return;
    struct nt_planned_access *access = &m->plan->access[m->plan->accesses++];
    uint32_t back = (stretch->accesses - order) * TN_STEP;
    struct tn_access_info info = {.instr = m->plan->site[i], .back = back, .size = size, .kind = kind};
    uint32_t id = tn_access(m->planner->core, &info);

    *access = (struct nt_planned_access){
        .insn = (uint8_t)i, .which = (uint8_t)which, .kind = kind, .size = size, .back = back, .id = id};
    access->whole = size > 1u << l1->line_bits || l1->granule_bits > 0 || !m->planner->shifts ||
                    (layout->sampled != ~0ull && layout->class_bits != l1->line_bits);
    if (!access->whole)
        access->id = tn_access_now(m->planner->core, id, &access->table);
}

/* Reads come before writes: pop m reads the stack, push m the operand. */
static void plan_accesses(struct making *m, const struct nt_stretch *stretch, unsigned i)
{
    const struct nt_insn *insn = &m->insn[i];
    uint32_t order = m->fetch[i].order + 1;

    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned k = 0; k < insn->accesses; k++) {
            const struct nt_access *access = &insn->access[k];
            bool swap = is_swap(insn, access);
            if ((access->how == NT_WRITE) != (pass == 1))
                continue;
            if (swap)
                plan_access(m, stretch, i, k, TN_READ, order++);
            plan_access(m, stretch, i, k, access->past              ? TN_WRITE_PAST
                                          : access->how == NT_WRITE ? TN_WRITE
                                          : access->how == NT_READ  ? TN_READ
                                                                    : TN_MODIFY,
                        order++);
        }
    }
}

enum { NO_LINE = 1 }; /* no line's address */

void nt_plan_make(struct nt_planner *planner, const struct nt_insn *insn, unsigned count, struct nt_plan *plan)
{
    struct making m = {.planner = planner, .insn = insn, .count = count, .plan = plan};
    uint64_t fetched = NO_LINE;

    plan->stretches = plan->accesses = plan->runs = 0;
    for (unsigned i = 0; i < count; i++) {
        count_accesses(&m, i);
        plan_name(&m, i);
    }
    plan_cut(&m);
    for (unsigned s = 0; s < plan->stretches; s++) {
        struct nt_stretch *stretch = &plan->stretch[s];
        if (stretch->entered_from != TN_NONE)
            fetched = NO_LINE; /* the core may do anything in tn_jump */
        for (unsigned i = stretch->insn; i < (unsigned)stretch->insn + stretch->insns; i++) {
            if (planner->config->cache_sim)
                plan_fetches(&m, stretch, i, &fetched);
            if (nt_single_is(&insn[i]))
                stretch->single = nt_single_make(planner, &insn[i], plan->site[i]);
            else if (planner->config->cache_sim)
                plan_accesses(&m, stretch, i);
        }
    }
}
