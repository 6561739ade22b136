/* SPDX-License-Identifier: 0BSD */
/*
 * tenure.h: what a program can say to Tenure while it is being profiled.
 *
 * Copy this file into any project: its licence (0BSD, above, in full below) asks for nothing, and it includes
 * nothing. Outside Tenure every request costs a handful of instructions that do nothing; on machines other than
 * x86-64, with compilers that know no GNU assembly, and with TENURE_NO_REQUESTS defined, it costs nothing.
 *
 *     #include "tenure.h"
 *
 *     read_input();
 *     TENURE_COLLECT(1);                 run with:  tenure record --collect-atstart=no -- program
 *     for (step = 0; step < steps; step++)
 *         simulate(step);
 *     TENURE_COLLECT(0);
 *     TENURE_DUMP("simulation");
 *
 * How it works. The instructions below leave every register as it was: rotations of rdi by 128 bits altogether
 * and an exchange of rbx with itself, which no compiler emits. A profiler recognises them. rax then holds the
 * address of six 64-bit words, the request and its five arguments, and rdx the answer for a program that nobody
 * profiles; the profiler replaces rdx by its own answer. The sequence is Valgrind's, so that one program can be
 * profiled by either; the request numbers are ours ('T', 'N' in the upper half of 32 bits), and each side
 * ignores the other's unless it knows them.
 *
 * Zero-Clause BSD. Permission to use, copy, modify, and/or distribute this software for any purpose with or
 * without fee is hereby granted. THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
 * REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE
 * AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER
 * RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS
 * ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
 */
#ifndef TENURE_H
#define TENURE_H

/* Request numbers. They never change; new ones are added at the end. */
#define TENURE_REQUEST_BASE 0x544E0000ul /* 'T' << 24 | 'N' << 16 */
#define TENURE_REQUEST_RUNNING (TENURE_REQUEST_BASE + 0)
#define TENURE_REQUEST_DUMP (TENURE_REQUEST_BASE + 1)
#define TENURE_REQUEST_ZERO (TENURE_REQUEST_BASE + 2)
#define TENURE_REQUEST_TOGGLE_COLLECT (TENURE_REQUEST_BASE + 3)
#define TENURE_REQUEST_COLLECT (TENURE_REQUEST_BASE + 4)
#define TENURE_REQUEST_START_INSTRUMENTATION (TENURE_REQUEST_BASE + 5)
#define TENURE_REQUEST_STOP_INSTRUMENTATION (TENURE_REQUEST_BASE + 6)
#define TENURE_REQUEST_NAME_REGION (TENURE_REQUEST_BASE + 7)
#define TENURE_REQUEST_FORGET_REGION (TENURE_REQUEST_BASE + 8)

#if defined(__x86_64__) && !defined(__ILP32__) && defined(__GNUC__) && !defined(TENURE_NO_REQUESTS)

/* Not for programs: one request with its arguments. Returns the profiler's answer, or 0 where there is none. */
static __inline__ __attribute__((__unused__)) unsigned long
tenure_request3_(unsigned long request, unsigned long argument, unsigned long second, unsigned long third)
{
    volatile unsigned long words[6];
    unsigned long answer = 0;

    words[0] = request;
    words[1] = argument;
    words[2] = second;
    words[3] = third;
    words[4] = words[5] = 0;
    __asm__ volatile("rolq $3, %%rdi\n\t"
                     "rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi\n\t"
                     "rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(&words[0])
                     : "cc", "memory");
    return answer;
}

#else

static
#if defined(__GNUC__)
    __inline__ __attribute__((__unused__))
#elif defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
    inline
#endif
    unsigned long
    tenure_request3_(unsigned long request, unsigned long argument, unsigned long second, unsigned long third)
{
    (void)request;
    (void)argument;
    (void)second;
    (void)third;
    return 0;
}

#endif

#define tenure_request_(request, argument) tenure_request3_(request, argument, 0, 0)

/* An expression: 1 if the program runs under Tenure, else 0. */
#define TENURE_RUNNING ((int)tenure_request_(TENURE_REQUEST_RUNNING, 0))

/* End a part of the profile here: what was counted since the last dump is written, and counting goes on from
 * zero; caches and call stacks stay as they are. `name` (a string, or a null pointer) names the part, by 255
 * bytes at most: what is behind them is left out. Parts
 * add up to the undivided run. */
#define TENURE_DUMP(name) ((void)tenure_request_(TENURE_REQUEST_DUMP, (unsigned long)(const char *)(name)))

/* Forget everything counted since the last dump; caches and call stacks stay as they are. Lines that are in the
 * caches now will not be charged to anybody. */
#define TENURE_ZERO() ((void)tenure_request_(TENURE_REQUEST_ZERO, 0))

/* Collection: whether events are counted. The caches are simulated in any case, so that they are warm when
 * collection begins. It is on or off for all threads; `--collect-atstart=no` begins with off. A cache line pays
 * for its stay if collection was on when it was loaded. */
#define TENURE_COLLECT(on) ((void)tenure_request_(TENURE_REQUEST_COLLECT, (on) ? 1 : 0))
#define TENURE_TOGGLE_COLLECT() ((void)tenure_request_(TENURE_REQUEST_TOGGLE_COLLECT, 0))

/* Instrumentation: whether anything is simulated at all. Off, the program runs several times faster, the caches
 * are emptied and calls are not followed. `--instr-atstart=no` begins with off. */
#define TENURE_START_INSTRUMENTATION() ((void)tenure_request_(TENURE_REQUEST_START_INSTRUMENTATION, 0))
#define TENURE_STOP_INSTRUMENTATION() ((void)tenure_request_(TENURE_REQUEST_STOP_INSTRUMENTATION, 0))

/* Data structures: `bytes` bytes from `address` on are called `name` (a string) from now on, in place of what they
 * were: a part of a pool, a buffer in a large mapping. All regions of one name are one data structure. A region ends
 * when it is forgotten, by its address, or unmapped. Regions are told apart in units of 16 bytes; begin them on such
 * a one. */
#define TENURE_NAME_REGION(address, bytes, name)                                                             \
    ((void)tenure_request3_(TENURE_REQUEST_NAME_REGION, (unsigned long)(const volatile void *)(address),     \
                            (unsigned long)(bytes), (unsigned long)(const char *)(name)))
#define TENURE_FORGET_REGION(address)                                                                        \
    ((void)tenure_request_(TENURE_REQUEST_FORGET_REGION, (unsigned long)(const volatile void *)(address)))

#endif
