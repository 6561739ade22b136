/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many accesses whose lines meet in the way table, of all kinds, with a system call now and then, when the engine looks
 * which of them are to move: see test_counts.py. */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { APART = 1 << 20, WAYS = 4, ROUNDS = 3000 };

static struct {
    char bytes[APART];
} area[WAYS];

static unsigned long sum;

/* Two lines at once that meet, and one that straddles, in instructions of their own for each place. */
#define MEET(type, at) \
    do { \
        volatile type *one = (volatile type *)(area[round % WAYS].bytes + (at)); \
        volatile type *other = (volatile type *)(area[(round + 1) % WAYS].bytes + (at)); \
        sum += *one; \
        *other = (type)sum; \
        *one += (type)round; \
        memcpy(&area[(round + 2) % WAYS].bytes[(at) + 61], (const void *)one, 8); \
        sum += *other; \
    } while (0)
#define MEETS(at) \
    MEET(char, at); \
    MEET(short, (at) + 70); \
    MEET(int, (at) + 1100); \
    MEET(long, (at) + 4096)

int main(void)
{
    int round;

    for (round = 0; round < ROUNDS; round++) {
        MEETS(0);
        MEETS(8192);
        MEETS(16384);
        MEETS(20480);
        if (round % 4 == 0)
            syscall(SYS_getppid);
    }
    return sum == 1;
}
