/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate.S: into a piece of code with all registers from the thread area, and out of it with all of them in there.
 *
 * The same for code that runs as it is and for generated code. In the area lies struct bench_way: where vector and
 * x87 state comes from, where it goes, where to, and the state to go on with here.
 */
#define __ASSEMBLER__ 1
#include "engine/native/base/nt_area.h"

#define RESERVED NT_RESERVED
#define STATE 0xe7 /* x87, SSE, AVX, AVX-512 */

    .text
    .globl gate_enter, gate_leave, gate_enter_translated, gate_left, gate_left_translated, gate_fault
    .type gate_enter, @function
gate_enter:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, %gs:NT_ENGINE_SP
    mov %gs:RESERVED, %rcx
    mov $STATE, %eax
    xor %edx, %edx
    xrstor64 (%rcx)
    push %gs:NT_FLAGS
    popf
    mov %gs:NT_GPR, %rax
    mov %gs:NT_GPR+8, %rcx
    mov %gs:NT_GPR+16, %rdx
    mov %gs:NT_GPR+24, %rbx
    mov %gs:NT_GPR+32, %rsp
    mov %gs:NT_GPR+40, %rbp
    mov %gs:NT_GPR+48, %rsi
    mov %gs:NT_GPR+56, %rdi
    mov %gs:NT_GPR+64, %r8
    mov %gs:NT_GPR+72, %r9
    mov %gs:NT_GPR+80, %r10
    mov %gs:NT_GPR+88, %r11
    mov %gs:NT_GPR+96, %r12
    mov %gs:NT_GPR+104, %r13
    mov %gs:NT_GPR+112, %r14
    mov %gs:NT_GPR+120, %r15
    jmp *%gs:RESERVED+16

/* In place of the program, with r11 as generated code wants it. */
gate_enter_translated:
    mov %gs:NT_NEAR, %r11
    jmp *%gs:RESERVED+32

gate_leave:
    jmp *%gs:RESERVED+40

gate_left_translated:
    mov %gs:NT_GPR+88, %r11
gate_left:
    mov %rax, %gs:NT_GPR
    mov %rcx, %gs:NT_GPR+8
    mov %rdx, %gs:NT_GPR+16
    mov %rbx, %gs:NT_GPR+24
    mov %rsp, %gs:NT_GPR+32
    mov %rbp, %gs:NT_GPR+40
    mov %rsi, %gs:NT_GPR+48
    mov %rdi, %gs:NT_GPR+56
    mov %r8, %gs:NT_GPR+64
    mov %r9, %gs:NT_GPR+72
    mov %r10, %gs:NT_GPR+80
    mov %r11, %gs:NT_GPR+88
    mov %r12, %gs:NT_GPR+96
    mov %r13, %gs:NT_GPR+104
    mov %r14, %gs:NT_GPR+112
    mov %r15, %gs:NT_GPR+120
    mov %gs:NT_ENGINE_SP, %rsp
    pushf
    pop %gs:NT_FLAGS
    cld
    mov %gs:RESERVED+8, %rcx
    mov $STATE, %eax
    xor %edx, %edx
    xsave64 (%rcx)
gate_fault: /* from the signal handler, which has taken the state already */
    cld
    mov %gs:NT_ENGINE_SP, %rsp
    mov %gs:RESERVED+24, %rcx
    mov $STATE, %eax
    xor %edx, %edx
    xrstor64 (%rcx)
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .size gate_enter, . - gate_enter
    .section .note.GNU-stack, "", @progbits
