/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_rewritten.c: memory that is written and executed again and again, as a stack with code on it is. What is
 * executed is always what was written last, be it by the instruction in front of it.
 *
 * The same on the bare CPU. 20,000 rounds take a moment there, and minutes where each of their stores is a fault.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, FEW = 300, MANY = 20000, ALL = PROT_READ | PROT_WRITE | PROT_EXEC };

typedef int code(int a, int b);

static const uint8_t constant[] = {0xb8, 0, 0, 0, 0, 0xc3}; /* mov $0, %eax; ret */

/* mov %edi, 1f(%rip); mov $0, %eax (1: its value); ret */
static const uint8_t ahead[] = {0x89, 0x3d, 1, 0, 0, 0, 0xb8, 0, 0, 0, 0, 0xc3};

/* lea 1f(%rip), %rdi; mov %sil, %al; mov $4, %ecx; rep stosb; mov $0, %eax (1: its value); ret */
static const uint8_t string[] = {0x48, 0x8d, 0x3d, 11, 0, 0, 0, 0x40, 0x88, 0xf0, 0xb9, 4,
                                 0,    0,    0,    0xf3, 0xaa, 0xb8, 0,    0,    0,    0, 0xc3};

/* xor %ecx, %ecx; 1: mov $0, %eax (2: its value); add %eax, %ecx; incl 2b(%rip); dec %edi; jnz 1b; mov %ecx, %eax;
 * ret */
static const uint8_t behind[] = {0x31, 0xc9, 0xb8, 0,    0,    0,    0,    0x01, 0xc1, 0xff, 0x05,
                                 0xf4, 0xff, 0xff, 0xff, 0xff, 0xcf, 0x75, 0xef, 0x89, 0xc8, 0xc3};

/* push %rdi; pop %rax; add %esi, %eax; ret */
static const uint8_t pushing[] = {0x57, 0x58, 0x01, 0xf0, 0xc3};

static void *page(void)
{
    return mmap(NULL, PAGE, ALL, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void put(void *to, const uint8_t *bytes, size_t count, int value)
{
    memcpy(to, bytes, count);
    if (bytes == constant)
        memcpy((char *)to + 1, &value, sizeof value);
}

static int run(const void *at, int a, int b)
{
    code *entry;

    memcpy(&entry, &at, sizeof entry);
    return entry(a, b);
}

/* Data beside the code change in each round, the code in every hundredth. */
static long beside(char *at, int rounds)
{
    volatile int *data = (volatile int *)(at + PAGE / 2);
    long sum = 0;

    for (int i = 0; i < rounds; i++) {
        if (i % 100 == 0)
            put(at, constant, sizeof constant, i);
        data[i % 16] = i;
        sum += run(at, 0, 0) + data[(i + 1) % 16];
    }
    return sum;
}

/* The same place is one of two functions, by turns. */
static long in_turn(char *at)
{
    long sum = 0;

    for (int i = 0; i < FEW; i++) {
        put(at, i % 2 ? constant : pushing, i % 2 ? sizeof constant : sizeof pushing, i % 6);
        sum = sum * 3 % 1000003 + run(at, i, 1);
    }
    return sum;
}

static long itself(const uint8_t *bytes, size_t count)
{
    char *at = page();
    long sum = 0;

    put(at, bytes, count, 0);
    for (int i = 0; i < FEW; i++)
        sum = (sum * 3 + run(at, 1 + i % 90, i)) % 1000003;
    return sum;
}

/* The stack lies behind the code, in its page. */
static long as_stack(char *at)
{
    long sum = 0;

    put(at, pushing, sizeof pushing, 0);
    for (int i = 0; i < MANY; i++) {
        uint64_t result, top = (uintptr_t)at + PAGE - 64;

        __asm__ volatile("mov %%rsp, %%rbx; mov %1, %%rsp; call *%2; mov %%rbx, %%rsp"
                         : "=a"(result)
                         : "r"(top), "r"(at), "D"(i), "S"(1)
                         : "rbx", "memory", "cc");
        sum += (int)result;
    }
    return sum;
}

static void *thread(void *at)
{
    return (void *)beside(at, FEW);
}

/* Each has its code, in one page. */
static void threads(char *at)
{
    pthread_t other;
    void *sum;

    pthread_create(&other, NULL, thread, at);
    long own = beside(at + PAGE / 4, FEW);
    pthread_join(other, &sum);
    printf("two threads %d %d\n", own > 0, sum != NULL);
}

static sigjmp_buf back;

static void faults(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

/* `at`: written so often that it is guarded no more. */
static void otherwise(char *const at)
{
    char *to;

    signal(SIGSEGV, faults);
    mprotect(at, PAGE, PROT_READ | PROT_EXEC);
    if (sigsetjmp(back, 1) == 0)
        *(volatile char *)at = 0;
    else
        printf("not to be written %d\n", run(at, 4, 5));
    mprotect(at, PAGE, PROT_READ | PROT_WRITE);
    put(at, constant, sizeof constant, 77);
    if (sigsetjmp(back, 1) == 0)
        run(at, 0, 0);
    else
        printf("not to be executed\n");
    mprotect(at, PAGE, ALL);
    printf("again %d\n", run(at, 0, 0));
    mmap(at, PAGE, ALL, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    printf("mapped anew %ld\n", beside(at, FEW));
    to = mremap(at, PAGE, 2 * PAGE, MREMAP_MAYMOVE);
    printf("moved %ld\n", beside(to, FEW));
}

int main(void)
{
    char *at = page();

    printf("beside %ld\n", beside(at, MANY));
    printf("by turns %ld\n", in_turn(page()));
    printf("ahead %ld\n", itself(ahead, sizeof ahead));
    printf("by a string instruction %ld\n", itself(string, sizeof string));
    printf("behind, in a loop %ld\n", itself(behind, sizeof behind));
    printf("as a stack %ld\n", as_stack(page()));
    threads(page());
    fflush(stdout);
    if (fork() == 0) {
        printf("in a child %ld\n", beside(at, MANY));
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    at = page();
    as_stack(at);
    otherwise(at);
    return 0;
}
