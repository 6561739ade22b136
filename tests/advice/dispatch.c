/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An interpreter of a program whose instructions come in no order: its one switch jumps to where it did not jump last.
 * FIXED: instructions of a kind come together. */
#include <stdio.h>

enum { CODES = 1 << 16, ROUNDS = 8 };

static unsigned char codes[CODES];

static void make_codes(void)
{
    unsigned state = 1;

    for (int i = 0; i < CODES; i++) {
        state = state * 1664525u + 1013904223u;
#ifdef FIXED
        codes[i] = (unsigned char)(i * 8 / CODES);
#else
        codes[i] = (unsigned char)(state >> 29);
#endif
    }
}

__attribute__((noinline)) static unsigned run(unsigned a)
{
    for (int i = 0; i < CODES; i++)
        switch (codes[i]) { /* here */
        case 0: a += 3; break;
        case 1: a ^= a >> 3; break;
        case 2: a *= 5; break;
        case 3: a = ~a; break;
        case 4: a -= a >> 7; break;
        case 5: a = a << 3 | a >> 29; break;
        case 6: a += a << 2; break;
        default: a ^= 0x5a5a5a5a; break;
        }
    return a;
}

int main(void)
{
    unsigned a = 1;

    make_codes();
    for (int round = 0; round < ROUNDS; round++)
        a = run(a);
    printf("%u\n", a);
    return 0;
}
