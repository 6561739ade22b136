/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_flow.c: see symbols_flow.h. Copies are followed through registers, stack slots and additions of constants,
 * along the straight path and, where that leads to nothing, along each branch taken; a call leaves what functions must
 * keep.
 */
#include "profile/code/symbols_flow.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "profile/objects/symbols_types.h"
#include "profile/objects/symbols_variables.h"
#include "tenure_config.h"

#if TENURE_HAVE_ZYDIS

#include <Zydis/Zydis.h>

/* ------------------------------------------------------------------------------------------ what is known */

static int flow_by_address(const void *a, const void *b)
{
    const struct tp_flow_named *x = a, *y = b;

    return TP_COMPARE(x->address, y->address);
}

/* What an address of a function that allocates is marked with: whether the number of elements may be kept in front. */
enum { ALLOCATES = 1, ALLOCATES_COUNTED };

/* Functions that allocate go by their names. */
static void mark(struct tp_flow *flow, uint64_t address, const char *name)
{
    bool counted = name && strncmp(name, "_Znam", 5) == 0;

    if (name && (counted || strstr(name, "alloc") || strstr(name, "memalign") || strncmp(name, "_Znwm", 5) == 0))
        tp_idmap_add(&flow->allocators, address, counted ? ALLOCATES_COUNTED : ALLOCATES);
}

/* Words that the loader fills in with the addresses of such functions. */
static void read_relocations(struct tp_flow *flow, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf *elf = flow->image->elf;
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Scn *table = elf_getscn(elf, header->sh_link);
    Elf_Data *symbols = table ? elf_getdata(table, NULL) : NULL;
    GElf_Shdr names;
    GElf_Rela rela;
    GElf_Sym symbol;

    if (!data || !symbols || !gelf_getshdr(table, &names))
        return;
    for (int i = 0; gelf_getrela(data, i, &rela); i++) {
        int index = (int)GELF_R_SYM(rela.r_info);
        if (index && gelf_getsym(symbols, index, &symbol))
            mark(flow, rela.r_offset, elf_strptr(elf, names.sh_link, symbol.st_name));
    }
}

static const struct tp_flow_named *function_at(const struct tp_flow *flow, uint64_t address)
{
    struct tp_flow_named key = {.address = address};

    return flow->functions.count ? bsearch(&key, flow->functions.at, flow->functions.count, sizeof key, flow_by_address)
                                 : NULL;
}

/* void *: which says nothing. */
static bool returns_void_pointer(Dwarf_Die *function)
{
    Dwarf_Die type, target;

    return tp_type_of(function, &type) && dwarf_tag(&type) == DW_TAG_pointer_type && !tp_type_of(&type, &target);
}

/* ------------------------------------------------------------------------------------------ one function */

enum { SLOTS = 8, STEPS = 40, FORKS = 3, BEFORE = 16 };

struct function {
    struct tp_flow *flow;
    ZydisDecoder decoder;
    struct tp_variables vars;
    uint64_t low, high;
    const uint8_t *code; /* at `low`: so many bytes of the file */
    uint64_t bytes;
    bool counted; /* the allocation at hand may keep the number of elements in front of them */
};

/* What registers and slots hold: the block and so many bytes, or a pointer of a known type. */
struct held {
    bool block, typed;
    uint64_t lead;
    Dwarf_Die pointee;
};
struct slot {
    int base;
    int64_t offset;
    struct held held;
};
struct state {
    struct held reg[TP_REGISTERS];
    struct slot slot[SLOTS];
    int slots, steps, forks;
};

struct answer {
    bool found, returned;
    Dwarf_Die type;
    uint64_t lead;
};

static struct slot *slot_at(struct state *s, int base, int64_t offset)
{
    for (int i = 0; i < s->slots; i++) {
        if (s->slot[i].base == base && s->slot[i].offset == offset)
            return &s->slot[i];
    }
    return NULL;
}

/* What a variable has at `pc`, of the block. */
static const struct held *held_by(const struct tp_variable *v, struct state *s, uint64_t pc,
                                  const struct tp_spot *frame, uint64_t *more)
{
    struct tp_spot at;
    const struct slot *slot;

    *more = 0;
    switch (v->size ? TP_NOWHERE : tp_where_is(v, pc, frame, &at)) {
    case TP_IN_REGISTER:
    case TP_IS_SUM:
        *more = (uint64_t)at.offset;
        return &s->reg[at.reg];
    case TP_IN_SLOT:
        slot = slot_at(s, at.reg, at.offset);
        return slot ? &slot->held : NULL;
    default:
        return NULL;
    }
}

/* Of two types that a block is said to have, the one that the other is only the beginning of; false: neither. */
static bool wider(Dwarf_Die *type, Dwarf_Die *other)
{
    if (tp_type_begins_with(type, other))
        return true;
    if (!tp_type_begins_with(other, type))
        return false;
    *type = *other;
    return true;
}

/* Whether variables have the block at `pc`. If they do and disagree about what it is, that is no answer. */
static bool variable_has(struct function *f, struct state *s, uint64_t pc, struct answer *answer)
{
    struct tp_spot frame = tp_frame_base(&f->vars, pc);
    bool any = false, agree = true;

    for (size_t i = 0; i < f->vars.list.count; i++) {
        struct tp_variable *v = &f->vars.list.at[i];
        uint64_t more, lead;
        const struct held *held = held_by(v, s, pc, &frame, &more);
        lead = held ? held->lead + more : 0;
        if (!held || !held->block || lead > UINT16_MAX || (lead && !f->counted))
            continue;
        if (any)
            agree &= lead == answer->lead && wider(&answer->type, &v->pointee);
        else
            *answer = (struct answer){.type = v->pointee, .lead = lead};
        any = true;
    }
    answer->found = any && agree;
    return any;
}

/* ------------------------------------------------------------------------------------------ instructions */

struct insn {
    ZydisDecodedInstruction i;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    uint64_t address;
};

/* Of the function itself, or of a stub elsewhere. */
static const uint8_t *bytes_at(const struct function *f, uint64_t address, uint64_t *left)
{
    uint64_t at = address - f->low;

    if (at >= f->bytes)
        return tp_image_at(f->flow->image, address, left);
    *left = f->bytes - at;
    return f->code + at;
}

static bool flow_decode(const struct function *f, uint64_t address, struct insn *out)
{
    uint64_t left;
    const uint8_t *bytes = bytes_at(f, address, &left);

    out->address = address;
    return bytes && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&f->decoder, bytes, left, &out->i, out->op));
}

/* A whole general register; -1: something else. */
static int register_of(ZydisRegister reg)
{
    return reg < ZYDIS_REGISTER_RAX || reg > ZYDIS_REGISTER_R15 ? -1 : (int)(reg - ZYDIS_REGISTER_RAX);
}

/* The slot that an operand in memory means; NULL: none that is known. */
static struct slot *flow_slot_of(struct state *s, const ZydisDecodedOperand *op)
{
    return op->mem.index == ZYDIS_REGISTER_NONE ? slot_at(s, register_of(op->mem.base), op->mem.disp.value) : NULL;
}

static bool is_global(const struct insn *insn, const ZydisDecodedOperand *op, uint64_t *address)
{
    return op->mem.index == ZYDIS_REGISTER_NONE && op->mem.segment != ZYDIS_REGISTER_FS &&
           (op->mem.base == ZYDIS_REGISTER_RIP || op->mem.base == ZYDIS_REGISTER_NONE) &&
           ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&insn->i, op, insn->address, address));
}

/* The type of what is at an address: of a variable, of an array its element's, or of one of its members. */
static bool part_of_global(const struct tp_flow *flow, uint64_t address, Dwarf_Die *out)
{
    size_t low = 0, high = flow->variables.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (flow->variables.at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= flow->variables.at[low - 1].end)
        return false;
    Dwarf_Die variable = flow->variables.at[low - 1].die, type;
    if (!tp_type_element(&variable, &type) || !tp_type_size(&type))
        return false;
    address = (address - flow->variables.at[low - 1].address) % tp_type_size(&type);
    *out = type;
    return address == 0 || tp_type_member(&type, address, out);
}

/* What the pointer at `offset` in something of this type points to. */
static bool pointer_at(Dwarf_Die *type, int64_t offset, Dwarf_Die *pointee)
{
    Dwarf_Die member;

    if (tp_type_says(type, pointee)) /* an element of an array of pointers */
        return true;
    return offset >= 0 && tp_type_member(type, (uint64_t)offset, &member) && tp_type_says(&member, pointee);
}

/* The type of the pointer in memory that an operand means, if debug information has one; its pointee. */
static bool pointer_in_memory(struct function *f, struct state *s, const struct insn *insn,
                              const ZydisDecodedOperand *op, Dwarf_Die *pointee)
{
    uint64_t address, end = insn->address + insn->i.length;
    int64_t offset = op->mem.disp.value;
    int base = register_of(op->mem.base);
    Dwarf_Die type;

    if (is_global(insn, op, &address))
        return part_of_global(f->flow, address, &type) && pointer_at(&type, 0, pointee);
    if (base < 0)
        return false;
    if (op->mem.index == ZYDIS_REGISTER_NONE && tp_all_point_to(&f->vars, end, true, base, offset, pointee))
        return true;
    if (tp_part_of_local(&f->vars, end, base, offset, &type))
        return pointer_at(&type, 0, pointee);
    int other = register_of(op->mem.index);
    if (!s->reg[base].typed && other >= 0 && op->mem.scale == 1 && s->reg[other].typed)
        base = other;
    if (s->reg[base].typed)
        return pointer_at(&s->reg[base].pointee, offset, pointee);
    /* The same of whatever variables say that the register points to; they have to agree. */
    Dwarf_Die target, found;
    size_t from = 0;
    bool any = false;
    while (tp_points_to(&f->vars, insn->address, false, base, 0, &from, &target)) {
        if (!pointer_at(&target, offset, &found))
            continue;
        if (any && !tp_type_is(pointee, &found))
            return false;
        *pointee = found;
        any = true;
    }
    return any;
}

static void clear(struct state *s, int reg)
{
    s->reg[reg] = (struct held){.block = false};
}

/* Of a block stored: true if what it is stored to says what it is. */
static bool stored(struct function *f, struct state *s, const struct insn *insn, int from, struct answer *answer)
{
    const ZydisDecodedOperand *to = &insn->op[0];
    int base = register_of(to->mem.base);
    struct slot *slot = flow_slot_of(s, to);

    if (!s->reg[from].block) {
        if (slot)
            slot->held = s->reg[from];
        return false;
    }
    if ((!s->reg[from].lead || f->counted) && pointer_in_memory(f, s, insn, to, &answer->type)) {
        answer->found = true;
        answer->lead = s->reg[from].lead;
        return true;
    }
    if ((base == TP_RSP || base == TP_RBP) && to->mem.index == ZYDIS_REGISTER_NONE && (slot || s->slots < SLOTS)) {
        slot = slot ? slot : &s->slot[s->slots++];
        *slot = (struct slot){base, to->mem.disp.value, s->reg[from]};
    }
    return false;
}

static struct held loaded(struct function *f, struct state *s, const struct insn *insn)
{
    const struct slot *slot = flow_slot_of(s, &insn->op[1]);
    struct held held = {.block = false};

    if (!slot)
        held.typed = pointer_in_memory(f, s, insn, &insn->op[1], &held.pointee);
    return slot ? slot->held : held;
}

/* from + constant */
static struct held summed(const struct state *s, int from, int64_t constant)
{
    struct held held = s->reg[from];

    if (held.typed && constant) /* another element of an array */
        held.typed = constant % (int64_t)tp_type_size(&held.pointee) == 0;
    held.lead += (uint64_t)constant;
    held.block &= held.lead <= UINT16_MAX;
    return held;
}

/* An element of an array that a pointer of a known type leads to. */
static struct held indexed(const struct state *s, int one, int other)
{
    int reg = other >= 0 && s->reg[other].typed ? other : one;
    struct held held = {.typed = reg >= 0 && s->reg[reg].typed};

    if (held.typed)
        held.pointee = s->reg[reg].pointee;
    return held;
}

/* What a register has, if only debug information knows. */
static struct held moved(struct function *f, const struct state *s, const struct insn *insn, int from)
{
    struct held held = s->reg[from];

    if (!held.block && !held.typed)
        held.typed = from == TP_RSP ? tp_part_of_local(&f->vars, insn->address, from, 0, &held.pointee)
                                 : tp_all_point_to(&f->vars, insn->address, false, from, 0, &held.pointee);
    return held;
}

/* The address that an operand means. */
static struct held pointed(struct function *f, const struct state *s, const struct insn *insn)
{
    const ZydisDecodedOperand *op = &insn->op[1];
    struct held held = {.block = false};
    int base = register_of(op->mem.base);
    uint64_t address;

    if (is_global(insn, op, &address))
        held.typed = part_of_global(f->flow, address, &held.pointee);
    else if (op->mem.index != ZYDIS_REGISTER_NONE)
        held = indexed(s, base, register_of(op->mem.index));
    else if (base >= 0 && !s->reg[base].block &&
             tp_part_of_local(&f->vars, insn->address, base, op->mem.disp.value, &held.pointee))
        held.typed = true;
    else if (base >= 0)
        held = summed(s, base, op->mem.disp.value);
    return held;
}

static void others_written(struct state *s, const struct insn *insn)
{
    for (int i = 0; i < insn->i.operand_count; i++) {
        const ZydisDecodedOperand *op = &insn->op[i];
        if (op->type != ZYDIS_OPERAND_TYPE_REGISTER || !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
            continue;
        int reg = register_of(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, op->reg.value));
        if (reg >= 0 && reg != TP_RSP)
            clear(s, reg);
    }
}

/* One instruction that goes on to the next. True: it has answered. */
static bool flow_step(struct function *f, struct state *s, const struct insn *insn, struct answer *answer)
{
    const ZydisDecodedOperand *op = insn->op;
    bool moves = insn->i.mnemonic == ZYDIS_MNEMONIC_MOV, adds = insn->i.mnemonic == ZYDIS_MNEMONIC_ADD;
    int to = op[0].type == ZYDIS_OPERAND_TYPE_REGISTER ? register_of(op[0].reg.value) : -1;
    int from = op[1].type == ZYDIS_OPERAND_TYPE_REGISTER ? register_of(op[1].reg.value) : -1;

    if (moves && op[0].type == ZYDIS_OPERAND_TYPE_MEMORY && from >= 0)
        return stored(f, s, insn, from, answer);
    if (moves && to >= 0 && from >= 0)
        s->reg[to] = moved(f, s, insn, from);
    else if (moves && to >= 0 && op[1].type == ZYDIS_OPERAND_TYPE_MEMORY)
        s->reg[to] = loaded(f, s, insn);
    else if (insn->i.mnemonic == ZYDIS_MNEMONIC_LEA && to >= 0)
        s->reg[to] = pointed(f, s, insn);
    else if (adds && to >= 0 && to != TP_RSP && op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        s->reg[to] = summed(s, to, op[1].imm.value.s);
    else if (adds && to >= 0 && from >= 0)
        s->reg[to] = indexed(s, to, from);
    else
        others_written(s, insn);
    return false;
}

static uint64_t flow_target_of(const struct insn *insn)
{
    uint64_t target = 0;

    if (insn->op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && insn->op[0].imm.is_relative)
        ZydisCalcAbsoluteAddress(&insn->i, &insn->op[0], insn->address, &target);
    return target;
}

/* A function need not keep it. */
static bool is_scratch(int reg)
{
    return reg != TP_RBX && reg != TP_RSP && reg != TP_RBP && reg < 12;
}

/* A call behind the one of interest: a constructor, or whoever else gets the block as an argument. */
static bool given_to(struct function *f, struct state *s, const struct insn *insn, struct answer *answer)
{
    const struct tp_flow_named *callee = function_at(f->flow, flow_target_of(insn));
    Dwarf_Die function, type;

    for (int reg = 0; callee && reg < TP_REGISTERS; reg++) {
        function = callee->die;
        if (is_scratch(reg) && s->reg[reg].block && (!s->reg[reg].lead || f->counted) &&
            tp_parameter_in(&function, callee->address, reg, &type) && tp_type_says(&type, &answer->type)) {
            answer->found = true;
            answer->lead = s->reg[reg].lead;
            return true;
        }
    }
    return false;
}

static void forget_scratch(struct state *s)
{
    for (int reg = 0; reg < TP_REGISTERS; reg++) {
        if (is_scratch(reg))
            clear(s, reg);
    }
}

static bool any_left(const struct state *s)
{
    bool any = false;

    for (int i = 0; i < TP_REGISTERS; i++)
        any |= s->reg[i].block;
    for (int i = 0; i < s->slots; i++)
        any |= s->slot[i].held.block;
    return any;
}

static bool is_conditional(const struct insn *insn)
{
    return insn->i.meta.category == ZYDIS_CATEGORY_COND_BR;
}

static struct answer follow(struct function *f, uint64_t pc, struct state s)
{
    struct answer answer = {.found = false};
    struct insn insn;

    for (; s.steps-- > 0 && any_left(&s) && pc >= f->low && pc < f->high; pc += insn.i.length) {
        if (variable_has(f, &s, pc, &answer) || !flow_decode(f, pc, &insn))
            return answer;
        if (insn.i.meta.category == ZYDIS_CATEGORY_RET) {
            answer.returned = s.reg[0].block && s.reg[0].lead == 0;
            return answer;
        }
        if (insn.i.meta.category == ZYDIS_CATEGORY_CALL) {
            if (given_to(f, &s, &insn, &answer))
                return answer;
            forget_scratch(&s);
        } else if (insn.i.meta.category == ZYDIS_CATEGORY_UNCOND_BR) {
            if (given_to(f, &s, &insn, &answer)) /* the last thing that it does */
                return answer;
            pc = flow_target_of(&insn) - insn.i.length;
        } else if (is_conditional(&insn)) {
            if (s.forks-- <= 0)
                return answer;
            answer = follow(f, pc + insn.i.length, s);
            if (answer.found || answer.returned)
                return answer;
            pc = flow_target_of(&insn) - insn.i.length;
        } else if (flow_step(f, &s, &insn, &answer)) {
            return answer;
        }
    }
    return answer;
}

/* ------------------------------------------------------------------------------------------ all calls */

/* What a function is, or a word that holds its address. */
static bool is_marked(struct function *f, uint64_t address)
{
    uint32_t mark = tp_idmap_find(&f->flow->allocators, address);

    f->counted = mark == ALLOCATES_COUNTED;
    return mark != TP_NOT_FOUND;
}

/* What a stub jumps to: through a word that the loader fills in. */
static bool stub_allocates(struct function *f, uint64_t address)
{
    struct insn insn;
    uint64_t word;

    for (int i = 0; i < 3 && flow_decode(f, address, &insn); i++, address += insn.i.length) {
        if (insn.i.mnemonic == ZYDIS_MNEMONIC_JMP)
            return insn.op[0].type == ZYDIS_OPERAND_TYPE_MEMORY && is_global(&insn, &insn.op[0], &word) &&
                   is_marked(f, word);
    }
    return false;
}

static bool is_of_interest(struct function *f, const struct insn *insn)
{
    uint64_t target = flow_target_of(insn), word;
    const struct tp_flow_named *callee = function_at(f->flow, target);

    f->counted = false;
    if (insn->op[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
        return is_global(insn, &insn->op[0], &word) && is_marked(f, word);
    if (!target)
        return false;
    if (callee) {
        Dwarf_Die die = callee->die;
        const char *name = dwarf_diename(&die);
        f->counted = name && strcmp(name, "operator new []") == 0;
        return returns_void_pointer(&die);
    }
    return is_marked(f, target) || stub_allocates(f, target);
}

/* Whether the innermost function around a call that has this name is an allocator of C++, which says what it returns:
 * 1: that is `pointee`, -1: that is of no use, 0: there is none. */
static int inside_allocate(struct function *f, uint64_t pc, Dwarf_Die *pointee)
{
    for (size_t i = f->vars.inlined.count + 1; i-- > 0;) {
        Dwarf_Die *die = i ? &f->vars.inlined.at[i - 1] : f->vars.die;
        Dwarf_Die type;
        const char *name = !i || dwarf_haspc(die, pc) > 0 ? dwarf_diename(die) : NULL;
        if (name && strcmp(name, "allocate") == 0 && tp_type_of(die, &type) && tp_type_pointee(&type, pointee))
            return tp_type_size(pointee) > 1 ? 1 : -1;
    }
    return 0;
}

static void look_at(struct function *f, const struct insn *insn, uint64_t from, bool is_jump, tp_flow_found *found,
                    void *user)
{
    uint64_t behind = insn->address + insn->i.length;
    struct state state = {.steps = STEPS, .forks = FORKS};
    struct answer answer = {.returned = is_jump};
    Dwarf_Die type;

    tp_variables_collect(&f->vars);
    int allocator = inside_allocate(f, insn->address, &type);
    if (!allocator && !is_jump) {
        /* What registers point to at a call, from the instructions in front of it. `from`: the first of them. */
        struct answer unused;
        struct insn before;
        for (uint64_t pc = from; pc < insn->address && flow_decode(f, pc, &before); pc += before.i.length) {
            if (before.i.meta.category == ZYDIS_CATEGORY_CALL)
                forget_scratch(&state);
            else if (before.i.meta.category == ZYDIS_CATEGORY_UNCOND_BR || before.i.meta.category == ZYDIS_CATEGORY_RET)
                memset(state.reg, 0, sizeof state.reg);
            else if (!is_conditional(&before))
                flow_step(f, &state, &before, &unused);
        }
        forget_scratch(&state);
        state.reg[0].block = true;
        answer = follow(f, behind, state);
    }
    if (allocator > 0)
        found(user, behind, &type, 0);
    else if (allocator < 0)
        return;
    else if (answer.found)
        found(user, behind, &answer.type, answer.lead);
    else if (answer.returned && returns_void_pointer(f->vars.die))
        found(user, behind, NULL, 0);
    else if (answer.returned && tp_type_of(f->vars.die, &type) && tp_type_says(&type, &answer.type))
        found(user, behind, &answer.type, 0);
}

static void scan(struct function *f, tp_flow_found *found, void *user)
{
    struct insn insn;
    uint64_t before[BEFORE] = {0};
    size_t number = 0;

    for (uint64_t pc = f->low; pc < f->high; pc += insn.i.length) {
        uint64_t left, from = number < BEFORE ? f->low : before[number % BEFORE];
        const uint8_t *bytes = bytes_at(f, pc, &left);
        if (!bytes || !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&f->decoder, NULL, bytes, left, &insn.i)))
            return;
        before[number++ % BEFORE] = pc;
        bool is_call = insn.i.meta.category == ZYDIS_CATEGORY_CALL, is_jump = insn.i.mnemonic == ZYDIS_MNEMONIC_JMP;
        if (!is_call && !is_jump)
            continue;
        if (!flow_decode(f, pc, &insn))
            return;
        uint64_t target = flow_target_of(&insn);
        if (is_jump && target >= f->low && target < f->high)
            continue;
        if (is_of_interest(f, &insn))
            look_at(f, &insn, from, is_jump, found, user);
    }
}

static void sort_named(struct tp_flow_named *list, size_t count)
{
    if (count > 1)
        qsort(list, count, sizeof *list, flow_by_address);
}

void tp_flow_all(struct tp_flow *flow, tp_flow_found *found, void *user)
{
    flow->cfi = dwarf_getcfi_elf(flow->image->elf);
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(flow->image->elf, section))) {
        if (!gelf_getshdr(section, &header))
            continue;
        if (header.sh_type == SHT_RELA) {
            read_relocations(flow, section, &header);
        } else if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) {
            Elf_Data *data = elf_getdata(section, NULL);
            GElf_Sym symbol;
            for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
                if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value)
                    mark(flow, symbol.st_value, elf_strptr(flow->image->elf, header.sh_link, symbol.st_name));
            }
        }
    }
    sort_named(flow->functions.at, flow->functions.count);
    sort_named(flow->variables.at, flow->variables.count);
    for (size_t i = 0; i < flow->functions.count; i++) {
        struct function f = {.flow = flow,
                             .vars = {.die = &flow->functions.at[i].die, .cfi = flow->cfi},
                             .low = flow->functions.at[i].address,
                             .high = flow->functions.at[i].end};
        f.code = tp_image_at(flow->image, f.low, &f.bytes);
        ZydisDecoderInit(&f.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        scan(&f, found, user);
        tp_variables_free(&f.vars);
    }
    tp_idmap_free(&flow->allocators);
    if (flow->cfi)
        dwarf_cfi_end(flow->cfi);
}

#else

void tp_flow_all(struct tp_flow *flow, tp_flow_found *found, void *user)
{
    (void)flow;
    (void)found;
    (void)user;
}

#endif
