/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A linked list, sorted by its values, so that its nodes lie in memory in no order, is walked again and again.
 * REPAIRED: a vector. */
#include "case.h"
#include <algorithm>
#include <list>
#include <vector>

#ifdef REPAIRED
typedef std::vector<uint64_t> values_of;
#else
typedef std::list<uint64_t> values_of;
#endif

APART values_of make_values(size_t n)
{
    values_of values;

    for (size_t i = 0; i < n; i++)
        values.push_back(any());
#ifdef REPAIRED
    std::sort(values.begin(), values.end());
#else
    values.sort();
#endif
    return values;
}

APART uint64_t add(const values_of &values)
{
    uint64_t sum = 0, factor = 1;

    for (uint64_t value : values) /* problem */
        sum += value * factor++; /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    values_of values = make_values(20000 * scale_of(argc, argv));
    uint64_t sum = 0;

    for (int round = 0; round < 40; round++)
        sum += add(values);
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
