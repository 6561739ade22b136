/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pieces.c: code that gcc cuts into hot and cold parts, `work.cold`, `work.part.N`, for the table of functions. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((cold, noinline)) static void complain(int n)
{
    fprintf(stderr, "bad: %d\n", n);
}

__attribute__((noinline)) static int work(int n)
{
    if (n > 1000) {
        complain(n);
        complain(n + 1);
        exit(3);
    }
    return n * 7;
}

__attribute__((noinline)) static int more(int n)
{
    if (__builtin_expect(n < 0, 0)) {
        complain(n);
        abort();
    }
    return work(n) + 1;
}

int main(int argc, char **argv)
{
    (void)argv;
    return more(argc) - 8;
}
