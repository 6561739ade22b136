// SPDX-License-Identifier: GPL-2.0-or-later
//
// page_program.cpp: something to show on a page: inlined functions, templates, recursion, a function called from two
// places, a walk that wastes cache lines, and one that does not. With the word `more` it does more, with `threads` it
// has two threads beside the first, with `gaps` it has small blocks with gaps between them.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <thread>
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

__attribute__((noinline)) static double more(const std::vector<double> &matrix, std::size_t n)
{
    double sum = 0;
    for (std::size_t i = 0; i < n; i++)
        sum += along(matrix);
    return sum;
}

static double in_threads(const std::vector<double> &matrix, std::size_t n)
{
    double sums[2];
    std::thread one([&] { sums[0] = across(matrix, n); }), two([&] { sums[1] = more(matrix, 2); });

    one.join();
    two.join();
    return sums[0] + sums[1];
}

__attribute__((noinline)) static double gaps()
{
    std::vector<double *> blocks;
    double sum = 0;

    for (int i = 0; i < 20000; i++)
        blocks.push_back(new double[3]{1, 2, 3});
    for (int step = 0; step < 20; step++)
        for (const double *block : blocks)
            sum += block[0];
    for (const double *block : blocks)
        delete[] block;
    return sum;
}

static double other(const char *word, const std::vector<double> &matrix, std::size_t n)
{
    if (std::strcmp(word, "threads") == 0)
        return in_threads(matrix, n);
    return std::strcmp(word, "gaps") == 0 ? gaps() : more(matrix, 3);
}

int main(int count, char **word)
{
    const std::size_t n = 200;
    std::vector<particle> all(4000);
    std::vector<double> matrix(n * n, 0.5);
    double sum = 0;

    for (int step = 0; step < 3; step++)
        sum += total(all) + both(matrix, n);
    if (count > 1)
        sum += other(word[1], matrix, n);
    std::printf("%g %u\n", sum, fold(4, matrix));
    return 0;
}
