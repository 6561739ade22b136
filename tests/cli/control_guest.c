/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control_guest.c: a program that goes on until a file is there, or sleeps until it is woken.
 *
 *     control_guest loop FILE      main calls outer, outer calls inner, until FILE is there; then exit status 7
 *     control_guest sleep          says "asleep" and waits for a line on standard input; then exit status 8
 *     control_guest fork FILE      two processes that loop
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
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

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "loop") == 0)
        return loop(argv[2]);
    if (argc == 3 && strcmp(argv[1], "fork") == 0)
        return fork_and_loop(argv[2]);
    return argc == 2 ? wait_for_line() : 1;
}
