/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start.S: where guests without libc begin: take a stack of their own, so that no count depends on where the kernel
 * put theirs, and call guest_main.
 */
    .text
    .globl _start
    .type _start, @function
_start:
    .cfi_startproc
    .cfi_undefined %rip
    xor %ebp, %ebp
    lea stack_end(%rip), %rsp
    call guest_main
    hlt
    .cfi_endproc
    .size _start, . - _start
    /* A writable segment: without one, some tools read no symbols. */
    .data
    .quad 1
    .bss
    .p2align 12
    .skip 16384
stack_end:
    .skip 64
    .section .note.GNU-stack, "", @progbits
