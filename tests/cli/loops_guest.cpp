/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loops_guest.cpp: loops that count themselves, with all that may stand in a loop and lead out of it and back.
 *
 * COME(i) stands where control comes into loop i, ROUND(i) on the line of its head. Printed at the end: loop, times
 * entered, of these with a second round, rounds.
 */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <alloca.h>
#include <sys/time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define COME(i) (entered[i]++, round_of[i] = 0)
#define ROUND(i) (rounds[i]++, went_on[i] += round_of[i] == 1, round_of[i]++)

enum { LOOPS = 32 };
static volatile unsigned long entered[LOOPS], went_on[LOOPS], rounds[LOOPS], round_of[LOOPS];
static volatile int sink, many = 40;
static char from[256], to[256];

NOINLINE void skipped(int x)
{
    sink += x;
}

NOINLINE void call(void (*function)(int), int x)
{
    function(x);
}

NOINLINE int compare(const void *a, const void *b)
{
    sink += 1;
    return *static_cast<const char *>(a) - *static_cast<const char *>(b);
}

/* ------------------------------------------------------------------------------------------ calls of a library */

NOINLINE void one_call()
{
    COME(0);
    for (int i = 0; i < 100; i++) { ROUND(0);
        sink += rand();
    }
}

NOINLINE void call_at_head()
{
    int left = many;
    COME(1);
    do { rand(); ROUND(1);
    } while (--left > 0);
}

NOINLINE void several_calls()
{
    COME(2);
    for (int i = 0; i < many; i++) { ROUND(2);
        rand();
        rand();
        sink += atoi("1") + rand();
    }
}

NOINLINE void some_calls()
{
    COME(3);
    for (int i = 0; i < many; i++) { ROUND(3);
        if (i % 3 == 0)
            rand();
        else if (i % 7 == 0)
            skipped(1);
    }
}

NOINLINE long tail(int i)
{
    return i % 2 ? rand() : random();
}

NOINLINE void tail_calls()
{
    COME(4);
    for (int i = 0; i < many; i++) { ROUND(4);
        sink += (int)tail(i);
    }
}

NOINLINE void calls_back()
{
    COME(5);
    for (int i = 0; i < many; i++) { ROUND(5);
        qsort(from, 20, 1, compare);
        call(skipped, i);
    }
}

NOINLINE void nested()
{
    COME(6);
    for (int i = 0; i < many; i++) { ROUND(6);
        COME(7);
        for (int k = 0; k < 1 + i % 4; k++) { ROUND(7);
            rand();
        }
    }
}

/* ------------------------------------------------------------------------------------------ rep */

NOINLINE void moves()
{
    COME(8);
    for (int i = 0; i < many; i++) { ROUND(8);
        void *d = to, *s = from;
        long n = i % 9;
        __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
    }
}

NOINLINE void stores()
{
    COME(9);
    for (int i = 0; i < many; i++) { ROUND(9);
        void *d = to;
        long n = i % 5;
        __asm__ volatile("test %1, %1\n\tjz 1f\n\trep stosq\n1:" : "+D"(d), "+c"(n) : "a"(0) : "memory", "cc");
    }
}

NOINLINE void scans()
{
    COME(10);
    for (int i = 0; i < many; i++) { ROUND(10);
        void *d = to;
        long n = i % 15;
        to[9] = 77;
        __asm__ volatile("repne scasb" : "+D"(d), "+c"(n) : "a"(77) : "memory", "cc");
        sink += (int)n;
    }
}

NOINLINE void rep_at_head()
{
    int left = many;
    void *d = to;
    long n = 3;
    COME(11);
    do { __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(0) : "memory"); ROUND(11);
        d = to;
        n = left % 7;
    } while (--left > 0);
}

/* ------------------------------------------------------------------------------------------ ways in and out */

static jmp_buf place;

NOINLINE void jump(int x)
{
    if (x % 4 == 0)
        longjmp(place, 1);
}

NOINLINE void longjmps_to_before()
{
    volatile int i = 0;
    setjmp(place);
    COME(12);
    while (i < 30) { ROUND(12);
        i = i + 1;
        jump(i);
        rand();
    }
}

NOINLINE void throws(int x)
{
    if (x % 4 == 0)
        throw 1;
    rand();
}

NOINLINE void catches()
{
    COME(13);
    for (int i = 0; i < many; i++) { ROUND(13);
        try {
            throws(i);
        } catch (int) {
            entered[13]++; /* that is not known to be the way that control came */
        }
    }
}

NOINLINE void thrown_through(int first)
{
    COME(14);
    for (int i = first; i < many; i++) { ROUND(14);
        throws(i);
    }
}

NOINLINE void allocates()
{
    COME(15);
    for (int i = 0; i < many; i++) { ROUND(15);
        char *p = static_cast<char *>(alloca(16 + i));
        memset(p, i, 16 + i);
        call(skipped, p[i % 16]);
    }
}

NOINLINE void entered_in_the_middle(bool middle)
{
    int i = 0;
    COME(16);
    if (middle)
        goto inside;
    do { ROUND(16);
        rand();
    inside:
        sink += i;
    } while (++i < many);
}

NOINLINE void duff(int count)
{
    int left = (count + 3) / 4;
    COME(17);
    switch (count % 4) {
    default:
        do { ROUND(17);
            rand(); /* fall through */
        case 3: sink += 3; /* fall through */
        case 2: skipped(2); /* fall through */
        case 1: rand();
        } while (--left > 0);
    }
}

NOINLINE void goes_on_early()
{
    COME(18);
    for (int i = 0; i < many; i++) { ROUND(18);
        if (i % 2)
            continue;
        rand();
        if (i % 3)
            continue;
        skipped(i);
        if (i % 5)
            continue;
        rand();
    }
}

NOINLINE void goes_back_twice()
{
    int i = 0;
    COME(19);
again: ROUND(19);
    i++;
    rand();
    if (i % 3 == 0)
        goto again;
    skipped(1);
    if (i < many)
        goto again;
}

NOINLINE void calls_itself(int depth)
{
    COME(20);
    for (int i = 0; i < many / 10; i++) { ROUND(20);
        rand();
        if (depth > 0)
            calls_itself(depth - 1);
    }
}

static inline __attribute__((always_inline)) void in_line(int trips)
{
    COME(21);
    for (int i = 0; i < trips; i++) { ROUND(21);
        rand();
    }
}

NOINLINE void has_in_line()
{
    in_line(many);
}

NOINLINE void switches()
{
    COME(22);
    for (int i = 0; i < many; i++) { ROUND(22);
        switch (i * 7 % 9) {
        case 0: rand(); break;
        case 1: skipped(1); break;
        case 2: sink = 3; break;
        case 3: rand(); skipped(2); break;
        case 4: sink += 3; break;
        case 5: memcpy(to, from, many); break;
        case 6: sink -= 1; break;
        case 7: continue;
        default: break;
        }
        sink += 1;
    }
}

NOINLINE void has_cold_part()
{
    COME(23);
    for (int i = 0; i < many; i++) { ROUND(23);
        if (__builtin_expect(i % 20 == 19, 0)) {
            skipped(1);
            rand();
            skipped(2);
        }
        rand();
    }
}

static volatile int signals;

static void handler(int)
{
    for (int i = 0; i < 3; i++)
        signals += getppid() & 1;
}

NOINLINE void signalled()
{
    COME(24);
    for (int i = 0; i < many; i++) { ROUND(24);
        raise(SIGUSR1);
    }
}

NOINLINE void interrupted()
{
    struct itimerval interval = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &interval, nullptr);
    COME(25);
    for (int i = 0; i < 25000 * many; i++) { ROUND(25);
        if (i % 100000 == 0)
            rand();
    }
    interval = itimerval();
    setitimer(ITIMER_REAL, &interval, nullptr);
}

/* ------------------------------------------------------------------------------------------ all */

static void run_exceptions()
{
    catches();
    for (int i = 1; i < 6; i++) {
        try {
            thrown_through(i);
        } catch (int) {
            sink += 1;
        }
    }
}

int main()
{
    signal(SIGUSR1, handler);
    signal(SIGALRM, handler);
    one_call();
    call_at_head();
    several_calls();
    some_calls();
    tail_calls();
    calls_back();
    nested();
    moves();
    stores();
    scans();
    rep_at_head();
    longjmps_to_before();
    run_exceptions();
    allocates();
    entered_in_the_middle(false);
    entered_in_the_middle(true);
    for (int count = 4; count < 24; count++)
        duff(count);
    goes_on_early();
    goes_back_twice();
    calls_itself(2);
    has_in_line();
    has_in_line();
    switches();
    has_cold_part();
    signalled();
    interrupted();
    for (int i = 0; i < LOOPS; i++)
        printf("%d %lu %lu %lu\n", i, entered[i], went_on[i], rounds[i]);
    return 0;
}
