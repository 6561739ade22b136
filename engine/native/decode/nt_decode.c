/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_decode.c: from the decoder library's terms to ours.
 *
 * Three kinds of care. What it says of operands in memory that ModRM does not name (pushes, strings, bit strings,
 * masks, gathers) is put right in correct_accesses. Where an instruction may leave a flag or a register as it was
 * (shift by 0, a repeated instruction 0 times, `undefined` flags), nothing counts as killed. And RIP-relative operands
 * are found in the ModRM byte itself, since version 4.0 gets those with both a 67 prefix and REX.B wrong.
 */
#include "nt_decode.h"

#include "engine/common/past_store.h"

#include <Zydis/Zydis.h>

_Static_assert(sizeof(ZydisDecoder) <= 64, "the decoder's state");
_Static_assert(NT_FLAGS_STATUS == (ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF |
                                   ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF),
               "flags");

enum { RAX = 0, RSP = 4, R8 = 8 };

typedef ZydisDecodedInstruction decoded;
typedef ZydisDecodedOperand operand;

bool nt_decoder_init(struct nt_decoder *decoder, void *(*symbol)(const char *name), bool amd)
{
    ZyanU64 (*version)(void) = (ZyanU64(*)(void))symbol("ZydisGetVersion");
    ZyanStatus (*init)(ZydisDecoder *, ZydisMachineMode, ZydisStackWidth) =
        (ZyanStatus(*)(ZydisDecoder *, ZydisMachineMode, ZydisStackWidth))symbol("ZydisDecoderInit");
    ZyanStatus (*mode)(ZydisDecoder *, ZydisDecoderMode, ZyanBool) =
        (ZyanStatus(*)(ZydisDecoder *, ZydisDecoderMode, ZyanBool))symbol("ZydisDecoderEnableMode");
    decoder->decode =
        (int (*)(const void *, const void *, size_t, void *, void *))symbol("ZydisDecoderDecodeFull");
    decoder->name = (const char *(*)(unsigned))symbol("ZydisMnemonicGetString");
    if (!version || !init || !mode || !decoder->decode || !decoder->name)
        return false;
    /* Its structures change with the minor version. */
    if (version() >> 32 != ZYDIS_VERSION >> 32)
        return false;
    decoder->amd = amd;
    ZydisDecoder *state = (ZydisDecoder *)decoder->state;
    /* MPX is no operation on any CPU that is still made, whatever registers it names. Without a shadow stack, which no
     * program has here, `rdssp` is none either, and leaves the register as it was. */
    return ZYAN_SUCCESS(init(state, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
           ZYAN_SUCCESS(mode(state, ZYDIS_DECODER_MODE_MPX, ZYAN_FALSE)) &&
           ZYAN_SUCCESS(mode(state, ZYDIS_DECODER_MODE_CET, ZYAN_FALSE));
}

const char *nt_decode_name(const struct nt_decoder *decoder, const struct nt_insn *insn)
{
    const char *name = insn->kind == NT_IS_NOTHING ? 0 : decoder->name(insn->name);
    return name ? name : "unknown";
}

/* The general register that `reg` is or is part of, or NT_NO_REG. `whole`: writing it leaves nothing of the old. */
static uint8_t decode_general(ZydisRegister reg, bool *whole)
{
    *whole = false;
    if (reg >= ZYDIS_REGISTER_AL && reg <= ZYDIS_REGISTER_BL)
        return (uint8_t)(reg - ZYDIS_REGISTER_AL);
    if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
        return (uint8_t)(reg - ZYDIS_REGISTER_AH);
    if (reg >= ZYDIS_REGISTER_SPL && reg <= ZYDIS_REGISTER_R15B)
        return (uint8_t)(reg - ZYDIS_REGISTER_SPL + 4);
    if (reg >= ZYDIS_REGISTER_AX && reg <= ZYDIS_REGISTER_R15W)
        return (uint8_t)(reg - ZYDIS_REGISTER_AX);
    *whole = true;
    if (reg >= ZYDIS_REGISTER_EAX && reg <= ZYDIS_REGISTER_R15D)
        return (uint8_t)(reg - ZYDIS_REGISTER_EAX);
    if (reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15)
        return (uint8_t)(reg - ZYDIS_REGISTER_RAX);
    return NT_NO_REG;
}

static uint8_t general_number(ZydisRegister reg)
{
    bool whole;
    return decode_general(reg, &whole);
}

static uint16_t bit(uint8_t reg)
{
    return reg == NT_NO_REG ? 0 : (uint16_t)(1u << reg);
}

/* Where the parts of the instruction lie, and whether ModRM names an address, RIP-relative or not. */
static void find_parts(struct nt_insn *insn, const decoded *d)
{
    insn->encoding = NT_LEGACY;
    insn->prefix = NT_NO_REG;
    switch (d->encoding) {
    case ZYDIS_INSTRUCTION_ENCODING_VEX:
        insn->encoding = d->raw.vex.size == 2 ? NT_VEX2 : NT_VEX3;
        insn->prefix = d->raw.vex.offset;
        break;
    case ZYDIS_INSTRUCTION_ENCODING_XOP:
        insn->encoding = NT_XOP;
        insn->prefix = d->raw.xop.offset;
        break;
    case ZYDIS_INSTRUCTION_ENCODING_EVEX:
        insn->encoding = NT_EVEX;
        insn->prefix = d->raw.evex.offset;
        break;
    default:
        if (d->attributes & ZYDIS_ATTRIB_HAS_REX)
            insn->prefix = d->raw.rex.offset;
        break;
    }
    insn->address_bits = d->address_width;
    insn->displacement_bytes = d->raw.disp.size / 8;
    insn->displacement = insn->displacement_bytes ? d->raw.disp.offset : 0;
    insn->immediate = d->raw.imm[0].size ? d->raw.imm[0].offset : 0;
    if (!(d->attributes & ZYDIS_ATTRIB_HAS_MODRM))
        return;
    insn->modrm = d->raw.modrm.offset;
    insn->opcode = (uint8_t)(insn->modrm - 1);
    insn->sib = d->attributes & ZYDIS_ATTRIB_HAS_SIB ? d->raw.sib.offset : 0;
    insn->memory = d->raw.modrm.mod != 3 && d->opcode_map != ZYDIS_OPCODE_MAP_0F0F;
    insn->rip_relative = insn->memory && d->raw.modrm.mod == 0 && d->raw.modrm.rm == 5;
    if (insn->rip_relative) {
        int32_t displacement;
        __builtin_memcpy(&displacement, insn->bytes + insn->modrm + 1, 4);
        insn->target = insn->pc + insn->length + (uint64_t)(int64_t)displacement;
        if (insn->address_bits == 32)
            insn->target = (uint32_t)insn->target;
    }
}

static struct nt_access *add_access(struct nt_insn *insn, uint8_t how)
{
    if (insn->accesses == NT_INSN_ACCESSES)
        return &insn->access[NT_INSN_ACCESSES - 1];
    struct nt_access *access = &insn->access[insn->accesses++];
    *access = (struct nt_access){.how = how,
                                 .kind = NT_ONE,
                                 .base = NT_NO_REG,
                                 .index = NT_NO_REG,
                                 .scale = 1,
                                 .mask = NT_NO_REG,
                                 .address_bits = insn->address_bits};
    return access;
}

static uint8_t vector_number(ZydisRegister reg)
{
    if (reg >= ZYDIS_REGISTER_ZMM0)
        return (uint8_t)(reg - ZYDIS_REGISTER_ZMM0);
    if (reg >= ZYDIS_REGISTER_YMM0)
        return (uint8_t)(reg - ZYDIS_REGISTER_YMM0);
    return (uint8_t)(reg - ZYDIS_REGISTER_XMM0);
}

static uint8_t segment_of(ZydisRegister segment)
{
    return segment == ZYDIS_REGISTER_FS   ? NT_SEGMENT_FS
           : segment == ZYDIS_REGISTER_GS ? NT_SEGMENT_GS
                                          : NT_NO_SEGMENT;
}

static void note_memory(struct nt_insn *insn, const operand *o)
{
    bool vector = o->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
    uint8_t base = general_number(o->mem.base), index = vector ? NT_NO_REG : general_number(o->mem.index);
    bool named = o->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM && insn->memory;
    bool relative = named && insn->rip_relative;
    if (relative)
        base = NT_NO_REG;
    insn->reads |= bit(base) | bit(index);
    if (named) {
        insn->base = base;
        insn->index = index;
        insn->scale = o->mem.scale ? o->mem.scale : 1;
        insn->vector_index = vector;
        insn->offset = (int32_t)o->mem.disp.value;
    }
    if (segment_of(o->mem.segment) && o->mem.type != ZYDIS_MEMOP_TYPE_AGEN)
        insn->segment = segment_of(o->mem.segment);
    if (!named && base != RSP)
        insn->implicit = true;
    uint8_t how = (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ ? NT_READ : 0) |
                  (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? NT_WRITE : 0);
    if (o->mem.type == ZYDIS_MEMOP_TYPE_AGEN || o->mem.type == ZYDIS_MEMOP_TYPE_MIB || !how)
        return;
    struct nt_access *access = add_access(insn, how);
    access->base = base;
    access->index = index;
    access->scale = o->mem.scale ? o->mem.scale : 1;
    access->segment = segment_of(o->mem.segment);
    access->displacement = relative ? (int64_t)insn->target : o->mem.disp.value;
    access->size = o->size / 8;
    access->conditional = !(o->actions & (ZYDIS_OPERAND_ACTION_READ | ZYDIS_OPERAND_ACTION_WRITE));
    if (vector) {
        access->kind = NT_LANES;
        access->index = vector_number(o->mem.index);
        access->conditional = true;
    }
}

static void note_register(struct nt_insn *insn, const operand *o)
{
    bool whole;
    uint8_t reg = decode_general(o->reg.value, &whole);
    uint16_t set = bit(reg);
    if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        insn->reads |= set;
    if (!(o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
        return;
    insn->writes |= set;
    if (whole && o->actions & ZYDIS_OPERAND_ACTION_WRITE && !insn->repeated)
        insn->kills |= set;
    else
        insn->reads |= set;
}

/* A shift or rotate whose count may be 0 leaves the flags as they are then. */
static bool count_is_known(const struct nt_insn *insn, const decoded *d)
{
    if (d->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && (d->opcode == 0xd0 || d->opcode == 0xd1))
        return true;
    if (!insn->immediate)
        return false;
    return d->raw.imm[0].value.u & (d->operand_width == 64 ? 63 : 31);
}

static void note_flags(struct nt_insn *insn, const decoded *d)
{
    const ZydisAccessedFlags *flags = d->cpu_flags;
    if (!flags)
        return;
    insn->flags_read = flags->tested & NT_FLAGS_STATUS;
    uint32_t killed = flags->modified | flags->set_0 | flags->set_1;
    killed &= ~flags->undefined;
    switch (d->mnemonic) {
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_OR:
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_TEST:
        killed |= ZYDIS_CPUFLAG_AF; /* called undefined; every CPU clears it */
        break;
    default:
        break;
    }
    bool shifts = d->meta.category == ZYDIS_CATEGORY_SHIFT || d->meta.category == ZYDIS_CATEGORY_ROTATE;
    if (insn->repeated ||
        (shifts && d->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && !count_is_known(insn, d)))
        killed = 0;
    insn->flags_killed = killed & NT_FLAGS_STATUS;
}

static void decode_refuse(struct nt_insn *insn, const char *why)
{
    insn->kind = NT_IS_UNSUPPORTED;
    insn->why = why;
}

static void decode_rare(struct nt_insn *insn, enum nt_rare_kind rare, const char *why)
{
    insn->kind = NT_IS_RARE;
    insn->rare = rare;
    insn->why = why;
}

static bool has_operand_of_16_bits(const decoded *d)
{
    for (unsigned i = 0; i < d->raw.prefix_count; i++) {
        if (d->raw.prefixes[i].value == 0x66)
            return !d->raw.rex.W;
    }
    return false;
}

/* On AMD's processors a branch with an operand of 16 bits leads to the first 64 KiB, and has 16 bits for its way where
 * the decoder has seen 32. */
static void cut_way(struct nt_insn *insn, const decoded *d)
{
    uint64_t way = d->raw.imm[0].value.u;

    if (d->raw.imm[0].size == 32) {
        insn->length -= 2;
        way = (uint16_t)way;
    }
    insn->target = (uint16_t)(insn->pc + insn->length + way);
}

/* What it takes from the stack is read as one. */
static void classify_return_far(struct nt_insn *insn, const decoded *d)
{
    enum { RETURN_FAR = 0xca, IRET = 0xcf };
    bool is_iret = d->opcode == IRET;

    if (d->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT || (!is_iret && (d->opcode & 0xfe) != RETURN_FAR) ||
        has_operand_of_16_bits(d)) {
        decode_refuse(insn, "far branch");
        return;
    }
    decode_rare(insn, is_iret ? NT_RARE_IRET : NT_RARE_RETURN_FAR, is_iret ? "iret" : "far return");
    insn->operand_bits = d->raw.rex.W ? 64 : 32;
    insn->accesses = 0;
    struct nt_access *access = add_access(insn, NT_READ);
    access->base = RSP;
    access->address_bits = 64;
    access->size = (uint16_t)((is_iret ? 5 : 2) * insn->operand_bits / 8);
    insn->reads |= bit(RSP);
    insn->writes |= bit(RSP);
}

static void classify_branch(struct nt_insn *insn, const decoded *d, bool amd)
{
    bool far = d->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
    bool relative = d->raw.imm[0].is_relative, is_short = amd && has_operand_of_16_bits(d);
    if (relative && is_short)
        cut_way(insn, d);
    else if (relative)
        insn->target = insn->pc + insn->length + d->raw.imm[0].value.u;
    switch (d->meta.category) {
    case ZYDIS_CATEGORY_CALL:
        insn->kind = relative ? NT_IS_CALL : NT_IS_CALL_INDIRECT;
        break;
    case ZYDIS_CATEGORY_UNCOND_BR:
        insn->kind = relative ? NT_IS_JUMP : NT_IS_JUMP_INDIRECT;
        break;
    case ZYDIS_CATEGORY_COND_BR:
        if ((d->opcode & 0xfc) == 0xe0 && d->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT) {
            insn->kind = NT_IS_LOOP;
            insn->condition = d->opcode;
        } else {
            insn->kind = d->mnemonic == ZYDIS_MNEMONIC_XBEGIN ? NT_IS_XBEGIN : NT_IS_JCC;
            insn->condition = d->opcode & 15;
        }
        break;
    default: /* ZYDIS_CATEGORY_RET */
        insn->kind = NT_IS_RETURN;
        insn->immediate_value = insn->immediate ? d->raw.imm[0].value.u : 0;
        if (far || (d->opcode & 0xfe) != 0xc2) {
            classify_return_far(insn, d);
            return;
        }
        break;
    }
    if (far)
        decode_refuse(insn, "far branch");
    else if (is_short && (!relative || insn->kind == NT_IS_CALL))
        decode_refuse(insn, "branch with an operand of 16 bits");
}

enum { RBP = 5, ENTER_LEVELS = 2, SYSTEM_CALL_32 = 0x80 };

static unsigned enter_level(const decoded *d)
{
    return d->raw.imm[1].value.u & 31;
}

static void classify_odd(struct nt_insn *insn, const decoded *d, const operand *o, bool amd)
{
    static const char loads_selector[] = "a load of the selector of FS or GS";
    bool gs;

    switch (d->mnemonic) {
    case ZYDIS_MNEMONIC_SYSCALL:
        insn->kind = NT_IS_SYSCALL;
        break;
    case ZYDIS_MNEMONIC_CPUID:
        insn->kind = NT_IS_CPUID;
        break;
    case ZYDIS_MNEMONIC_INT3:
    case ZYDIS_MNEMONIC_INT1:
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
        insn->kind = NT_IS_TRAP;
        break;
    case ZYDIS_MNEMONIC_RDGSBASE:
    case ZYDIS_MNEMONIC_WRGSBASE:
        insn->kind = d->mnemonic == ZYDIS_MNEMONIC_RDGSBASE ? NT_IS_GS_READ : NT_IS_GS_WRITE;
        insn->operand = general_number(o[0].reg.value);
        insn->operand_bits = d->operand_width;
        break;
    case ZYDIS_MNEMONIC_WRFSBASE:
        insn->sets_fs = true;
        insn->operand = general_number(o[0].reg.value);
        insn->operand_bits = d->operand_width;
        break;
    case ZYDIS_MNEMONIC_XBEGIN:
        insn->kind = NT_IS_XBEGIN;
        insn->target = insn->pc + insn->length + d->raw.imm[0].value.u;
        break;
    case ZYDIS_MNEMONIC_INT:
        insn->kind = NT_IS_TRAP;
        if (d->raw.imm[0].value.u == SYSTEM_CALL_32)
            decode_rare(insn, NT_RARE_INT80, "int 0x80");
        break;
    case ZYDIS_MNEMONIC_SYSENTER:
        insn->kind = NT_IS_TRAP; /* unknown to AMD's in 64 bits */
        if (!amd)
            decode_refuse(insn, "sysenter");
        break;
    case ZYDIS_MNEMONIC_LFS:
    case ZYDIS_MNEMONIC_LGS:
        decode_refuse(insn, loads_selector);
        break;
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_POP:
        if (o[0].type != ZYDIS_OPERAND_TYPE_REGISTER || !segment_of(o[0].reg.value))
            break;
        gs = segment_of(o[0].reg.value) == NT_SEGMENT_GS;
        if (d->mnemonic == ZYDIS_MNEMONIC_MOV)
            decode_rare(insn, gs ? NT_RARE_MOV_GS : NT_RARE_MOV_FS, loads_selector);
        else
            decode_rare(insn, gs ? NT_RARE_POP_GS : NT_RARE_POP_FS, loads_selector);
        if (d->mnemonic == ZYDIS_MNEMONIC_MOV)
            insn->operand = general_number(o[1].reg.value);
        if (insn->memory || has_operand_of_16_bits(d))
            decode_refuse(insn, insn->why);
        break;
    default:
        break;
    }
}

static void decode_classify(struct nt_insn *insn, const decoded *d, const operand *o, bool amd)
{
    insn->kind = NT_IS_PLAIN;
    switch (d->meta.category) {
    case ZYDIS_CATEGORY_AMX_TILE:
        decode_refuse(insn, "AMX");
        return;
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_RET:
        if (d->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE || d->meta.category == ZYDIS_CATEGORY_RET) {
            classify_branch(insn, d, amd);
            break;
        }
        /* fall through */
    default:
        classify_odd(insn, d, o, amd);
        break;
    }
    /* Who gets the flags gives them back. */
    if (insn->kind == NT_IS_SYSCALL || insn->kind == NT_IS_TRAP || insn->kind == NT_IS_RARE) {
        insn->flags_read = NT_FLAGS_STATUS;
        insn->flags_killed = 0;
    }
    if (insn->segment == NT_SEGMENT_GS && insn->kind == NT_IS_PLAIN) {
        bool lanes = insn->accesses && insn->access[0].kind == NT_LANES;
        if (!insn->memory || insn->implicit || lanes)
            decode_refuse(insn, "an operand under GS that ModRM does not name");
        else if (d->mnemonic == ZYDIS_MNEMONIC_CMPXCHG16B || d->mnemonic == ZYDIS_MNEMONIC_CMPXCHG8B)
            decode_refuse(insn, "cmpxchg8b or cmpxchg16b under GS"); /* no registers are left to make the address */
        else if (d->meta.category == ZYDIS_CATEGORY_POP && insn->base == RSP)
            decode_refuse(insn, "pop of a place under GS that rsp tells"); /* as it is behind the pop */
    }
}

/* Pushes are given at [rsp]. A pop of a place that rsp tells has it behind the stack's. */
static void correct_stack(struct nt_insn *insn, const decoded *d)
{
    for (unsigned i = 0; i < insn->accesses; i++) {
        struct nt_access *access = &insn->access[i];
        bool named = insn->memory && i == 0;
        if (access->base != RSP)
            continue;
        if (!named)
            access->address_bits = 64;
        if (!named && access->how == NT_WRITE)
            access->displacement = -(int64_t)access->size;
        if (named && d->meta.category == ZYDIS_CATEGORY_POP)
            access->displacement += insn->access[1].size;
    }
}

/* Behind rbp it pushes the frames of the levels above, which it finds below rbp, and its own. */
static void correct_enter(struct nt_insn *insn, const decoded *d)
{
    uint16_t size = insn->access[0].size;

    correct_stack(insn, d);
    if (enter_level(d) > ENTER_LEVELS) {
        insn->access[0].kind = NT_FRAMES;
        insn->access[0].lanes = (uint16_t)enter_level(d);
        return;
    }
    for (unsigned i = 1; i <= enter_level(d); i++) {
        struct nt_access *push = add_access(insn, NT_WRITE);
        *push = insn->access[0];
        push->displacement -= (int64_t)(i * size);
    }
    if (enter_level(d) == ENTER_LEVELS) {
        struct nt_access *above = add_access(insn, NT_READ);
        *above = insn->access[0];
        above->how = NT_READ;
        above->base = RBP;
        above->displacement = -(int64_t)size;
    }
}

/* As many lanes as the longer of element and index leaves room for. The index is of 4 or 8 bytes by the opcode. */
static void correct_lanes(struct nt_insn *insn, const decoded *d, const operand *o)
{
    struct nt_access *access = &insn->access[0];
    bool is_long_prefix = insn->encoding == NT_EVEX || insn->encoding == NT_VEX3; /* which has a bit for it */
    unsigned element = is_long_prefix && insn->bytes[insn->prefix + 2] & 0x80 ? 8 : 4;
    unsigned index = insn->bytes[insn->opcode] & 1 ? 8 : 4;
    access->size = (uint16_t)element;
    access->lanes = (uint16_t)(d->avx.vector_length / 8 / (element > index ? element : index));
    access->index_bytes = (uint8_t)index;
    access->by_sign = insn->encoding != NT_EVEX;
    if (access->by_sign)
        access->mask = vector_number(o[2].reg.value);
}

/* Whether what an opmask leaves out is not read either. The decoder does not know it of the first few. */
static bool suppresses_faults(const decoded *d)
{
    switch (d->mnemonic) {
    case ZYDIS_MNEMONIC_VDBPSADBW:
    case ZYDIS_MNEMONIC_VGF2P8AFFINEINVQB:
    case ZYDIS_MNEMONIC_VGF2P8AFFINEQB:
    case ZYDIS_MNEMONIC_VCVTNE2PS2BF16:
    case ZYDIS_MNEMONIC_VEXTRACTF32X4:
    case ZYDIS_MNEMONIC_VEXTRACTF32X8:
    case ZYDIS_MNEMONIC_VEXTRACTF64X2:
    case ZYDIS_MNEMONIC_VEXTRACTF64X4:
    case ZYDIS_MNEMONIC_VEXTRACTI32X4:
    case ZYDIS_MNEMONIC_VEXTRACTI32X8:
    case ZYDIS_MNEMONIC_VEXTRACTI64X2:
    case ZYDIS_MNEMONIC_VEXTRACTI64X4:
        return false;
    default:
        break;
    }
    switch (d->meta.exception_class) {
    case ZYDIS_EXCEPTION_CLASS_E1NF:
    case ZYDIS_EXCEPTION_CLASS_E2NF:
    case ZYDIS_EXCEPTION_CLASS_E3NF:
    case ZYDIS_EXCEPTION_CLASS_E4NF:
    case ZYDIS_EXCEPTION_CLASS_E5NF:
    case ZYDIS_EXCEPTION_CLASS_E6NF:
    case ZYDIS_EXCEPTION_CLASS_E9NF:
    case ZYDIS_EXCEPTION_CLASS_E10NF:
    case ZYDIS_EXCEPTION_CLASS_E11NF:
    case ZYDIS_EXCEPTION_CLASS_E7NM128:
        return false;
    default:
        return true;
    }
}

/* How many bits of the mask ask for the one place, where one is read for all: of a scalar one. */
static unsigned broadcast_lanes(const decoded *d)
{
    static const uint8_t lanes[ZYDIS_BROADCAST_MODE_MAX_VALUE + 1] = {
        [ZYDIS_BROADCAST_MODE_1_TO_2] = 2,   [ZYDIS_BROADCAST_MODE_1_TO_4] = 4,   [ZYDIS_BROADCAST_MODE_2_TO_4] = 4,
        [ZYDIS_BROADCAST_MODE_1_TO_8] = 8,   [ZYDIS_BROADCAST_MODE_2_TO_8] = 8,   [ZYDIS_BROADCAST_MODE_4_TO_8] = 8,
        [ZYDIS_BROADCAST_MODE_1_TO_16] = 16, [ZYDIS_BROADCAST_MODE_2_TO_16] = 16, [ZYDIS_BROADCAST_MODE_4_TO_16] = 16,
        [ZYDIS_BROADCAST_MODE_8_TO_16] = 16, [ZYDIS_BROADCAST_MODE_1_TO_32] = 32, [ZYDIS_BROADCAST_MODE_1_TO_64] = 64,
    };
    unsigned found = d->avx.broadcast.mode <= ZYDIS_BROADCAST_MODE_MAX_VALUE ? lanes[d->avx.broadcast.mode] : 0;

    return found ? found : 1;
}

/* Under an opmask: without one (k0) everything is accessed. */
static void correct_opmask(struct nt_insn *insn, const decoded *d, const operand *o)
{
    struct nt_access *access = &insn->access[0];
    bool packed = d->meta.category == ZYDIS_CATEGORY_COMPRESS || d->meta.category == ZYDIS_CATEGORY_EXPAND ||
                  d->mnemonic == ZYDIS_MNEMONIC_VPCOMPRESSB || d->mnemonic == ZYDIS_MNEMONIC_VPCOMPRESSW ||
                  d->mnemonic == ZYDIS_MNEMONIC_VPEXPANDB || d->mnemonic == ZYDIS_MNEMONIC_VPEXPANDW;
    unsigned m = 0;
    while (m < d->operand_count && o[m].type != ZYDIS_OPERAND_TYPE_MEMORY)
        m++;
    if (d->avx.mask.reg == ZYDIS_REGISTER_NONE || d->avx.mask.reg == ZYDIS_REGISTER_K0 ||
        m == d->operand_count)
        return;
    access->mask = (uint8_t)(d->avx.mask.reg - ZYDIS_REGISTER_K0);
    if (access->kind == NT_LANES || !suppresses_faults(d))
        return;
    access->conditional = true;
    if (d->avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID || o[m].element_count <= 1) {
        access->lanes = (uint16_t)(broadcast_lanes(d));
        return;
    }
    access->kind = packed ? NT_PACKED : NT_MASKED;
    access->lanes = o[m].element_count;
    access->size = o[m].element_size / 8;
}

static void by_sign(struct nt_insn *insn, uint8_t mask, unsigned bytes)
{
    struct nt_access *access = &insn->access[0];
    access->kind = NT_MASKED_SIGN;
    access->conditional = true;
    access->mask = mask;
    access->lanes = (uint16_t)(access->size / bytes);
    access->size = (uint16_t)bytes;
}

static void correct_vector(struct nt_insn *insn, const decoded *d, const operand *o)
{
    switch (d->mnemonic) {
    case ZYDIS_MNEMONIC_MASKMOVQ:
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
        insn->access[0].how = NT_WRITE; /* told as one access of all its bytes */
        break;
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
        by_sign(insn, vector_number(o[1].reg.value), 4);
        break;
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ:
        by_sign(insn, vector_number(o[1].reg.value), 8);
        break;
    default:
        if (insn->access[0].kind == NT_LANES)
            correct_lanes(insn, d, o);
        if (insn->encoding == NT_EVEX)
            correct_opmask(insn, d, o);
        break;
    }
}

static bool accesses_nothing(const decoded *d)
{
    switch (d->meta.category) {
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_PREFETCHWT1:
    case ZYDIS_CATEGORY_CLFLUSHOPT:
    case ZYDIS_CATEGORY_CLWB:
    case ZYDIS_CATEGORY_CLDEMOTE:
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
        return true;
    default:
        return d->mnemonic == ZYDIS_MNEMONIC_CLFLUSH;
    }
}

/* Instructions that store or load the CPU's state: in which form, and where in it those that store put the address of
 * the last x87 instruction, in how many bytes. */
enum { IN_ENVIRONMENT = 12, IN_STATE = 8 };
static const struct {
    uint8_t form, fpu_at, fpu_bytes;
} states[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
    [ZYDIS_MNEMONIC_FNSTENV] = {0, IN_ENVIRONMENT, 4},        [ZYDIS_MNEMONIC_FNSAVE] = {0, IN_ENVIRONMENT, 4},
    [ZYDIS_MNEMONIC_FXSAVE] = {NT_FXSAVE, IN_STATE, 4},       [ZYDIS_MNEMONIC_FXSAVE64] = {NT_FXSAVE, IN_STATE, 8},
    [ZYDIS_MNEMONIC_FXRSTOR] = {.form = NT_FXSAVE},           [ZYDIS_MNEMONIC_FXRSTOR64] = {.form = NT_FXSAVE},
    [ZYDIS_MNEMONIC_XSAVE] = {NT_XSAVE, IN_STATE, 4},         [ZYDIS_MNEMONIC_XSAVE64] = {NT_XSAVE, IN_STATE, 8},
    [ZYDIS_MNEMONIC_XSAVEC] = {NT_XSAVEC, IN_STATE, 4},       [ZYDIS_MNEMONIC_XSAVEC64] = {NT_XSAVEC, IN_STATE, 8},
    [ZYDIS_MNEMONIC_XSAVEOPT] = {NT_XSAVEOPT, IN_STATE, 4},   [ZYDIS_MNEMONIC_XSAVEOPT64] = {NT_XSAVEOPT, IN_STATE, 8},
    [ZYDIS_MNEMONIC_XRSTOR] = {.form = NT_XRSTOR},            [ZYDIS_MNEMONIC_XRSTOR64] = {.form = NT_XRSTOR},
};

static void correct_accesses(struct nt_insn *insn, const decoded *d, const operand *o, bool amd)
{
    if (accesses_nothing(d))
        insn->accesses = 0;
    if (!insn->accesses)
        return;
    switch (d->meta.category) {
    case ZYDIS_CATEGORY_PUSH:
    case ZYDIS_CATEGORY_POP:
    case ZYDIS_CATEGORY_CALL:
        correct_stack(insn, d);
        break;
    case ZYDIS_CATEGORY_XSAVE:
    case ZYDIS_CATEGORY_XSAVEOPT:
        insn->access[0].kind = NT_STATE;
        insn->access[0].form = states[d->mnemonic].form;
        insn->access[0].how = insn->access[0].form == NT_XRSTOR ? NT_READ : NT_WRITE;
        break;
    case ZYDIS_CATEGORY_STRINGOP:
        for (unsigned i = 0; i < insn->accesses; i++) {
            insn->access[i].kind = NT_STRING;
            insn->writes |= bit(insn->access[i].base); /* they move, which the decoder does not say of cmps and scas */
        }
        break;
    default:
        break;
    }
    switch (d->mnemonic) {
    case ZYDIS_MNEMONIC_FXSAVE:
    case ZYDIS_MNEMONIC_FXSAVE64:
    case ZYDIS_MNEMONIC_FXRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR64:
        insn->access[0].kind = NT_STATE;
        insn->access[0].form = states[d->mnemonic].form;
        break;
    case ZYDIS_MNEMONIC_BT:
    case ZYDIS_MNEMONIC_BTS:
    case ZYDIS_MNEMONIC_BTR:
    case ZYDIS_MNEMONIC_BTC:
        if (o[1].type == ZYDIS_OPERAND_TYPE_REGISTER) {
            insn->access[0].kind = NT_BIT;
            insn->access[0].mask = general_number(o[1].reg.value);
        }
        break;
    case ZYDIS_MNEMONIC_XLAT:
        insn->access[0].kind = NT_TABLE;
        break;
    case ZYDIS_MNEMONIC_ENTER:
        correct_enter(insn, d);
        break;
    case ZYDIS_MNEMONIC_MOVSXD:
        if (d->operand_width == 16)
            insn->access[0].size = amd ? 4 : 2;
        break;
    default:
        correct_vector(insn, d, o);
        break;
    }
}

bool nt_decode(const struct nt_decoder *decoder, const void *bytes, size_t length, uint64_t pc,
               struct nt_insn *insn)
{
    decoded d;
    operand o[ZYDIS_MAX_OPERAND_COUNT];
    __builtin_memset(insn, 0, sizeof *insn);
    insn->pc = pc;
    insn->kind = NT_IS_NOTHING;
    ZyanStatus status = (ZyanStatus)decoder->decode(decoder->state, bytes, length, &d, o);
    insn->cut = status == ZYDIS_STATUS_NO_MORE_DATA;
    insn->prefix = NT_NO_REG;
    if (status == ZYDIS_STATUS_INSTRUCTION_TOO_LONG) { /* so it is for the CPU, whatever follows */
        insn->kind = NT_IS_TRAP;
        insn->length = NT_INSN_BYTES;
        insn->flags_read = NT_FLAGS_STATUS;
        __builtin_memcpy(insn->bytes, bytes, NT_INSN_BYTES);
        return true;
    }
    /* Jumps by a mask's register, with a VEX prefix, were those of a processor of its own. */
    if (!ZYAN_SUCCESS(status) ||
        (d.meta.category == ZYDIS_CATEGORY_COND_BR && d.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY))
        return false;
    insn->length = d.length;
    insn->name = (uint16_t)d.mnemonic;
    __builtin_memcpy(insn->bytes, bytes, d.length);
    insn->repeated =
        d.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE) ? true : false;
    insn->locked = d.attributes & ZYDIS_ATTRIB_HAS_LOCK ? true : false;
    find_parts(insn, &d);
    for (unsigned i = 0; i < d.operand_count; i++) {
        if (o[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            note_memory(insn, &o[i]);
        else if (o[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
            note_register(insn, &o[i]);
    }
    if (d.mnemonic == ZYDIS_MNEMONIC_BSF || d.mnemonic == ZYDIS_MNEMONIC_BSR) {
        insn->reads |= insn->kills; /* of 0, they leave the register as it is */
        insn->kills = 0;
    }
    if (decoder->amd && d.mnemonic == ZYDIS_MNEMONIC_PAUSE && d.raw.rex.B) {
        insn->reads |= bit(RAX) | bit(R8);
        insn->writes |= bit(RAX) | bit(R8);
    }
    note_flags(insn, &d);
    insn->fpu_at = states[d.mnemonic].fpu_at;
    insn->fpu_bytes = states[d.mnemonic].fpu_bytes;
    if (insn->fpu_at == IN_ENVIRONMENT && d.operand_width == 16)
        insn->fpu_at = 0; /* that format has no room for an address of ours */
    correct_accesses(insn, &d, o, decoder->amd);
    insn->access[0].past = insn->accesses && past_store(insn->bytes, insn->length);
    decode_classify(insn, &d, o, decoder->amd);
    return true;
}
