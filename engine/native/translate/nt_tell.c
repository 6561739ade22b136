/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_tell.c: control flow between functions and branches, told to the core by generated code.
 *
 * For instruction `i`, which leaves the block. What is known at translation is decided there: a jump inside its
 * function emits nothing, an indirect one compares its target with the function's range. Without simulation all of
 * this emits nothing. No register but r11 is aside when it begins or ends, save where a condition is told; flags are
 * kept.
 *
 * A conditional branch learns in line, as core/tenure_core.h says of struct tn_branch; what was predicted wrong, and an
 * indirect branch that does not go where it went last, is told behind the block:
 *
 *     movzx h, history
 *     movzx ecx, counters[h]
 *     movzx ecx, next[rcx + taken * 2] ; mov counters[h], cl
 *     lea   t, [taken + h] ; lea t, [t + t] ; mov history, t
 *     movzx ecx, ch ; jrcxz right ; jmp detour
 *   right:
 */
#include "nt_aside.h"
#include "nt_count.h"

static bool tells(const struct nt_making *making)
{
    return making->config->planner && making->config->planner->config->inclusive;
}

static bool tells_branches(const struct nt_making *making)
{
    return making->config->planner && making->config->planner->config->branch_sim;
}

enum { NO_CONDITION = 16 };

static uint32_t function_at(const struct nt_making *making, uint64_t pc)
{
    struct code_function function = making->plan.function;

    if (pc < function.start || pc >= function.end)
        code_map_function(making->config->planner->map, pc, &function);
    return function.id;
}

/* The instruction, and a function. */
static void names(struct nt_making *making, unsigned i, uint32_t function)
{
    nt_argument(making, 0, making->plan.site[i] | (uint64_t)function << 32);
}

static bool is_skipped(const struct nt_making *making, uint32_t function)
{
    return tn_function_skipped(making->config->planner->core, function);
}

void nt_tell_site(struct nt_making *making, unsigned i)
{
    if (tells(making))
        names(making, i, making->plan.function_of[i]);
}

bool nt_tells_jump(const struct nt_making *making, unsigned i, uint64_t pc)
{
    return tells(making) && function_at(making, pc) != making->plan.function_of[i];
}

void nt_tell_jump(struct nt_making *making, unsigned i, uint64_t pc)
{
    if (!nt_tells_jump(making, i, pc))
        return;
    names(making, i, function_at(making, pc));
    nt_call_keeping_flags(making, NT_CALL_JUMPED);
}

/* Of the thread's predictor. */
static struct nt_mem predictor(const struct nt_making *making, size_t offset)
{
    return nt_gs((int32_t)(tn_layout(making->config->planner->core)->branch + offset));
}

/* `condition`: NO_CONDITION, if it is known whether the branch is `taken`. */
static void tell_branch(struct nt_making *making, unsigned i, uint8_t condition, bool is_taken)
{
    struct nt_emit *emit = &making->emit;
    uint16_t from = NT_MAY_BE_TAKEN & ~(1 << NT_RCX);

    nt_put_aside(making, NT_RCX);
    uint8_t history = nt_take(making, i, from), taken = nt_take(making, i, from & (uint16_t)~(1u << history));
    struct nt_mem last = predictor(making, offsetof(struct tn_branch, history));
    struct nt_mem next = predictor(making, offsetof(struct tn_branch, next));
    struct nt_mem counter =
        predictor(making, offsetof(struct tn_branch, counter) + tn_branch_counters(making->insn[i].pc));
    next.base = NT_RCX;
    next.index = taken;
    next.scale = 2;
    counter.base = history;

    nt_constant(emit, taken, is_taken);
    if (condition != NO_CONDITION)
        nt_set(emit, condition, taken);
    nt_load8(emit, history, last);
    nt_load8(emit, NT_RCX, counter);
    nt_load16(emit, NT_RCX, next);
    nt_store8(emit, counter, NT_RCX);
    nt_sum(emit, taken, taken, history);
    nt_sum(emit, taken, taken, taken);
    nt_store8(emit, last, taken);
    nt_second_of_rcx(emit);
    nt_detour_unless_rcx(making, NT_CALL_BRANCHED, making->plan.site[i]);
}

void nt_tell_condition(struct nt_making *making, unsigned i)
{
    if (tells_branches(making) && making->insn[i].kind == NT_IS_JCC)
        tell_branch(making, i, making->insn[i].condition, false);
}

void nt_tell_taken(struct nt_making *making, unsigned i, bool taken)
{
    if (!tells_branches(making))
        return;
    making->homed = making->aside; /* what the other way put aside was not put aside on this one */
    tell_branch(making, i, NO_CONDITION, taken);
    nt_settle(making);
}

void nt_tell_allocation(struct nt_making *making)
{
    static const uint8_t arguments[TN_ARGUMENTS] = {NT_RDI, NT_RSI, NT_RDX, NT_RCX, NT_RAX};

    if (!tells(making) || making->plan.stretches == 0 ||
        !tn_function_allocates(making->config->planner->core, making->plan.function_of[0], making->insn[0].pc))
        return;
    for (unsigned i = 0; i < TN_ARGUMENTS; i++)
        nt_store(&making->emit, nt_home(arguments[i]), arguments[i]);
    names(making, 0, making->plan.function_of[0]);
    nt_call_keeping_flags(making, NT_CALL_ALLOCATES);
}

static bool is_at_end(const struct nt_making *making, unsigned i)
{
    return function_at(making, nt_behind(&making->insn[i])) != making->plan.function_of[i];
}

void nt_tell_call(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];

    if (!tells(making) || insn->target == nt_behind(insn))
        return;
    uint32_t function = code_map_callee_id(making->config->planner->map, insn->target);
    names(making, i, function);
    nt_call_keeping_flags(making, is_at_end(making, i)             ? NT_CALL_CALLED_LAST
                                  : is_skipped(making, function) ? NT_CALL_CALLED_SKIPPED
                                                                 : NT_CALL_CALLED);
}

static void tell_branch_found(struct nt_making *making, unsigned i)
{
    if (!tells_branches(making))
        return;
    nt_put_aside(making, NT_RCX);
    nt_put_aside(making, NT_RDX);
    nt_load(&making->emit, NT_RCX, predictor(making, offsetof(struct tn_branch, target) +
                                                     making->insn[i].pc % TN_INDIRECT_TARGETS * 8));
    nt_not_rcx(&making->emit);
    nt_load(&making->emit, NT_RDX, nt_gs(NT_RIP));
    nt_compare_complement(&making->emit, NT_RCX, NT_RDX);
    nt_detour_unless_rcx(making, NT_CALL_BRANCHED_TO, making->plan.site[i]);
    nt_settle(making);
}

static void names_site(struct nt_making *making, unsigned i)
{
    nt_store32_constant(&making->emit, nt_gs(NT_SITE), making->plan.site[i]);
}

bool nt_tell_call_found(struct nt_making *making, unsigned i)
{
    tell_branch_found(making, i);
    if (!tells(making))
        return false;
    names_site(making, i);
    nt_call_keeping_flags(making, is_at_end(making, i) ? NT_CALL_CALLED_FOUND_LAST : NT_CALL_CALLED_FOUND);
    return true;
}

/* If it is out of the function's range: told behind the block. */
static void compare_with_range(struct nt_making *making, unsigned i)
{
    const struct code_function *function = &making->plan.function;
    struct nt_emit *emit = &making->emit;

    nt_put_aside(making, NT_RAX);
    nt_put_aside(making, NT_RCX);
    nt_put_aside(making, NT_RDX);
    nt_flags_to_rax(emit);
    nt_load(emit, NT_RCX, nt_gs(NT_RIP));
    nt_constant(emit, NT_RDX, function->start);
    nt_subtract_register(emit, NT_RCX, NT_RDX);
    nt_constant(emit, NT_RDX, function->end - function->start);
    nt_compare_registers(emit, NT_RCX, NT_RDX);
    struct nt_detour *away = nt_detour(making, NT_ABOVE_OR_EQUAL);
    away->call = NT_CALL_JUMPED_FOUND;
    away->argument = making->plan.site[i] | (uint64_t)function->id << 32;
    nt_flags_from_rax(emit);
    nt_settle(making);
}

bool nt_tell_jump_found(struct nt_making *making, unsigned i)
{
    uint32_t function = making->plan.function.id;

    tell_branch_found(making, i);
    if (!tells(making))
        return false;
    if (!is_skipped(making, function)) {
        compare_with_range(making, i);
        return false;
    }
    names(making, i, function);
    nt_call_keeping_flags(making, NT_CALL_JUMPED_FOUND);
    return true;
}

void nt_tell_return(struct nt_making *making, unsigned i, uint64_t bytes)
{
    if (!tells(making))
        return;
    nt_load(&making->emit, NT_RDX, nt_at(NT_RSP, 0)); /* may fault, here */
    names_site(making, i);
    if (bytes != 8)
        nt_store32_constant(&making->emit, nt_gs(NT_FUNCTION), (uint32_t)bytes);
    nt_call_keeping_flags(making, bytes == 8 ? NT_CALL_RETURNED : NT_CALL_RETURNED_MORE);
}
