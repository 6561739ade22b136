/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A message goes through 32 stages, each of which replaces every letter by another, as its table says. Tables are made
 * for 1024 letters, and the message has 16. See README.md. */
#include <stdio.h>

enum { STAGES = 32, LETTERS = 1024, USED = 16, LENGTH = 100000, ROW = LETTERS };

static int table[STAGES][ROW];

static void make_tables(void)
{
    for (int stage = 0; stage < STAGES; stage++)
        for (int letter = 0; letter < LETTERS; letter++)
            table[stage][letter] = (letter * 5 + stage) % USED;
}

__attribute__((noinline)) static int encode(int letter)
{
    for (int stage = 0; stage < STAGES; stage++)
        letter = table[stage][letter];
    return letter;
}

int main(void)
{
    unsigned sum = 0;
    make_tables();
    for (int i = 0; i < LENGTH; i++)
        sum = sum * 31 + (unsigned)encode((i * 7 + i / 100) % USED);
    printf("%u\n", sum);
    return 0;
}
