/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of prices, larger than the last level by a third, is walked again and again. REPAIRED: the prices have a type
 * of half the size, so the table fits. */
#include "case.h"

#ifdef REPAIRED
typedef float price;
#else
typedef double price;
#endif

APART price *make_prices(size_t n)
{
    price *prices = malloc(n * sizeof *prices);

    for (size_t i = 0; i < n; i++)
        prices[i] = (price)(i % 100);
    return prices;
}

APART double above(const price *prices, size_t n, price limit)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += prices[i] > limit ? prices[i] : 0; /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = 43000 * scale_of(argc, argv);
    price *prices = make_prices(n);
    double sum = 0;

    for (int round = 0; round < 60; round++)
        sum += above(prices, n, (price)(round % 100));
    printf("%.0f\n", sum);
    free(prices);
    return 0;
}
