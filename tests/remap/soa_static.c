/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of several sizes, with gaps, in a static array; an array for each in the twin. */
#include "twin.h"

enum { N = 20000, ROUNDS = 6 };

#ifdef TWIN
static int table_a[N];
static double table_b[N];
static short table_c[N];
static char table_d[N];
#define A(i) table_a[i]
#define B(i) table_b[i]
#define C(i) table_c[i]
#define D(i) table_d[i]
#else
static struct row {
    int a;
    double b;
    short c;
    char d;
} table[N];
#define A(i) table[i].a
#define B(i) table[i].b
#define C(i) table[i].c
#define D(i) table[i].d
#endif

int main(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        A(i) = i;
        B(i) = i;
        C(i) = (short)i;
        D(i) = (char)i;
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++)
            sum += A(i);
        for (int i = 0; i < N; i++)
            B(i) += C(i);
        for (int i = 0; i < N; i++)
            sum += D(i);
    }
    for (int i = 0; i < N; i++)
        sum += B(i);
    printf("%.3f\n", sum);
    return 0;
}
