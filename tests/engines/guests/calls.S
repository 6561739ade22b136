/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that can be counted by hand: see test_calls.py. */
    .text
    .globl _start
    .type _start, @function
_start:
    mov $1000, %ebx
1:  call direct
    lea indirect(%rip), %rax
    call *%rax
    call tail                   /* jumps to `landing`, which returns here */
    call next                   /* no call: it pops its return address */
next:
    pop %rax
    dec %ebx
    jnz 1b
    mov $10, %edi
    call recursive
    mov $60, %eax
    xor %edi, %edi
    syscall
    .size _start, . - _start

    .type direct, @function
direct:
    ret
    .size direct, . - direct

    .type indirect, @function
indirect:
    nop
    ret
    .size indirect, . - indirect

    .type tail, @function
tail:
    nop
    jmp landing
    .size tail, . - tail

    .type landing, @function
landing:
    nop
    nop
    ret
    .size landing, . - landing

    .type recursive, @function
recursive:
    test %edi, %edi
    jz 1f
    dec %edi
    call recursive
1:  ret
    .size recursive, . - recursive

    .type falls, @function      /* never reached; a symbol behind, so that sizes matter */
falls:
    nop
    .size falls, . - falls
    .section .note.GNU-stack, "", @progbits
