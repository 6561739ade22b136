/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_flood.c: a timer whose next signal has often come when a handler returns.
 *
 * The program gets on all the same, and each system call ends as it would with a slower timer. Likewise a fault's
 * signal that is sent again and again. Prints the same on the bare CPU.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD_US = 10, ROUNDS = 100000, CALLS = 500 };

static volatile sig_atomic_t count;
static int period_us; /* that of a fast kernel, or what a slow one needs for a few system calls */

static void counting(int signal)
{
    (void)signal;
    count++;
}

static void choose_period(void)
{
    struct timespec begin, end;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int i = 0; i < CALLS; i++)
        getppid();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    long ns = (end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec;
    period_us = PERIOD_US + (int)(ns * 20 / CALLS / 1000);
}

static void set_timer(int period)
{
    struct itimerval timer = {{0, period}, {0, period}};

    setitimer(ITIMER_REAL, &timer, NULL);
}

static void flood(int flags)
{
    static const struct timespec second = {1, 0};
    struct sigaction action = {.sa_handler = counting, .sa_flags = flags};
    volatile long sum = 0;
    char bytes[16];
    sigset_t none;
    int zero = open("/dev/zero", O_RDONLY), status, got;

    sigemptyset(&none);
    sigaction(SIGALRM, &action, NULL);
    set_timer(period_us);
    for (int i = 0; i < ROUNDS; i++)
        sum += i;
    for (int i = 0; i < CALLS; i++)
        sum += read(zero, bytes, sizeof bytes);
    printf("sum %ld", sum);
    got = nanosleep(&second, NULL);
    printf(", nanosleep %d %d", got, errno == EINTR);
    got = sigsuspend(&none);
    printf(", sigsuspend %d %d", got, errno == EINTR);
    got = ppoll(NULL, 0, &second, &none);
    printf(", ppoll %d %d", got, errno == EINTR);
    pid_t child = fork();
    if (child == 0)
        _exit(5);
    while (waitpid(child, &status, 0) < 0)
        ;
    set_timer(0);
    printf(", child %d\n", WEXITSTATUS(status));
    fflush(stdout);
    close(zero);
}

static void counting_slowly(int signal)
{
    (void)signal;
    for (volatile int i = 0; i < ROUNDS / 10; i++)
        ;
    if (++count == CALLS)
        set_timer(0);
}

/* No more timers can be had: those that the program has are left alone. */
static void limited(void)
{
    struct sigaction action = {.sa_handler = counting_slowly};
    struct rlimit none = {0, 0};
    struct itimerspec later = {.it_value.tv_sec = 1000}, left;
    timer_t timer;

    timer_create(CLOCK_MONOTONIC, NULL, &timer);
    timer_settime(timer, 0, &later, NULL);
    setrlimit(RLIMIT_SIGPENDING, &none);
    sigaction(SIGALRM, &action, NULL);
    count = 0;
    set_timer(period_us);
    while (count < CALLS)
        getppid();
    printf("%d", timer_gettime(timer, &left));
    printf(" %d\n", left.it_value.tv_sec > 900);
}

enum { WAITS = 40 };
static volatile int waited, failed;

static void *waiting(void *set)
{
    while (waited < WAITS) {
        if (sigwaitinfo(set, NULL) == SIGILL)
            waited++;
        else
            failed++;
    }
    return NULL;
}

/* A fault's signal is blocked in both threads, and one waits for it while the other, which sends it, computes. */
static void sent_faults(void)
{
    pthread_t thread;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGILL);
    sigprocmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, waiting, &set);
    for (int i = 0; i < WAITS; i++) {
        usleep(5000); /* it is asleep, and where the machine is busy wakes late */
        sigqueue(getpid(), SIGILL, (union sigval){.sival_int = i});
        while (waited == i)
            sched_yield();
    }
    pthread_join(thread, NULL);
    printf("waited %d, failed %d\n", waited, failed);
}

int main(void)
{
    choose_period();
    if (fork() == 0) {
        limited();
        return 0;
    }
    wait(NULL);
    flood(0);
    flood(SA_RESTART);
    printf("signals %d\n", count > 0);
    sent_faults();
    return 0;
}
