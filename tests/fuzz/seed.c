/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seed.c: a small program that is never run: its object file is the input that fuzz_functions starts from.
 *
 * It has what function bounds are made of: local and global functions, an alias, a weak one, one in a section of
 * its own, and a call through the procedure linkage table.
 */
#include <stdlib.h>

int seed_global(int x);
int seed_alias(int x) __attribute__((alias("seed_global")));
int seed_weak(int x) __attribute__((weak));

static __attribute__((noinline)) int local(int x)
{
    return x * 3;
}

int seed_global(int x)
{
    return local(x) + 1;
}

int seed_weak(int x)
{
    return local(x) + 2;
}

static __attribute__((noinline, cold, section(".text.elsewhere"))) void fail(void)
{
    abort();
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1000)
        fail();
    return seed_alias(argc) + seed_weak(argc);
}
