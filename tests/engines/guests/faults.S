/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults in the middle of a block. Each round runs five functions; in the last ten rounds each of them faults:
 *
 *   load      the handler opens the page, and the load happens again
 *   through   `push m`, whose read faults, happens again as well
 *   within    the first of two accesses side by side faults
 *   beside    the third of four accesses side by side, two on each side of the page's beginning
 *   divide    the handler puts the program counter behind what follows the division
 *
 * The page is closed again before. With an argument there are 20,000 rounds without faults first, so that blocks
 * are hot; with two, the program ends with a fault that nobody handles. The exit status is 0 if what stands before a
 * fault has happened once. */
        .set SYS_mprotect, 10
        .set SYS_rt_sigaction, 13
        .set SYS_rt_sigreturn, 15
        .set SYS_exit, 60
        .set SIGFPE, 8
        .set SIGSEGV, 11
        .set SA_SIGINFO, 4
        .set SA_RESTORER, 0x04000000
        .set CONTEXT_RIP, 40 + 16 * 8

        .text
        .globl _start
        .type _start, @function
_start:
        mov     (%rsp), %r12
        dec     %r12
        mov     $SIGSEGV, %edi
        lea     on_segv(%rip), %rsi
        call    handle
        mov     $SIGFPE, %edi
        lea     on_fpe(%rip), %rsi
        call    handle
        lea     page(%rip), %rbx
        test    %r12, %r12
        jz      2f
        mov     $20000, %r14
1:      call    load
        call    through
        call    within
        call    beside
        mov     $1, %r13d
        call    divide
        dec     %r14
        jnz     1b
2:      movq    $0, count(%rip)
        mov     $10, %r14
3:      xor     %edx, %edx
        call    protect
        call    load
        xor     %edx, %edx
        call    protect
        call    through
        xor     %edx, %edx
        call    protect
        call    within
        xor     %edx, %edx
        call    protect
        call    beside
        xor     %r13d, %r13d
        call    divide
        dec     %r14
        jnz     3b
        cmp     $2, %r12
        jne     4f
        mov     $SIGSEGV, %edi          /* SIG_DFL */
        xor     %esi, %esi
        call    handle
        xor     %edx, %edx
        call    protect
        call    load
4:      xor     %edi, %edi
        cmpq    $10, count(%rip)
        setne   %dil
        mov     $SYS_exit, %eax
        syscall
        .size _start, . - _start

        .globl load
        .type load, @function
load:                                   /* 7 instructions, 3 reads, 1 write */
        mov     $5, %ecx
        incq    count(%rip)
        add     $1, %ecx
        mov     (%rbx), %rax
        add     %rcx, %rax
        mov     %rax, sum(%rip)
        ret
        .size load, . - load

        .globl through
        .type through, @function
through:                                /* 5, 4, 1 */
        mov     $5, %ecx
        push    (%rbx)
        pop     %rax
        add     %rax, sum(%rip)
        ret
        .size through, . - through

        .globl within
        .type within, @function
within:                                 /* 3, 3, 0 */
        mov     (%rbx), %rax
        add     8(%rbx), %rax
        ret
        .size within, . - within

        .globl beside
        .type beside, @function
beside:                                 /* 5, 5, 0 */
        mov     -16(%rbx), %rax
        add     -8(%rbx), %rax
        add     (%rbx), %rax
        add     8(%rbx), %rax
        ret
        .size beside, . - beside

        .globl divide
        .type divide, @function
divide:                                 /* 7, 2, 2 */
        mov     %rcx, sum(%rip)
        mov     $9, %eax
        xor     %edx, %edx
        div     %r13d
        mov     sum(%rip), %rcx
        mov     %rax, sum(%rip)
after:  ret
        .size divide, . - divide

        .type on_segv, @function
on_segv:
        mov     $3, %edx
        call    protect
        ret
        .size on_segv, . - on_segv

        .type on_fpe, @function
on_fpe:
        lea     after(%rip), %rax
        mov     %rax, CONTEXT_RIP(%rdx)
        ret
        .size on_fpe, . - on_fpe

        .type protect, @function
protect:                                /* edx: 0 or PROT_READ | PROT_WRITE */
        lea     page(%rip), %rdi
        mov     $4096, %esi
        mov     $SYS_mprotect, %eax
        syscall
        ret
        .size protect, . - protect

        .type handle, @function
handle:                                 /* edi: signal, rsi: handler */
        mov     %rsi, action(%rip)
        lea     action(%rip), %rsi
        xor     %edx, %edx
        mov     $8, %r10d
        mov     $SYS_rt_sigaction, %eax
        syscall
        ret
        .size handle, . - handle

        .type restorer, @function
restorer:
        mov     $SYS_rt_sigreturn, %eax
        syscall
        .size restorer, . - restorer

        .data
action: .quad   0, SA_SIGINFO | SA_RESTORER, restorer, 0
count:  .quad   0
sum:    .quad   0
        .balign 4096
        .space  4096
page:   .space  4096
        .section .note.GNU-stack, "", @progbits
