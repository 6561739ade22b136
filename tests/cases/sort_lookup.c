/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each order looks up the price of its article, and articles come in no order. REPAIRED: orders are first put into
 * groups of articles that lie beside each other. */
#include "case.h"

enum { GROUPS = 128 };

APART uint64_t *make_prices(size_t n)
{
    uint64_t *prices = malloc(n * sizeof *prices);

    for (size_t i = 0; i < n; i++)
        prices[i] = i % 13;
    return prices;
}

APART uint32_t *make_orders(size_t n, size_t count)
{
    uint32_t *orders = malloc(count * sizeof *orders);

    for (size_t i = 0; i < count; i++)
        orders[i] = any() % (uint32_t)n;
    return orders;
}

#ifdef REPAIRED
APART uint32_t *grouped(const uint32_t *orders, size_t n, size_t count)
{
    size_t places[GROUPS + 1] = {0}, width = n / GROUPS + 1;
    uint32_t *result = malloc(count * sizeof *result);

    for (size_t i = 0; i < count; i++)
        places[orders[i] / width + 1]++;
    for (size_t i = 1; i < GROUPS; i++)
        places[i] += places[i - 1];
    for (size_t i = 0; i < count; i++)
        result[places[orders[i] / width]++] = orders[i];
    return result;
}
#endif

APART uint64_t look_up(const uint64_t *prices, const uint32_t *orders, size_t count)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += prices[orders[i]]; /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = 100000 * scale_of(argc, argv), count = 5 * n;
    uint64_t *prices = make_prices(n);
    uint32_t *orders = make_orders(n, count);

#ifdef REPAIRED
    orders = grouped(orders, n, count);
#endif
    printf("%llu\n", (unsigned long long)look_up(prices, orders, count));
    return 0;
}
