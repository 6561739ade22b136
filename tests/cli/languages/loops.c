/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loops.c: loops of every form, with numbers of trips that are known; a comment with a name marks where each begins.
 */
#include <stdio.h>
#include <stdlib.h>

enum { N = 40 };
volatile int sink;
static double a[N][N], b[N][N];

static inline __attribute__((always_inline)) int sum_of(const int *v, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) /* inlined */
        sum += v[i];
    return sum;
}

__attribute__((noinline)) double nest(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) { /* outer */
        for (int k = 0; k < n; k++) /* inner */
            s += a[i][k] /* first of several */
                * b[k][i]; /* last of several */
        sink = i;
    }
    return s;
}

__attribute__((noinline)) void steps(int n)
{
    int i = 0;
    do { /* do */
        sink += i++;
    } while (i < n);
    while (i > 0) { /* while */
        if (i % 4 == 0) {
            i -= 2;
            continue;
        }
        sink = i--;
    }
}

__attribute__((noinline)) int states(int n)
{
    int state = 0, steps = 0;
    for (;;) { /* machine */
        steps++;
        switch (state) {
        case 0: state = 3; break;
        case 1: state = 5; break;
        case 2: state = 1; break;
        case 3: state = 4; sink++; break;
        case 4: state = 2; sink--; break;
        case 5: state = n-- > 0 ? 0 : 6; break;
        default: return steps;
        }
    }
}

__attribute__((noinline)) void jumps(int n)
{
again: /* goto */
    sink += n;
    if (--n > 0)
        goto again;
}

__attribute__((noinline)) int below(int depth)
{
    int sum = 0;
    for (int i = 0; i < 3 && depth > 0; i++) /* recursive */
        sum += below(depth - 1);
    return sum + 1;
}

int main(int argc, char **argv)
{
    int *v = malloc(N * sizeof *v);
    (void)argv;
    for (int i = 0; i < N; i++) { /* fill */
        v[i] = i * argc;
        a[0][i] = b[0][i] = i;
    }
    for (int i = 0; i < 5; i++) /* calls */
        sink = sum_of(v, N) + (int)nest(N);
    steps(30);
    sink = states(9) + below(4);
    jumps(17);
    if (sink == 12345)
        for (int i = 0; i < N; i++) /* never */
            sink++;
    for (int i = 0; i < argc; i++) /* once */
        sink++;
    printf("%d\n", sink);
    free(v);
    return 0;
}
