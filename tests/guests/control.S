/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.S: control flow that is not a call and a return, in its smallest forms. Each is done R = 100 times.
 *
 *   tail_a .. tail_c   tail_a is called and jumps to tail_b, which jumps to tail_c, which returns to _start:
 *                      R calls on each of _start -> tail_a, tail_a -> tail_b, tail_b -> tail_c
 *   here               `call next; pop`: no call; Dr and Dw 1 each beyond the ret's
 *   push_ret           pushes the address of `pushed` and returns there; `pushed` returns to _start: a jump into
 *                      another function (a tail call), R times
 *   skip               its callee (`skipper`) removes the return address and returns to skip's caller
 *   outer              falls through into `inner` (no jump at all): a tail call, R times
 *
 * Ir per round: _start 5 calls + dec + jnz = 7; tail_a 1, tail_b 1, tail_c 2 (nop, ret); here 3 (call, pop, ret);
 * push_ret 3 (lea, push, ret), pushed 1; skip 1 + 0 (the nop after the call never runs), skipper 2 (add, ret);
 * outer 1 (nop), inner 1 (ret).
 */
    .text
    .globl _start
    .type _start, @function
_start:
    lea stack_end(%rip), %rsp
    mov rounds(%rip), %ebx
.Lround:
    call tail_a
    call here
    call push_ret
    call skip
    call outer
    dec %ebx
    jnz .Lround
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
    .type tail_a, @function
tail_a:
    jmp tail_b
    .size tail_a, . - tail_a

    .p2align 6
    .type tail_b, @function
tail_b:
    jmp tail_c
    .size tail_b, . - tail_b

    .p2align 6
    .type tail_c, @function
tail_c:
    nop
    ret
    .size tail_c, . - tail_c

    .p2align 6
    .type here, @function
here:
    call 1f
1:
    pop %rax
    ret
    .size here, . - here

    .p2align 6
    .type push_ret, @function
push_ret:
    lea pushed(%rip), %rax
    push %rax
    ret
    .size push_ret, . - push_ret

    .p2align 6
    .type pushed, @function
pushed:
    ret
    .size pushed, . - pushed

    .p2align 6
    .type skip, @function
skip:
    call skipper
    nop
    ret
    .size skip, . - skip

    .p2align 6
    .type skipper, @function
skipper:
    add $8, %rsp
    ret
    .size skipper, . - skipper

    .p2align 6
    .type outer, @function
outer:
    nop
    .size outer, . - outer
    .type inner, @function
inner:
    ret
    .size inner, . - inner

    .data
rounds:
    .long 100
text:
    .ascii "ok\n"
    .bss
    .p2align 12
    .skip 4096
stack_end:
    .skip 64
    .section .note.GNU-stack, "", @progbits
