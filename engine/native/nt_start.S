/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_start.S: the process's first instruction.
 *
 * The kernel's stack is to be the program's; the engine starts on one of its own, with the address of what the kernel
 * put on the other.
 */
    .text
    .globl _start
    .type _start, @function
_start:
    xor %ebp, %ebp
    mov %rsp, %rdi
    lea stack_top(%rip), %rsp
    call nt_main
    ud2
    .size _start, . - _start

    .bss
    .balign 4096
    .skip 65536
stack_top:

    .section .note.GNU-stack, "", @progbits
