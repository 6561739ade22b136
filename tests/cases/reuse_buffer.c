/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each message is made in a buffer of its own, which is not used again: new memory each time, never in the cache.
 * REPAIRED: all in one buffer. */
#include "case.h"

enum { BYTES = 4096 };

APART unsigned char *make_arena(size_t messages)
{
    return malloc(messages * BYTES);
}

APART void fill(unsigned char *message, size_t number)
{
    for (size_t i = 0; i < BYTES; i++)
        message[i] = (unsigned char)(number + i); /* problem */
}

APART uint64_t check(const unsigned char *message)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < BYTES; i++)
        sum = sum * 3 + message[i];
    return sum;
}

int main(int argc, char **argv)
{
    size_t messages = 400 * scale_of(argc, argv);
    uint64_t sum = 0;
#ifdef REPAIRED
    unsigned char *buffer = make_arena(1);
#else
    unsigned char *arena = make_arena(messages);
#endif

    for (size_t i = 0; i < messages; i++) {
#ifndef REPAIRED
        unsigned char *buffer = arena + i * BYTES;
#endif
        fill(buffer, i);
        sum += check(buffer);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
