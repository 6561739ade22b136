/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_odd.c: instructions that programs hardly ever execute: what each leads to, a signal mostly.
 *
 * Each is put into a page at a fixed address and called. Prints the same on the bare CPU, which depends on its maker.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define PREFIXES 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66
#define RET 0xc3

enum { PAGE = 4096, HAS_FSGSBASE = 2, ARCH_SET_GS = 0x1001, ARCH_GET_GS = 0x1004 };

static unsigned char *const page = (unsigned char *)0x20000000;
static sigjmp_buf back;

static const struct {
    const char *name;
    unsigned char bytes[24];
} codes[] = {
    {"int 0x91", {0xcd, 0x91, RET}},
    {"int 3, in two bytes", {0xcd, 3, RET}},
    {"int 4", {0xcd, 4, RET}},
    {"int 0", {0xcd, 0, RET}},
    {"15 bytes", {PREFIXES, 0x66, 0x90, RET}},
    {"16 bytes", {PREFIXES, 0x66, 0x66, 0x90, RET}},
    {"17 bytes with an operand",
     {0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x48, 0x81, 0x84, 0x24, 0, 0, 0, 0, 0, 0, 0, 0, RET}},
    {"xbegin", {0xc7, 0xf8, 0, 0, 0, 0, RET}},
    {"xtest", {0x0f, 0x01, 0xd6, RET}},
    {"sysexit", {0x0f, 0x35, RET}},
    {"jmp of 16 bits", {0x66, 0xeb, 0, RET}},
    {"jmp of 16 bits, long", {0x66, 0xe9, 0, 0, 0, 0, RET}},
    {"jne of 16 bits, not taken", {0x31, 0xc0, 0x66, 0x75, 0x20, RET}},
    {"je of 16 bits", {0x31, 0xc0, 0x66, 0x74, 0, RET}},
    {"jrcxz of 16 bits", {0x31, 0xc9, 0x66, 0xe3, 0, RET}},
};

static void telling(int signal, siginfo_t *info, void *context)
{
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

    printf("signal %d code %d address %p, rip %llx, trap %lld, error %llx\n", signal, info->si_code,
           info->si_addr, registers[REG_RIP] >> 32 ? 0 : registers[REG_RIP], registers[REG_TRAPNO],
           registers[REG_ERR]);
    siglongjmp(back, 1);
}

static long frames[64]; /* of the levels above, for `enter` */

/* How far apart it puts rbp and rsp, and what it has copied first. */
#define ENTER(level)                                                                                         \
    do {                                                                                                     \
        long result;                                                                                         \
        __asm__ volatile("sub $1024, %%rsp; push %%rbp; mov %1, %%rbp; enter $32, $" #level                  \
                         "; mov %%rbp, %%rax; "                                                              \
                         "sub %%rsp, %%rax; add -8(%%rbp), %%rax; leave; pop %%rbp; add $1024, %%rsp"        \
                         : "=&a"(result)                                                                     \
                         : "r"(frames + 40)                                                                  \
                         : "memory", "cc");                                                                  \
        printf("enter " #level ": %ld\n", result);                                                           \
    } while (0)

/* Loads a selector, by a move and by a pop: what the program finds in gs then, and at its base. Where the base cannot
 * be set by instructions, the kernel may take it away at any time, and the engine has only the null selector. */
static void select_segment(unsigned selector)
{
    unsigned long base = 0x12345000;
    unsigned now;

    printf("selector %x: ", selector);
    fflush(stdout);
    if (selector != 0 && !(getauxval(AT_HWCAP2) & HAS_FSGSBASE)) {
        printf("not here\n");
        return;
    }
    syscall(SYS_arch_prctl, ARCH_SET_GS, base);
    if (!sigsetjmp(back, 1)) {
        __asm__ volatile("mov %0, %%gs" ::"r"(selector));
        printf("moved, ");
    }
    if (!sigsetjmp(back, 1)) {
        __asm__ volatile("sub $128, %%rsp; push %1; pop %%gs; add $128, %%rsp; mov %%gs, %0"
                         : "=r"(now)
                         : "r"((unsigned long)selector)
                         : "memory", "cc");
        syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
        printf("popped: %x, base %lx", now, base);
    }
    syscall(SYS_arch_prctl, ARCH_SET_GS, base);
    __asm__ volatile("mov %%gs, %0" : "=r"(now));
    printf("; %x\n", now);
}

/* Far: to a function, from the stack. */
static void far_away(unsigned segment, const char *what)
{
    static long result;

    result = 0;
    printf("%s to %x: ", what, segment);
    fflush(stdout);
    if (sigsetjmp(back, 1))
        return;
    if (what[0] == 'r')
        __asm__ volatile("sub $128, %%rsp; push %1; lea 1f(%%rip), %0; push %0; mov $1, %k0; lretq $16; 1: "
                         "add $112, %%rsp; inc %0"
                         : "+&r"(result)
                         : "r"((unsigned long)segment)
                         : "memory", "cc");
    else
        __asm__ volatile(
            "mov %%rsp, %%rcx; sub $128, %%rsp; mov %%ss, %k0; push %0; push %%rcx; push $0x8d5; push %1; "
            "lea 1f(%%rip), %0; push %0; mov $5, %k0; iretq; 1: pushf; pop %%rcx; and $0x8d5, %%ecx; "
            "add %%rcx, %0"
            : "+&r"(result)
            : "r"((unsigned long)segment)
            : "rcx", "memory", "cc");
    printf("%ld\n", result);
}

static long call_32(int number, long first, long second, long third)
{
    long result, rcx = second;

    __asm__ volatile("int $0x80" : "=a"(result), "+c"(rcx) : "0"(number), "b"(first), "d"(third) : "memory");
    return rcx == second ? result : -1000;
}

/* System calls of 32 bits, from code of 64. There are kernels that take none. */
static void calls_32(void)
{
    enum { WRITE = 4, CLOSE = 6, GETPID = 20, KILL = 37 };
    struct sigaction action = {.sa_handler = SIG_IGN};

    if (sigsetjmp(back, 1))
        return;
    strcpy((char *)page, "written\n");
    printf("getpid %d, ", call_32(GETPID, 0, 0, 0) == getpid());
    printf("close %ld, ", call_32(CLOSE, -1, 0, 0));
    sigaction(SIGUSR1, &action, NULL);
    printf("kill %ld\n", call_32(KILL, getpid(), SIGUSR1, 0));
    fflush(stdout);
    printf("%ld\n", call_32(WRITE, 1, (long)page, 8));
}

static volatile int steps;
static volatile unsigned long step_hash;

static void stepping(int signal, siginfo_t *info, void *context)
{
    static const unsigned char cpuid[] = {0x0f, 0xa2};
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

    (void)signal;
    if (memcmp((const char *)registers[REG_RIP] - sizeof cpuid, cpuid, sizeof cpuid) == 0)
        return; /* there are virtual machines that do not stop there */
    steps++;
    step_hash = step_hash * 31 + (unsigned long)(registers[REG_RIP] - (greg_t)(uintptr_t)stepping) +
                (info->si_code == TRAP_TRACE && info->si_addr == (void *)registers[REG_RIP]);
}

static int twice(int value)
{
    return 2 * value + 1;
}

/* The program steps through itself: branches, calls, a file that nobody has read yet, a system call; from a `popf` on,
 * and from an `iret` on. The flags NT and ID, which are set meanwhile, stay. */
static void traced(void)
{
    struct sigaction action = {.sa_sigaction = stepping, .sa_flags = SA_SIGINFO}, old;
    int (*volatile function)(int) = twice;
    int file = open("/proc/self/exe", O_RDONLY);
    volatile int sum = 0, *unread = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, 0);
    unsigned long flags;

    sigaction(SIGTRAP, &action, &old);
    __asm__ volatile("sub $128, %%rsp; pushf; orl $0x204100, (%%rsp); popf; add $128, %%rsp" ::: "memory", "cc");
    sum += *unread;
    for (int i = 0; i < 20; i++) {
        sum += function(i);
        if (i & 1)
            sum ^= 5;
    }
    __asm__ volatile("mov $39, %%eax; syscall; xor %%eax, %%eax; cpuid" ::
                         : "rax", "rbx", "rcx", "rdx", "r11", "memory");
    __asm__ volatile("sub $128, %%rsp; pushf; mov (%%rsp), %0; andl $~0x204100, (%%rsp); popf; add $128, %%rsp"
                     : "=r"(flags)::"memory", "cc");
    __asm__ volatile("mov %%rsp, %%rcx; sub $128, %%rsp; mov %%ss, %%eax; push %%rax; push %%rcx; pushf; "
                     "orl $0x100, (%%rsp); push $0x33; lea 1f(%%rip), %%rax; push %%rax; iretq; 1: nop; nop; "
                     "sub $128, %%rsp; pushf; andl $~0x100, (%%rsp); popf; add $128, %%rsp" ::
                         : "rax", "rcx", "memory", "cc");
    sigaction(SIGTRAP, &old, NULL);
    printf("%d steps, %lx, sum %d, flags %lx\n", steps, step_hash, sum, flags & 0x204100);
}

/* Aligned accesses while all are checked; what the engine does meanwhile is not checked. */
static void aligned(void)
{
    static volatile int memory[64 * PAGE];
    int sum = 0;

    __asm__ volatile("sub $128, %%rsp; pushf; orl $0x40000, (%%rsp); popf; add $128, %%rsp" ::: "memory", "cc");
    for (int i = 0; i < 64 * PAGE; i += 40)
        sum += ++memory[i];
    __asm__ volatile("sub $128, %%rsp; pushf; andl $~0x40000, (%%rsp); popf; add $128, %%rsp" ::: "memory", "cc");
    printf("sum %d\n", sum);
}

/* Addresses that are one bit away from that of a line which is in the cache. */
static void next_to_line(void)
{
    for (volatile int bit = 47; bit < 64; bit++) {
        printf("%d with bit %d: ", *(volatile unsigned char *)page, bit);
        if (!sigsetjmp(back, 1))
            printf("%d\n", *(volatile unsigned char *)((uintptr_t)page | 1ul << bit));
    }
}

/* The three system calls in the kernel's own page fault where others fail. */
static void calls_of_page(void)
{
    static const unsigned long arguments[] = {0, 8, 0x8000000000000000, 0xffff800000000000};

    for (volatile unsigned i = 0; i < 3 * 4; i++) {
        unsigned long entry = 0xffffffffff600000 + 0x400 * (i / 4);

        printf("entry %u, argument %lx: ", i / 4, arguments[i % 4]);
        if (!sigsetjmp(back, 1))
            printf("%d\n", ((long (*)(unsigned long, long))entry)(arguments[i % 4], 0) >= 0);
    }
}

/* rep movsb overwrites the constant behind it: mov $1, %eax becomes mov $42, %eax. */
static int tail(void)
{
    static const unsigned char code[] = {0xf3, 0xa4, 0xb8, 1, 0, 0, 0, RET}, new[] = {0xb8, 42, 0, 0, 0};
    const void *from = new;
    void *to = page + 2;
    long count = sizeof new;
    int result;

    memcpy(page, code, sizeof code);
    __asm__ volatile("call *%4"
                     : "=a"(result), "+S"(from), "+D"(to), "+c"(count)
                     : "r"(page)
                     : "memory", "cc");
    return result;
}

static volatile unsigned leads_to;

static void leads_elsewhere(int signal, siginfo_t *info, void *context)
{
    greg_t *segments = &((ucontext_t *)context)->uc_mcontext.gregs[REG_CSGSFS];

    (void)signal;
    (void)info;
    *segments = (*segments & ~0xffffLL) | leads_to;
}

/* A handler returns to what is no code. */
static void return_to(unsigned segment)
{
    struct sigaction action = {.sa_sigaction = leads_elsewhere, .sa_flags = SA_SIGINFO};

    sigaction(SIGUSR1, &action, NULL);
    leads_to = segment;
    printf("handler to %x: ", segment);
    fflush(stdout);
    if (!sigsetjmp(back, 1))
        raise(SIGUSR1);
}

/* Instructions that store the state of the x87 at an address under GS: of none is more to be known. Behind as many as a
 * block has, a load of nothing faults. */
static void states(void)
{
    enum { FIRST = 44, LAST = 63 };
    static const unsigned char fxsave[] = {0x65, 0x0f, 0xae, 0x04, 0x25, 0, 0x10, 0, 0x20}; /* gs:[page + PAGE] */
    static const unsigned char load[] = {0x8a, 0x04, 0x25, 0, 0, 0, 0};

    for (volatile unsigned count = FIRST; count <= LAST; count++) {
        for (unsigned i = 0; i < count; i++)
            memcpy(page + i * sizeof fxsave, fxsave, sizeof fxsave);
        memcpy(page + count * sizeof fxsave, load, sizeof load);
        printf("behind %u states: ", count);
        if (!sigsetjmp(back, 1))
            ((void (*)(void))page)();
    }
}

int main(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    struct sigaction action = {.sa_sigaction = telling, .sa_flags = SA_SIGINFO};

    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &action, NULL);
    if (mmap(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != page ||
        mmap(page + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=
            page + PAGE)
        return 1;
    for (volatile unsigned i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        memcpy(page, codes[i].bytes, sizeof codes[i].bytes);
        printf("%s: ", codes[i].name);
        if (!sigsetjmp(back, 1)) {
            ((void (*)(void))page)();
            printf("no signal\n");
        }
    }
    states();
    for (int i = 0; i < 64; i++)
        frames[i] = 1000 * i;
    ENTER(2);
    ENTER(3);
    ENTER(31);
    select_segment(0);
    select_segment(3);
    select_segment(0x2b);
    select_segment(0x10);
    select_segment(0x1237);
    far_away(0x33, "return");
    far_away(0x33, "iret");
    far_away(0, "return");
    far_away(0x2b, "iret");
    far_away(0x1237, "return");
    return_to(0);
    return_to(0x2b);
    return_to(0xfff3);
    calls_32();
    calls_of_page();
    next_to_line();
    aligned();
    traced();
    printf("tail %d, %d\n", tail(), tail());
    return 0;
}
