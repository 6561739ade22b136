/* SPDX-License-Identifier: GPL-2.0-or-later */
/* queens.c: something for a compiler to read and to make fast: recursion, loops, floating point, strings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int queens(int n, int row, unsigned columns, unsigned up, unsigned down)
{
    int count = 0;
    if (row == n)
        return 1;
    for (unsigned free = ~(columns | up | down) & ((1u << n) - 1); free; free &= free - 1) {
        unsigned bit = free & -free;
        count += queens(n, row + 1, columns | bit, (up | bit) << 1, (down | bit) >> 1);
    }
    return count;
}

struct complex { double re, im; };

static void transform(struct complex *x, int n)
{
    if (n == 1)
        return;
    struct complex *even = malloc(n * sizeof *x / 2), *odd = malloc(n * sizeof *x / 2);
    for (int i = 0; i < n / 2; i++) {
        even[i] = x[2 * i];
        odd[i] = x[2 * i + 1];
    }
    transform(even, n / 2);
    transform(odd, n / 2);
    for (int i = 0; i < n / 2; i++) {
        double a = -2 * 3.14159265358979 * i / n, c = cos(a), s = sin(a);
        struct complex t = {c * odd[i].re - s * odd[i].im, s * odd[i].re + c * odd[i].im};
        x[i] = (struct complex){even[i].re + t.re, even[i].im + t.im};
        x[i + n / 2] = (struct complex){even[i].re - t.re, even[i].im - t.im};
    }
    free(even);
    free(odd);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

int main(void)
{
    struct complex x[256];
    char words[200][12];
    double power = 0;
    for (int i = 0; i < 256; i++)
        x[i] = (struct complex){i % 17, i % 5};
    transform(x, 256);
    for (int i = 0; i < 256; i++)
        power += x[i].re * x[i].re + x[i].im * x[i].im;
    for (int i = 0; i < 200; i++)
        snprintf(words[i], sizeof words[i], "w%d", i * 7919 % 1000);
    qsort(words, 200, sizeof words[0], by_text);
    printf("%d %.3f %s %s\n", queens(9, 0, 0, 0, 0), power, words[0], words[199]);
    return 0;
}
