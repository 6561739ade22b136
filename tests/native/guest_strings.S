/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_strings.S: string instructions that run along lines, for counts.py: forwards and backwards, across the ends of
 * lines, onto their own line, and into the set that they read from. It has no libc and says nothing.
 */
    .macro STRING insn, from, to, count
    lea area + \from(%rip), %rsi
    lea area + \to(%rip), %rdi
    mov $\count, %ecx
    \insn
    .endm

    .text
    .globl _start
    .type _start, @function
_start:
    mov $3, %ebx
1:  mov %ebx, %eax
    STRING "rep stosb", 0, 13, 1000
    STRING "rep movsb", 5, 2003, 700
    STRING "rep movsq", 3, 4001, 100
    STRING "rep movsl", 64, 8192, 500
    STRING "rep movsb", 0, 1, 200
    STRING "rep movsb", 0, 2, 2
    STRING "rep movsb", 0, 512, 64 /* of these two lines of a set, that which was read goes first */
    STRING "stosb", 0, 1024, 1
    STRING "lodsb", 512, 0, 1
    STRING "rep movsb", 512, 0, 64
    STRING "stosb", 0, 1536, 1
    STRING "lodsb", 0, 0, 1
    STRING "rep stosw", 0, 31, 1
    STRING "rep stosq", 0, 512, 40
    std
    STRING "rep movsb", 900, 3000, 300
    STRING "rep movsq", 901, 3003, 30
    STRING "rep stosl", 0, 1600, 50
    cld
    call search
    dec %ebx
    jnz 1b
    mov $60, %eax
    xor %edi, %edi
    syscall
    .size _start, . - _start

    .type search, @function
search:
    mov $-1, %eax
    STRING "repne scasb", 0, 100, 333
    ret
    .size search, . - search

    .bss
    .balign 4096
area:
    .skip 16384
    .section .note.GNU-stack, "", @progbits
