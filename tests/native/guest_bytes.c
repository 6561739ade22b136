/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_bytes.c: machine code that no assembler makes: prefixes that mean nothing where they stand and would mean
 * something elsewhere, instructions that only other processors have or had.
 *
 * Each is executed with rax = 0 and rdi = the address of data below 4 GB, which is also where GS begins; a return is
 * behind it. Prints what it left in rax, or the signal; the same as on the bare CPU.
 */
#include <asm/prctl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, BYTES = 12 };

static const struct {
    const char *what;
    uint8_t bytes[BYTES], length;
} codes[] = {
    {"bndldx, of a register that MPX has not", {0x0f, 0x1a, 0xb4, 0x3f, 0, 0, 0, 0}, 8},
    {"bndmk, of a register that MPX has not", {0xf3, 0x0f, 0x1b, 0x3f}, 4},
    {"bndmov", {0x66, 0x0f, 0x1a, 0xc1}, 4},
    {"a load, then rdssp", {0x48, 0x8b, 0x0f, 0xf3, 0x48, 0x0f, 0x1e, 0xc8}, 8},
    {"jkzd, far", {0xc5, 0x74, 0x84, 0, 0, 0, 0}, 7},
    {"jknzd, far", {0xc5, 0x74, 0x85, 0, 0, 0, 0}, 7},
    {"jknzd, near", {0xc5, 0x74, 0x75, 0}, 4},
    {"GS", {0x65, 0x8b, 0x04, 0x25, 8, 0, 0, 0}, 8},
    {"FS, then GS", {0x64, 0x65, 0x8b, 0x04, 0x25, 8, 0, 0, 0}, 9},
    {"GS, then FS", {0x65, 0x64, 0x8b, 0x04, 0x25, 0, 0, 0, 0}, 9},
    {"GS, then CS", {0x65, 0x2e, 0x8b, 0x04, 0x25, 8, 0, 0, 0}, 9},
    {"GS, REX.W, 32-bit address", {0x65, 0x48, 0x67, 0x8b, 0x04, 0x25, 8, 0, 0, 0}, 10},
    {"GS, REX.WB, 32-bit address behind", {0x65, 0x49, 0x67, 0x8b, 0x05, 0, 0, 0, 0}, 9},
    {"REX.W, 32-bit address", {0x48, 0x67, 0x8b, 0x47, 8}, 5},
    {"REX.B, 32-bit address behind", {0x41, 0x67, 0x8b, 0x05, 0, 0, 0, 0}, 8},
    {"REX.W, GS", {0x48, 0x65, 0x8b, 0x04, 0x25, 8, 0, 0, 0}, 9},
    {"GS, REX.R, repeated", {0x65, 0x44, 0xf3, 0x8b, 0x04, 0x25, 8, 0, 0, 0}, 10},
    {"two REX", {0x41, 0x48, 0x8b, 0x47, 8}, 5},
    {"GS, two REX", {0x65, 0x44, 0x48, 0x8b, 0x04, 0x25, 8, 0, 0, 0}, 10},
};

static sigjmp_buf back;

static void faults(int signal)
{
    siglongjmp(back, signal);
}

int main(void)
{
    int signals[] = {SIGILL, SIGSEGV, SIGBUS, SIGTRAP};
    uint8_t *code = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    uint64_t *data = (uint64_t *)(code + PAGE);
    uint64_t base;

    syscall(SYS_arch_prctl, ARCH_GET_FS, &base);
    for (unsigned i = 0; i < 2 * PAGE / sizeof *data; i++)
        data[i] = 0x1122334455667788 + i;
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], faults);
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
        uint8_t *at = code + 32 * i;

        memcpy(at, codes[i].bytes, codes[i].length);
        at[codes[i].length] = 0xc3; /* ret */
    }
    mprotect(code, PAGE, PROT_READ | PROT_EXEC);
    for (volatile unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
        const uint8_t *at = code + 32 * i;
        uint64_t rax = 0;
        int got = sigsetjmp(back, 1);

        if (got == 0) {
            /* Where the address is that of what comes behind, GS brings it to data. */
            syscall(SYS_arch_prctl, ARCH_SET_GS, strstr(codes[i].what, "address behind") != NULL ? PAGE : (long)data);
            __asm__ volatile("call *%1" : "+a"(rax) : "r"(at), "D"(data) : "rcx", "rdx", "rsi", "r8", "memory");
        }
        if (got != 0)
            printf("%s: signal %d\n", codes[i].what, got);
        else
            printf("%s: %lx\n", codes[i].what, rax == (uint32_t)base ? 0 : rax);
    }
    return 0;
}
