/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: what two sorted vectors have in common is found by the standard library. */
#include "case.h"
#include <algorithm>
#include <vector>

APART std::vector<uint32_t> make_sorted(size_t n, uint32_t step)
{
    std::vector<uint32_t> values(n);

    for (size_t i = 0; i < n; i++)
        values[i] = (uint32_t)i * step;
    return values;
}

APART size_t both(const std::vector<uint32_t> &one, const std::vector<uint32_t> &other, std::vector<uint32_t> &all)
{
    auto end = std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), all.begin());

    return (size_t)(end - all.begin());
}

int main(int argc, char **argv)
{
    size_t n = 50000 * scale_of(argc, argv), sum = 0;
    std::vector<uint32_t> one = make_sorted(n, 3), other = make_sorted(n, 5), all(n);

    for (int round = 0; round < 8; round++)
        sum += both(one, other, all) + all[round];
    printf("%zu\n", sum);
    return 0;
}
