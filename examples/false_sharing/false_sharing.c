/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Four threads count the bright pixels of an image, each in its own quarter, and each in its own result. The results
 * lie side by side on one cache line: with each pixel counted a thread takes the line away from the three others.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, PIXELS = 1 << 20, BRIGHT = 100 };

struct result {
    long bright, sum;
};

static struct result results[THREADS] __attribute__((aligned(64)));
static unsigned char *image;
static int rounds = 4;

static void *measure(void *argument)
{
    struct result *result = argument;
    const unsigned char *quarter = image + (result - results) * (PIXELS / THREADS);

    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < PIXELS / THREADS; i++) {
            if (quarter[i] < BRIGHT)
                continue;
            result->bright++;
            result->sum += quarter[i];
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    long bright = 0, sum = 0;

    if (argc > 1)
        rounds = atoi(argv[1]);
    image = malloc(PIXELS);
    for (int i = 0; i < PIXELS; i++)
        image[i] = (unsigned char)(i * 2654435761u >> 24);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, measure, &results[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        bright += results[i].bright;
        sum += results[i].sum;
    }
    printf("%ld bright pixels, mean %ld\n", bright / rounds, sum / bright);
    free(image);
    return 0;
}
