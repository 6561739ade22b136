/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_thunk.S: from generated code to C, in the middle of a block.
 *
 * Generated code has put its own stack pointer into NT_HELD_SP or, in detours of tests, into a register, and taken the
 * engine's, which is empty while it runs, so that a call and its return are a pair to the CPU too. Arguments are in the
 * area. Every register comes back as it was; flags do where the name says so (else they are dead, or in a register).
 * The C behind it uses general registers only. Generated code reaches all of this through pointers in the area:
 * NT_CALLS, in the order of enum nt_call.
 */
#include "engine/native/base/nt_registers.h"

    .text

.macro save
    push %rax
    push %rcx
    push %rdx
    push %rsi
    push %rdi
    push %r8
    push %r9
    push %r10
    push %r11
.endm

.macro restore
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rdi
    pop %rsi
    pop %rdx
    pop %rcx
    pop %rax
    ret
.endm

/* The program may have set DF; C wants it clear. */
.macro call_c function
    pushfq
    testb $4, 1(%rsp)
    jnz 2f
    call \function
1:  add $8, %rsp
    .subsection 1
2:  cld
    call \function
    std
    jmp 1b
    .previous
.endm

/* For the core: the thread, then up to two arguments. */
.macro core_thunk name, function
LOCAL_FUNCTION(\name)
    save
    mov %gs:NT_SELF, %rdi
    add $NT_AREA_BYTES, %rdi
    mov %gs:NT_ARGS, %rsi
    mov %gs:(NT_ARGS + 8), %edx
    call_c \function
    restore
END(\name)
.endm

/* For nt_calls.c: the area, in which everything is. 127 + 1 overflows. */
.macro calls_thunk name, function
LOCAL_FUNCTION(\name)
    save
    lahf
    seto %al
    push %rax
    mov %gs:NT_SELF, %rdi
    call_c \function
    pop %rax
    add $127, %al
    sahf
    restore
END(\name)
.endm

/* The same without flags: for generated code, and for nt_hot.c. */
.macro slowly_thunk name, function
    .globl \name
    .hidden \name
LOCAL_FUNCTION(\name)
    save
    mov %gs:NT_SELF, %rdi
    call_c \function
    restore
END(\name)
.endm

core_thunk slow_data, tn_slow_data
core_thunk slow_fetch, tn_slow_fetch
core_thunk whole_data, tn_whole_data
core_thunk count, tn_count
slowly_thunk nt_slowly_called, nt_called
slowly_thunk nt_slowly_called_last, nt_called_last
slowly_thunk nt_slowly_called_found, nt_called_found
slowly_thunk nt_slowly_called_found_last, nt_called_found_last
slowly_thunk nt_slowly_returned, nt_returned
slowly_thunk nt_slowly_returned_more, nt_returned_more
slowly_thunk nt_slowly_jumped, nt_jumped
slowly_thunk nt_slowly_jumped_found, nt_jumped_found
slowly_thunk nt_slowly_allocates, nt_allocates
calls_thunk branched, nt_branched
calls_thunk branched_to, nt_branched_to
calls_thunk fpu_stored, nt_fpu_stored

/* With all of the program's general registers and its flags in the area. */
LOCAL_FUNCTION(single)
    registers_to_area
    pushfq
    popq %gs:NT_FLAGS
    cld
    mov %gs:NT_HELD_SP, %rax
    mov %rax, GPR(4)
    mov %gs:NT_SELF, %rdi
    call nt_counted_single
    pushq %gs:NT_FLAGS
    popfq
    registers_from_area
    ret
END(single)

    .section .data.rel.ro, "aw", @progbits
    .balign 8
    .globl nt_thunks
    .hidden nt_thunks
nt_thunks:
    .quad slow_data, slow_fetch, whole_data, count
    .quad nt_hot_called, nt_hot_called_skipped, nt_slowly_called_last, nt_hot_called_found, nt_hot_called_found_last
    .quad nt_hot_returned, nt_slowly_returned_more, nt_hot_jumped, nt_hot_jumped_found
    .quad nt_slowly_allocates
    .quad branched, branched_to, single, fpu_stored
    .section .note.GNU-stack, "", @progbits
