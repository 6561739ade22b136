/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_timers.c: five timers of short periods at once, whose handlers are interrupted by each other. On the bare CPU a
 * handler has ended long before its timer's next signal. Where it has not, each handler could be interrupted again and
 * again by the other four, and these by one another; the program must get on all the same. Then a handler that is left
 * by a jump, one that takes long, and one of a timer that does not wait for it: none of them puts off a later timer for
 * long, or what the program sends to itself. Prints the same on the bare CPU.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { TIMERS = 5, CALLS = 5, LOOPS = 5000, ROUNDS = 1000000, PLACES = 2000 };

static volatile sig_atomic_t handled[TIMERS], wrong;
static const int numbers[TIMERS] = {SIGALRM, SIGVTALRM, SIGUSR1, SIGUSR2, SIGIO};
static const long periods[TIMERS] = {150000, 200000, 300000, 400000, 500000}; /* nanoseconds */
static pid_t parent;

static void handler(int number)
{
    for (int i = 0; i < CALLS; i++)
        wrong |= getppid() != parent;
    for (volatile int i = 0; i < LOOPS; i++)
        ;
    for (int i = 0; i < TIMERS; i++)
        handled[i] += numbers[i] == number;
}

enum { LONG_MS = 300, SENT = 5000, OFTEN_US = 5000, SOME_LOOPS = 500000 };

static sigjmp_buf out;
static volatile sig_atomic_t jumps, lasts, loops, came, sent;

static long cpu_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void spend_long(void)
{
    for (long begin = cpu_ms(); cpu_ms() - begin < LONG_MS;)
        ;
}

static void timed(int number)
{
    (void)number;
    if (jumps)
        siglongjmp(out, 1);
    if (lasts)
        spend_long();
    for (volatile int i = 0; i < loops; i++)
        ;
    came = 1;
}

static void sent_to_itself(int number)
{
    (void)number;
    sent++;
}

static void wait_for_timer(void)
{
    const struct itimerval soon = {{0, 0}, {0, 1000}};

    came = 0;
    setitimer(ITIMER_REAL, &soon, NULL);
    while (!came)
        ;
}

/* How often a signal that the program sent itself has not come at once. */
static int miss(void)
{
    int missed = 0;

    for (int i = 0; i < SENT; i++) {
        sent = 0;
        kill(getpid(), SIGUSR1);
        missed += sent != 1;
    }
    return missed;
}

/* All frames are at the same place. */
static void one_timer(void)
{
    static char stack[64 << 10];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = timed, .sa_flags = SA_ONSTACK};

    sigaltstack(&other, NULL);
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = sent_to_itself;
    sigaction(SIGUSR1, &action, NULL);

    jumps = 1;
    if (!sigsetjmp(out, 1))
        wait_for_timer();
    jumps = 0;
    spend_long();
    kill(getpid(), SIGUSR1);
    long begin = cpu_ms();
    wait_for_timer();
    printf("a timer behind a jump: late %d\n", cpu_ms() - begin > LONG_MS / 2);

    lasts = 1;
    wait_for_timer();
    printf("behind a long handler: missed %d\n", miss());

    lasts = 0;
    loops = SOME_LOOPS;
    setitimer(ITIMER_REAL, &(struct itimerval){{0, OFTEN_US}, {0, OFTEN_US}}, NULL);
    printf("between a timer's signals: missed %d\n", miss());
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    timer_t timers[TIMERS];
    volatile long sum = 0;
    int all = 1;

    parent = getppid();
    for (int i = 0; i < TIMERS; i++) {
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = numbers[i]};
        struct itimerspec period = {{0, periods[i]}, {0, periods[i]}};

        sigaction(numbers[i], &action, NULL);
        timer_create(CLOCK_MONOTONIC, &event, &timers[i]);
        timer_settime(timers[i], 0, &period, NULL);
    }
    for (int i = 0; i < ROUNDS; i++) {
        sum += i;
        if (i % PLACES == 0)
            wrong |= getppid() != parent;
    }
    for (int i = 0; i < TIMERS; i++) {
        timer_delete(timers[i]);
        all &= handled[i] > 0;
    }
    printf("sum %ld, wrong %d, all %d\n", sum, wrong, all);
    one_timer();
    return 0;
}
