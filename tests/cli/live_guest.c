/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_guest.c: a program that ends in the way its first word says, after some work.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile char memory[1 << 16];
static volatile char *volatile nowhere;

static void work(void)
{
    unsigned i;

    for (i = 0; i < sizeof memory; i += 64)
        memory[i]++;
}

/* 64 KiB of stack a level. */
static int deep(int levels)
{
    volatile char room[65536];

    room[0] = room[sizeof room - 1] = 1;
    return levels > 0 ? deep(levels - 1) + room[0] - 1 : room[sizeof room - 1] - 1;
}

static void on_term(int number)
{
    static const char text[] = "handled\n";

    (void)!write(STDOUT_FILENO, text, sizeof text - 1);
    _exit(number);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int i;

    work();
    if (strcmp(how, "exit") == 0)
        return atoi(argv[2]);
    if (strcmp(how, "_exit") == 0)
        _exit(atoi(argv[2]));
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "segv") == 0)
        *nowhere = 0;
    if (strcmp(how, "deep") == 0)
        return deep(512);
    if (strcmp(how, "fork") == 0) {
        for (i = 0; i < 2; i++) {
            if (fork() == 0) {
                work();
                _exit(i);
            }
        }
        while (wait(NULL) > 0) {
        }
        return 0;
    }
    if (strcmp(how, "handle") == 0)
        signal(SIGTERM, on_term);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
