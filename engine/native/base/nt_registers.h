/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_registers.h: what the engine's assembly has in common: functions, and the program's general registers between the
 * CPU and the thread area.
 *
 * The program's r11 is in the area already, since in generated code it is ours (nt_area.h). rsp is left to who uses
 * these: it is the engine's in one place and the program's in another. Flags are kept. To C there is nothing in it.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_REGISTERS_H
#define TENURE_ENGINE_NATIVE_NT_REGISTERS_H

#include "nt_area.h"

#ifdef __ASSEMBLER__

#define LOCAL_FUNCTION(name) .type name, @function; .balign 16; name:
#define FUNCTION(name) .globl name; LOCAL_FUNCTION(name)
#define END(name) .size name, . - name
#define GPR(number) %gs:(NT_GPR + 8 * number)

.macro registers_to_area
    mov %rax, GPR(0)
    mov %rcx, GPR(1)
    mov %rdx, GPR(2)
    mov %rbx, GPR(3)
    mov %rbp, GPR(5)
    mov %rsi, GPR(6)
    mov %rdi, GPR(7)
    mov %r8, GPR(8)
    mov %r9, GPR(9)
    mov %r10, GPR(10)
    mov %r12, GPR(12)
    mov %r13, GPR(13)
    mov %r14, GPR(14)
    mov %r15, GPR(15)
.endm

.macro registers_from_area
    mov GPR(0), %rax
    mov GPR(1), %rcx
    mov GPR(2), %rdx
    mov GPR(3), %rbx
    mov GPR(5), %rbp
    mov GPR(6), %rsi
    mov GPR(7), %rdi
    mov GPR(8), %r8
    mov GPR(9), %r9
    mov GPR(10), %r10
    mov %gs:NT_NEAR, %r11
    mov GPR(12), %r12
    mov GPR(13), %r13
    mov GPR(14), %r14
    mov GPR(15), %r15
.endm

#endif
#endif
