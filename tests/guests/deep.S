/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deep.S: recursion a million deep, direct and mutual, on a stack of its own (.bss, 64 MiB), without libc.
 *
 *   direct(n)      calls itself n times: calls = n + 1, Ir = 3 (n + 1) + n (dec, js, call, ret; no call at the end),
 *                  inclusive = self, the arc direct -> direct n calls
 *   even(n), odd(n)  call each other: together as above; even n / 2 + 1 calls, odd n / 2, n even
 * n = 1,000,000. Nothing is ever above 100 %.
 */
    .text
    .globl _start
    .type _start, @function
_start:
    lea stack_end(%rip), %rsp
    mov depth(%rip), %edi
    call direct
    mov depth(%rip), %edi
    call even
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
    .type direct, @function
direct:
    dec %edi
    js 1f
    call direct
1:
    ret
    .size direct, . - direct

    .p2align 6
    .type even, @function
even:
    dec %edi
    js 1f
    call odd
1:
    ret
    .size even, . - even

    .p2align 6
    .type odd, @function
odd:
    dec %edi
    js 1f
    call even
1:
    ret
    .size odd, . - odd

    .data
depth:
    .long 1000000
text:
    .ascii "ok\n"
    .bss
    .p2align 12
    .skip 64 << 20
stack_end:
    .skip 64
    .section .note.GNU-stack, "", @progbits
