/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One function called in several ways, and a recursion, to be counted by hand: see test_contexts.py. */
    .bss
from: .skip 64
to: .skip 64

    .text
    .globl _start
    .type _start, @function
_start:
    mov $100, %ebx
1:  call a
    call b
    dec %ebx
    jnz 1b
    mov $5, %edi
    call rec
    mov $60, %eax
    xor %edi, %edi
    syscall
    .size _start, . - _start

    .type a, @function
a:
    call leaf
    ret
    .size a, . - a

    .type b, @function
b:
    call leaf
    call leaf
    ret
    .size b, . - b

    .type leaf, @function       /* a branch that is taken every other time, and accesses behind a side exit */
leaf:
    test $1, %bl
    jz 1f
    nop
1:  lea from(%rip), %rsi
    lea to(%rip), %rdi
    mov $3, %ecx
    rep movsb
    ret
    .size leaf, . - leaf

    .type rec, @function
rec:
    test %edi, %edi
    jz 1f
    dec %edi
    call rec
1:  ret
    .size rec, . - rec
    .section .note.GNU-stack, "", @progbits
