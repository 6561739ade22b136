/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_emit.c: encodings. Operands in memory that have neither base nor RIP need a SIB byte in 64-bit code.
 */
#include "engine/native/base/nt_area.h"
#include "engine/native/decode/nt_decode.h"
#include "nt_emit.h"

enum { RSP = 4, RBP = 5 };

struct nt_mem nt_gs(int32_t displacement)
{
    return (struct nt_mem){.gs = true, .base = NT_NO_REG, .index = NT_NO_REG, .displacement = displacement};
}

struct nt_mem nt_gs_index(int32_t displacement, uint8_t index)
{
    return (struct nt_mem){
        .gs = true, .base = NT_NO_REG, .index = index, .scale = 8, .displacement = displacement};
}

struct nt_mem nt_at(uint8_t base, int32_t displacement)
{
    return (struct nt_mem){.base = base, .index = NT_NO_REG, .displacement = displacement};
}

struct nt_mem nt_rip(const void *address)
{
    return (struct nt_mem){.rip = true, .base = NT_NO_REG, .index = NT_NO_REG, .address = (uintptr_t)address};
}

/* Where `count` is constant, the copy is no call. */
static inline void put_value(struct nt_emit *emit, const void *bytes, size_t count)
{
    if ((size_t)(emit->end - emit->at) < count) {
        emit->full = true;
        return;
    }
    __builtin_memcpy(emit->at, bytes, count);
    emit->at += count;
}

void nt_put(struct nt_emit *emit, const void *bytes, size_t count)
{
    put_value(emit, bytes, count);
}

/* The first `count` bytes of `buffer`; what is written behind them does not count. */
static inline void put_buffer(struct nt_emit *emit, const uint8_t buffer[16], size_t count)
{
    if ((size_t)(emit->end - emit->at) < 16) {
        nt_put(emit, buffer, count);
        return;
    }
    __builtin_memcpy(emit->at, buffer, 16);
    emit->at += count;
}

void nt_put8(struct nt_emit *emit, uint8_t byte)
{
    put_value(emit, &byte, 1);
}

void nt_put32(struct nt_emit *emit, uint32_t value)
{
    put_value(emit, &value, 4);
}

/* Instructions that do nothing, `count` bytes of them. */
static void put_nops(struct nt_emit *emit, unsigned count)
{
    static const uint8_t nops[9][9] = {
        {0x90},
        {0x66, 0x90},
        {0x0f, 0x1f, 0x00},
        {0x0f, 0x1f, 0x40, 0x00},
        {0x0f, 0x1f, 0x44, 0x00, 0x00},
        {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
        {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
        {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
        {0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
    };
    while (count) {
        unsigned now = count > 9 ? 9 : count;
        nt_put(emit, nops[now - 1], now);
        count -= now;
    }
}

void nt_align(struct nt_emit *emit, unsigned alignment, unsigned ahead)
{
    put_nops(emit, (unsigned)-((uintptr_t)emit->at + ahead) & (alignment - 1));
}

/* Of [base + index + displacement] under GS, one is to be free for r11. */
static struct nt_mem through_r11(struct nt_mem mem)
{
    if (mem.base != NT_NO_REG) {
        mem.index = mem.base;
        mem.scale = 1;
    }
    mem.gs = false;
    mem.base = NT_R11;
    mem.displacement -= NT_NEAR_AT;
    return mem;
}

void nt_with_memory(struct nt_emit *emit, uint8_t wide, unsigned opcode, uint8_t reg, struct nt_mem mem,
                    unsigned behind)
{
    uint8_t buffer[16], *at = buffer;
    if (mem.gs && emit->near && (mem.base == NT_NO_REG || mem.index == NT_NO_REG))
        mem = through_r11(mem);
    uint8_t rex = (uint8_t)(wide | (reg & 8) >> 1);
    if (mem.base != NT_NO_REG)
        rex |= mem.base >> 3;
    if (mem.index != NT_NO_REG)
        rex |= (uint8_t)((mem.index & 8) >> 2);
    if (mem.gs || mem.fs)
        *at++ = mem.gs ? 0x65 : 0x64;
    if (rex)
        *at++ = (uint8_t)(0x40 | rex);
    if (opcode > 0xff)
        *at++ = (uint8_t)(opcode >> 8);
    *at++ = (uint8_t)opcode;
    uint8_t middle = (uint8_t)((reg & 7) << 3);
    int32_t displacement = mem.displacement;
    if (mem.rip) {
        *at++ = middle | 5;
        displacement = (int32_t)(mem.address - ((uintptr_t)emit->at + (size_t)(at - buffer) + 4 + behind));
    } else {
        bool based = mem.base != NT_NO_REG, indexed = mem.index != NT_NO_REG;
        bool small = based && displacement >= -128 && displacement < 128;
        bool none = based && displacement == 0 && (mem.base & 7) != RBP;
        uint8_t mode = !based || none ? 0 : small ? 0x40 : 0x80;
        if (!based || indexed || (mem.base & 7) == RSP) {
            uint8_t scale = mem.scale == 8 ? 3 : mem.scale == 4 ? 2 : mem.scale == 2 ? 1 : 0;
            *at++ = mode | middle | 4;
            *at++ = (uint8_t)(scale << 6 | (indexed ? mem.index & 7 : 4) << 3 | (based ? mem.base & 7 : 5));
        } else {
            *at++ = (uint8_t)(mode | middle | (mem.base & 7));
        }
        if (small && !none)
            *at++ = (uint8_t)displacement;
        if (small) {
            put_buffer(emit, buffer, (size_t)(at - buffer));
            return;
        }
    }
    __builtin_memcpy(at, &displacement, 4);
    put_buffer(emit, buffer, (size_t)(at + 4 - buffer));
}

void nt_with_register(struct nt_emit *emit, uint8_t wide, unsigned opcode, uint8_t reg, uint8_t rm)
{
    uint8_t rex = (uint8_t)(wide | (reg & 8) >> 1 | rm >> 3);
    uint8_t buffer[16], *at = buffer;
    if (rex)
        *at++ = (uint8_t)(0x40 | rex);
    if (opcode > 0xff)
        *at++ = (uint8_t)(opcode >> 8);
    *at++ = (uint8_t)opcode;
    *at++ = (uint8_t)(0xc0 | (reg & 7) << 3 | (rm & 7));
    put_buffer(emit, buffer, (size_t)(at - buffer));
}

/* The operand `mem` behind prefixes and opcode. */
static void put_absolute(struct nt_emit *emit, uint8_t reg, struct nt_mem mem)
{
    nt_put8(emit, (uint8_t)((reg & 7) << 3 | 4));
    nt_put8(emit, 0x25);
    nt_put32(emit, (uint32_t)mem.displacement);
}

void nt_store_vector(struct nt_emit *emit, struct nt_mem to, uint8_t reg, unsigned bits)
{
    uint8_t vex[] = {0xc5, reg & 8 ? 0x7e : 0xfe, 0x7f}; /* vmovdqu */
    uint8_t evex[] = {0x62, (uint8_t)((reg & 8 ? 0 : 0x80) | 0x60 | (reg & 16 ? 0 : 0x10) | 1), 0xfe, 0x48, 0x7f};

    if (to.gs)
        nt_put8(emit, 0x65);
    nt_put(emit, bits == 512 ? evex : vex, bits == 512 ? sizeof evex : sizeof vex);
    put_absolute(emit, reg, to);
}

void nt_store_opmask(struct nt_emit *emit, struct nt_mem to, uint8_t reg, unsigned bits)
{
    static const uint8_t kmovq[] = {0xc4, 0xe1, 0xf8, 0x91}, kmovw[] = {0xc5, 0xf8, 0x91};

    if (to.gs)
        nt_put8(emit, 0x65);
    nt_put(emit, bits == 64 ? kmovq : kmovw, bits == 64 ? sizeof kmovq : sizeof kmovw);
    put_absolute(emit, reg, to);
}

void nt_sum(struct nt_emit *emit, uint8_t reg, uint8_t a, uint8_t b)
{
    uint8_t rex = (uint8_t)(0x48 | (reg & 8) >> 1 | (b & 8) >> 2 | a >> 3);
    uint8_t bytes[5] = {rex, 0x8d, (uint8_t)(0x44 | (reg & 7) << 3), (uint8_t)((b & 7) << 3 | (a & 7)), 0};
    nt_put(emit, bytes, sizeof bytes);
}

void nt_rotate(struct nt_emit *emit, uint8_t reg, uint8_t right)
{
    nt_with_register(emit, 0x48, 0xc1, 1, reg);
    nt_put8(emit, right);
}

void nt_rotate32(struct nt_emit *emit, uint8_t reg, uint8_t from, uint8_t right)
{
    enum { MAP_0F3A = 3, NARROW_F2 = 0x7b };
    uint8_t bytes[] = {0xc4, (uint8_t)((reg & 8 ? 0 : 0x80) | 0x40 | (from & 8 ? 0 : 0x20) | MAP_0F3A), NARROW_F2,
                       0xf0, (uint8_t)(0xc0 | (reg & 7) << 3 | (from & 7)), right};
    nt_put(emit, bytes, sizeof bytes);
}

void nt_constant(struct nt_emit *emit, uint8_t reg, uint64_t value)
{
    uint8_t high = reg >> 3;
    if (value <= UINT32_MAX) {
        if (high)
            nt_put8(emit, 0x41);
        nt_put8(emit, (uint8_t)(0xb8 | (reg & 7)));
        nt_put32(emit, (uint32_t)value);
    } else if (nt_fits(value)) {
        nt_put8(emit, 0x48 | high);
        nt_put8(emit, 0xc7);
        nt_put8(emit, (uint8_t)(0xc0 | (reg & 7)));
        nt_put32(emit, (uint32_t)value);
    } else {
        nt_put8(emit, 0x48 | high);
        nt_put8(emit, (uint8_t)(0xb8 | (reg & 7)));
        put_value(emit, &value, 8);
    }
}

void nt_push_constant(struct nt_emit *emit, int32_t value)
{
    nt_put8(emit, 0x68);
    nt_put32(emit, (uint32_t)value);
}

void nt_test_eax(struct nt_emit *emit, uint32_t value)
{
    nt_put8(emit, 0xa9);
    nt_put32(emit, value);
}

/* The arithmetic operation `which`, as 80 to 83 have it in ModRM. */
static void constant_to_memory(struct nt_emit *emit, uint8_t which, struct nt_mem to, int32_t value)
{
    bool small = value >= -128 && value < 128;
    nt_with_memory(emit, 0x48, small ? 0x83 : 0x81, which, to, small ? 1 : 4);
    if (small)
        nt_put8(emit, (uint8_t)value);
    else
        nt_put32(emit, (uint32_t)value);
}

static void constant_to_register(struct nt_emit *emit, uint8_t wide, uint8_t which, uint8_t reg, int32_t value)
{
    bool small = value >= -128 && value < 128;
    nt_with_register(emit, wide, small ? 0x83 : 0x81, which, reg);
    if (small)
        nt_put8(emit, (uint8_t)value);
    else
        nt_put32(emit, (uint32_t)value);
}

enum { ADD = 0, AND = 4, SUB = 5, CMP = 7 };

void nt_add_constant(struct nt_emit *emit, struct nt_mem to, int32_t value)
{
    constant_to_memory(emit, ADD, to, value);
}

void nt_compare_constant(struct nt_emit *emit, struct nt_mem what, int32_t value)
{
    constant_to_memory(emit, CMP, what, value);
}

void nt_compare8_constant(struct nt_emit *emit, struct nt_mem what, uint8_t value)
{
    nt_with_memory(emit, 0, 0x80, 7, what, 1);
    nt_put8(emit, value);
}

void nt_compare_register(struct nt_emit *emit, uint8_t reg, int32_t value)
{
    constant_to_register(emit, 0x48, CMP, reg, value);
}

void nt_compare32_register(struct nt_emit *emit, uint8_t reg, uint32_t value)
{
    constant_to_register(emit, 0, CMP, reg, (int32_t)value);
}

void nt_and32(struct nt_emit *emit, uint8_t reg, uint32_t value)
{
    constant_to_register(emit, 0, AND, reg, (int32_t)value);
}

void nt_shlx(struct nt_emit *emit, uint8_t reg, uint8_t from, uint8_t bits)
{
    enum { MAP_0F38 = 2, WIDE_66 = 0x81 };
    uint8_t bytes[5] = {0xc4, (uint8_t)((reg & 8 ? 0 : 0x80) | 0x40 | (from & 8 ? 0 : 0x20) | MAP_0F38),
                        (uint8_t)(WIDE_66 | (~bits & 15) << 3), 0xf7,
                        (uint8_t)(0xc0 | (reg & 7) << 3 | (from & 7))};
    nt_put(emit, bytes, sizeof bytes);
}

void nt_set(struct nt_emit *emit, uint8_t condition, uint8_t reg)
{
    nt_with_register(emit, 0x40, 0x0f90u | condition, 0, reg);
}

void nt_take_one(struct nt_emit *emit, struct nt_mem from)
{
    constant_to_memory(emit, SUB, from, 1);
}

static uint8_t *open_way(struct nt_emit *emit)
{
    nt_put32(emit, 0);
    return emit->full ? NULL : emit->at - 4;
}

uint8_t *nt_jump(struct nt_emit *emit)
{
    nt_put8(emit, 0xe9);
    return open_way(emit);
}

uint8_t *nt_jcc(struct nt_emit *emit, uint8_t condition)
{
    nt_put8(emit, 0x0f);
    nt_put8(emit, 0x80 | condition);
    return open_way(emit);
}

uint8_t *nt_call(struct nt_emit *emit)
{
    nt_put8(emit, 0xe8);
    return open_way(emit);
}

/* The four bytes that follow `ahead` more are to lie in one word of eight. */
static void fit_way(struct nt_emit *emit, unsigned ahead)
{
    unsigned at = (unsigned)((uintptr_t)emit->at + ahead) % 8;
    if (at > 4)
        put_nops(emit, 8 - at);
}

uint8_t *nt_jump_aligned(struct nt_emit *emit)
{
    fit_way(emit, 1);
    return nt_jump(emit);
}

uint8_t *nt_jcc_aligned(struct nt_emit *emit, uint8_t condition)
{
    fit_way(emit, 2);
    return nt_jcc(emit, condition);
}

void nt_way(uint8_t *site, const void *to)
{
    if (!site)
        return;
    int32_t distance = (int32_t)((const uint8_t *)to - (site + 4));
    if ((uintptr_t)site % 8 > 4)
        __builtin_memcpy(site, &distance, 4);
    else
        __atomic_store_n((int32_t *)site, distance, __ATOMIC_RELEASE);
}

uint8_t *nt_loop(struct nt_emit *emit, uint8_t opcode)
{
    nt_put8(emit, opcode);
    nt_put8(emit, 0);
    return emit->full ? NULL : emit->at - 1;
}

void nt_way8(struct nt_emit *emit, uint8_t *site, const void *to)
{
    if (site && !emit->full)
        *site = (uint8_t)((const uint8_t *)to - (site + 1));
}
