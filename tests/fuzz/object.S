/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object.S: an object file with a few instructions, for fuzz_code.
 */
    .globl _start
    .text
_start:
    call 1f
    jne 1f
    vaddps (%rdi), %ymm1, %ymm2
1:  ret
    .section .note.GNU-stack, "", @progbits
