/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_gate.S: see nt_gate.h.
 *
 * Outside of generated code the program's general registers and flags are in the thread area; its vector registers and
 * FS base stay in the CPU, because the engine is compiled to leave them alone. GS is the engine's throughout.
 */
#include <asm/unistd.h>

#define ARCH_SET_GS 0x1001
#define ALIGNMENT_CHECK 0x40000 /* a flag that a program may set, and that the engine cannot live with */
#define SINGLE_STEPS 0x100 /* another one, with which the engine would step, too */
#define PLAIN_FLAGS 0x202
#define GETPID_32 20
/* CLONE_VM, _FS, _SIGHAND, _THREAD, _SYSVSEM, _PARENT_SETTID, _CHILD_CLEARTID; descriptors of its own */
#define HELPER_FLAGS 0x350b00

#include "engine/native/base/nt_registers.h"

/* struct nt_gate_to. */
    .bss
    .balign 8
    .globl nt_gate_to
nt_gate_to:
    .skip 24

    .text

/* --------------------------------------------------------------- between the engine and generated code */

FUNCTION(nt_run)
    mov %gs:NT_ENGINE_SP, %rsp
    mov %gs:NT_SELF, %rdi
    call *nt_gate_to(%rip)
    mov %rax, %gs:NT_TARGET
    pushq %gs:NT_FLAGS
    popfq
    registers_from_area
    mov GPR(4), %rsp
    jmp *%gs:NT_TARGET
END(nt_run)

FUNCTION(nt_leave)
    registers_to_area
    mov %rsp, GPR(4)
    mov %gs:NT_ENGINE_SP, %rsp
    pushfq
    popq %gs:NT_FLAGS
    cld
    testl $(ALIGNMENT_CHECK | SINGLE_STEPS), %gs:NT_FLAGS
    jz nt_run
    pushq $PLAIN_FLAGS
    popfq
    jmp nt_run
END(nt_leave)

/* ------------------------------------------------------------------------------- to the kernel */

/* A signal that comes before the kernel has begun is delivered before the call: the handler sees an address in
 * [nt_gate_check, nt_gate_syscall] and goes on at nt_gate_interrupted. The same holds for a call that the kernel wants
 * to make again: it has put the address back to that of `syscall`. Behind it, the result stands. */
FUNCTION(nt_gate_call)
    push %rbx
    mov %rsi, %rbx
    mov (%rdi), %rax
    mov 16(%rdi), %rsi
    mov 24(%rdi), %rdx
    mov 32(%rdi), %r10
    mov 40(%rdi), %r8
    mov 48(%rdi), %r9
    mov 8(%rdi), %rdi
    .globl nt_gate_check, nt_gate_syscall, nt_gate_interrupted
nt_gate_check:
    cmpq $0, %gs:NT_PENDING
    jne nt_gate_interrupted
nt_gate_syscall:
    syscall
    mov %rax, (%rbx)
    mov $1, %eax
    pop %rbx
    ret
nt_gate_interrupted:
    xor %eax, %eax
    pop %rbx
    ret
END(nt_gate_call)

FUNCTION(nt_gate_clone)
    push %rbx
    mov %rsi, %rbx
    mov (%rdi), %rax
    mov 16(%rdi), %rsi
    mov 24(%rdi), %rdx
    mov 32(%rdi), %r10
    mov 40(%rdi), %r8
    mov 8(%rdi), %rdi
    syscall
    test %rax, %rax
    jz 1f
    pop %rbx
    ret
1:  lea NT_AREA_BYTES(%rbx), %rsi
    mov $ARCH_SET_GS, %edi
    mov $__NR_arch_prctl, %eax
    syscall
    call *nt_gate_to + 16(%rip)
    jmp nt_run
END(nt_gate_clone)

FUNCTION(nt_gate_exit)
    mov %rdx, %rax
    mov %rdi, %rdx
    mov %esi, %edi
    movl $0, (%rdx)
    syscall
    ud2
END(nt_gate_exit)

/* rdi: the top of its stack; rsi: where its number is kept; rdx: what it calls. */
FUNCTION(nt_gate_helper)
    mov %rdx, -8(%rdi)
    mov %rsi, %rdx
    mov %rsi, %r10
    lea -8(%rdi), %rsi
    mov $HELPER_FLAGS, %edi
    mov $__NR_clone, %eax
    syscall
    test %rax, %rax
    jz 1f
    ret
1:  xor %ebp, %ebp
    pop %rax
    call *%rax
    ud2
END(nt_gate_helper)

/* ------------------------------------------------------------------------------- to foreign code */

/* Generated code leads to C with any stack; code with vectors wants it aligned to 16 bytes. */
FUNCTION(nt_outer)
    push %rbp
    mov %rsp, %rbp
    push %rbx
    push %r12
    mov %rdi, %r12
    mov %gs:NT_XSTATE, %rbx
    mov $-1, %eax
    mov $-1, %edx
    xsave64 (%rbx)
    mov %rsi, %rdi
    and $-16, %rsp
    call *%r12
    mov %rax, %r12
    mov $-1, %eax
    mov $-1, %edx
    xrstor64 (%rbx)
    mov %r12, %rax
    lea -16(%rbp), %rsp
    pop %r12
    pop %rbx
    pop %rbp
    ret
END(nt_outer)

/* ------------------------------------------------------------------------------- to the program's memory */

FUNCTION(nt_copy)
    mov %rdx, %rcx
    .globl nt_copy_begin, nt_copy_end, nt_copy_fault
nt_copy_begin:
    rep movsb
    jmp nt_copy_fault
/* Here as well a fault leads to nt_copy_fault, with what is in rcx. */
    .globl nt_refuses_32
nt_refuses_32:
    mov $1, %ecx
    mov $GETPID_32, %eax
    int $0x80
    xor %ecx, %ecx
nt_copy_end:
nt_copy_fault:
    mov %rcx, %rax
    ret
END(nt_copy)

FUNCTION(nt_state_save)
    mov %rsi, %rdx
    mov %esi, %eax
    shr $32, %rdx
    xsave64 (%rdi)
    ret
END(nt_state_save)

FUNCTION(nt_state_load)
    mov %rsi, %rdx
    mov %esi, %eax
    shr $32, %rdx
    xrstor64 (%rdi)
    ret
END(nt_state_load)

/* ------------------------------------------------------------------------------- from the kernel: signals */

/* The kernel has put away the other flags that the engine cannot live with. NT and ID must stay: it does not take them
 * from the frame when the handler returns. */
FUNCTION(nt_signal_entry)
    pushfq
    andl $~ALIGNMENT_CHECK, (%rsp)
    popfq
    jmp *nt_gate_to + 8(%rip)
END(nt_signal_entry)

FUNCTION(nt_signal_return)
    mov $__NR_rt_sigreturn, %eax
    syscall
END(nt_signal_return)

    .section .note.GNU-stack, "", @progbits
