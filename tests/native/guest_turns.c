/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_turns.c: threads that wait for one another in every way, and tell in which order they came.
 *
 * A mutex, a condition, a barrier, a pipe, a lock that is spun for, threads that end early and are joined late, and
 * another program at the end. What each does depends on what the others did before: with other turns the output is
 * another one, and so are the counts.
 */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 5, ITEMS = 200, ROUNDS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static volatile int spun, left;
static unsigned long order = 5381;
static int made, taken, ends[2];
static char *blocks[ITEMS];

static void came(int who)
{
    order = order * 33 + (unsigned)who;
}

static void work(int amount)
{
    volatile unsigned sum = 0;

    for (int i = 0; i < amount; i++)
        sum += (unsigned)i * 7;
}

/* With nobody left: when another program ends is not for us to say. */
static void start_another(void)
{
    char name[] = "true", *argv[] = {name, NULL}, *envp[] = {NULL};
    pid_t child;

    if (posix_spawn(&child, "/bin/true", NULL, NULL, argv, envp) != 0 || waitpid(child, NULL, 0) != child)
        abort();
}

static int take(int who)
{
    int item = -1;

    pthread_mutex_lock(&lock);
    while (made == taken && made < ITEMS)
        pthread_cond_wait(&filled, &lock);
    if (taken < made) {
        item = taken++;
        came(who);
        blocks[item] = malloc((size_t)(item % 50) * 40 + 8);
    }
    pthread_mutex_unlock(&lock);
    return item;
}

static void *consumer(void *argument)
{
    int who = (int)(long)argument, item;

    while ((item = take(who)) >= 0)
        work(item % 7 * 1500 * who);
    pthread_barrier_wait(&barrier);
    for (int round = 0; round < ROUNDS; round++) {
        while (__atomic_exchange_n(&spun, 1, __ATOMIC_ACQUIRE))
            ;
        came(who + 10);
        work(20000 + who * 15000);
        __atomic_store_n(&spun, 0, __ATOMIC_RELEASE);
    }
    if (write(ends[1], &(char){(char)who}, 1) != 1)
        abort();
    __atomic_fetch_add(&left, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    char who;

    if (pipe(ends) != 0 || pthread_barrier_init(&barrier, NULL, THREADS) != 0)
        return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, consumer, (void *)(long)(i + 1));
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        made++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
        work(i % 11 * 1000);
    }
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < THREADS && read(ends[0], &who, 1) == 1; i++)
        came(who + 20);
    for (int i = THREADS; i-- > 0;)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < ITEMS; i++)
        free(blocks[i]);
    start_another();
    printf("%lx, %d left\n", order, left);
    return 0;
}
