/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.c: see decode.h.
 *
 * Integer or floating is what Zydis says of the elements in memory: `cvtsi2sd xmm, [m]` loads an integer, `movsd` and
 * `movups` a floating-point number, `movdqu` integers. Compilers keep to that, but for copies of whole structures.
 */
#include "profile/code/decode.h"

#include <string.h>

#include "tenure_config.h"

bool tp_can_decode(void)
{
    return TENURE_HAVE_ZYDIS;
}

#if TENURE_HAVE_ZYDIS

#include <Zydis/Zydis.h>

static const ZydisMachineMode MODE = ZYDIS_MACHINE_MODE_LONG_64;

static uint16_t decode_whole(ZydisRegister reg)
{
    return reg == ZYDIS_REGISTER_NONE ? 0 : (uint16_t)ZydisRegisterGetLargestEnclosing(MODE, reg);
}

static bool touches_floating(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operand)
{
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        if (operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY && operand[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
            operand[i].element_type >= ZYDIS_ELEMENT_TYPE_FLOAT16 &&
            operand[i].element_type <= ZYDIS_ELEMENT_TYPE_FLOAT80)
            return true;
    }
    return false;
}

static uint64_t decode_place_of(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operand,
                                uint64_t address)
{
    ZyanU64 place = 0;

    return ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(instruction, operand, address, &place)) ? place : 0;
}

static enum tp_flow flow_of(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operand)
{
    bool direct = operand[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_COND_BR: return TP_FLOW_BRANCH;
    case ZYDIS_CATEGORY_UNCOND_BR: return direct ? TP_FLOW_JUMP : TP_FLOW_INDIRECT;
    case ZYDIS_CATEGORY_CALL: return TP_FLOW_CALL;
    case ZYDIS_CATEGORY_RET: return TP_FLOW_END;
    default: break;
    }
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT: return TP_FLOW_END;
    case ZYDIS_MNEMONIC_XBEGIN: return TP_FLOW_BRANCH;
    default: return TP_FLOW_NEXT;
    }
}

static enum tp_repeats repeats_of(const ZydisDecodedInstruction *instruction)
{
    const ZydisInstructionAttributes any = ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;

    if (!(instruction->attributes & any))
        return TP_REPEATS_NOT;
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_CMPSB:
    case ZYDIS_MNEMONIC_CMPSW:
    case ZYDIS_MNEMONIC_CMPSD:
    case ZYDIS_MNEMONIC_CMPSQ:
    case ZYDIS_MNEMONIC_SCASB:
    case ZYDIS_MNEMONIC_SCASW:
    case ZYDIS_MNEMONIC_SCASD:
    case ZYDIS_MNEMONIC_SCASQ: return TP_REPEATS_UNTIL;
    case ZYDIS_MNEMONIC_STOSB:
    case ZYDIS_MNEMONIC_STOSW:
    case ZYDIS_MNEMONIC_STOSD:
    case ZYDIS_MNEMONIC_STOSQ: return TP_REPEATS_WRITES;
    default: return TP_REPEATS_READS;
    }
}

static void shape_of(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operand,
                     uint64_t address, struct tp_decoded *out)
{
    const ZydisDecodedOperand *from = &operand[1];
    bool move = instruction->mnemonic == ZYDIS_MNEMONIC_MOV || instruction->mnemonic == ZYDIS_MNEMONIC_MOVSXD;

    if (out->flow == TP_FLOW_INDIRECT) {
        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
            out->shape = TP_SHAPE_JUMP;
            out->reg = decode_whole(operand->reg.value);
        } else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.index != ZYDIS_REGISTER_NONE &&
                   operand->mem.scale == 8) {
            out->shape = TP_SHAPE_JUMP_ENTRY;
            out->base = decode_whole(operand->mem.base);
            out->value = (uint64_t)operand->mem.disp.value;
            out->width = 8;
        }
        return;
    }
    if (instruction->operand_count < 2 || operand[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
        from->type != ZYDIS_OPERAND_TYPE_MEMORY)
        return;
    if (instruction->mnemonic == ZYDIS_MNEMONIC_LEA && from->mem.base == ZYDIS_REGISTER_RIP) {
        out->shape = TP_SHAPE_ADDRESS;
        out->reg = decode_whole(operand[0].reg.value);
        out->value = decode_place_of(instruction, from, address);
    } else if (move && from->mem.index != ZYDIS_REGISTER_NONE && (from->size == 32 || from->size == 64) &&
               (from->mem.scale == 1 || from->size == from->mem.scale * 8u)) {
        out->shape = TP_SHAPE_ENTRY;
        out->reg = decode_whole(operand[0].reg.value);
        out->base = decode_whole(from->mem.base);
        out->index = from->mem.scale == 1 ? decode_whole(from->mem.index) : 0;
        out->value = (uint64_t)from->mem.disp.value;
        out->width = (uint8_t)(from->size / 8);
    }
}

/* A register's bit; 0: it is no general register, or the stack pointer. */
static uint16_t bit_of(ZydisRegister reg)
{
    uint16_t whole = decode_whole(reg);

    if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15 || whole == ZYDIS_REGISTER_RSP)
        return 0;
    return (uint16_t)(1u << (whole - ZYDIS_REGISTER_RAX));
}

static void see_register(const ZydisDecodedOperand *operand, struct tp_decoded *out)
{
    uint16_t bit = bit_of(operand->reg.value);

    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        out->reads |= bit;
    if (!(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
        return;
    out->writes |= bit;
    out->keeps |= (operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE) || operand->size < 32;
}

static void see_memory(const ZydisDecodedOperand *operand, struct tp_decoded *out)
{
    uint16_t base = bit_of(operand->mem.base), index = bit_of(operand->mem.index);

    if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN) { /* lea */
        out->reads |= base | index;
        return;
    }
    out->address |= base | index;
    out->loads |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    out->stores |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    out->in_slot = !index && (operand->mem.base == ZYDIS_REGISTER_RSP || operand->mem.base == ZYDIS_REGISTER_RBP) &&
                   (operand->size == 32 || operand->size == 64);
    out->slot_base = (uint8_t)(operand->mem.base == ZYDIS_REGISTER_RSP ? 4 : 5);
    out->displacement = (int32_t)operand->mem.disp.value;
}

/* ------------------------------------------------------------------------------------------ cycles */

/* A register's bit among all: general ones, vectors, mask registers and x87's. Flags are not followed: most of what
 * waits for them is a branch, and these are taken to be known. */
static uint64_t bit_of_all(ZydisRegister reg)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(MODE, reg);

    if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15)
        return whole == ZYDIS_REGISTER_RSP ? 0 : 1ull << (whole - ZYDIS_REGISTER_RAX);
    if (whole >= ZYDIS_REGISTER_ZMM0 && whole <= ZYDIS_REGISTER_ZMM31)
        return 1ull << (16 + whole - ZYDIS_REGISTER_ZMM0);
    if (reg >= ZYDIS_REGISTER_ST0 && reg <= ZYDIS_REGISTER_ST7)
        return 1ull << 48;
    if (reg >= ZYDIS_REGISTER_K0 && reg <= ZYDIS_REGISTER_K7)
        return 1ull << (49 + reg - ZYDIS_REGISTER_K0);
    return 0;
}

/* Cycles of processors of the last ten years, near enough: where makers differ, what is between them. What an
 * instruction's name begins with, after the "v" of AVX, decides. */
static void see_latency(const ZydisDecodedInstruction *instruction, struct tp_decoded *out)
{
    static const struct {
        const char *begins;
        uint8_t latency, busy;
    } known[] = {
        {"idiv", 14, 8}, {"divs", 13, 5}, {"divp", 13, 6},  {"fdiv", 15, 8},   {"div", 14, 8},   {"sqrt", 18, 7},
        {"fsqrt", 18, 8}, {"imul", 3, 1}, {"mul", 4, 1},    {"fmul", 4, 1},    {"fmadd", 4, 1},  {"fmsub", 4, 1},
        {"fnmadd", 4, 1}, {"cvt", 4, 1},  {"addp", 3, 1},   {"adds", 3, 1},    {"subp", 3, 1},   {"subs", 3, 1},
        {"fadd", 4, 1},   {"fsub", 4, 1}, {"minp", 2, 1},   {"mins", 2, 1},    {"maxp", 2, 1},   {"maxs", 2, 1},
        {"comis", 3, 1},  {"ucomis", 3, 1}, {"pmul", 4, 1}, {"pmadd", 4, 1},   {"gather", 20, 8}, {"pgather", 20, 8},
        {"bsf", 3, 1},    {"bsr", 3, 1},  {"cpuid", 100, 100}, {"rdtsc", 25, 25}, {"mfence", 30, 30},
    };
    const char *name = ZydisMnemonicGetString(instruction->mnemonic);

    name += *name == 'v';
    out->latency = out->busy = instruction->attributes & ZYDIS_ATTRIB_HAS_LOCK ? 18 : 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (*name == *known[i].begins && strncmp(name, known[i].begins, strlen(known[i].begins)) == 0) {
            out->latency = known[i].latency;
            out->busy = known[i].busy;
            return;
        }
    }
}

static void see_cycles(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operand, bool clears,
                       struct tp_decoded *out)
{
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        uint64_t bit = operand[i].type == ZYDIS_OPERAND_TYPE_REGISTER ? bit_of_all(operand[i].reg.value) : 0;
        if (operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY && operand[i].mem.type == ZYDIS_MEMOP_TYPE_AGEN)
            out->uses |= bit_of_all(operand[i].mem.base) | bit_of_all(operand[i].mem.index);
        if (operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ && !clears)
            out->uses |= bit;
        if (operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            out->sets |= bit;
    }
    see_latency(instruction, out);
    if (out->stores && strstr(ZydisMnemonicGetString(instruction->mnemonic), "movnt"))
        out->past = (uint8_t)(operand[0].size / 8);
}

static void see_flags(const ZydisAccessedFlags *flags, struct tp_decoded *out)
{
    const ZydisAccessedFlagsMask status = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF |
                                          ZYDIS_CPUFLAG_OF;

    out->compares = flags && (flags->modified | flags->set_0 | flags->set_1 | flags->undefined) & status;
    out->chooses = flags && out->flow == TP_FLOW_NEXT && flags->tested & status;
}

/* Which registers it moves what between. */
static void see_moves(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operand,
                      struct tp_decoded *out)
{
    bool clears = (instruction->mnemonic == ZYDIS_MNEMONIC_XOR || instruction->mnemonic == ZYDIS_MNEMONIC_SUB ||
                   instruction->mnemonic == ZYDIS_MNEMONIC_PXOR || instruction->mnemonic == ZYDIS_MNEMONIC_XORPS ||
                   instruction->mnemonic == ZYDIS_MNEMONIC_XORPD) &&
                  operand[0].type == ZYDIS_OPERAND_TYPE_REGISTER && operand[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                  operand[0].reg.value == operand[1].reg.value;

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        if (operand[i].type == ZYDIS_OPERAND_TYPE_REGISTER && !clears)
            see_register(&operand[i], out);
        else if (operand[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
            out->writes |= bit_of(operand[i].reg.value);
        else if (operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY && instruction->mnemonic != ZYDIS_MNEMONIC_NOP)
            see_memory(&operand[i], out);
    }
    out->moves = clears || instruction->mnemonic == ZYDIS_MNEMONIC_NOP ||
                 (instruction->mnemonic == ZYDIS_MNEMONIC_LEA && operand[1].mem.index == ZYDIS_REGISTER_NONE) ||
                 (instruction->mnemonic == ZYDIS_MNEMONIC_MOV && (out->in_slot || (!out->loads && !out->stores)));
    out->frames = instruction->mnemonic == ZYDIS_MNEMONIC_LEAVE || instruction->mnemonic == ZYDIS_MNEMONIC_ENTER ||
                  instruction->mnemonic == ZYDIS_MNEMONIC_POP ||
                  (instruction->mnemonic == ZYDIS_MNEMONIC_MOV && operand[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                   operand[1].reg.value == ZYDIS_REGISTER_RSP) ||
                  (instruction->mnemonic == ZYDIS_MNEMONIC_LEA && operand[1].mem.base == ZYDIS_REGISTER_RSP);
    see_flags(instruction->cpu_flags, out);
    see_cycles(instruction, operand, clears, out);
    if (instruction->meta.category == ZYDIS_CATEGORY_STRINGOP) /* rsi and rdi go on, and take nothing from memory */
        out->writes &= (uint16_t)~out->address;
}

void tp_decode(const uint8_t *bytes, unsigned length, uint64_t address, struct tp_decoded *out)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];

    *out = (struct tp_decoded){.length = (uint8_t)length};
    ZydisDecoderInit(&decoder, MODE, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, length, &instruction, operand)) ||
        instruction.length != length)
        return;
    out->flow = (uint8_t)flow_of(&instruction, operand);
    out->repeats = (uint8_t)repeats_of(&instruction);
    out->floating = touches_floating(&instruction, operand);
    see_moves(&instruction, operand, out);
    if (out->flow == TP_FLOW_BRANCH || out->flow == TP_FLOW_JUMP ||
        (out->flow == TP_FLOW_CALL && operand[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE))
        out->target = decode_place_of(&instruction, &operand[0], address);
    shape_of(&instruction, operand, address, out);
}

#else

void tp_decode(const uint8_t *bytes, unsigned length, uint64_t address, struct tp_decoded *out)
{
    (void)bytes;
    (void)address;
    *out = (struct tp_decoded){.length = (uint8_t)length};
}

#endif
