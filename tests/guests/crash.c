/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crash.c: ends in the way argument 1 says; the profile up to there must be complete.
 *
 *   before   works on 50 lines, in every case; output is flushed before the end
 *   segv     a load of address 0       abort     abort()         exit     _exit(5)
 *   term     SIGTERM to itself         kill      SIGKILL (no profile can be had)
 *   wait     prints "ready" and sleeps, to be killed from outside   (default: returns 0)
 *   thread   a second thread faults while the first waits for it
 */
#include "work.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int *volatile nowhere;

OUT static uint64_t before(void)
{
    return work(take_lines(50), 50);
}

OUT static int die_of_segv(void)
{
    return *nowhere;
}

static void *thread_body(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)die_of_segv();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    printf("lines: %lu\n", (unsigned long)before());
    if (strcmp(how, "wait") == 0)
        puts("ready");
    fflush(stdout);
    if (strcmp(how, "segv") == 0)
        return die_of_segv();
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "exit") == 0)
        _exit(5);
    if (strcmp(how, "term") == 0)
        raise(SIGTERM);
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "wait") == 0)
        for (;;)
            pause();
    if (strcmp(how, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, thread_body, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
