/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control_guest.c: a program that goes on until a file is there, or sleeps until it is woken.
 *
 *     control_guest loop FILE      main calls outer, outer calls inner, until FILE is there; then exit status 7
 *     control_guest sleep          says "asleep" and waits for a line on standard input; then exit status 8
 *     control_guest fork FILE      two processes that loop
 *     control_guest threads        three threads, one after another, each of which works for 1.5 seconds
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;

static __attribute__((noinline)) void inner(void)
{
    for (int i = 0; i < 20000; i++)
        sum += (unsigned long)i;
}

static __attribute__((noinline)) void outer(void)
{
    inner();
    sum++;
}

static int loop(const char *file)
{
    while (access(file, F_OK) != 0)
        outer();
    return 7;
}

static int wait_for_line(void)
{
    char line[8];

    puts("asleep");
    fflush(stdout);
    return read(STDIN_FILENO, line, sizeof line) > 0 ? 8 : 9;
}

static int fork_and_loop(const char *file)
{
    pid_t child = fork();
    int status = loop(file);

    if (child == 0)
        return status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

static void *work(void *unused)
{
    struct timespec begun, now;

    clock_gettime(CLOCK_MONOTONIC, &begun);
    do {
        outer();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 < 1500);
    return unused;
}

static int threads(void)
{
    pthread_t thread;
    int status = 0;

    for (int i = 0; i < 3 && status == 0; i++)
        status = pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0;
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "loop") == 0)
        return loop(argv[2]);
    if (argc == 3 && strcmp(argv[1], "fork") == 0)
        return fork_and_loop(argv[2]);
    if (argc == 2 && strcmp(argv[1], "threads") == 0)
        return threads();
    return argc == 2 ? wait_for_line() : 1;
}
