/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_r11.c: a program that uses r11 in every way, which generated code has for itself most of the time.
 *
 * Calls and jumps through it, addresses made of it, loops that it counts over many blocks, what a system call leaves in
 * it, the base of GS in it, code that is changed through it, and what handlers of faults, signals and steps see of it
 * and put there. Prints what each did, as on the bare CPU.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { TIMES = 100000, WORDS = 512 };
static uint64_t words[WORDS];

static void said(const char *what, uint64_t value)
{
    printf("%s: %lx\n", what, (unsigned long)value);
    fflush(stdout);
}

static uint64_t branches(void)
{
    static const void *way[2];
    uint64_t sum = 0;

    __asm__ volatile("   lea 5f(%%rip), %%r11\n"
                     "   mov %%r11, %[way]\n"
                     "   lea 7f(%%rip), %%r11\n"
                     "   mov %%r11, 8+%[way]\n"
                     "   sub $128, %%rsp\n" /* of the C code around */
                     "   lea 6f(%%rip), %%r11\n"
                     "   call *%%r11\n"
                     "   lea %[way], %%r11\n"
                     "   call *(%%r11)\n"
                     "   mov $1, %%ecx\n"
                     "   call *-8(%%r11, %%rcx, 8)\n"
                     "   jmp *(%%r11, %%rcx, 8)\n"
                     "5: add $0x100, %[sum]\n"
                     "   ret\n"
                     "6: add $0x10, %[sum]\n"
                     "   lea 1f(%%rip), %%r11\n"
                     "   jmp *%%r11\n"
                     "1: push %%r11\n"
                     "   pop %%r11\n"
                     "   ret\n"
                     "7: lea 2f(%%rip), %%r11\n"
                     "   push %%r11\n"
                     "   ret\n"
                     "2: add $128, %%rsp\n"
                     : [sum] "+r"(sum), [way] "=m"(way)
                     :
                     : "rcx", "r11", "memory", "cc");
    return sum;
}

/* It counts down over blocks that read memory through it, and blocks that do not name it. */
static uint64_t loops(void)
{
    uint64_t sum = 0, at;

    __asm__ volatile("   mov %[times], %%r11d\n"
                     "1: mov %%r11, %[at]\n"
                     "   and %[mask], %[at]\n"
                     "   mov (%[words], %[at], 8), %%r10\n"
                     "   add %%r10, %[sum]\n"
                     "   test $1, %%r10b\n"
                     "   jz 2f\n"
                     "   add %%r11, (%[words], %[at], 8)\n"
                     "   jmp 3f\n"
                     "2: incq (%[words], %[at], 8)\n"
                     "3: xor %%r11b, %b[sum]\n"
                     "   stc\n"
                     "   dec %%r11\n" /* keeps the carry */
                     "   jnz 1b\n"
                     "   adc $0, %[sum]\n"
                     : [sum] "+&r"(sum), [at] "=&r"(at)
                     : [words] "r"(words), [times] "i"(TIMES), [mask] "i"(WORDS - 1)
                     : "r10", "r11", "memory", "cc");
    return sum;
}

static uint64_t operands(void)
{
    uint64_t sum = 0;

    __asm__ volatile("   lea %[words], %%r11\n"
                     "   mov $7, %%ecx\n"
                     "   add 8(%%r11), %[sum]\n"
                     "   add 16(%%r11, %%rcx, 8), %[sum]\n"
                     "   mov $3, %%r11d\n"
                     "   add %[words], %[sum]\n"
                     "   lea 5(%%r11, %%r11, 2), %%r11\n"
                     "   add %%r11, %[sum]\n"
                     "   mov %%r11w, %%cx\n"
                     "   xchg %%cl, %%r11b\n"
                     "   bswap %%r11\n"
                     "   xadd %%r11, %[words]\n"
                     "   lock cmpxchg %%r11, %[words]\n"
                     "   add %%r11, %[sum]\n"
                     "   movq %%r11, %%xmm0\n"
                     "   movq %%xmm0, %%r11\n"
                     "   cmovnz %%r11, %[sum]\n"
                     "   setc %%r11b\n"
                     "   adc %%r11, %[sum]\n"
                     : [sum] "+&r"(sum), [words] "+m"(words)
                     :
                     : "rax", "rcx", "r11", "xmm0", "memory", "cc");
    return sum;
}

/* What the CPU's state is stored to and gathered from, and what instructions that change much leave of it. */
static uint64_t others(void)
{
    static uint64_t state[1024] __attribute__((aligned(64)));
    uint64_t sum = 0, room = (uintptr_t)state;

    __asm__ volatile("   mov %[room], %%r11\n"
                     "   fnstenv (%%r11)\n"
                     "   fldenv (%%r11)\n"
                     "   fxsave (%%r11)\n"
                     "   incq 512(%%r11)\n"
                     "   jmp 1f\n"
                     "1: mov $5, %%r11d\n"
                     "   lock btsq %%r11, (%[room])\n"
                     "   xor %%eax, %%eax\n"
                     "   xor %%ecx, %%ecx\n"
                     "   cpuid\n"
                     "   add %%r11, %[sum]\n"
                     "   rdtsc\n"
                     "   lea (%[sum], %%r11), %%r11\n"
                     "   sub $128, %%rsp\n" /* of the C code around */
                     "   push %%rbp\n"
                     "   enter $32, $0\n"
                     "   mov %%r11, -8(%%rbp)\n"
                     "   leave\n"
                     "   pop %%rbp\n"
                     "   add $128, %%rsp\n"
                     "   mov %[room], %%rsi\n"
                     "   lea 2048(%%rsi), %%rdi\n"
                     "   mov %%r11d, %%ecx\n"
                     "   rep movsq\n"
                     "   add %%r11, 512(%[room])\n"
                     "   add 512(%[room]), %[sum]\n"
                     : [sum] "+&r"(sum)
                     : [room] "r"(room)
                     : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r11", "memory", "cc");
    return sum;
}

/* r11 as the handler sees it; it says where to go on, and what r11 is there. */
static volatile uint64_t seen;
static void handler(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

    (void)info;
    seen = (uint64_t)registers[REG_R11];
    registers[REG_R11] = 0x5555 + number;
    if (number == SIGSEGV || number == SIGILL)
        registers[REG_RIP] = registers[REG_RDX];
}

/* Of a thread that has none of its own. */
static uint64_t bases(void)
{
    uint64_t sum = 0, word = 0, has = 0;

    __asm__ volatile("lea 1f(%%rip), %%rdx\n rdgsbase %%rax\n mov $1, %k[has]\n1:" /* else a handler goes on here */
                     : [has] "+&r"(has) : : "rax", "rdx", "r11", "memory");
    if (!has)
        return 0;
    __asm__ volatile("   mov $0x3321, %%r11d\n"
                     "   jmp 1f\n"
                     "1: wrgsbase %%r11\n"
                     "   incq %[word]\n"
                     "   addq $3, %[word]\n"
                     "   jmp 2f\n"
                     "2: rdgsbase %%r11\n"
                     "   incq %[word]\n"
                     "   adcq $0, %[word]\n"
                     "   jmp 3f\n"
                     "3: add %%r11, %[sum]\n"
                     "   lea 7(%%r11), %%eax\n"
                     "   addq $77, %[word]\n"
                     "   wrgsbase %%eax\n"
                     "   adcq $1, %[word]\n"
                     "   rdgsbase %%r11d\n"
                     "   add %[word], %[sum]\n"
                     "   jmp 4f\n"
                     "4: add %%r11, %[sum]\n"
                     "   xor %%eax, %%eax\n"
                     "   wrgsbase %%rax\n"
                     : [sum] "+&r"(sum), [word] "+m"(word)
                     :
                     : "rax", "r11", "memory", "cc");
    return sum;
}

/* Each instruction's constant is changed, through it or by what it holds, in front of the instruction. */
static uint64_t changes(void)
{
    static const unsigned char code[] = {
        0x49, 0x89, 0xfb,             /* mov r11, rdi */
        0x41, 0x88, 0x73, 10,         /* mov [r11 + 10], sil */
        0x48, 0x83, 0xc0, 0,          /* add rax, 0 */
        0x41, 0xb3, 0x44,             /* mov r11b, 0x44 */
        0x44, 0x86, 0x5f, 21,         /* xchg [rdi + 21], r11b */
        0x48, 0x83, 0xc0, 0x12,       /* add rax, 0x12 */
        0x4c, 0x01, 0xd8,             /* add rax, r11 */
        0x48, 0x29, 0xf8,             /* sub rax, rdi */
        0xc3,
    };
    enum { CALLS = 200 };
    unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t sum = 0;

    for (uint64_t i = 0; i < CALLS; i++) {
        uint64_t value = i;
        if (i % 10 == 0)
            memcpy(page, code, sizeof code);
        __asm__ volatile("call *%[page]"
                         : "+a"(value)
                         : [page] "r"(page), "D"(page), "S"(i % 100)
                         : "r11", "memory", "cc");
        sum = sum * 31 + value;
    }
    return sum;
}

/* What a handler sees of it behind each instruction. */
static volatile uint64_t stepped;
static void step(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    stepped = stepped * 31 + (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_R11];
}

static uint64_t steps(void)
{
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    static uint64_t word = 9;

    sigaction(SIGTRAP, &action, NULL);
    __asm__ volatile("   sub $128, %%rsp\n" /* of the C code around */
                     "   xor %%r11d, %%r11d\n"
                     "   push $0x302\n"
                     "   popf\n"
                     "   nop\n"
                     "   nop\n"
                     "   mov $3, %%r11d\n"
                     "1: add %[word], %%r11\n"
                     "   incq %[word]\n"
                     "   mov %%r11, %%rax\n"
                     "   add %%rax, %[word]\n"
                     "   jmp 2f\n"
                     "2: incq %[word]\n"
                     "   xadd %%r11, %[word]\n"
                     "   call 3f\n"
                     "   cmpq $4000, %[word]\n"
                     "   jb 1b\n"
                     "   push $0x202\n"
                     "   popf\n"
                     "   jmp 4f\n"
                     "3: mov (%%rsp), %%rax\n"
                     "   inc %%r11\n"
                     "   ret\n"
                     "4: add $128, %%rsp\n"
                     : [word] "+m"(word)
                     :
                     : "rax", "r11", "memory", "cc");
    return stepped;
}

static uint64_t behind_call(void)
{
    uint64_t r11, number = SYS_getppid;

    /* All flags are set here: what the code in front leaves in them depends on where the stack lies. */
    __asm__ volatile("xor %%ecx, %%ecx\n stc\n syscall\n mov %%r11, %[r11]"
                     : [r11] "=r"(r11), "+a"(number)
                     :
                     : "rcx", "r11", "memory", "cc");
    return r11 & 0x8d5;
}

static uint64_t faults(void *nothing, int how)
{
    uint64_t r11 = 0;

    switch (how) {
    case 0: /* the fault stores it */
        __asm__ volatile("lea 1f(%%rip), %%rdx\n mov $0x1234567, %%r11d\n mov %%r11, (%[at])\n1: mov %%r11, %[r11]"
                         : [r11] "=r"(r11) : [at] "r"(nothing) : "rdx", "r11", "memory");
        break;
    case 1: /* it is the address */
        __asm__ volatile("lea 1f(%%rip), %%rdx\n mov %[at], %%r11\n mov 8(%%r11), %%rax\n1: mov %%r11, %[r11]"
                         : [r11] "=r"(r11) : [at] "r"(nothing) : "rax", "rdx", "r11", "memory");
        break;
    case 2: /* it would be loaded */
        __asm__ volatile("lea 1f(%%rip), %%rdx\n mov $0x7654321, %%r11d\n jmp 2f\n2: mov (%[at]), %%r11\n"
                         "1: mov %%r11, %[r11]"
                         : [r11] "=r"(r11) : [at] "r"(nothing) : "rdx", "r11", "memory");
        break;
    case 3: /* nobody names it */
        __asm__ volatile("lea 1f(%%rip), %%rdx\n mov $0xabcdef, %%r11d\n jmp 2f\n2: incq (%[at])\n"
                         "1: jmp 3f\n3: mov %%r11, %[r11]"
                         : [r11] "=r"(r11) : [at] "r"(nothing) : "rdx", "r11", "memory", "cc");
        break;
    default: /* a signal between blocks */
        __asm__ volatile("mov $0x77, %%r11d\n xor %%ecx, %%ecx\n syscall\n mov %%r11, %[r11]\n"
                         : [r11] "=r"(r11) : "a"(SYS_kill), "D"(getpid()), "S"(SIGUSR1) : "rcx", "r11", "memory", "cc");
    }
    return r11;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    void *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGILL, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < WORDS; i++)
        words[i] = (uint64_t)i * 0x9e3779b97f4a7c15;
    said("branches", branches());
    said("loops", loops());
    said("operands", operands());
    said("others", others());
    said("bases", bases());
    said("changes", changes());
    said("steps", steps());
    said("behind a call", behind_call());
    for (int how = 0; how < 5; how++) {
        uint64_t left = faults(nothing, how);
        said("seen", seen == (uintptr_t)nothing ? 1 : how == 4 ? seen & 0x8d5 : seen);
        said("left", left);
    }
    return 0;
}
