/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_fetches.c: jumps, calls and returns to where no code is, and instructions of which only a part is there.
 *
 * For each the handler prints what it is told: the fault, its address and that of the instruction, as distances from
 * the target or from the branch, and whether the stack pointer is that behind the branch. The same as on the bare CPU.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096 };

static sigjmp_buf back;
static uint64_t target, site, stack;

/* Each keeps its stack pointer, then branches to its argument; the branch itself is at the label. */
void by_jump(uint64_t to, uint64_t *stack);
void by_memory(uint64_t to, uint64_t *stack);
void by_call(uint64_t to, uint64_t *stack);
void by_return(uint64_t to, uint64_t *stack);
extern const char at_jump[], at_memory[], at_call[], at_return[];
__asm__(".text\n"
        "by_jump: mov %rsp, (%rsi)\n"
        "at_jump: jmp *%rdi\n"
        "by_memory: mov %rsp, (%rsi); mov %rdi, -64(%rsp)\n"
        "at_memory: jmp *-64(%rsp)\n"
        "by_call: mov %rsp, (%rsi)\n"
        "at_call: call *%rdi\n"
        "by_return: mov %rsp, (%rsi); push %rdi\n"
        "at_return: ret\n");

static const struct {
    const char *name;
    void (*go)(uint64_t to, uint64_t *stack);
    const char *at;
} ways[] = {{"jump", by_jump, at_jump}, {"memory", by_memory, at_memory}, {"call", by_call, at_call},
            {"return", by_return, at_return}};

static void telling(int signal, siginfo_t *info, void *context)
{
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint64_t rip = (uint64_t)registers[REG_RIP], address = (uint64_t)(uintptr_t)info->si_addr;
    bool is_at_site = rip == site;

    printf(" signal %d code %d, address %s%lld, at %s%lld, rsp %lld", signal, info->si_code,
           address == 0 && target != 0 ? "none " : "", address == 0 ? 0 : (long long)(address - target),
           is_at_site ? "branch " : "", is_at_site ? 0 : (long long)(rip - target),
           (long long)((uint64_t)registers[REG_RSP] - stack));
    if (signal == SIGSEGV)
        printf(", trap %lld error %lld", (long long)registers[REG_TRAPNO], (long long)registers[REG_ERR]);
    siglongjmp(back, 1);
}

static void go(const char *what, uint64_t to)
{
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        target = to;
        site = (uint64_t)(uintptr_t)ways[i].at;
        printf("%s by %s:", what, ways[i].name);
        if (sigsetjmp(back, 1) == 0)
            ways[i].go(to, &stack);
        printf("\n");
    }
}

/* What ends at the end of a page, in front of one of another kind. */
static void at_end(const char *what, uint8_t *end, const void *code, size_t bytes)
{
    mprotect(end - PAGE, PAGE, PROT_READ | PROT_WRITE);
    memcpy(end - bytes, code, bytes);
    mprotect(end - PAGE, PAGE, PROT_READ | PROT_EXEC);
    go(what, (uint64_t)(uintptr_t)(end - bytes));
}

static void in_front_of(const char *name, uint8_t *end)
{
    static const uint8_t no_end[] = {0x90, 0x90}, cut[] = {0x48, 0xb8, 1, 2}, second[] = {0x90, 0x0f},
                         undefined[] = {0x90, 0x06};

    printf("in front of %s:\n", name);
    at_end("runs off", end, no_end, sizeof no_end);
    at_end("cut", end, cut, sizeof cut);
    at_end("second cut", end, second, sizeof second);
    at_end("undefined", end, undefined, sizeof undefined);
}

/* Pages of code, and behind them nothing, what cannot be read, data, and what the file no longer has. */
static void pieces(void)
{
    uint8_t *pages = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FILE *file = tmpfile();

    mprotect(pages + PAGE, PAGE, PROT_NONE);
    in_front_of("what cannot be read", pages + PAGE);
    go("there", (uint64_t)(uintptr_t)pages + PAGE + 5);
    mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE);
    pages[PAGE] = 0x90;
    in_front_of("data", pages + PAGE);
    go("there", (uint64_t)(uintptr_t)pages + PAGE);
    munmap(pages + PAGE, PAGE);
    in_front_of("nothing", pages + PAGE);
    go("there", (uint64_t)(uintptr_t)pages + PAGE + 5);
    if (file == NULL || ftruncate(fileno(file), PAGE) != 0)
        return;
    mmap(pages + PAGE, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, fileno(file), 0);
    if (ftruncate(fileno(file), 0) != 0)
        return;
    in_front_of("what has gone from its file", pages + PAGE);
    go("there", (uint64_t)(uintptr_t)pages + PAGE + 5);
}

int main(void)
{
    static const uint64_t nowhere[] = {0, 1, PAGE, 0x7ffffffff000, 0x7fffffffffff, 0x800000000000, 0x8000000000000000,
                                       0xffff7fffffffffff, 0xffff800000000000, 0xffffffff81000000, 0xfffffffffffff000,
                                       0xfffffffffffffeff, 0xffffffffffffff00, 0xfffffffffffffffe, 0xffffffffffffffff};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL};
    struct sigaction action = {.sa_sigaction = telling, .sa_flags = SA_SIGINFO};

    setvbuf(stdout, NULL, _IONBF, 0);
    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &action, NULL);
    for (unsigned i = 0; i < sizeof nowhere / sizeof nowhere[0]; i++) {
        char name[32];

        snprintf(name, sizeof name, "%llx", (unsigned long long)nowhere[i]);
        go(name, nowhere[i]);
    }
    pieces();
    return 0;
}
