/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loops.cpp: loops over iterators, in templates and in lambdas; a comment with a name marks where each begins.
 */
#include <cstdio>
#include <numeric>
#include <vector>

namespace shop {

template <typename T> struct Shelf {
    std::vector<T> items;

    __attribute__((noinline)) T total() const
    {
        T sum{};
        asm volatile("");
        for (const T &item : items) /* range */
            sum += item;
        return sum;
    }
};

} // namespace shop

int main()
{
    shop::Shelf<double> shelf;
    for (int i = 0; i < 200; i++) /* fill */
        shelf.items.push_back(
            i * 0.5);
    auto twice = [&](int n) {
        double sum = 0;
        for (int i = 0; i < n; i++) /* lambda */
            sum += shelf.total();
        return sum;
    };
    std::printf("%.1f\n", twice(7));
    return 0;
}
