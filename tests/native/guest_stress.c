/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_stress.c: threads, signals, code that is mapped, changed and unmapped, and forks, all at once.
 *
 * Goes on until each of them has happened often enough: 50 times, times the environment's TENURE_SOAK.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 6, PERIOD_US = 500, ROUNDS = 50, BYTES = 8192 };

static volatile int stop;
static long signals, mapped, forked, threads;

static void count(long *what)
{
    __atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

static void taking(int signal)
{
    (void)signal;
    count(&signals);
}

static void check(int is_right)
{
    if (!is_right)
        abort();
}

static void *mapping(void *unused)
{
    (void)unused;
    for (int i = 0; !stop; i++) {
        unsigned char *code = mmap(NULL, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        int n = i;

        code[0] = 0xb8; /* mov $n, %eax; ret */
        memcpy(code + 1, &n, sizeof n);
        code[5] = 0xc3;
        check(((int (*)(void))(uintptr_t)code)() == n);
        n = ~n;
        memcpy(code + 1, &n, sizeof n);
        check(((int (*)(void))(uintptr_t)code)() == n);
        munmap(code, BYTES);
        count(&mapped);
    }
    return NULL;
}

static void *nothing(void *argument)
{
    return argument;
}

static void *making(void *unused)
{
    (void)unused;
    while (!stop) {
        pthread_t thread;

        check(pthread_create(&thread, NULL, nothing, NULL) == 0);
        pthread_kill(thread, SIGUSR1);
        pthread_join(thread, NULL);
        count(&threads);
    }
    return NULL;
}

static void *forking(void *unused)
{
    (void)unused;
    while (!stop) {
        pid_t child = fork();
        int status;

        if (child == 0)
            _exit(3);
        while (waitpid(child, &status, 0) < 0)
            ;
        check(WIFEXITED(status) && WEXITSTATUS(status) == 3);
        count(&forked);
    }
    return NULL;
}

int main(void)
{
    static void *(*const works[WORKERS])(void *) = {mapping, mapping, making, forking, mapping, making};
    struct sigaction action = {.sa_handler = taking, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, PERIOD_US}, {0, PERIOD_US}};
    const char *soak = getenv("TENURE_SOAK");
    long enough = ROUNDS * (soak ? atol(soak) : 1);
    pthread_t workers[WORKERS];

    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, works[i], NULL);
    while (signals < enough || mapped < enough || forked < enough || threads < enough) {
        for (int i = 0; i < WORKERS; i++)
            pthread_kill(workers[i], SIGUSR1);
        usleep(1000);
    }
    stop = 1;
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    puts("enough");
    return 0;
}
