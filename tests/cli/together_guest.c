/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * together_guest.c: three threads and a child, which sort and copy blocks from the heap: for together.py. It prints the
 * sums that they find.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBERS = 3000, THREADS = 3 };

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static long walk_plain(int *numbers, int step)
{
    long sum = 0;

    for (int i = 0; i < NUMBERS; i += step)
        sum += (long)i * numbers[i];
    return sum;
}

static void *work(void *argument)
{
    int *numbers = malloc(NUMBERS * sizeof *numbers), *copy = malloc(NUMBERS * sizeof *numbers);

    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = (int)(i * 7919u % NUMBERS);
    memcpy(copy, numbers, NUMBERS * sizeof *numbers);
    qsort(copy, NUMBERS, sizeof *copy, compare);
    printf("%ld %ld\n", walk_plain(numbers, 16), walk_plain(copy, (int)(size_t)argument + 1));
    free(copy);
    free(numbers);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        work((void *)10);
        exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
