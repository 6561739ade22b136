/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_urgent.c: what a thread waits for while those that it waits for are less urgent, on the same processor.
 *
 * A thread of a real-time priority that only yields keeps them from going on for ever. Prints the same as on the bare
 * CPU; without the right to such priorities there are none.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 3, SPINS = 100000, LOCKED = 300 };

static volatile int ends;
static volatile unsigned spun;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void become_urgent(int priority)
{
    struct sched_param parameter = {.sched_priority = priority};

    pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter);
}

static void stay_here(void)
{
    cpu_set_t all, one;
    int cpu = 0;

    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static void *spin(void *unused)
{
    become_urgent(1);
    while (!ends)
        spun++;
    return unused;
}

static void *take(void *priority)
{
    become_urgent(*(int *)priority);
    for (int i = 0; i < LOCKED; i++) {
        pthread_mutex_lock(&lock);
        sched_yield();
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread, others[2];
    int priorities[2] = {1, 17};

    stay_here();
    become_urgent(10);
    pthread_create(&thread, NULL, spin, NULL);
    while (spun < SPINS)
        usleep(1000);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        int status = -1;

        if (child == 0)
            _exit(i);
        waitpid(child, &status, 0);
        printf("child %d\n", WEXITSTATUS(status));
    }
    ends = 1;
    pthread_join(thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&others[i], NULL, take, &priorities[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(others[i], NULL);
    puts("done");
    return 0;
}
