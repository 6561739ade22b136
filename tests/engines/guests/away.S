/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls at the very end of their functions, as in the dynamic linker's _start: they return into the next function.
 * See test_calls.py. */
    .text
    .globl _start
    .type _start, @function
_start:
    mov $100, %ebx
    lea callee(%rip), %r12
    jmp first
    .size _start, . - _start

    .type first, @function
first:
    nop
    call callee
    .size first, . - first

    .type second, @function
second:
    nop
    call *%r12
    .size second, . - second

    .type third, @function
third:
    dec %ebx
    jnz first
    mov $60, %eax
    xor %edi, %edi
    syscall
    .size third, . - third

    .type callee, @function
callee:
    ret
    .size callee, . - callee
    .section .note.GNU-stack, "", @progbits
