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

void nt_load(struct nt_emit *emit, uint8_t reg, struct nt_mem from);
void nt_load8(struct nt_emit *emit, uint8_t reg, struct nt_mem from); /* zero extended */
void nt_load16(struct nt_emit *emit, uint8_t reg, struct nt_mem from); /* zero extended */
void nt_store(struct nt_emit *emit, struct nt_mem to, uint8_t reg);
void nt_store_constant(struct nt_emit *emit, struct nt_mem to, int32_t value);
void nt_store32(struct nt_emit *emit, struct nt_mem to, uint8_t reg);
/* The vector register `reg`, of `bits` bits; 512: AVX-512. 16 or 64 bits of the opmask register `reg`. `to` has neither
 * base nor index. */
void nt_store_vector(struct nt_emit *emit, struct nt_mem to, uint8_t reg, unsigned bits);
void nt_store_opmask(struct nt_emit *emit, struct nt_mem to, uint8_t reg, unsigned bits);
void nt_store32_constant(struct nt_emit *emit, struct nt_mem to, uint32_t value);
void nt_address(struct nt_emit *emit, uint8_t reg, struct nt_mem of); /* lea */
void nt_address32(struct nt_emit *emit, uint8_t reg, struct nt_mem of);
void nt_sum(struct nt_emit *emit, uint8_t reg, uint8_t a, uint8_t b); /* lea reg, [a + b]; b is not rsp */
void nt_move(struct nt_emit *emit, uint8_t reg, uint8_t from);
void nt_move32(struct nt_emit *emit, uint8_t reg, uint8_t from);
void nt_move8(struct nt_emit *emit, uint8_t reg, uint8_t from);                   /* zero extended */
void nt_rotate32(struct nt_emit *emit, uint8_t reg, uint8_t from, uint8_t right); /* rorx: BMI2 */
void nt_move16(struct nt_emit *emit, uint8_t reg, uint8_t from);                  /* zero extended */
void nt_constant(struct nt_emit *emit, uint8_t reg, uint64_t value);
void nt_push(struct nt_emit *emit, struct nt_mem from);
void nt_push_constant(struct nt_emit *emit, int32_t value);

/* Arithmetic; changes flags. */
void nt_add_constant(struct nt_emit *emit, struct nt_mem to, int32_t value);
void nt_add(struct nt_emit *emit, struct nt_mem to, uint8_t reg);
void nt_or(struct nt_emit *emit, struct nt_mem to, uint8_t reg);
void nt_add_to(struct nt_emit *emit, uint8_t reg, struct nt_mem from);
void nt_prefetch(struct nt_emit *emit, struct nt_mem line); /* prefetcht0: never faults */
void nt_subtract(struct nt_emit *emit, uint8_t reg, struct nt_mem from);
void nt_compare(struct nt_emit *emit, struct nt_mem what, uint8_t reg);
void nt_compare_constant(struct nt_emit *emit, struct nt_mem what, int32_t value);
void nt_compare32_constant(struct nt_emit *emit, struct nt_mem what, uint32_t value);
void nt_compare8_constant(struct nt_emit *emit, struct nt_mem what, uint8_t value);
void nt_compare_register(struct nt_emit *emit, uint8_t reg, int32_t value);
void nt_subtract_register(struct nt_emit *emit, uint8_t reg, uint8_t what);
void nt_compare_registers(struct nt_emit *emit, uint8_t reg, uint8_t what);
void nt_and32(struct nt_emit *emit, uint8_t reg, uint32_t value); /* the upper half becomes 0 */
void nt_shlx(struct nt_emit *emit, uint8_t reg, uint8_t from, uint8_t bits); /* no flags; BMI2 */
void nt_set(struct nt_emit *emit, uint8_t condition, struct nt_mem to);      /* a byte; no flags */
void nt_read_fs(struct nt_emit *emit, uint8_t reg);                          /* the base; no flags */
void nt_take_one(struct nt_emit *emit, struct nt_mem from); /* sub; changes flags */

/* The way that a jump takes: its four bytes, to be filled in by nt_way. NULL if the buffer is full. */
uint8_t *nt_jump(struct nt_emit *emit);
uint8_t *nt_jcc(struct nt_emit *emit, uint8_t condition);
uint8_t *nt_call(struct nt_emit *emit);
/* The same with these four bytes inside one aligned word, so that they can be changed while others run here. */
uint8_t *nt_jump_aligned(struct nt_emit *emit);
uint8_t *nt_jcc_aligned(struct nt_emit *emit, uint8_t condition);
void nt_way(uint8_t *way, const void *to);
void nt_call_memory(struct nt_emit *emit, struct nt_mem through);
void nt_jump_memory(struct nt_emit *emit, struct nt_mem through);
/* Jumps over 8 bits; the opcode is that of loop, jrcxz or their relatives. */
uint8_t *nt_loop(struct nt_emit *emit, uint8_t opcode);
void nt_way8(struct nt_emit *emit, uint8_t *way, const void *to);
void nt_return(struct nt_emit *emit);

/* Flags into rax and back from there; rax is lost. */
void nt_flags_to_rax(struct nt_emit *emit);
void nt_flags_from_rax(struct nt_emit *emit);
/* The same where OF is dead. */
void nt_flags_but_overflow_to_rax(struct nt_emit *emit);
void nt_flags_but_overflow_from_rax(struct nt_emit *emit);

#endif
