/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_flow.c: see symbols_flow.h. Copies are followed through registers, stack slots and additions of constants,
 * along the straight path and, where that leads to nothing, along each branch taken; a call leaves what functions must
 * keep.
 */
#include "profile/symbols_flow.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "profile/symbols_types.h"
#include "tenure_config.h"

#if TENURE_HAVE_ZYDIS
#include <Zydis/Zydis.h>
#endif

/* ------------------------------------------------------------------------------------------ what is known */

static int by_address(const void *a, const void *b)
{
    const struct tp_flow_named *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

bool tp_flow_function(struct tp_flow *flow, uint64_t address, uint64_t end, Dwarf_Die *die)
{
    struct tp_flow_named *to = TP_VECTOR_ADD(&flow->functions);

    if (to)
        *to = (struct tp_flow_named){address, end, *die};
    return to != NULL;
}

bool tp_flow_variable(struct tp_flow *flow, uint64_t address, uint64_t size, Dwarf_Die *type)
{
    struct tp_flow_named *to = TP_VECTOR_ADD(&flow->variables);

    if (to)
        *to = (struct tp_flow_named){address, address + size, *type};
    return to != NULL;
}

static void begin_segments(struct tp_flow *flow)
{
    size_t count, size;
    const char *bytes = elf_rawfile(flow->elf, &size);

    if (!bytes || elf_getphdrnum(flow->elf, &count))
        return;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(flow->elf, (int)i, &header) || header.p_type != PT_LOAD || !(header.p_flags & PF_X) ||
            header.p_offset > size || header.p_filesz > size - header.p_offset)
            continue;
        struct tp_flow_segment *to = TP_VECTOR_ADD(&flow->segments);
        if (to)
            *to = (struct tp_flow_segment){header.p_vaddr, header.p_filesz, (const uint8_t *)bytes + header.p_offset};
    }
}

static bool allocates(const char *name)
{
    return name && (strstr(name, "alloc") || strstr(name, "memalign") || strncmp(name, "_Znwm", 5) == 0 ||
                    strncmp(name, "_Znam", 5) == 0);
}

/* Words that the loader fills in with the addresses of such functions. */
static void read_relocations(struct tp_flow *flow, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Scn *table = elf_getscn(flow->elf, header->sh_link);
    Elf_Data *symbols = table ? elf_getdata(table, NULL) : NULL;
    GElf_Shdr names;
    GElf_Rela rela;
    GElf_Sym symbol;

    if (!data || !symbols || !gelf_getshdr(table, &names))
        return;
    for (int i = 0; gelf_getrela(data, i, &rela); i++) {
        int index = (int)GELF_R_SYM(rela.r_info);
        if (index && gelf_getsym(symbols, index, &symbol) &&
            allocates(elf_strptr(flow->elf, names.sh_link, symbol.st_name)))
            tp_idmap_add(&flow->allocators, rela.r_offset, 1);
    }
}

static void read_symbols(struct tp_flow *flow, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;

    for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
        if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value &&
            allocates(elf_strptr(flow->elf, header->sh_link, symbol.st_name)))
            tp_idmap_add(&flow->allocators, symbol.st_value, 1);
    }
}

int tp_flow_begin(struct tp_flow *flow, Elf *elf, Dwarf *dwarf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    *flow = (struct tp_flow){.elf = elf, .dwarf = dwarf, .cfi = dwarf_getcfi_elf(elf)};
    begin_segments(flow);
    while ((section = elf_nextscn(elf, section))) {
        if (!gelf_getshdr(section, &header))
            continue;
        if (header.sh_type == SHT_RELA)
            read_relocations(flow, section, &header);
        else if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
            read_symbols(flow, section, &header);
    }
    return flow->segments.count ? 0 : -1;
}

void tp_flow_end(struct tp_flow *flow)
{
    TP_VECTOR_FREE(&flow->segments);
    TP_VECTOR_FREE(&flow->functions);
    TP_VECTOR_FREE(&flow->variables);
    tp_idmap_free(&flow->allocators);
    if (flow->cfi)
        dwarf_cfi_end(flow->cfi);
    flow->cfi = NULL;
}

#if TENURE_HAVE_ZYDIS

static const struct tp_flow_named *named_at(const struct tp_flow_named *list, size_t count, uint64_t address)
{
    struct tp_flow_named key = {.address = address};

    return count ? bsearch(&key, list, count, sizeof *list, by_address) : NULL;
}

/* void *: which says nothing. */
static bool is_void_pointer(Dwarf_Die *type)
{
    Dwarf_Die target;

    return dwarf_tag(type) == DW_TAG_pointer_type && !tp_type_of(type, &target);
}

static bool returns_void_pointer(Dwarf_Die *function)
{
    Dwarf_Die type;

    return tp_type_of(function, &type) && is_void_pointer(&type);
}

/* What a variable of this type points to, if that says what was allocated: more than bytes. */
static bool says(Dwarf_Die *type, Dwarf_Die *pointee)
{
    return tp_type_pointee(type, pointee) && tp_type_size(pointee) > 1;
}

/* ------------------------------------------------------------------------------------------ one function */

enum { REGISTERS = 16, SLOTS = 8, STEPS = 40, FORKS = 3, MOST_VARIABLES = 2000, BEFORE = 16 };
enum { RBX = 3, RSP = 4, RBP = 5, RDI = 7 };

/* By DWARF's numbers. */
static const uint8_t machine_register[REGISTERS] = {0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};

struct variable {
    Dwarf_Attribute location;
    Dwarf_Die pointee;
};

struct function {
    struct tp_flow *flow;
    ZydisDecoder decoder;
    Dwarf_Die *die;
    uint64_t low, high;
    bool known; /* variables were collected */
    TP_VECTOR(struct variable) variables;
    TP_VECTOR(Dwarf_Die) inlined; /* calls that were inlined, inner behind outer */
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
    struct held reg[REGISTERS];
    struct slot slot[SLOTS];
    int slots, steps, forks;
};

struct answer {
    bool found, returned;
    Dwarf_Die type;
    uint64_t lead;
};

static void collect(struct function *f, Dwarf_Die *parent, int depth)
{
    Dwarf_Die child, type;

    if (depth > 32 || f->variables.count > MOST_VARIABLES || dwarf_child(parent, &child))
        return;
    do {
        int tag = dwarf_tag(&child);
        struct variable v;
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
            if (tp_type_of(&child, &type) && says(&type, &v.pointee) &&
                dwarf_attr(&child, DW_AT_location, &v.location)) {
                struct variable *to = TP_VECTOR_ADD(&f->variables);
                if (to)
                    *to = v;
            }
        } else if (tag == DW_TAG_inlined_subroutine) {
            Dwarf_Die *to = TP_VECTOR_ADD(&f->inlined);
            if (to)
                *to = child;
            collect(f, &child, depth + 1);
        } else if (tag == DW_TAG_lexical_block) {
            collect(f, &child, depth + 1);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* ------------------------------------------------------------------------------------------ where variables are */

/* A register and an offset. */
struct base {
    bool known;
    int reg;
    int64_t offset;
};

static struct base base_of(const Dwarf_Op *op)
{
    struct base base = {.known = false};
    uint64_t number = op->atom - DW_OP_breg0;

    if (op->atom == DW_OP_bregx)
        base = (struct base){op->number < REGISTERS, (int)op->number, (int64_t)op->number2};
    else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
        base = (struct base){number < REGISTERS, (int)number, (int64_t)op->number};
    else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
        base = (struct base){op->atom - DW_OP_reg0 < REGISTERS, op->atom - DW_OP_reg0, 0};
    if (base.known)
        base.reg = machine_register[base.reg];
    return base;
}

/* The frame's address at `pc`, from the unwinder's tables. */
static struct base canonical_frame(const struct function *f, uint64_t pc)
{
    struct base base = {.known = false};
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *ops;
    size_t count;

    if (f->flow->cfi && dwarf_cfi_addrframe(f->flow->cfi, pc, &frame) == 0 &&
        dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1)
        base = base_of(ops);
    free(frame);
    return base;
}

static struct base frame_base(const struct function *f, uint64_t pc)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;

    if (!dwarf_attr(f->die, DW_AT_frame_base, &attribute) ||
        dwarf_getlocation_addr(&attribute, pc, &op, &count, 1) != 1 || count != 1)
        return (struct base){.known = false};
    return op->atom == DW_OP_call_frame_cfa ? canonical_frame(f, pc) : base_of(op);
}

enum where { NOWHERE, IN_REGISTER, IS_SUM, IN_SLOT };

/* Where a variable is at `pc`: its value is in a register, is a register and an offset, is in the stack. */
static enum where where_is(const struct variable *v, uint64_t pc, const struct base *frame, struct base *out)
{
    Dwarf_Attribute attribute = v->location;
    Dwarf_Op *op;
    size_t count;

    if (dwarf_getlocation_addr(&attribute, pc, &op, &count, 1) != 1 || count == 0 || count > 2)
        return NOWHERE;
    if (count == 2) {
        *out = base_of(op);
        return out->known && op[1].atom == DW_OP_stack_value ? IS_SUM : NOWHERE;
    }
    if (op->atom == DW_OP_fbreg) {
        *out = *frame;
        out->offset += (int64_t)op->number;
        return frame->known ? IN_SLOT : NOWHERE;
    }
    *out = base_of(op);
    if (!out->known)
        return NOWHERE;
    return op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31 ? IN_REGISTER : IN_SLOT;
}

static struct slot *slot_at(struct state *s, int base, int64_t offset)
{
    for (int i = 0; i < s->slots; i++) {
        if (s->slot[i].base == base && s->slot[i].offset == offset)
            return &s->slot[i];
    }
    return NULL;
}

/* Whether a variable has the block at `pc`. */
static bool variable_has(struct function *f, struct state *s, uint64_t pc, struct answer *answer)
{
    struct base frame = frame_base(f, pc), at;

    for (size_t i = 0; i < f->variables.count; i++) {
        const struct variable *v = &f->variables.at[i];
        const struct held *held = NULL;
        const struct slot *slot;
        uint64_t more = 0;
        switch (where_is(v, pc, &frame, &at)) {
        case IN_REGISTER:
        case IS_SUM:
            held = &s->reg[at.reg];
            more = (uint64_t)at.offset;
            break;
        case IN_SLOT:
            slot = slot_at(s, at.reg, at.offset);
            held = slot ? &slot->held : NULL;
            break;
        default:
            break;
        }
        if (!held || !held->block || held->lead + more > UINT16_MAX)
            continue;
        *answer = (struct answer){.found = true, .type = v->pointee, .lead = held->lead + more};
        return true;
    }
    return false;
}

/* What the variable points to that is in a register, or in a slot, at `pc`. */
static bool points_to(struct function *f, uint64_t pc, bool in_slot, int reg, int64_t offset, Dwarf_Die *pointee)
{
    struct base frame = frame_base(f, pc), at;

    for (size_t i = 0; i < f->variables.count; i++) {
        enum where where = where_is(&f->variables.at[i], pc, &frame, &at);
        if (at.reg != reg || where != (in_slot ? IN_SLOT : IN_REGISTER) || (in_slot && at.offset != offset))
            continue;
        *pointee = f->variables.at[i].pointee;
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------ instructions */

static const uint8_t *bytes_at(const struct tp_flow *flow, uint64_t address, size_t *left)
{
    for (size_t i = 0; i < flow->segments.count; i++) {
        const struct tp_flow_segment *segment = &flow->segments.at[i];
        if (address - segment->address < segment->size) {
            *left = segment->size - (address - segment->address);
            return segment->bytes + (address - segment->address);
        }
    }
    return NULL;
}

struct insn {
    ZydisDecodedInstruction i;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    uint64_t address;
};

static bool decode(const struct function *f, uint64_t address, struct insn *out)
{
    size_t left;
    const uint8_t *bytes = bytes_at(f->flow, address, &left);

    out->address = address;
    return bytes && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&f->decoder, bytes, left, &out->i, out->op));
}

/* A whole general register; -1: something else. */
static int whole(const ZydisDecodedOperand *op)
{
    if (op->type != ZYDIS_OPERAND_TYPE_REGISTER || op->reg.value < ZYDIS_REGISTER_RAX ||
        op->reg.value > ZYDIS_REGISTER_R15)
        return -1;
    return op->reg.value - ZYDIS_REGISTER_RAX;
}

static int register_of(ZydisRegister reg)
{
    return reg < ZYDIS_REGISTER_RAX || reg > ZYDIS_REGISTER_R15 ? -1 : (int)(reg - ZYDIS_REGISTER_RAX);
}

static int base_register(const ZydisDecodedOperand *op)
{
    return register_of(op->mem.base);
}

static bool is_global(const struct insn *insn, const ZydisDecodedOperand *op, uint64_t *address)
{
    return op->mem.index == ZYDIS_REGISTER_NONE && op->mem.segment != ZYDIS_REGISTER_FS &&
           (op->mem.base == ZYDIS_REGISTER_RIP || op->mem.base == ZYDIS_REGISTER_NONE) &&
           ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&insn->i, op, insn->address, address));
}

/* The pointer that a variable, or one of its members or elements, has at an address. */
static bool global_pointer(const struct tp_flow *flow, uint64_t address, Dwarf_Die *pointee)
{
    size_t low = 0, high = flow->variables.count;
    Dwarf_Die type, member;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (flow->variables.at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= flow->variables.at[low - 1].end)
        return false;
    Dwarf_Die variable = flow->variables.at[low - 1].die;
    if (!tp_type_element(&variable, &type) || !tp_type_size(&type))
        return false;
    address = (address - flow->variables.at[low - 1].address) % tp_type_size(&type);
    if (address == 0 && says(&type, pointee))
        return true;
    return tp_type_member(&type, address, &member) && says(&member, pointee);
}

/* The type of the pointer in memory that an operand means, if debug information has one; its pointee. */
static bool pointer_in_memory(struct function *f, struct state *s, const struct insn *insn,
                              const ZydisDecodedOperand *op, Dwarf_Die *pointee)
{
    uint64_t address, end = insn->address + insn->i.length;
    int base = base_register(op);
    Dwarf_Die type, target;

    if (is_global(insn, op, &address))
        return global_pointer(f->flow, address, pointee);
    if (base < 0)
        return false;
    if (op->mem.index == ZYDIS_REGISTER_NONE && points_to(f, end, true, base, op->mem.disp.value, pointee))
        return true;
    if (s->reg[base].typed)
        target = s->reg[base].pointee;
    else if (!points_to(f, insn->address, false, base, 0, &target))
        return false;
    if (says(&target, pointee)) /* an element of an array of pointers */
        return true;
    return op->mem.disp.value >= 0 && tp_type_member(&target, (uint64_t)op->mem.disp.value, &type) &&
           says(&type, pointee);
}

static void clear(struct state *s, int reg)
{
    s->reg[reg] = (struct held){.block = false};
}

/* Of a block stored: true if what it is stored to says what it is. */
static bool stored(struct function *f, struct state *s, const struct insn *insn, int from, struct answer *answer)
{
    const ZydisDecodedOperand *to = &insn->op[0];
    int base = base_register(to);
    struct slot *slot = base >= 0 && to->mem.index == ZYDIS_REGISTER_NONE
                            ? slot_at(s, base, to->mem.disp.value) : NULL;

    if (!s->reg[from].block) {
        if (slot)
            slot->held = s->reg[from];
        return false;
    }
    if (pointer_in_memory(f, s, insn, to, &answer->type)) {
        answer->found = true;
        answer->lead = s->reg[from].lead;
        return true;
    }
    if ((base == RSP || base == RBP) && to->mem.index == ZYDIS_REGISTER_NONE && (slot || s->slots < SLOTS)) {
        slot = slot ? slot : &s->slot[s->slots++];
        *slot = (struct slot){base, to->mem.disp.value, s->reg[from]};
    }
    return false;
}

static void loaded(struct function *f, struct state *s, const struct insn *insn, int to)
{
    const ZydisDecodedOperand *from = &insn->op[1];
    int base = base_register(from);
    const struct slot *slot = base >= 0 && from->mem.index == ZYDIS_REGISTER_NONE
                                  ? slot_at(s, base, from->mem.disp.value) : NULL;
    struct held held = {.block = false};

    if (slot)
        held = slot->held;
    else
        held.typed = pointer_in_memory(f, s, insn, from, &held.pointee);
    s->reg[to] = held;
}

/* to = from + constant */
static void summed(struct state *s, int to, int from, int64_t constant)
{
    s->reg[to] = s->reg[from];
    s->reg[to].typed &= constant == 0;
    s->reg[to].lead += (uint64_t)constant;
    s->reg[to].block &= s->reg[to].lead <= UINT16_MAX;
}

/* An element of an array that a pointer of a known type leads to. */
static void indexed(struct state *s, int to, int one, int other)
{
    struct held held = {.block = false};

    for (int i = 0; i < 2; i++) {
        int reg = i ? other : one;
        if (reg >= 0 && s->reg[reg].typed)
            held = (struct held){.typed = true, .pointee = s->reg[reg].pointee};
    }
    s->reg[to] = held;
}

static void others_written(struct state *s, const struct insn *insn)
{
    for (int i = 0; i < insn->i.operand_count; i++) {
        const ZydisDecodedOperand *op = &insn->op[i];
        if (op->type != ZYDIS_OPERAND_TYPE_REGISTER || !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
            continue;
        ZydisRegister all = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, op->reg.value);
        if (all >= ZYDIS_REGISTER_RAX && all <= ZYDIS_REGISTER_R15 && all != ZYDIS_REGISTER_RSP)
            clear(s, all - ZYDIS_REGISTER_RAX);
    }
}

/* One instruction that goes on to the next. True: it has answered. */
static bool step(struct function *f, struct state *s, const struct insn *insn, struct answer *answer)
{
    int to = whole(&insn->op[0]), from = whole(&insn->op[1]);

    if (insn->i.mnemonic == ZYDIS_MNEMONIC_MOV && insn->op[0].type == ZYDIS_OPERAND_TYPE_MEMORY && from >= 0)
        return stored(f, s, insn, from, answer);
    if (insn->i.mnemonic == ZYDIS_MNEMONIC_MOV && to >= 0 && from >= 0)
        s->reg[to] = s->reg[from];
    else if (insn->i.mnemonic == ZYDIS_MNEMONIC_MOV && to >= 0 && insn->op[1].type == ZYDIS_OPERAND_TYPE_MEMORY)
        loaded(f, s, insn, to);
    else if (insn->i.mnemonic == ZYDIS_MNEMONIC_LEA && to >= 0 && base_register(&insn->op[1]) >= 0 &&
             insn->op[1].mem.index == ZYDIS_REGISTER_NONE)
        summed(s, to, base_register(&insn->op[1]), insn->op[1].mem.disp.value);
    else if (insn->i.mnemonic == ZYDIS_MNEMONIC_ADD && to >= 0 && to != RSP &&
             insn->op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        summed(s, to, to, insn->op[1].imm.value.s);
    else if (insn->i.mnemonic == ZYDIS_MNEMONIC_LEA && to >= 0)
        indexed(s, to, base_register(&insn->op[1]), register_of(insn->op[1].mem.index));
    else if (insn->i.mnemonic == ZYDIS_MNEMONIC_ADD && to >= 0 && from >= 0)
        indexed(s, to, to, from);
    else
        others_written(s, insn);
    return false;
}

static uint64_t target_of(const struct insn *insn)
{
    uint64_t target = 0;

    if (insn->op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && insn->op[0].imm.is_relative)
        ZydisCalcAbsoluteAddress(&insn->i, &insn->op[0], insn->address, &target);
    return target;
}

/* A function need not keep it. */
static bool is_scratch(int reg)
{
    return reg != RBX && reg != RSP && reg != RBP && reg < 12;
}

/* A call behind the one of interest: a constructor or the like gets the block as its first argument. */
static bool handed_on(struct function *f, struct state *s, const struct insn *insn, struct answer *answer)
{
    const struct tp_flow *flow = f->flow;
    const struct tp_flow_named *callee = named_at(flow->functions.at, flow->functions.count, target_of(insn));
    Dwarf_Die child, type, function;

    if (callee && s->reg[RDI].block) {
        function = callee->die;
        for (int more = dwarf_child(&function, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
            if (dwarf_tag(&child) != DW_TAG_formal_parameter)
                continue;
            if (tp_type_of(&child, &type) && says(&type, &answer->type)) {
                answer->found = true;
                answer->lead = s->reg[RDI].lead;
                return true;
            }
            break;
        }
    }
    for (int reg = 0; reg < REGISTERS; reg++) {
        if (is_scratch(reg))
            clear(s, reg);
    }
    return false;
}

static bool any_left(const struct state *s)
{
    bool any = false;

    for (int i = 0; i < REGISTERS; i++)
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
        if (variable_has(f, &s, pc, &answer) || !decode(f, pc, &insn))
            return answer;
        if (insn.i.meta.category == ZYDIS_CATEGORY_RET) {
            answer.returned = s.reg[0].block && s.reg[0].lead == 0;
            return answer;
        }
        if (insn.i.meta.category == ZYDIS_CATEGORY_CALL) {
            if (handed_on(f, &s, &insn, &answer))
                return answer;
        } else if (insn.i.meta.category == ZYDIS_CATEGORY_UNCOND_BR) {
            pc = target_of(&insn) - insn.i.length;
        } else if (is_conditional(&insn)) {
            if (s.forks-- <= 0)
                return answer;
            answer = follow(f, pc + insn.i.length, s);
            if (answer.found || answer.returned)
                return answer;
            pc = target_of(&insn) - insn.i.length;
        } else if (step(f, &s, &insn, &answer)) {
            return answer;
        }
    }
    return answer;
}

/* ------------------------------------------------------------------------------------------ all calls */

/* What a stub jumps to: through a word that the loader fills in. */
static bool stub_allocates(struct function *f, uint64_t address)
{
    struct insn insn;
    uint64_t word;

    for (int i = 0; i < 3 && decode(f, address, &insn); i++, address += insn.i.length) {
        if (insn.i.mnemonic == ZYDIS_MNEMONIC_JMP)
            return insn.op[0].type == ZYDIS_OPERAND_TYPE_MEMORY && is_global(&insn, &insn.op[0], &word) &&
                   tp_idmap_find(&f->flow->allocators, word) != TP_NOT_FOUND;
    }
    return false;
}

static bool is_of_interest(struct function *f, const struct insn *insn)
{
    const struct tp_flow *flow = f->flow;
    uint64_t target = target_of(insn), word;
    const struct tp_flow_named *callee = named_at(flow->functions.at, flow->functions.count, target);

    if (insn->op[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
        return is_global(insn, &insn->op[0], &word) && tp_idmap_find(&flow->allocators, word) != TP_NOT_FOUND;
    if (!target)
        return false;
    if (callee) {
        Dwarf_Die die = callee->die;
        return returns_void_pointer(&die);
    }
    return tp_idmap_find(&flow->allocators, target) != TP_NOT_FOUND || stub_allocates(f, target);
}

/* The type that the innermost function around a call says it returns, if it is an allocator of C++. */
static bool inside_allocate(struct function *f, uint64_t pc, Dwarf_Die *pointee, bool *any)
{
    *any = false;
    for (size_t i = f->inlined.count + 1; i-- > 0;) {
        Dwarf_Die *die = i ? &f->inlined.at[i - 1] : f->die;
        const char *name;
        Dwarf_Die type;
        if (i && dwarf_haspc(die, pc) <= 0)
            continue;
        name = dwarf_diename(die);
        if (!name || strcmp(name, "allocate") != 0 || !tp_type_of(die, &type) || !tp_type_pointee(&type, pointee))
            continue;
        *any = true;
        return tp_type_size(pointee) > 1;
    }
    return false;
}

/* What registers point to at a call, from the instructions in front of it. `from`: the first of them. */
static void prepare(struct function *f, struct state *s, uint64_t from, uint64_t call)
{
    struct answer answer;
    struct insn insn;

    for (uint64_t pc = from; pc < call && decode(f, pc, &insn); pc += insn.i.length) {
        if (insn.i.meta.category == ZYDIS_CATEGORY_CALL)
            handed_on(f, s, &insn, &answer);
        else if (insn.i.meta.category == ZYDIS_CATEGORY_UNCOND_BR || insn.i.meta.category == ZYDIS_CATEGORY_RET)
            memset(s->reg, 0, sizeof s->reg);
        else if (!is_conditional(&insn))
            step(f, s, &insn, &answer);
    }
    for (int reg = 0; reg < REGISTERS; reg++) {
        if (is_scratch(reg))
            clear(s, reg);
    }
}

static void look_at(struct function *f, const struct insn *insn, uint64_t from, bool is_jump, tp_flow_found *found,
                    void *user)
{
    uint64_t behind = insn->address + insn->i.length;
    struct state state = {.steps = STEPS, .forks = FORKS};
    struct answer answer = {.returned = is_jump};
    Dwarf_Die type;
    bool in_allocate;

    if (!f->known)
        collect(f, f->die, 0);
    f->known = true;
    if (inside_allocate(f, insn->address, &type, &in_allocate)) {
        found(user, behind, &type, 0);
        return;
    }
    if (in_allocate)
        return;
    if (!is_jump)
        prepare(f, &state, from, insn->address);
    state.reg[0].block = true;
    if (!is_jump)
        answer = follow(f, behind, state);
    if (answer.found)
        found(user, behind, &answer.type, answer.lead);
    else if (answer.returned && returns_void_pointer(f->die))
        found(user, behind, NULL, 0);
    else if (answer.returned && tp_type_of(f->die, &type) && says(&type, &answer.type))
        found(user, behind, &answer.type, 0);
}

static void scan(struct function *f, tp_flow_found *found, void *user)
{
    struct insn insn;
    uint64_t before[BEFORE] = {0};
    size_t number = 0;

    for (uint64_t pc = f->low; pc < f->high; pc += insn.i.length) {
        size_t left;
        uint64_t from = number < BEFORE ? f->low : before[number % BEFORE];
        const uint8_t *bytes = bytes_at(f->flow, pc, &left);
        if (!bytes || !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&f->decoder, NULL, bytes, left, &insn.i)))
            return;
        before[number++ % BEFORE] = pc;
        bool is_call = insn.i.meta.category == ZYDIS_CATEGORY_CALL, is_jump = insn.i.mnemonic == ZYDIS_MNEMONIC_JMP;
        if (!is_call && !is_jump)
            continue;
        if (!decode(f, pc, &insn))
            return;
        uint64_t target = target_of(&insn);
        if (is_jump && target >= f->low && target < f->high)
            continue;
        if (is_of_interest(f, &insn))
            look_at(f, &insn, from, is_jump, found, user);
    }
}

static void sort_named(struct tp_flow_named *list, size_t count)
{
    if (count > 1)
        qsort(list, count, sizeof *list, by_address);
}

void tp_flow_all(struct tp_flow *flow, tp_flow_found *found, void *user)
{
    sort_named(flow->functions.at, flow->functions.count);
    sort_named(flow->variables.at, flow->variables.count);
    for (size_t i = 0; i < flow->functions.count; i++) {
        struct function f = {.flow = flow,
                             .die = &flow->functions.at[i].die,
                             .low = flow->functions.at[i].address,
                             .high = flow->functions.at[i].end};
        ZydisDecoderInit(&f.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        scan(&f, found, user);
        TP_VECTOR_FREE(&f.variables);
        TP_VECTOR_FREE(&f.inlined);
    }
}

#else

void tp_flow_all(struct tp_flow *flow, tp_flow_found *found, void *user)
{
    (void)flow;
    (void)found;
    (void)user;
}

#endif
