/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_decode.h: one instruction of the program, as the translator wants to know it.
 *
 * The decoder library (Zydis) takes the bytes apart; what it says is turned into our own terms here and nowhere else,
 * and where it is known to be wrong or silent it is put right by hand. Its functions come through a table, because
 * the engine loads the library itself. They use vector registers and the C library's thread pointer: nt_decode is
 * called where both are the engine's (behind nt_outer).
 *
 * General registers are numbered as they are encoded, and sets of them are bitmaps. Flags are bits of rflags; only
 * the six that arithmetic sets (NT_FLAGS_STATUS) are followed.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_DECODE_H
#define TENURE_ENGINE_NATIVE_NT_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NT_INSN_BYTES = 15,
    NT_INSN_ACCESSES = 4,
    NT_REQUEST_BYTES = 19,
    NT_NO_REG = 0xff,
    NT_FLAGS_STATUS = 0x8d5, /* CF PF AF ZF SF OF */
    NT_FLAG_ZF = 0x40,
    NT_FLAG_DF = 0x400,
    NT_FLAG_OF = 0x800,
};

enum nt_class {
    NT_IS_PLAIN, /* goes on behind itself */
    NT_IS_JUMP,  /* to `target` */
    NT_IS_JCC,   /* to `target` if `condition` */
    NT_IS_LOOP,  /* loop, loope, loopne, jrcxz, jecxz: to `target` or on; it has 8 bits for its way only */
    NT_IS_CALL,  /* to `target` */
    NT_IS_JUMP_INDIRECT, /* through the ModRM operand */
    NT_IS_CALL_INDIRECT,
    NT_IS_RETURN, /* `immediate_value` more bytes are popped */
    NT_IS_SYSCALL,
    NT_IS_CPUID,
    NT_IS_REQUEST,     /* the sequence of include/tenure.h as one instruction (nt_find.c finds it) */
    NT_IS_TRAP,        /* int n, ud2, what is too long: a signal whatever happens; nothing follows it */
    NT_IS_XBEGIN,      /* aborts at once: to `target` */
    NT_IS_GS_READ,     /* rdgsbase into `operand` */
    NT_IS_GS_WRITE,    /* wrgsbase from `operand` */
    NT_IS_RARE,        /* done in C (nt_rare.c): `rare` says what it is, `why` names it */
    NT_IS_UNSUPPORTED, /* `why` */
    NT_IS_NOTHING,     /* the CPU has no such instruction, or the decoder does not know it */
};

enum nt_rare_kind {
    NT_RARE_INT80,
    NT_RARE_MOV_FS, /* from `operand` */
    NT_RARE_MOV_GS,
    NT_RARE_POP_FS,
    NT_RARE_POP_GS,
    NT_RARE_RETURN_FAR, /* words of operand_bits; `immediate_value` more bytes are popped */
    NT_RARE_IRET,       /* words of operand_bits */
};

enum nt_encoding { NT_LEGACY, NT_VEX2, NT_VEX3, NT_XOP, NT_EVEX };

/* One place in memory that an instruction uses. The address is that of the operand when the instruction begins. */
enum nt_access_kind {
    NT_ONE, /* `size` bytes */
    NT_BIT, /* bt and relatives: `size` bytes, off by the multiple that the bit's number, in register `mask`, says */
    NT_TABLE, /* xlat: one byte, at base + al */
    NT_LANES, /* gather, scatter: `lanes` elements of `size` bytes; indices of `index_bytes` in vector register `index`;
                 mask: the opmask register `mask`, or the signs of vector register `mask` if `by_sign` */
    NT_MASKED, /* `lanes` elements of `size` bytes in a row, those whose bit of opmask register `mask` is 1 */
    NT_MASKED_SIGN, /* the same by the sign bits of the elements of vector register `mask` */
    NT_PACKED,      /* compress, expand: as many elements in a row as opmask register `mask` has bits */
    NT_STRING,      /* each iteration one of `size` bytes */
    NT_FRAMES,      /* enter: rbp, the frames of the levels above, and its own; `lanes` is the level */
    NT_STATE,       /* fxsave, xsave and back: its pieces (nt_xstate.h); `form` says of which of them */
};
enum nt_state_form { NT_XSAVE, NT_FXSAVE, NT_XSAVEC, NT_XSAVEOPT, NT_XRSTOR };
enum { NT_READ = 1, NT_WRITE = 2, NT_MODIFY = 3 };
enum { NT_NO_SEGMENT, NT_SEGMENT_FS, NT_SEGMENT_GS };

struct nt_access {
    uint8_t how;          /* NT_READ ... */
    uint8_t kind;         /* enum nt_access_kind */
    uint8_t base, index;  /* general registers or NT_NO_REG */
    uint8_t scale;        /* 1, 2, 4, 8 */
    uint8_t segment;      /* NT_SEGMENT_... */
    uint8_t address_bits; /* 64 or 32 */
    uint8_t index_bytes;
    uint8_t form; /* enum nt_state_form */
    bool by_sign;
    bool past;        /* the caches: a non-temporal store */
    bool conditional; /* may not happen at all: NT_ONE too, if none of the `lanes` lowest bits of `mask` is 1 */
    uint16_t lanes;
    uint8_t mask; /* register; NT_NO_REG: none */
    uint16_t size;
    int64_t displacement; /* for RIP-relative operands, which have no base here: the address */
};

/* From its address on, at most. Of lanes whose addresses a vector register tells: one. */
static inline unsigned nt_access_bytes(const struct nt_access *access)
{
    bool row = access->kind == NT_MASKED || access->kind == NT_MASKED_SIGN || access->kind == NT_PACKED;
    return row ? access->size * access->lanes : access->size;
}

struct nt_insn {
    uint64_t pc;
    uint64_t target;          /* direct branches: the address; RIP-relative operand: the address */
    uint64_t immediate_value; /* of ret */
    const char *why;          /* NT_IS_UNSUPPORTED, NT_IS_RARE: what it is */
    uint8_t bytes[NT_INSN_BYTES];
    uint8_t length;
    uint8_t kind;      /* enum nt_class */
    uint8_t rare;      /* enum nt_rare_kind */
    uint8_t condition; /* NT_IS_JCC: low half of the opcode; NT_IS_LOOP: the opcode */
    uint8_t encoding;  /* enum nt_encoding */
    uint8_t prefix;    /* where REX, VEX, XOP or EVEX begins; NT_NO_REG: nowhere */
    uint8_t opcode;    /* where the opcode (its last byte) is */
    uint8_t modrm;     /* where the ModRM byte is; 0: there is none, for all of these */
    uint8_t sib, displacement, immediate;
    uint8_t displacement_bytes;
    uint8_t segment;      /* NT_SEGMENT_...: its prefix says so and there is an operand in memory */
    uint8_t address_bits; /* 64 or 32 */
    uint8_t operand;      /* NT_IS_GS_..., NT_IS_RARE, sets_fs: general register; its width is operand_bits */
    uint8_t operand_bits;
    bool rip_relative;
    bool memory;   /* ModRM names memory (or an address) */
    bool implicit; /* memory is used that ModRM does not name, other than the stack */
    bool repeated; /* a string instruction under rep */
    bool locked;   /* has a lock prefix */
    bool cut;      /* NT_IS_NOTHING, since the bytes end before it does */
    bool sets_fs;  /* wrfsbase from `operand` */
    uint8_t fpu_at, fpu_bytes; /* it stores the address of the last x87 instruction there in its operand; 0: no */
    uint8_t base, index,
        scale;         /* of the operand in memory that ModRM names; RIP-relative: none, see target */
    bool vector_index; /* which is a vector register then */
    int32_t offset;    /* its displacement, unpacked */
    uint8_t accesses;
    struct nt_access access[NT_INSN_ACCESSES];
    uint16_t reads, writes; /* general registers; an address is read, and what is written but in part */
    uint16_t kills;         /* written whole, whatever happens */
    uint16_t flags_read, flags_killed;
    uint16_t name; /* the decoder's number, for nt_decode_name */
};

struct nt_decoder {
    uint64_t state[8]; /* the library's own */
    int (*decode)(const void *, const void *, size_t, void *, void *);
    const char *(*name)(unsigned);
    bool amd; /* see nt_decoder_init */
};

/* `symbol` finds a function of the library by its name. False: one is missing, or the library's version is not the one
 * that this was compiled for. `amd`: decode as processors of AMD's design do. Of these a near branch with the prefix 66
 * has an operand of 16 bits, `movsxd` to a register of 16 bits reads four bytes and not two, and `pause` with REX.B is
 * an exchange of rax and r8; Intel's ignore these prefixes there. */
bool nt_decoder_init(struct nt_decoder *decoder, void *(*symbol)(const char *name), bool amd);

/* Decode what stands in the `length` bytes at `bytes`, which the program has at `pc`. Always fills `insn`; false if it
 * is NT_IS_NOTHING, which an instruction that is cut off (`cut`) is, too. */
bool nt_decode(const struct nt_decoder *decoder, const void *bytes, size_t length, uint64_t pc,
               struct nt_insn *insn);

const char *nt_decode_name(const struct nt_decoder *decoder, const struct nt_insn *insn);

#endif
