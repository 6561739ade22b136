/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jumps.S: 64 functions that never return: each jumps to one that a random number chooses, 10,000 times in all, as the
 * code of compilers for continuations does. Paths only grow: most jumps make a node of the call tree, each deeper than
 * the one before. Without libc.
 *
 *   _start         calls run, and is never returned to
 *   run            Ir = 3 once, JUMPS jumps among step_0 to step_63, then a jump to done
 *   step_N         7 instructions each time; all of them together 7 * JUMPS
 *   done           inclusive = self; everything else of the program is below run
 */
#define JUMPS 10000
    .text
    .globl _start
    .type _start, @function
_start:
    call run
    .size _start, . - _start

    .p2align 6
    .type run, @function
run:
    mov $JUMPS, %ebx
    mov $0x123456789abcdef, %r12
    jmp step_0
    .size run, . - run

    .altmacro
    .macro step number
    .p2align 6
    .type step_\number, @function
step_\number:
    imul multiplier(%rip), %r12
    add $\number + 1, %r12
    mov %r12, %rax
    shr $58, %rax
    dec %ebx
    cmove sixty_four(%rip), %eax
    jmp *table(, %rax, 8)
    .size step_\number, . - step_\number
    .endm
    .macro entry number
    .quad step_\number
    .endm

    /* Four lines, since Valgrind takes none for one that has more than 2048 bytes of code. */
    .macro sixteen
    .rept 16
    step %i
    .set i, i + 1
    .endr
    .endm
    .set i, 0
    sixteen
    sixteen
    sixteen
    sixteen

    .p2align 6
    .type done, @function
done:
    mov $1, %eax
    mov $1, %edi
    mov $3, %edx
    lea text(%rip), %rsi
    syscall
    mov $60, %eax
    xor %edi, %edi
    syscall
    .size done, . - done

    .data
    .p2align 3
table:
    .set i, 0
    .rept 64
    entry %i
    .set i, i + 1
    .endr
    .quad done
multiplier:
    .quad 6364136223846793005
sixty_four:
    .long 64
text:
    .ascii "ok\n"
    .section .note.GNU-stack, "", @progbits
