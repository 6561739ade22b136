// SPDX-License-Identifier: GPL-2.0-or-later
//
// page_program.cpp: something to show on a page: inlined functions, templates, recursion, a function called from two
// places, a walk that wastes cache lines, and one that does not.
#include <cstddef>
#include <cstdio>
#include <vector>

struct particle {
    double place[3], speed[3];
    char name[80];
};

static inline double energy(const particle &p)
{
    return p.speed[0] * p.speed[0] + p.speed[1] * p.speed[1];
}

template <typename T> __attribute__((noinline)) double total(const std::vector<T> &all)
{
    double sum = 0;
    for (const T &one : all)
        sum += energy(one); // loads a line for each particle, and needs a quarter of it
    return sum;
}

__attribute__((noinline)) static double across(const std::vector<double> &matrix, std::size_t n)
{
    double sum = 0;
    for (std::size_t column = 0; column < n; column++)
        for (std::size_t row = 0; row < n; row++)
            sum += matrix[row * n + column];
    return sum;
}

__attribute__((noinline)) static double along(const std::vector<double> &matrix)
{
    double sum = 0;
    for (double value : matrix)
        sum += value;
    return sum;
}

__attribute__((noinline)) static unsigned fold(unsigned depth, const std::vector<double> &matrix)
{
    if (depth == 0)
        return along(matrix) > 0;
    return fold(depth - 1, matrix) + fold(depth > 2 ? depth - 3 : 0, matrix) % 7;
}

__attribute__((noinline)) static double both(const std::vector<double> &matrix, std::size_t n)
{
    return along(matrix) + across(matrix, n);
}

int main()
{
    const std::size_t n = 200;
    std::vector<particle> all(4000);
    std::vector<double> matrix(n * n, 0.5);
    double sum = 0;

    for (int step = 0; step < 3; step++)
        sum += total(all) + both(matrix, n);
    std::printf("%g %u\n", sum, fold(4, matrix));
    return 0;
}
