/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arith.S: every count known by arithmetic; no libc, a stack of its own.
 *
 * With R = 1000 rounds, D = 10 (depth of `down`), per whole run:
 *
 *   function  calls  Ir              Dr         Dw      Bc
 *   _start    1      12 + 4 R        0          R + 1   R         (two calls push; `syscall` counts 1)
 *   leaf      R      4 R             3 R        R       0         (load, read-modify-write = one read, store, ret)
 *   down      D + 1  3 (D+1) + D     D + 1      D       D + 1     (dec; js; call; ret at each level but the last:
 *                                                                  dec; js; ret)
 *   finish    -      -               part of _start
 *
 * _start: lea; mov; R times (call, dec, jnz) + R times nop; mov; call; mov; mov; mov; lea; syscall (write, 3 bytes);
 * mov; xor; syscall (exit).
 */
    .text
    .globl _start
    .type _start, @function
_start:
    lea stack_end(%rip), %rsp
    mov $1000, %ebx
.Lround:
    call leaf
    nop
    dec %ebx
    jnz .Lround
    mov $10, %edi
    call down
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
    .type leaf, @function
leaf:
    mov first(%rip), %rax
    add %rax, second(%rip)
    mov %rax, third(%rip)
    ret
    .size leaf, . - leaf

    .p2align 6
    .type down, @function
down:
    dec %edi
    js .Lback
    call down
.Lback:
    ret
    .size down, . - down

    .data
    .p2align 6
first:
    .quad 1
second:
    .quad 2
third:
    .quad 3
text:
    .ascii "ok\n"
    .bss
    .p2align 12
    .skip 4096
stack_end:
    .skip 64
    .section .note.GNU-stack, "", @progbits
