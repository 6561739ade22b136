/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map that is made once and then only looked up: each step down the tree is into another node. REPAIRED: a sorted
 * vector. */
#include "case.h"
#include <algorithm>
#include <map>
#include <vector>

#ifdef REPAIRED
typedef std::vector<std::pair<uint32_t, uint32_t>> prices_of;
#else
typedef std::map<uint32_t, uint32_t> prices_of;
#endif

APART prices_of make_prices(size_t n)
{
    prices_of prices;

    for (size_t i = 0; i < n; i++)
#ifdef REPAIRED
        prices.push_back({any() >> 4, (uint32_t)i});
    std::stable_sort(prices.begin(), prices.end(), [](auto a, auto b) { return a.first < b.first; });
    prices.erase(std::unique(prices.begin(), prices.end(), [](auto a, auto b) { return a.first == b.first; }),
                 prices.end());
#else
        prices.insert({any() >> 4, (uint32_t)i});
#endif
    return prices;
}

APART uint64_t look_up(const prices_of &prices, size_t times)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < times; i++) {
#ifdef REPAIRED
        auto at = std::lower_bound(prices.begin(), prices.end(), any() >> 4,
                                   [](auto a, uint32_t key) { return a.first < key; });
#else
        auto at = prices.lower_bound(any() >> 4); /* problem */
#endif
        sum += at == prices.end() ? 0 : at->second;
    }
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = 20000 * scale_of(argc, argv);
    prices_of prices = make_prices(n);

    printf("%llu\n", (unsigned long long)look_up(prices, 10 * n));
    return 0;
}
