/* SPDX-License-Identifier: GPL-2.0-or-later */
/* openmp.c: loops, reductions, tasks and critical sections over four threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static long fib(int n)
{
    long a, b;
    if (n < 12)
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void)
{
    enum { N = 300 };
    static double x[N][N], y[N][N];
    long sum = 0, result = 0, seen = 0;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x[i][j] = sin(i) * cos(j);
    for (int step = 0; step < 10; step++) {
#pragma omp parallel for num_threads(4)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                y[i][j] = (x[i - 1][j] + x[i + 1][j] + x[i][j - 1] + x[i][j + 1]) / 4;
#pragma omp parallel for num_threads(4) schedule(dynamic, 7)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                x[i][j] = y[i][j];
    }
#pragma omp parallel for reduction(+ : sum) num_threads(4)
    for (int i = 0; i < 100000; i++) {
        sum += i % 7;
        if (i % 1000 == 0) {
#pragma omp critical
            seen++;
        }
    }
#pragma omp parallel num_threads(4)
#pragma omp single
    result = fib(22);
    printf("%ld %ld %ld %.9f\n", sum, seen, result, x[N / 2][N / 3]);
    return 0;
}
