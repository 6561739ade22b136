/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_classes.S: an instruction of each class, with what it must count.
 *
 *     COUNT reads, writes, lines read, lines written, "instruction"
 *
 * %rbx is the address of memory that nothing has touched, at the beginning of a line; LINES says how much of it.
 * `lines` are those that it misses in a cache that holds everything: they say where it accesses memory. What engines
 * count otherwise on purpose (engine/CONTRACT.md, 7 and 8) is told by OTHER in front.
 *
 * At the end it writes all memory that the instructions have worked on, the same on the bare CPU and in each engine,
 * and behind it the table. It has no libc. What the CPU does not have is not run, and not in `done`.
 */
    .set here, 0
    .set other, 0
    .set set, 0
    .section .counts, "a"
counts:

    .macro LINES n
    mov $area + here, %ebx
    .set here, here + 64 * \n
    .endm

    .macro OTHER
    .set other, 1
    .endm

    .macro COUNT reads, writes, read_lines, written_lines, insn
1:  \insn
    .pushsection .counts, "a"
    .quad 1b
    .byte \reads, \writes, \read_lines, \written_lines, set, other
2:  .ascii "\insn"
    .skip 58 - (. - 2b)
    .popsection
    .set other, 0
    .endm

    /* A store that loads its line neither where it misses it nor where it finds it. */
    .macro PAST insn
    LINES 1
    COUNT 0, 1, 0, 0, "\insn"
    COUNT 1, 0, 1, 0, "mov (%rbx), %ecx"
    COUNT 0, 1, 0, 0, "\insn"
    .endm

    .macro KEEP insn, reg, bytes
    \insn %\reg, (%r15)
    add $\bytes, %r15
    .endm

    /* Run the next only with bit `bit` of `word`, the CPU's. */
    .macro BEGIN number, mask, word, to
    .set set, \number
    mov \word(%rip), %eax
    and $\mask, %eax
    cmp $\mask, %eax
    jne \to
    orl $1 << \number, done(%rip)
    .endm

    .text
    .globl _start
    .type _start, @function
_start:
    mov (%rsp), %rax
    mov %eax, arguments(%rip)
    lea stack_end - 512(%rip), %rsp
    push %rax
    pop %rax
    lea results(%rip), %r15
    mov $7, %eax
    xor %ecx, %ecx
    cpuid
    mov %ebx, leaf7_b(%rip)
    mov %ecx, leaf7_c(%rip)
    mov $1, %eax
    cpuid
    mov %ecx, leaf1_c(%rip)
    mov $13, %eax
    mov $1, %ecx
    cpuid
    mov %eax, leaf13_a(%rip)
    mov $1, %ecx
    mov $2, %edx
    call basic
    cmpl $1, arguments(%rip) /* with an argument: not what VEX cannot run */
    ja 1f
    call odd
1:  call faults
    call avx2
    call state
    call avx512
    call state_compact
    call vbmi2
    call movdir
    mov $1, %eax
    mov $1, %edi
    lea done(%rip), %rsi
    mov $all_end - done, %edx
    syscall
    mov $1, %eax
    lea counts(%rip), %rsi
    mov $counts_end - counts, %edx
    syscall
    mov $231, %eax
    xor %edi, %edi
    syscall
    .size _start, . - _start

/* --------------------------------------------------------------------------------------------------- */
    .type basic, @function
basic:
    orl $1, done(%rip)
    .set set, 0
    LINES 1
    COUNT 1, 0, 1, 0, "mov 8(%rbx), %rax"
    KEEP mov, rax, 8
    LINES 1
    COUNT 0, 1, 0, 1, "mov %rax, 8(%rbx)"
    LINES 2
    COUNT 1, 0, 1, 0, "mov 60(%rbx), %rax" /* two lines, at most one miss */
    KEEP mov, rax, 8
    LINES 1
    COUNT 1, 0, 1, 0, "add %rax, (%rbx)"
    LINES 1
    COUNT 2, 0, 1, 0, "lock add %rax, (%rbx)"
    LINES 1
    COUNT 2, 0, 1, 0, "lock xadd %rax, (%rbx)"
    KEEP mov, rax, 8
    LINES 1
    COUNT 2, 0, 1, 0, "xchg %rax, (%rbx)"
    KEEP mov, rax, 8
    LINES 1
    COUNT 1, 0, 1, 0, "cmpxchg %rcx, (%rbx)"
    LINES 1
    COUNT 1, 0, 1, 0, "lock cmpxchg %rcx, (%rbx)"
    KEEP mov, rax, 8
    LINES 1
    push %rbx
    mov %rbx, %rsi
    mov $3, %ebx
    COUNT 1, 0, 1, 0, "lock cmpxchg8b (%rsi)"
    KEEP mov, rax, 8
    pop %rbx
    LINES 1
    mov %rbx, %rsi
    COUNT 1, 0, 1, 0, "lock cmpxchg16b (%rsi)"
    KEEP mov, rax, 8
    LINES 1
    COUNT 1, 1, 1, 0, "push 8(%rbx)"
    LINES 1
    COUNT 1, 1, 0, 1, "pop 8(%rbx)"
    push $5
    COUNT 1, 1, 0, 0, "push 8(%rsp)"
    COUNT 1, 1, 0, 0, "pop 8(%rsp)"
    pop (%r15)
    add $8, %r15
    COUNT 0, 1, 0, 0, "push %rsp"
    pop %rax
    COUNT 0, 1, 0, 0, "pushf"
    COUNT 1, 0, 0, 0, "popf"
    mov %rsp, %rbp
    COUNT 0, 1, 0, 0, "enter $16, $0"
    COUNT 1, 0, 0, 0, "leave"
    LINES 1
    COUNT 1, 0, 1, 0, "cmovz (%rbx), %rax"
    LINES 1
    COUNT 0, 1, 0, 1, "setz (%rbx)"
    LINES 1
    COUNT 1, 0, 1, 0, "movbe (%rbx), %rax"
    KEEP mov, rax, 8
    LINES 1
    COUNT 0, 0, 0, 0, "prefetcht0 (%rbx)"
    COUNT 0, 0, 0, 0, "prefetchnta (%rbx)"
    COUNT 0, 0, 0, 0, "clflush (%rbx)"
    COUNT 0, 0, 0, 0, "lea 8(%rbx), %rax"
    COUNT 0, 0, 0, 0, "nopw 8(%rbx)"
    COUNT 1, 0, 1, 0, "mov (%rbx), %al"

    /* Bits beyond their operand. The Valgrind engine knows the byte. */
    LINES 4
    mov $2 * 512 + 3, %eax
    COUNT 1, 0, 1, 0, "bt %eax, (%rbx)"
    setc (%r15)
    add $8, %r15
    lea 128(%rbx), %rcx
    COUNT 1, 0, 0, 0, "mov (%rcx), %edx"
    LINES 4
    add $192, %ebx
    mov $-1024, %rax
    COUNT 1, 0, 1, 0, "bts %rax, (%rbx)"
    add $-128, %ebx
    COUNT 1, 0, 0, 0, "mov (%rbx), %edx"
    LINES 4
    mov $513, %eax
    COUNT 2, 0, 1, 0, "lock btc %ax, 64(%rbx)"
    COUNT 1, 0, 0, 0, "mov 128(%rbx), %edx"
    LINES 1
    COUNT 1, 0, 1, 0, "btrq $35, (%rbx)"
    LINES 1
    COUNT 2, 0, 1, 0, "lock btsl $3, (%rbx)"

    /* Strings. */
    LINES 2
    mov %rbx, %rsi
    lea 64(%rbx), %rdi
    COUNT 1, 1, 1, 1, "movsb"
    COUNT 1, 0, 0, 0, "lodsq"
    KEEP mov, rax, 8
    COUNT 0, 1, 0, 0, "stosw"
    COUNT 1, 0, 0, 0, "scasb"
    LINES 8
    mov %rbx, %rsi
    lea 256(%rbx), %rdi
    mov $32, %ecx
    COUNT 32, 32, 4, 4, "rep movsq"
    LINES 8
    lea 255(%rbx), %rsi
    lea 511(%rbx), %rdi
    mov $100, %ecx
    std
    COUNT 100, 100, 2, 2, "rep movsb"
    cld
    LINES 2
    mov %rbx, %rdi
    mov $0x100000010, %rcx
    COUNT 0, 16, 0, 1, "addr32 rep stosl"
    KEEP mov, rcx, 8
    KEEP mov, rdi, 8
    LINES 2
    mov %rbx, %rdi
    mov %rbx, %rsi
    mov $100, %ecx
    COUNT 200, 0, 2, 0, "repe cmpsb"
    LINES 1
    mov %rbx, %rdi
    mov $100, %ecx
    movzbl (%rbx), %eax
    COUNT 1, 0, 0, 0, "repne scasb"
    KEEP mov, rcx, 8
    LINES 1
    mov %rbx, %rsi
    mov $0, %ecx
    OTHER /* VEX runs it once */
    COUNT 0, 0, 0, 0, "rep lodsb"
    mov $3, %ecx
    OTHER
    COUNT 3, 0, 1, 0, "rep lodsw"
    KEEP mov, rax, 8
    mov $0, %ecx
    mov $8, %edi
    COUNT 0, 0, 0, 0, "rep stosb"

    /* Segments. */
    LINES 4
    mov $158, %eax
    mov $0x1002, %edi /* FS */
    lea 64(%rbx), %rsi
    syscall
    mov $158, %eax
    mov $0x1001, %edi /* GS */
    lea 128(%rbx), %rsi
    syscall
    COUNT 1, 0, 1, 0, "mov %fs:8, %rax"
    KEEP mov, rax, 8
    COUNT 1, 0, 1, 0, "mov %gs:8, %rax"
    KEEP mov, rax, 8
    mov $16, %esi
    COUNT 1, 0, 0, 0, "mov %fs:(%rsi), %rax"
    KEEP mov, rax, 8
    lea 64(%rbx), %eax
    COUNT 1, 0, 0, 0, "mov 8(%eax), %rax"
    KEEP mov, rax, 8

    /* x87 and its environment. */
    LINES 2
    COUNT 1, 0, 1, 0, "fldl (%rbx)"
    COUNT 0, 1, 0, 1, "fstpt 64(%rbx)"
    LINES 1
    COUNT 0, 1, 0, 1, "fnstcw (%rbx)"
    LINES 1
    COUNT 0, 1, 0, 1, "fnstenv (%rbx)"
    COUNT 1, 0, 0, 0, "fldenv (%rbx)"
    LINES 2
    fld1
    fldpi
    COUNT 0, 1, 0, 1, "fnsave (%rbx)"
    COUNT 1, 0, 0, 0, "frstor (%rbx)"
    fnstenv (%r15)
    add $32, %r15
    fninit

    /* Under a mask, of bytes. */
    LINES 1
    mov %rbx, %rdi
    movdqu bytes(%rip), %xmm1
    movdqu numbers(%rip), %xmm0
    COUNT 0, 1, 0, 0, "maskmovdqu %xmm1, %xmm0"
    LINES 1
    mov %rbx, %rdi
    movq bytes(%rip), %mm1
    movq numbers(%rip), %mm0
    COUNT 0, 1, 0, 0, "maskmovq %mm1, %mm0"

    /* Past the caches. */
    PAST "movntil %eax, (%rbx)"
    PAST "movntiq %r9, 8(%rbx)"
    PAST "movntq %mm0, (%rbx)"
    PAST "movntps %xmm0, (%rbx)"
    PAST "movntpd %xmm9, (%ebx)"
    PAST "movntdq %xmm1, (%rbx)"
    emms
    ret
    .size basic, . - basic

/* --------------------------------------------------------------------------------------------------- */
    .type odd, @function
odd:
    .set set, 5
    orl $1 << 5, done(%rip)
    LINES 4
    mov $158, %eax
    mov $0x1002, %edi /* FS */
    lea 64(%rbx), %rsi
    syscall
    mov $16, %esi
    lea 192(%rbx), %rdi
    mov $2, %ecx
    COUNT 2, 2, 1, 1, "rep movsb %fs:(%rsi), %es:(%rdi)"
    LINES 4
    mov $0x123456c0, %eax
    COUNT 1, 0, 1, 0, "xlat" /* al: 192 */
    KEEP mov, rax, 8
    COUNT 1, 0, 0, 0, "mov 192(%rbx), %al"
    LINES 1
    mov %rbx, %rsi
    mov %rbx, %rdi
    COUNT 2, 0, 1, 0, "cmpsb"
    COUNT 2, 0, 0, 0, "cmpsq"
    mov $39, %eax /* rcx and r11 are told where and with which flags; the flags stay */
    cmp %eax, %eax
    mov %rbx, %rsi
    syscall
    setz (%r15)
    setbe 1(%r15)
    add $8, %r15
    KEEP mov, rcx, 8
    KEEP mov, r11, 8
    mov %rsp, %rbp
    COUNT 0, 2, 0, 0, "enter $8, $1"
    leave
    lea 8(%rsp), %rbp
    COUNT 1, 3, 0, 0, "enter $8, $2"
    leave
    COUNT 5, 7, 0, 0, "enter $8, $6"
    leave
    mov %cs, %eax
    push %rax
    lea 7f(%rip), %rax
    push %rax
    COUNT 1, 0, 0, 0, "lretq"
7:  mov %rsp, %rcx
    mov %ss, %eax
    push %rax
    push %rcx
    pushf
    mov %cs, %eax
    push %rax
    lea 8f(%rip), %rax
    push %rax
    COUNT 1, 0, 0, 0, "iretq"
8:
    lea -8(%rbp), %rsp
    ret
    .size odd, . - odd

/* ---------------------------------------------------------------------------------------------------
 * String instructions that fault in the middle: each access counts once, when it happens. The handler notes rcx, rsi
 * and rdi, and gives the page. */
    .macro FORBID page
    mov $10, %eax /* mprotect */
    mov $\page, %edi
    mov %rdi, forbidden(%rip)
    mov $4096, %esi
    xor %edx, %edx
    syscall
    .endm

    .type handler, @function
handler:
    mov 152(%rdx), %rax
    mov %rax, (%r15)
    mov 112(%rdx), %rax
    mov %rax, 8(%r15)
    mov 104(%rdx), %rax
    mov %rax, 16(%r15)
    mov $10, %eax
    mov forbidden(%rip), %rdi
    mov $4096, %esi
    mov $3, %edx
    syscall
    ret
    .size handler, . - handler

    .type restorer, @function
restorer:
    mov $15, %eax
    syscall
    .size restorer, . - restorer

    .type faults, @function
faults:
    .set set, 0
    mov $13, %eax /* rt_sigaction */
    mov $11, %edi
    lea action(%rip), %rsi
    xor %edx, %edx
    mov $8, %r10d
    syscall
    FORBID pages + 8192
    mov $pages, %esi
    mov $pages + 8192 - 60, %edi
    mov $100, %ecx
    COUNT 100, 100, 2, 2, "rep movsb" /* of 100; the 61st faults */
    add $24, %r15
    FORBID pages + 8192
    mov $pages + 12288 + 32, %edi
    mov $10, %ecx
    std
    COUNT 0, 10, 0, 2, "rep stosq" /* the 6th */
    cld
    add $24, %r15
    FORBID pages + 20480
    mov $pages + 20480 - 4, %esi
    mov $pages + 16384, %edi
    mov $50, %ecx
    COUNT 100, 0, 3, 0, "repe cmpsb" /* the 5th */
    add $24, %r15
    FORBID pages + 20480
    mov $pages + 20480, %edi
    mov $50, %ecx
    COUNT 0, 50, 0, 0, "rep stosb" /* the first */
    add $24, %r15
    FORBID pages + 20480
    mov $pages + 20480 - 30, %edi
    mov $7, %eax
    mov $50, %ecx
    COUNT 50, 0, 0, 0, "repne scasb" /* the 31st */
    KEEP mov, rcx, 24
    ret
    .size faults, . - faults

/* ---------------------------------------------------------------------------------------------------
 * States. The header is touched before. */
    .macro CLEAR_HEADER
    .irp at, 0, 8, 16, 24, 32, 40, 48, 56
    movq $0, 512 + \at(%rbx)
    .endr
    .endm

    .type state, @function
state:
    .set set, 0
    fld1
    movdqu numbers(%rip), %xmm3
    LINES 8
    COUNT 0, 18, 0, 5, "fxsave (%rbx)"
    COUNT 18, 0, 0, 0, "fxrstor (%rbx)"
    LINES 8
    COUNT 0, 18, 0, 5, "fxsave64 (%rbx)"
    COUNT 18, 0, 0, 0, "fxrstor64 (%rbx)"
    BEGIN 6, 0x18000000, leaf1_c, 9f /* OSXSAVE, AVX */
    vmovdqu numbers(%rip), %ymm3
    LINES 14
    CLEAR_HEADER
    xor %edx, %edx
    mov $7, %eax
    COUNT 1, 34, 0, 9, "xsave (%rbx)"
    COUNT 37, 0, 0, 0, "xrstor (%rbx)"
    mov $5, %eax /* not SSE, but MXCSR */
    COUNT 1, 18, 0, 0, "xsave64 (%rbx)"
    mov $2, %eax
    COUNT 20, 0, 0, 0, "xrstor64 (%rbx)"
    vzeroupper
9:  fninit
    ret
    .size state, . - state

    .type state_compact, @function
state_compact:
    BEGIN 7, 3, leaf13_a, 9f
    xor %edx, %edx
    fld1
    movdqu numbers(%rip), %xmm3
    LINES 14
    mov $3, %eax
    COUNT 1, 18, 1, 5, "xsaveopt (%rbx)"
    BEGIN 8, 1 << 2, done, 9f /* AVX-512 */
    vmovdqu64 numbers(%rip), %zmm3
    vmovdqu64 numbers(%rip), %zmm20
    LINES 40
    CLEAR_HEADER
    mov $0xe7, %eax
    COUNT 0, 75, 0, 34, "xsavec (%rbx)"
    COUNT 77, 0, 0, 0, "xrstor (%rbx)"
    LINES 44
    CLEAR_HEADER
    COUNT 1, 74, 0, 34, "xsave64 (%rbx)"
    vpxord %zmm20, %zmm20, %zmm20
    vpxord %zmm31, %zmm31, %zmm31
    vzeroupper
9:  fninit
    ret
    .size state_compact, . - state_compact

/* --------------------------------------------------------------------------------------------------- */
    .macro MASK reg, from
    vmovdqu \from(%rip), %\reg
    .endm

    .type avx2, @function
avx2:
    BEGIN 1, 0x20, leaf7_b, 9f
    MASK ymm1, dwords /* a line each */
    /* Lanes 0 2 3 5 7 of dwords; the Valgrind engine reads where the others' index is, too, at (%rsp). */
    LINES 8
    MASK ymm2, signs4
    vmovdqu numbers(%rip), %ymm0
    OTHER
    COUNT 5, 0, 5, 0, "vpgatherdd %ymm2, (%rbx,%ymm1,4), %ymm0"
    KEEP vmovdqu, ymm0, 32
    KEEP vmovdqu, ymm2, 32
    LINES 8
    MASK ymm2, signs4
    OTHER
    COUNT 3, 0, 3, 0, "vgatherdpd %ymm2, 8(%rbx,%xmm1,4), %ymm0" /* by quadwords: lanes 1 2 3 */
    KEEP vmovdqu, ymm0, 32
    LINES 8
    add $256, %ebx
    MASK ymm1, qwords
    MASK ymm2, signs8
    OTHER
    COUNT 2, 0, 2, 0, "vpgatherqq %ymm2, (%rbx,%ymm1,8), %ymm0" /* lanes 0 and 2, behind and in front */
    KEEP vmovdqu, ymm0, 32
    LINES 8
    add $256, %ebx
    MASK ymm2, signs4
    OTHER
    COUNT 3, 0, 3, 0, "vgatherqps %xmm2, (%rbx,%ymm1,8), %xmm0" /* lanes 0 2 3 */
    KEEP vmovdqu, ymm0, 32
    LINES 8
    add $256, %ebx
    MASK ymm2, signs4
    OTHER
    COUNT 1, 0, 1, 0, "vpgatherqd %xmm2, (%rbx,%xmm1,8), %xmm0" /* of two: lane 0 */
    KEEP vmovdqu, ymm0, 32
    vpxor %xmm2, %xmm2, %xmm2
    mov $8, %ebx
    OTHER
    COUNT 0, 0, 0, 0, "vpgatherdd %xmm2, (%rbx,%xmm1,4), %xmm0" /* there is nothing at 8 */
    LINES 1
    MASK ymm2, signs4
    COUNT 5, 0, 1, 0, "vpmaskmovd (%rbx), %ymm2, %ymm0"
    KEEP vmovdqu, ymm0, 32
    LINES 2
    add $48, %ebx
    COUNT 0, 5, 0, 2, "vmaskmovps %ymm0, %ymm2, (%rbx)" /* 4 lanes here, 4 there */
    LINES 2
    MASK ymm2, signs8
    add $32, %ebx
    COUNT 2, 0, 1, 0, "vmaskmovpd (%rbx), %ymm2, %ymm0"
    KEEP vmovdqu, ymm0, 32
    LINES 1
    COUNT 0, 1, 0, 1, "vpmaskmovq %xmm0, %xmm2, (%rbx)"
    vpxor %xmm2, %xmm2, %xmm2
    mov $8, %ebx
    COUNT 0, 0, 0, 0, "vpmaskmovd %ymm0, %ymm2, (%rbx)"
    COUNT 0, 0, 0, 0, "vmaskmovps (%rbx), %ymm2, %ymm0"
    LINES 1
    COUNT 1, 0, 1, 0, "vbroadcastss (%rbx), %ymm0"
    KEEP vmovdqu, ymm0, 32
    LINES 1
    COUNT 0, 1, 0, 1, "vextracti128 $1, %ymm0, (%rbx)"
    PAST "vmovntps %xmm0, (%rbx)"
    PAST "vmovntpd %ymm0, (%rbx)"
    PAST "vmovntdq %ymm9, (%ebx)"
    xor %r11d, %r11d
    PAST "vmovntdq %xmm0, (%rbx,%r11)" /* a prefix of three bytes */
    LINES 1
    mov %rbx, %rdi
    COUNT 0, 1, 0, 0, "vmaskmovdqu %xmm0, %xmm1"
    vzeroupper
9:  ret
    .size avx2, . - avx2

/* --------------------------------------------------------------------------------------------------- */
    .macro KEEP512 reg
    vmovdqu64 %\reg, (%r15)
    add $64, %r15
    .endm

    .type avx512, @function
avx512:
    BEGIN 2, 0xc0030000, leaf7_b, 9f
    vmovdqu64 dwords(%rip), %zmm20
    vmovdqu64 numbers(%rip), %zmm0
    mov $0xa50d, %eax /* 7 lanes: 0 2 3, 8 10, 13 15 */
    kmovq %rax, %k1
    kxorq %k7, %k7, %k7
    LINES 16
    kmovq %k1, %k2
    COUNT 7, 0, 7, 0, "vpgatherdd (%rbx,%zmm20,4), %zmm0{%k2}"
    KEEP512 zmm0
    LINES 16
    kmovq %k1, %k2
    COUNT 0, 7, 0, 7, "vpscatterdd %zmm0, (%rbx,%zmm20,4){%k2}"
    COUNT 0, 0, 0, 0, "vpscatterdd %zmm0, (%rbx,%zmm20,4){%k2}" /* it is done */
    LINES 16
    kmovq %k1, %k2
    COUNT 3, 0, 3, 0, "vgatherdpd 64(%rbx,%ymm20,4), %zmm0{%k2}" /* lanes 0 2 3 of 8 */
    KEEP512 zmm0
    LINES 8
    add $256, %ebx
    vmovdqu64 qwords(%rip), %zmm31
    kmovq %k1, %k2
    COUNT 0, 3, 0, 3, "vpscatterqq %ymm0, (%rbx,%ymm31,8){%k2}"
    LINES 8
    add $256, %ebx
    kmovq %k1, %k2
    COUNT 3, 0, 3, 0, "vgatherqps (%rbx,%ymm31,8), %xmm1{%k2}"
    KEEP512 zmm1
    LINES 8
    add $256, %ebx
    kmovq %k1, %k2
    COUNT 0, 1, 0, 1, "vscatterqpd %xmm0, (%rbx,%xmm31,8){%k2}"

    /* In a row. */
    LINES 2
    add $36, %ebx
    COUNT 7, 0, 2, 0, "vmovups (%rbx), %zmm17{%k1}"
    KEEP512 zmm17
    LINES 1
    COUNT 7, 0, 1, 0, "vmovdqu32 (%rbx), %zmm17{%k1}{z}"
    KEEP512 zmm17
    LINES 2
    add $36, %ebx
    COUNT 0, 7, 0, 2, "vmovups %zmm0, (%rbx){%k1}"
    LINES 1
    COUNT 3, 0, 1, 0, "vmovupd (%rbx), %zmm1{%k1}{z}"
    LINES 3
    mov $0xff0000000000000f, %rax
    kmovq %rax, %k4
    add $62, %ebx
    COUNT 0, 12, 0, 2, "vmovdqu8 %zmm0, (%rbx){%k4}" /* 2 and 2 bytes; then 8 in the second line */
    LINES 2
    COUNT 12, 0, 1, 0, "vmovdqu8 (%rbx), %zmm2{%k4}{z}"
    KEEP512 zmm2
    LINES 1
    COUNT 4, 0, 1, 0, "vmovdqu16 (%rbx), %zmm2{%k4}"
    KEEP512 zmm2
    mov $8, %ebx
    COUNT 0, 0, 0, 0, "vmovdqu32 (%rbx), %zmm1{%k7}{z}"
    COUNT 0, 0, 0, 0, "vmovdqu32 %zmm1, (%rbx){%k7}"
    LINES 1
    COUNT 0, 1, 0, 1, "vmovdqa64 %zmm0, (%rbx)"
    LINES 1
    COUNT 7, 0, 1, 0, "vpaddd (%rbx), %zmm0, %zmm1{%k1}"
    KEEP512 zmm1
    LINES 2
    add $60, %ebx
    COUNT 0, 7, 0, 2, "vpcompressd %zmm0, (%rbx){%k1}" /* side by side: one here, six there */
    LINES 2
    add $60, %ebx
    COUNT 7, 0, 2, 0, "vexpandps (%rbx), %zmm1{%k1}{z}"
    KEEP512 zmm1
    LINES 1
    COUNT 0, 3, 0, 1, "vcompresspd %zmm0, (%rbx){%k1}"
    LINES 1
    COUNT 0, 7, 0, 1, "vpmovdb %zmm0, (%rbx){%k1}"
    LINES 1
    COUNT 7, 0, 1, 0, "vpmovzxbd (%rbx), %zmm1{%k1}"
    KEEP512 zmm1

    PAST "vmovntps %zmm0, (%rbx)"
    PAST "vmovntpd %ymm17, (%rbx)"
    PAST "vmovntdq %xmm17, (%rbx)"

    /* One place for all lanes, or one lane. */
    LINES 1
    COUNT 1, 0, 1, 0, "vaddps 4(%rbx){1to16}, %zmm0, %zmm1{%k1}"
    KEEP512 zmm1
    kmovw ten(%rip), %k5 /* not bit 0 */
    LINES 1
    COUNT 1, 0, 1, 0, "vaddpd 8(%rbx){1to8}, %zmm0, %zmm1{%k5}"
    KEEP512 zmm1
    LINES 1
    COUNT 1, 0, 1, 0, "vbroadcastss (%rbx), %zmm1{%k5}"
    KEEP512 zmm1
    LINES 1
    COUNT 1, 0, 1, 0, "vbroadcasti32x4 (%rbx), %zmm1{%k5}{z}"
    KEEP512 zmm1
    mov $8, %ebx
    COUNT 0, 0, 0, 0, "vaddps 4(%rbx){1to16}, %zmm0, %zmm1{%k7}"
    COUNT 0, 0, 0, 0, "vaddss (%rbx), %xmm0, %xmm1{%k5}{z}"
    COUNT 0, 0, 0, 0, "vmovss %xmm0, (%rbx){%k5}"
    COUNT 0, 0, 0, 0, "vbroadcastsd (%rbx), %ymm1{%k7}"
    LINES 1
    COUNT 1, 0, 1, 0, "vaddss (%rbx), %xmm0, %xmm1{%k1}"
    KEEP512 zmm1
    LINES 1
    COUNT 0, 1, 0, 1, "vmovsd %xmm0, (%rbx){%k1}"
    LINES 1
    COUNT 1, 0, 1, 0, "kmovq (%rbx), %k6"
    COUNT 0, 1, 0, 0, "kmovd %k6, (%rbx)"
    COUNT 7, 0, 0, 0, "vmovups area(%rip), %zmm1{%k1}"
    KEEP512 zmm1
    vzeroupper
9:  ret
    .size avx512, . - avx512

    .type vbmi2, @function
vbmi2:
    BEGIN 3, 0x40, leaf7_c, 9f
    mov $0xff0000000000000f, %rax
    kmovq %rax, %k4
    LINES 2
    add $60, %ebx
    COUNT 0, 12, 0, 2, "vpcompressb %zmm0, (%rbx){%k4}"
    LINES 2
    add $60, %ebx
    COUNT 12, 0, 2, 0, "vpexpandb (%rbx), %zmm1{%k4}{z}"
    KEEP512 zmm1
    LINES 1
    COUNT 0, 4, 0, 1, "vpcompressw %zmm0, (%rbx){%k4}"
    vzeroupper
9:  ret
    .size vbmi2, . - vbmi2

    .type movdir, @function
movdir:
    BEGIN 4, 0x18000000, leaf7_c, 9f
    LINES 1
    COUNT 0, 1, 0, 1, "movdiri %rax, (%rbx)"
    LINES 2
    lea 64(%rbx), %rsi
    COUNT 1, 1, 1, 1, "movdir64b (%rbx), %rsi"
9:  ret
    .size movdir, . - movdir

    .section .rodata
    .p2align 6
dwords:
    .set i, 0
    .rept 16
    .long 16 * i
    .set i, i + 1
    .endr
qwords:
    .quad 24, -1, -24, 0, 1, 2, 3, 4
signs4:
    .long -1, 0, 0x80000000, 0x80000001, 0x7fffffff, -2, 0, -3
signs8:
    .quad 0x8000000000000000, 0x7fffffffffffffff, -1, 1
bytes:
    .quad 0x80008000ff007f80, 0x0000000080000000
numbers:
    .set i, 0
    .rept 16
    .long 0x3f800000 + 0x10001 * i
    .set i, i + 1
    .endr
ten:
    .quad 10

    .data
    .p2align 6
done: /* what the CPU has, bit by bit */
    .quad 0
results:
    .skip 6144
results_end:
    .p2align 12
area:
    .set i, 0
    .rept 8192
    .long 0x3f801000 + 0x137 * i
    .set i, i + 1
    .endr
all_end:
arguments:
    .long 0
leaf1_c:
    .long 0
leaf13_a:
    .long 0
leaf7_b:
    .long 0
leaf7_c:
    .long 0
forbidden:
    .quad 0
action:
    .quad handler, 0x44000004, restorer, 0 /* SA_SIGINFO, SA_NODEFER, SA_RESTORER */
    .p2align 12
    .skip 64
    .bss
    .p2align 12
pages:
    .skip 24576
    .p2align 12
    .skip 32768
stack_end:
    .skip 64
    .section .counts, "a"
counts_end:
    .section .note.GNU-stack, "", @progbits
