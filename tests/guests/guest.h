/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest.h: for guests without libc: a start, two system calls, and accesses that are exactly one instruction.
 *
 * LOAD and STORE are each one data access of their size whatever the compiler does around them, so that counts
 * can be written as formulas. OUT keeps a function a function.
 */
#ifndef TENURE_GUEST_H
#define TENURE_GUEST_H

#include <stddef.h>
#include <stdint.h>

#define OUT __attribute__((noinline, noclone))

static inline __attribute__((always_inline)) long guest_call3(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

static inline __attribute__((always_inline)) uint64_t LOAD(const void *p)
{
    uint64_t value;
    __asm__ volatile("movq %1, %0" : "=r"(value) : "m"(*(const uint64_t *)p));
    return value;
}

static inline __attribute__((always_inline)) void STORE(void *p, uint64_t value)
{
    __asm__ volatile("movq %1, %0" : "=m"(*(uint64_t *)p) : "r"(value));
}

/* "name: number\n" on standard output. */
static inline __attribute__((always_inline)) void guest_say(const char *name, uint64_t number)
{
    char line[80];
    size_t n = 0, digits = 0;
    char text[20];
    while (*name && n < 50)
        line[n++] = *name++;
    line[n++] = ':';
    line[n++] = ' ';
    do
        text[digits++] = (char)('0' + number % 10);
    while (number /= 10);
    while (digits)
        line[n++] = text[--digits];
    line[n++] = '\n';
    guest_call3(1, 1, (long)line, (long)n);
}

static inline __attribute__((always_inline)) _Noreturn void guest_exit(int status)
{
    for (;;)
        guest_call3(231, status, 0, 0);
}

/* The guest's own main program; _start is in start.S. */
_Noreturn void guest_main(void);

#endif
