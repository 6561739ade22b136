/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whatever a program may do with data that is simulated elsewhere: copies and vectors across elements,
 * strings, atomics, threads, fork, signals, blocks that grow, end and come again, symbols with odd
 * addresses and sizes. What it prints depends on all of these bytes.
 */
#include "twin.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 400, THREADS = 3 };

struct element {
    char name[13];
    char flag;
    short number;
    int sum;
    double value;
    char rest[15];
} __attribute__((packed));

__attribute__((aligned(1))) static char odd_text[77], odd_one[1], odd_many[1003];
static struct element fixed[N];
static _Atomic long counters[THREADS + 1];
static volatile sig_atomic_t signals;
static uint64_t sum;

typedef uint64_t vector __attribute__((vector_size(32), aligned(1)));

static void add(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++)
        sum = sum * 31 + at[i];
}

APART static void *make(size_t bytes)
{
    return malloc(bytes);
}

APART static void *grow(void *block, size_t bytes)
{
    return realloc(block, bytes);
}

static void fill(struct element *elements, int count)
{
    memset(elements, 0, (size_t)count * sizeof *elements);
    for (int i = 0; i < count; i++) {
        snprintf(elements[i].name, sizeof elements[i].name, "name %hd", (short)(i % 1000));
        elements[i].flag = (char)i;
        elements[i].number = (short)(i * 3);
        elements[i].sum = i * 5;
        elements[i].value = i / 2.0;
        strcpy(elements[i].rest, elements[i].name + 2);
    }
}

/* The same bytes, by the instruction that copies strings. */
static void copy_by_string(void *to, const void *from, size_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

__attribute__((target("avx"))) static void copy_by_vectors(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i + sizeof(vector) <= bytes; i += 24)
        *(vector *)(to + i) = *(const vector *)(from + i);
}

static void copies(struct element *elements, int count)
{
    struct element *copy = make((size_t)count * sizeof *copy);
    size_t bytes = (size_t)count * sizeof *copy;
    memcpy(copy, elements, bytes);
    add(copy, bytes);
    copy_by_string((char *)copy + 5, (char *)elements + 3, bytes - 9);
    add(copy, bytes);
    if (__builtin_cpu_supports("avx"))
        copy_by_vectors((char *)copy + 1, (char *)elements + 2, bytes - 3);
    else
        memcpy((char *)copy + 1, (char *)elements + 2, bytes - 3);
    memmove((char *)copy + 7, copy, bytes / 2);
    add(copy, bytes);
    sum += strlen(elements[1].name) + (size_t)strcmp(elements[2].rest, elements[3].rest);
    sum += (size_t)((char *)memchr(elements, 's', bytes) - (char *)elements);
    sum += memcmp(copy, elements, bytes) > 0;
    __atomic_fetch_add(&elements[2].sum, 5, __ATOMIC_SEQ_CST);
    __atomic_exchange_n(&elements[3].flag, 'x', __ATOMIC_SEQ_CST);
    free(copy);
}

static void *work(void *argument)
{
    long self = (long)argument;
    for (int i = 0; i < 2000; i++) {
        atomic_fetch_add(&counters[self], i);
        fixed[(int)self * 100 + i % 100].sum += i;
        if (i % 50 == 0)
            free(make((size_t)i + 1));
    }
    return NULL;
}

static void on_signal(int number)
{
    signals += number != 0;
    fixed[N - 1].value += 1;
    free(NULL);
}

static void blocks(void)
{
    static char *block[64];
    for (int i = 0; i < 1000; i++) {
        int at = (int)(any() % 64);
        size_t bytes = i % 125 == 0 ? 150000 : i % 7 == 0 ? 0 : any() % 300 + 1;
        free(block[at]);
        block[at] = i % 5 ? make(bytes) : grow(NULL, bytes);
        memset(block[at], i, bytes);
        sum += bytes ? (unsigned char)block[at][bytes / 2] : 0;
    }
    for (int i = 0; i < 64; i++)
        free(block[i]);
    memset(block, 0, sizeof block);
    long *vector = NULL;
    for (long i = 0, room = 0; i < 20000; i++) {
        if (i == room) {
            room = room ? room * 2 : 3;
            vector = grow(vector, (size_t)room * sizeof *vector);
        }
        vector[i] = i;
        sum += (uint64_t)vector[i / 2];
    }
    free(vector);
}

/* With an argument there are no threads and no children, so that each run executes the same. */
int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    struct element *elements = make(N * sizeof *elements);
    fill(fixed, N);
    fill(elements, N);
    copies(fixed, N);
    copies(elements, N);
    blocks();
    strcpy(odd_text, "some text with an odd size");
    memset(odd_many, 'y', sizeof odd_many);
    odd_one[0] = 'z';
    memcpy(odd_many + 501, odd_text, sizeof odd_text);
    add(odd_many, sizeof odd_many);
    add(odd_one, sizeof odd_one);
    (void)argv;
    for (long i = 0; i < THREADS && argc == 1; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (long i = 0; i < THREADS && argc == 1; i++)
        pthread_join(thread[i], NULL);
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 5; i++)
        raise(SIGUSR1);
    fflush(stdout);
    pid_t child = argc == 1 ? fork() : -1;
    if (child == 0) {
        fill(elements, N);
        free(elements);
        blocks();
        _exit((int)(sum % 50));
    }
    int status = 0;
    if (child > 0)
        waitpid(child, &status, 0);
    add(fixed, sizeof fixed);
    add(elements, N * sizeof *elements);
    add(counters, sizeof counters);
    printf("%016llx %d %d\n", (unsigned long long)sum, (int)signals, WEXITSTATUS(status));
    return 7;
}
