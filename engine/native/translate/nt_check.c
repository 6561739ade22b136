/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_check.c: whether a block's code does what its instructions do (--self-check=yes).
 *
 * The translator copies instructions and adds its own between them. A mistake in it would change results silently;
 * this finds it when the block is made. The code is decoded again, from the block's entry on, and followed with what
 * is known of each register: the program's value, a constant, the address of an operand, something else; of each
 * home in the area whether it holds the program's value; of each flag whether it is the program's. Then:
 *
 * - each instruction of the program is there, in order, unchanged but for its address, and that is the operand's;
 * - what it reads, in registers and flags, is the program's then;
 * - what the mark there tells a fault's handler is true: registers that are not aside hold the program's values,
 *   those that are have them in their homes;
 * - what is added writes no memory but in the area, no home but with its register's value, and no register that is
 *   not in its home;
 * - where the block may be left, all registers and flags are the program's, but for r11, which is the area's address.
 *
 * Not followed are heads, what failed tests lead to, and how a block's last instruction finds its target; and what
 * nt_decode says of an instruction is believed: that is for tests/native/test_decode.c.
 */
#include "nt_aside.h"
#include "nt_calls.h"

enum { SAHF = 0x9e, LAHF = 0x9f, JUMP = 0xe9, JUMP_BYTES = 5 };

enum value_kind {
    OTHER,
    PROGRAM,      /* the program's value of this register */
    CONSTANT,     /* `number` */
    OPERAND,      /* the address of the operand of instruction `number`, without its segment */
    BASE_OF_GS,   /* the program's */
    OPERAND_AT_GS, /* the sum of both */
    FLAGS,        /* those in `number`, as lahf and seto make them */
    ENGINE_STACK,
    AREA,         /* nt_area.near */
};
struct value {
    uint8_t kind;
    uint64_t number;
};

struct check {
    const struct nt_making *making;
    unsigned i;                /* the program's instruction that is to come */
    const uint8_t *at;         /* code that is to be followed */
    struct value reg[16];
    uint16_t home, flags;      /* homes and flags with the program's values */
    bool stack_held;           /* so has NT_HELD_SP */
    const char *wrong;
};

static uint16_t bit(unsigned reg)
{
    return reg < 16 ? (uint16_t)(1u << reg) : 0;
}

static uint16_t in_place(const struct check *c)
{
    uint16_t set = 0;

    for (unsigned r = 0; r < 16; r++)
        set |= c->reg[r].kind == PROGRAM ? bit(r) : 0;
    return set;
}

/* ------------------------------------------------------------------------------------------ what code says */

/* The last byte of the opcode. */
static uint8_t opcode_of(const struct nt_insn *e)
{
    if (e->modrm)
        return e->bytes[e->opcode];
    return e->bytes[e->prefix == NT_NO_REG ? 0 : e->prefix + 1];
}

/* One byte of opcode and ModRM, 64 bits wide. */
static bool is_wide(const struct nt_insn *e, uint8_t opcode)
{
    bool one_byte = e->modrm && (e->opcode == 0 || e->bytes[e->opcode - 1] != 0x0f);

    return e->encoding == NT_LEGACY && one_byte && nt_rex(e) & 8 && opcode_of(e) == opcode;
}

/* mov r, constant */
static bool is_constant(const struct nt_insn *e, unsigned *reg, uint64_t *number)
{
    uint8_t opcode = opcode_of(e);
    int32_t narrow;

    if (e->encoding != NT_LEGACY || e->memory || !e->immediate)
        return false;
    __builtin_memcpy(&narrow, e->bytes + e->immediate, 4);
    if (!e->modrm && (opcode & 0xf8) == 0xb8 && e->length >= e->immediate + (nt_rex(e) & 8 ? 8 : 4)) {
        *reg = (opcode & 7u) | (nt_rex(e) & 1u) << 3;
        *number = (uint32_t)narrow;
        if (nt_rex(e) & 8)
            __builtin_memcpy(number, e->bytes + e->immediate, 8);
        return true;
    }
    if (!is_wide(e, 0xc7))
        return false;
    *reg = nt_rm_register(e);
    *number = (uint64_t)(int64_t)narrow;
    return true;
}

/* Through r11, while that is the area's address. */
static bool is_through_r11(const struct check *c, const struct nt_insn *e)
{
    return e->memory && e->base == NT_R11 && !e->segment && c->reg[NT_R11].kind == AREA;
}

/* What it accesses is at a constant displacement from GS. */
static bool is_in_area(const struct check *c, const struct nt_insn *e, int32_t *displacement)
{
    bool is_near = is_through_r11(c, e);

    *displacement = e->offset + (is_near ? NT_NEAR_AT : 0);
    return e->index == NT_NO_REG && (is_near || (e->segment == NT_SEGMENT_GS && e->memory && e->base == NT_NO_REG));
}

static bool has_same_operand(const struct check *c, const struct nt_insn *e, const struct nt_insn *o)
{
    uint16_t named = bit(e->base) | bit(e->index);
    bool is_narrow = !(nt_rex(e) & 8);

    return o->memory && !o->rip_relative && !e->segment && e->base == o->base && e->index == o->index &&
           (e->index == NT_NO_REG || e->scale == o->scale) && e->offset == o->offset &&
           is_narrow == (o->address_bits == 32) && (named & ~in_place(c)) == 0;
}

/* lea r, [a + b]: the operand's address under GS. */
static bool is_sum_with_gs(const struct check *c, const struct nt_insn *e, const struct nt_insn *o)
{
    if (e->base == NT_NO_REG || e->index == NT_NO_REG || e->scale != 1 || e->offset || !(nt_rex(e) & 8))
        return false;
    const struct value *a = &c->reg[e->base], *b = &c->reg[e->index];
    if (b->kind != BASE_OF_GS)
        return false;
    return o->rip_relative ? a->kind == CONSTANT && a->number == o->target : a->kind == OPERAND && a->number == c->i;
}

/* What an added instruction leaves in its register. */
static struct value value_of(const struct check *c, const struct nt_insn *e)
{
    const struct nt_insn *o = &c->making->insn[c->i];
    int32_t at;
    bool is_load = is_wide(e, 0x8b) && is_in_area(c, e, &at);
    bool is_lea = e->modrm && e->encoding == NT_LEGACY && opcode_of(e) == 0x8d && !e->accesses;
    struct value value = {OTHER, 0};
    unsigned reg;

    if (is_constant(e, &reg, &value.number))
        value.kind = CONSTANT;
    else if (is_load && at == NT_GS_BASE)
        value.kind = BASE_OF_GS;
    else if (is_load && at == NT_ENGINE_SP)
        value.kind = ENGINE_STACK;
    else if (is_load && at == NT_NEAR)
        value.kind = AREA;
    else if (is_load && at == NT_HELD_SP && c->stack_held && nt_reg_register(e) == NT_RSP)
        value.kind = PROGRAM;
    else if (is_load && at == NT_GPR + 8 * (int32_t)nt_reg_register(e) && c->home >> nt_reg_register(e) & 1)
        value.kind = PROGRAM;
    else if (is_lea && has_same_operand(c, e, o))
        value = (struct value){OPERAND, c->i};
    else if (is_lea && is_sum_with_gs(c, e, o))
        value = (struct value){OPERAND_AT_GS, c->i};
    return value;
}

/* ------------------------------------------------------------------------------------------ what is added */

static bool check_fail(struct check *c, const char *what)
{
    if (!c->wrong)
        c->wrong = what;
    return false;
}

static bool added_store(struct check *c, const struct nt_insn *e)
{
    int32_t at;
    bool stores = is_in_area(c, e, &at) && e->accesses && e->access[0].how != NT_READ;
    int32_t place = at - NT_GPR;
    unsigned reg = (unsigned)place / 8;

    if (stores && place >= 0 && place < 16 * 8) {
        if (!is_wide(e, 0x89) || place % 8 || nt_reg_register(e) != reg || c->reg[reg].kind != PROGRAM)
            return check_fail(c, "a home gets what is not its register's value");
        c->home |= bit(reg);
    }
    if (stores && at == NT_HELD_SP)
        c->stack_held = is_wide(e, 0x89) && nt_reg_register(e) == NT_RSP && c->reg[NT_RSP].kind == PROGRAM;
    return true;
}

static bool added_call(struct check *c, const struct nt_insn *e)
{
    int32_t at;
    bool is_ours = is_in_area(c, e, &at);
    int32_t which = (at - NT_CALLS) / 8;

    if (!is_ours || which < 0 || which >= NT_CALLS_COUNT || c->reg[NT_RSP].kind != ENGINE_STACK)
        return check_fail(c, "a call that is none of ours");
    if (which < NT_CALL_BRANCHED)
        c->flags = 0;
    if (which == NT_CALL_SINGLE)
        c->home |= in_place(c) & ~NT_OURS;
    return true;
}

/* lahf, seto al, add al 127, sahf. */
static bool added_flags(struct check *c, const struct nt_insn *e)
{
    enum { ADD_AL = 0x04 };
    struct value *rax = &c->reg[NT_RAX];
    bool seto = e->length == 3 && e->bytes[0] == 0x0f && e->bytes[1] == 0x90 && e->bytes[2] == 0xc0;

    if (e->length == 1 && e->bytes[0] == LAHF)
        *rax = (struct value){FLAGS, c->flags};
    else if (seto && rax->kind == FLAGS)
        ;
    else if (e->length == 2 && e->bytes[0] == ADD_AL && e->bytes[1] == 127 && rax->kind == FLAGS)
        c->flags = 0;
    else if (e->length == 1 && e->bytes[0] == SAHF)
        c->flags = rax->kind == FLAGS ? (uint16_t)rax->number : 0;
    else
        return false;
    return true;
}

/* Reads a constant of the translator's. */
static bool is_limit(const struct check *c, const struct nt_insn *e)
{
    for (unsigned n = 0; n <= NT_MOST_ACCESSED; n++) {
        if (c->making->shared.limit[n] && e->target == (uintptr_t)c->making->shared.limit[n])
            return e->rip_relative && e->accesses == 1 && e->access[0].how == NT_READ;
    }
    return false;
}

static bool check_added(struct check *c, const struct nt_insn *e)
{
    uint16_t lost = (uint16_t)(e->writes & in_place(c) & ~c->home & ~bit(NT_RSP));
    struct value value = value_of(c, e);

    if (e->kind == NT_IS_CALL_INDIRECT)
        return added_call(c, e);
    if (e->kind == NT_IS_JCC) /* a test: what it leads to comes back with all that is not aside */
        return true;
    bool over = e->kind == NT_IS_LOOP && e->condition == NT_JRCXZ && e->target == nt_behind(e) + JUMP_BYTES;
    if (over && c->at[e->length] == JUMP) { /* such a test, which jumps over the way there */
        c->at += JUMP_BYTES;
        return true;
    }
    if (e->kind != NT_IS_PLAIN)
        return check_fail(c, "what is added leaves the block");
    if (lost)
        return check_fail(c, "a register is overwritten that is not in its home");
    if (e->accesses && e->segment != NT_SEGMENT_GS && !is_through_r11(c, e) && !is_limit(c, e))
        return check_fail(c, "what is added accesses the program's memory");
    if (added_flags(c, e))
        return true;
    if (!added_store(c, e))
        return false;
    if (e->writes & bit(NT_RSP) && value.kind != ENGINE_STACK && value.kind != PROGRAM)
        return check_fail(c, "the stack pointer is overwritten");
    for (unsigned r = 0; r < 16; r++)
        if (e->writes >> r & 1)
            c->reg[r] = value;
    if (e->flags_killed)
        c->flags = 0;
    return true;
}

/* ------------------------------------------------------------------------------------------ the program's */

/* The instruction without its address: prefixes but those for GS and 32-bit addresses, if they go with it, and what is
 * none beside them (nt_rewrite.c); the rest with base, index and displacement left out. */
static unsigned without_address(const struct nt_insn *e, uint8_t to[NT_INSN_BYTES])
{
    unsigned n = 0, legacy = e->prefix == NT_NO_REG ? e->opcode : e->prefix;
    unsigned behind = e->modrm + 1u + (e->sib ? 1 : 0) + e->displacement_bytes;

    for (unsigned k = 0; k < e->modrm; k++) {
        uint8_t byte = e->bytes[k];
        if (k < legacy && (byte == 0x65 || byte == 0x67 || (byte & 0xf0) == 0x40 ||
                           (byte == 0x64 && e->segment == NT_SEGMENT_GS)))
            continue;
        if (k == e->prefix && e->encoding == NT_LEGACY)
            byte &= 0xfc;
        else if (k == e->prefix + 1u && e->encoding != NT_LEGACY && e->encoding != NT_VEX2)
            byte |= 0x60;
        to[n++] = byte;
    }
    to[n++] = e->bytes[e->modrm] & 0x38;
    for (; behind < e->length; behind++)
        to[n++] = e->bytes[behind];
    return n;
}

static bool is_same_bytes(const struct nt_insn *e, const struct nt_insn *o)
{
    return e->length == o->length && __builtin_memcmp(e->bytes, o->bytes, o->length) == 0;
}

/* Its operand has another address than in the program: the same? */
static bool is_moved(const struct check *c, const struct nt_insn *e, const struct nt_insn *o)
{
    uint8_t a[NT_INSN_BYTES], b[NT_INSN_BYTES];

    if (!e->modrm || !e->memory || e->opcode == NT_NO_REG || e->index != NT_NO_REG || e->rip_relative)
        return false;
    unsigned n = without_address(e, a);
    if (n != without_address(o, b) || __builtin_memcmp(a, b, n) != 0)
        return false;
    if (e->base == NT_NO_REG)
        return o->rip_relative && e->segment == o->segment && (uint64_t)(int64_t)e->offset == o->target &&
               o->segment != NT_SEGMENT_GS;
    const struct value *base = &c->reg[e->base];
    if (e->offset || (o->reads | o->writes) & bit(e->base))
        return false;
    if (o->segment == NT_SEGMENT_GS)
        return !e->segment && base->kind == OPERAND_AT_GS && base->number == c->i;
    return o->rip_relative && e->segment == o->segment && base->kind == CONSTANT && base->number == o->target;
}

/* lea r, [rip + d], as a constant. */
static bool is_constant_lea(const struct nt_insn *e, const struct nt_insn *o)
{
    unsigned reg;
    uint64_t number;

    if (!o->rip_relative || o->encoding != NT_LEGACY || opcode_of(o) != 0x8d || o->accesses ||
        !is_constant(e, &reg, &number))
        return false;
    return reg == nt_reg_register(o) && number == (nt_rex(o) & 8 ? o->target : (uint32_t)o->target);
}

static bool is_instruction(const struct check *c, const struct nt_insn *e)
{
    const struct nt_insn *o = &c->making->insn[c->i];

    if (is_through_r11(c, e))
        return false;
    if (o->rip_relative || (o->memory && o->segment == NT_SEGMENT_GS))
        return is_moved(c, e, o) || is_constant_lea(e, o);
    return is_same_bytes(e, o);
}

/* Registers in `set` are the program's. */
static bool check_needs(struct check *c, uint16_t set, uint16_t flags)
{
    if (set & ~in_place(c))
        return check_fail(c, "it would read a register that is not the program's");
    if (flags & ~c->flags)
        return check_fail(c, "it would read flags that are not the program's");
    return true;
}

/* Everything is as where blocks begin and end. */
static bool check_settled(struct check *c)
{
    if (c->reg[NT_R11].kind != AREA || !(c->home & NT_OURS))
        return check_fail(c, "r11 is not the area's address, or not in its home");
    return check_needs(c, (uint16_t)~NT_OURS, NT_FLAGS_STATUS);
}

static bool check_run(struct check *c, const struct nt_insn *e, const struct nt_mark *mark)
{
    const struct nt_insn *o = &c->making->insn[c->i];
    bool moved = !is_same_bytes(e, o);
    uint16_t read = moved ? (uint16_t)(e->reads & ~bit(e->base)) : o->reads;
    uint16_t aside = mark->aside;

    if (!check_needs(c, (uint16_t)(read | (o->writes & ~o->kills)), o->flags_read))
        return false;
    if (aside & ~c->home || (uint16_t)~aside & ~in_place(c))
        return check_fail(c, "a fault would show registers that are not the program's");
    for (unsigned r = 0; r < 16; r++)
        if (o->writes >> r & 1)
            c->reg[r] = (struct value){PROGRAM, 0};
    c->home &= (uint16_t)~o->writes;
    c->flags |= o->flags_killed;
    return true;
}

/* ------------------------------------------------------------------------------------------ a block */

static unsigned offset_of(const struct check *c, const uint8_t *at)
{
    return (unsigned)(at - c->making->block.head);
}

static const struct nt_mark *mark_at(const struct check *c, uint64_t pc)
{
    const struct nt_making *making = c->making;

    for (unsigned m = 0; m < making->mark_count; m++)
        if (making->marks[m].code == offset_of(c, c->at) && making->block.pc + making->marks[m].pc == pc)
            return &making->marks[m];
    return NULL;
}

/* Where instruction `i` may be, which is `e`. What is added in front of a `lahf` or `sahf` may begin with one of its
 * own, at an earlier mark. */
static const struct nt_mark *mark_of_instruction(const struct check *c, const struct nt_insn *e)
{
    const struct nt_making *making = c->making;
    const struct nt_mark *mark = mark_at(c, making->insn[c->i].pc), *end = making->marks + making->mark_count;
    bool is_early = mark && mark + 1 < end && mark[1].pc == mark->pc;

    return is_early && e->length == 1 && (e->bytes[0] & 0xfe) == SAHF ? NULL : mark;
}

/* The last of the first marks of instruction `i` where everything is settled: in front of it, behind what it costs. */
static const uint8_t *place_of(const struct check *c, unsigned i)
{
    const struct nt_making *making = c->making;
    uint64_t pc = making->insn[i].pc - making->block.pc;
    unsigned m = 0;

    while (m < making->mark_count && (making->marks[m].pc != pc || making->marks[m].aside != NT_OURS ||
                                      making->marks[m].code < offset_of(c, making->block.entry)))
        m++;
    if (m == making->mark_count)
        return NULL;
    while (m + 1 < making->mark_count && making->marks[m + 1].pc == pc && making->marks[m + 1].aside == NT_OURS)
        m++;
    return making->block.head + making->marks[m].code;
}

/* The next instruction of the code, or false. */
static bool check_decode(struct check *c, struct nt_insn *e)
{
    const uint8_t *end = c->making->emit.at;

    if (c->at >= end || !nt_decode(c->making->decoder, c->at, (size_t)(end - c->at), (uintptr_t)c->at, e))
        return check_fail(c, "the code ends in the middle");
    return true;
}

static bool follow_to(struct check *c, const uint8_t *place)
{
    struct nt_insn e;

    if (!place)
        return check_fail(c, "no mark says where it is");
    while (c->at < place) {
        if (!check_decode(c, &e) || !check_added(c, &e))
            return false;
        c->at += e.length;
    }
    return c->at == place || check_fail(c, "its mark is in the middle of an instruction");
}

static bool check_plain(struct check *c)
{
    struct nt_insn e;
    const struct nt_mark *mark;

    for (;; c->at += e.length) {
        if (!check_decode(c, &e))
            return false;
        mark = mark_of_instruction(c, &e);
        if (mark && is_instruction(c, &e))
            break;
        if (!check_added(c, &e))
            return false;
        if (mark_at(c, nt_behind(&c->making->insn[c->i])))
            return check_fail(c, "it is not in the code");
    }
    c->at += e.length;
    return check_run(c, &e, mark);
}

/* Where instruction `i` itself begins, behind what it costs and what it has brought back. */
static const uint8_t *last_place_of(const struct check *c, unsigned i)
{
    const struct nt_making *making = c->making;
    const uint8_t *place = NULL;

    for (unsigned m = 0; m < making->mark_count; m++)
        if (making->block.pc + making->marks[m].pc == making->insn[i].pc)
            place = making->block.head + making->marks[m].code;
    return place;
}

/* What its base is to the program. A load of it is all that is not added, with what cuts it to 32 bits. */
static bool check_base(struct check *c)
{
    const struct nt_insn *o = &c->making->insn[c->i];
    bool reads = o->kind == NT_IS_GS_READ;
    unsigned loads = !reads ? 0 : o->operand_bits == 32 ? 2 : 1;
    struct nt_insn e;

    if (!follow_to(c, last_place_of(c, c->i)) || !check_needs(c, reads ? 0 : bit(o->operand), 0))
        return false;
    for (; loads > 0; loads--, c->at += e.length)
        if (!check_decode(c, &e))
            return false;
    if (reads) {
        c->reg[o->operand] = (struct value){PROGRAM, 0};
        c->home &= (uint16_t)~bit(o->operand);
    }
    for (; !mark_at(c, nt_behind(o)); c->at += e.length)
        if (!check_decode(c, &e) || !check_added(c, &e))
            return false;
    return true;
}

/* Over what leads away if the opposite of the condition is asked. */
static bool check_branch(struct check *c)
{
    const struct nt_insn *o = &c->making->insn[c->i];
    const uint8_t *place = place_of(c, c->i);
    struct nt_insn e;

    if (!follow_to(c, place))
        return false;
    for (;; c->at += e.length) {
        if (!check_decode(c, &e))
            return false;
        if (e.kind == NT_IS_JCC)
            break;
        if (!check_added(c, &e))
            return false;
    }
    if (e.condition != o->condition && e.condition != (o->condition ^ 1))
        return check_fail(c, "it asks another condition");
    c->at = e.condition == o->condition ? c->at + e.length : (const uint8_t *)e.target;
    return check_settled(c);
}

/* The block is left. */
static bool check_end(struct check *c)
{
    const struct nt_making *making = c->making;
    struct nt_insn e;

    if (c->i < making->count)
        return follow_to(c, place_of(c, c->i)) && check_settled(c);
    c->i--;
    for (;; c->at += e.length) {
        if (!check_decode(c, &e))
            return false;
        if (e.kind == NT_IS_JUMP)
            return check_settled(c);
        if (!check_added(c, &e))
            return false;
    }
}

const char *nt_check_block(const struct nt_making *making, uint64_t *pc)
{
    struct check c = {.making = making, .at = making->block.entry, .flags = NT_FLAGS_STATUS, .home = NT_OURS};
    bool good = true;

    for (unsigned r = 0; r < 16; r++)
        c.reg[r].kind = NT_OURS >> r & 1 ? AREA : PROGRAM;
    for (; c.i < making->count && good; c.i++) {
        uint8_t kind = making->insn[c.i].kind;
        *pc = making->insn[c.i].pc;
        if (kind == NT_IS_PLAIN)
            good = check_plain(&c);
        else if (kind == NT_IS_JCC)
            good = check_branch(&c);
        else if (kind == NT_IS_GS_READ || kind == NT_IS_GS_WRITE)
            good = check_base(&c);
        else
            break;
    }
    if (good && making->count > 0)
        check_end(&c);
    return c.wrong;
}
