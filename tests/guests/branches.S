/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branches.S: one branch that is easy to predict and one that is not, and one indirect jump of each kind.
 *
 * The predictors of seed 001, 5.8.2: 16384 two-bit counters, 7 bits of the branch's address and 7 of history; 512
 * last targets. Counts and targets come from memory, so that no translator knows them. N = 10000.
 *
 *   easy      N times `dec; jnz`: Bc = N, Bcm = 10 with a fresh predictor (one for each of the histories 0, 1, 11,
 *             ..., 111111, two for 1111111, one for the exit). `_start` calls it first, without a branch before.
 *   hostile   2 N branches: `js` on a bit of a linear congruential generator, and its loop. A model of the
 *             predictor gives Bcm; about half of the N `js` are mispredicted.
 *   steady    N indirect jumps to one place: Bi = N, Bim = 1.
 *   flutter   N indirect jumps to two places in turn: Bi = N, Bim = N.
 */
    .text
    .globl _start
    .type _start, @function
_start:
    lea stack_end(%rip), %rsp
    mov count(%rip), %rcx
    call easy
    mov count(%rip), %rcx
    call hostile
    mov count(%rip), %rcx
    call steady
    mov count(%rip), %rcx
    call flutter
    mov $1, %eax
    mov $1, %edi
    mov $3, %edx
    lea text(%rip), %rsi
    syscall
    mov $60, %eax
    xor %edi, %edi
    syscall
    .size _start, . - _start

    .p2align 6
    .globl easy
    .type easy, @function
easy:
    dec %rcx
    jnz easy
    ret
    .size easy, . - easy

    .p2align 6
    .globl hostile
    .type hostile, @function
hostile:
    mov $0x123456789abcdef, %rbx
    mov $6364136223846793005, %rsi
    mov $1442695040888963407, %rdx
1:
    imul %rsi, %rbx
    add %rdx, %rbx
    .globl hostile_bit
hostile_bit:
    js 2f
    nop
2:
    dec %rcx
    .globl hostile_loop
hostile_loop:
    jnz 1b
    ret
    .size hostile, . - hostile

    .p2align 6
    .globl steady
    .type steady, @function
steady:
    mov steady_to(%rip), %rax
0:
    jmp *%rax
    nop
steady_here:
    dec %rcx
    jnz 0b
    ret
    .size steady, . - steady

    .p2align 6
    .globl flutter
    .type flutter, @function
flutter:
    mov flutter_to(%rip), %rax
    mov flutter_to+8(%rip), %rdx
0:
    xchg %rax, %rdx
    jmp *%rax
flutter_one:
    nop
flutter_two:
    dec %rcx
    jnz 0b
    ret
    .size flutter, . - flutter

    .data
count:
    .quad 10000
steady_to:
    .quad steady_here
flutter_to:
    .quad flutter_one, flutter_two
text:
    .ascii "ok\n"
    .bss
    .p2align 12
    .skip 4096
stack_end:
    .skip 64
    .section .note.GNU-stack, "", @progbits
