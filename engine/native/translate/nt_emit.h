/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_emit.h: an assembler for exactly the instructions that the translator adds.
 *
 * Instructions are written where they will run, so relative addresses are known. Whoever writes past the end writes
 * nothing, and `full` says so. All are 64 bits wide unless the name says otherwise; none but those that say so change
 * flags.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_EMIT_H
#define TENURE_ENGINE_NATIVE_NT_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nt_emit {
    uint8_t *at, *end;
    bool full;
    bool near; /* r11 holds nt_area.near: what is under GS is reached through it, in fewer bytes */
};

/* An operand in memory: [base + index * scale + displacement], or `address`, relative to RIP. */
struct nt_mem {
    bool gs, fs, rip;
    uint8_t base, index, scale; /* NT_NO_REG: none */
    int32_t displacement;
    uint64_t address;
};
struct nt_mem nt_gs(int32_t displacement);
struct nt_mem nt_gs_index(int32_t displacement, uint8_t index); /* index * 8 */
struct nt_mem nt_at(uint8_t base, int32_t displacement);
struct nt_mem nt_rip(const void *address);

void nt_put(struct nt_emit *emit, const void *bytes, size_t count);
void nt_put8(struct nt_emit *emit, uint8_t byte);
void nt_put32(struct nt_emit *emit, uint32_t value);
/* Nothing until `at` is a multiple of `alignment` when `ahead` bytes have been written. */
void nt_align(struct nt_emit *emit, unsigned alignment, unsigned ahead);

/* An instruction with a register, or the digit of its opcode, and an operand in memory or another register. `wide`:
 * 0x48, REX for 64 bits, or what else is needed of REX. `opcode`: one byte, or two with 0f first. `behind`: how many
 * bytes of a constant the caller puts behind it. */
void nt_with_memory(struct nt_emit *emit, uint8_t wide, unsigned opcode, uint8_t reg, struct nt_mem mem,
                    unsigned behind);
void nt_with_register(struct nt_emit *emit, uint8_t wide, unsigned opcode, uint8_t reg, uint8_t from);

/* Whether it is one of 32 bits, sign extended. */
static inline bool nt_fits(uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)value == value;
}

#define NT_LOADS(name, wide, opcode) \
    static inline void name(struct nt_emit *emit, uint8_t reg, struct nt_mem from) \
    { nt_with_memory(emit, wide, opcode, reg, from, 0); }
#define NT_STORES(name, wide, opcode) \
    static inline void name(struct nt_emit *emit, struct nt_mem to, uint8_t reg) \
    { nt_with_memory(emit, wide, opcode, reg, to, 0); }
#define NT_MOVES(name, wide, opcode) \
    static inline void name(struct nt_emit *emit, uint8_t reg, uint8_t from) \
    { nt_with_register(emit, wide, opcode, reg, from); }
#define NT_HAS_MEMORY(name, opcode, digit) \
    static inline void name(struct nt_emit *emit, struct nt_mem mem) \
    { nt_with_memory(emit, 0, opcode, digit, mem, 0); }
#define NT_HAS_CONSTANT(name, wide, opcode, digit) \
    static inline void name(struct nt_emit *emit, struct nt_mem mem, uint32_t value) \
    { \
        nt_with_memory(emit, wide, opcode, digit, mem, 4); \
        nt_put32(emit, value); \
    }

NT_LOADS(nt_load, 0x48, 0x8b)
NT_LOADS(nt_load32, 0, 0x8b)   /* zero extended */
NT_LOADS(nt_load8, 0, 0x0fb6)  /* zero extended */
NT_LOADS(nt_load16, 0, 0x0fb7) /* zero extended */
NT_LOADS(nt_address, 0x48, 0x8d) /* lea */
NT_LOADS(nt_address32, 0, 0x8d)
NT_STORES(nt_store, 0x48, 0x89)
NT_STORES(nt_store32, 0, 0x89)
NT_STORES(nt_store8, 0x40, 0x88) /* with REX it is spl, not ah */
NT_HAS_CONSTANT(nt_store_constant, 0x48, 0xc7, 0) /* sign extended */
NT_HAS_CONSTANT(nt_store32_constant, 0, 0xc7, 0)
NT_MOVES(nt_move, 0x48, 0x8b)
NT_MOVES(nt_move32, 0, 0x8b)
NT_MOVES(nt_move8, 0x40, 0x0fb6) /* zero extended; with REX it is spl, not ah */
NT_MOVES(nt_move16, 0, 0x0fb7)   /* zero extended */
NT_HAS_MEMORY(nt_push, 0xff, 6)
NT_HAS_MEMORY(nt_call_memory, 0xff, 2)
NT_HAS_MEMORY(nt_jump_memory, 0xff, 4)
NT_HAS_MEMORY(nt_prefetch, 0x0f18, 1) /* prefetcht0: never faults */
/* Of the first eight registers. */
static inline void nt_push_register(struct nt_emit *emit, uint8_t reg)
{
    nt_put8(emit, 0x50 | reg);
}
static inline void nt_pop_register(struct nt_emit *emit, uint8_t reg)
{
    nt_put8(emit, 0x58 | reg);
}
/* These change flags. */
NT_LOADS(nt_add_to, 0x48, 0x03)
NT_LOADS(nt_subtract, 0x48, 0x2b)
NT_STORES(nt_add, 0x48, 0x01)
NT_STORES(nt_or, 0x48, 0x09)
NT_STORES(nt_compare, 0x48, 0x39)
NT_HAS_CONSTANT(nt_compare32_constant, 0, 0x81, 7)
NT_MOVES(nt_subtract_register, 0x48, 0x2b)
NT_MOVES(nt_compare_registers, 0x48, 0x3b)
/* The carry flag is the bit of `of` whose number is in the low six bits of `bit`. */
static inline void nt_test_bit(struct nt_emit *emit, uint8_t of, uint8_t bit)
{
    nt_with_register(emit, 0x48, 0x0fa3, bit, of);
}

/* The vector register `reg`, of `bits` bits; 512: AVX-512. 16 or 64 bits of the opmask register `reg`. `to` has neither
 * base nor index. */
void nt_store_vector(struct nt_emit *emit, struct nt_mem to, uint8_t reg, unsigned bits);
void nt_store_opmask(struct nt_emit *emit, struct nt_mem to, uint8_t reg, unsigned bits);
void nt_sum(struct nt_emit *emit, uint8_t reg, uint8_t a, uint8_t b); /* lea reg, [a + b]; b is not rsp */
void nt_rotate(struct nt_emit *emit, uint8_t reg, uint8_t right); /* ror; changes flags */
void nt_rotate32(struct nt_emit *emit, uint8_t reg, uint8_t from, uint8_t right); /* rorx: BMI2 */
void nt_constant(struct nt_emit *emit, uint8_t reg, uint64_t value);
void nt_push_constant(struct nt_emit *emit, int32_t value);
void nt_test_eax(struct nt_emit *emit, uint32_t value); /* changes flags */

/* Arithmetic; changes flags. */
void nt_add_constant(struct nt_emit *emit, struct nt_mem to, int32_t value);
void nt_compare_constant(struct nt_emit *emit, struct nt_mem what, int32_t value);
void nt_compare8_constant(struct nt_emit *emit, struct nt_mem what, uint8_t value);
void nt_compare_register(struct nt_emit *emit, uint8_t reg, int32_t value);
void nt_compare32_register(struct nt_emit *emit, uint8_t reg, uint32_t value);
void nt_and32(struct nt_emit *emit, uint8_t reg, uint32_t value); /* the upper half becomes 0 */
void nt_shlx(struct nt_emit *emit, uint8_t reg, uint8_t from, uint8_t bits); /* no flags; BMI2 */
void nt_set(struct nt_emit *emit, uint8_t condition, uint8_t reg); /* the lowest byte; no flags */
void nt_take_one(struct nt_emit *emit, struct nt_mem from); /* sub; changes flags */

/* The way that a jump takes: its four bytes, to be filled in by nt_way. NULL if the buffer is full. */
uint8_t *nt_jump(struct nt_emit *emit);
uint8_t *nt_jcc(struct nt_emit *emit, uint8_t condition);
uint8_t *nt_call(struct nt_emit *emit);
/* The same with these four bytes inside one aligned word, so that they can be changed while others run here. */
uint8_t *nt_jump_aligned(struct nt_emit *emit);
uint8_t *nt_jcc_aligned(struct nt_emit *emit, uint8_t condition);
void nt_way(uint8_t *way, const void *to);
enum { NT_JRCXZ = 0xe3, NT_JC = 0x72 };
/* Jumps over 8 bits; the opcode is that of loop, jrcxz or their relatives, or of a jcc. */
uint8_t *nt_loop(struct nt_emit *emit, uint8_t opcode);
void nt_way8(struct nt_emit *emit, uint8_t *way, const void *to);

#define NT_FIXED(name, bytes) \
    static inline void name(struct nt_emit *emit) \
    { nt_put(emit, bytes, sizeof bytes - 1); }

NT_FIXED(nt_return, "\xc3")
NT_FIXED(nt_second_of_rcx, "\x0f\xb6\xcd") /* movzx ecx, ch */
NT_FIXED(nt_not_rcx, "\x48\xf7\xd1") /* no flags */
/* Flags into rax and back from there; rax is lost: lahf, seto al; add al, 127, which overflows if al is 1, sahf. */
NT_FIXED(nt_flags_to_rax, "\x9f\x0f\x90\xc0")
NT_FIXED(nt_flags_from_rax, "\x04\x7f\x9e")
/* The same where OF is dead. */
NT_FIXED(nt_flags_but_overflow_to_rax, "\x9f")
NT_FIXED(nt_flags_but_overflow_from_rax, "\x9e")

#endif
