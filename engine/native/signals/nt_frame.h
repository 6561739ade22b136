/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_frame.h: what the kernel puts on a stack for a signal handler, x86-64.
 *
 * The kernel's own headers have it too, but under names that clash with libc's.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_FRAME_H
#define TENURE_ENGINE_NATIVE_NT_FRAME_H

#include <stdint.h>

#include <linux/signal.h>

#include "engine/native/base/nt_area.h"

/* The order of registers in it: nt_frame_order[i] is the number of the i-th. */
enum { NT_FRAME_REGISTERS = 16 };
static const uint8_t nt_frame_order[NT_FRAME_REGISTERS] = {
    NT_R8, NT_R9, NT_R10, NT_R11, NT_R12, NT_R13, NT_R14, NT_R15,
    NT_RDI, NT_RSI, NT_RBP, NT_RBX, NT_RDX, NT_RAX, NT_RCX, NT_RSP,
};

struct nt_context {
    uint64_t flags, link;
    stack_t stack;
    uint64_t gpr[NT_FRAME_REGISTERS], rip, eflags;
    uint16_t cs, gs, fs, ss;
    uint64_t error, trap, old_mask, address; /* address: cr2 */
    uint64_t state;                          /* of the extended state, 0: none */
    uint64_t reserved[8];
    uint64_t mask;
};

struct nt_frame {
    uint64_t restorer;
    struct nt_context context;
    siginfo_t info;
};
_Static_assert(sizeof(struct nt_context) == 304 && sizeof(struct nt_frame) == 440, "the kernel's frame");

#endif
