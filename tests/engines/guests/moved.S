/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function that calls with its stack pointer above its own frame, as libffi's does: see test_calls.py. */
    .text
    .globl _start
    .type _start, @function
_start:
    mov $100, %ebp
1:  call outer
    dec %ebp
    jnz 1b
    mov $60, %eax
    xor %edi, %edi
    syscall
    .size _start, . - _start

    .type outer, @function
outer:
    sub $200, %rsp
    lea 128(%rsp), %rdi
    call mover
    add $200, %rsp
    ret
    .size outer, . - outer

/* The return address goes along, and is returned to from there. */
    .type mover, @function
mover:
    mov %rsp, %rbx
    pop %rcx
    mov %rcx, 8(%rdi)
    lea (%rdi), %rsp
    call leaf
    call leaf
    lea 8(%rsp), %rsp
    pop %rcx
    mov %rbx, %rsp
    add $8, %rsp
    jmp *%rcx
    .size mover, . - mover

    .type leaf, @function
leaf:
    nop
    ret
    .size leaf, . - leaf
    .section .note.GNU-stack, "", @progbits
