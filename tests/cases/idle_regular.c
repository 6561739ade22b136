/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Price and quantity are needed of each order, in turn, and a comment is loaded with them. REPAIRED: comments lie in
 * an array of their own. */
#include "case.h"

typedef struct {
    char text[80];
} comment;

typedef struct {
    double price, quantity;
#ifndef REPAIRED
    comment remark;
#endif
} order;

APART order *make_orders(size_t n, comment *remarks)
{
    order *orders = malloc(n * sizeof *orders);

    for (size_t i = 0; i < n; i++) {
        orders[i].price = (double)(i % 100);
        orders[i].quantity = (double)(i % 7);
#ifdef REPAIRED
        remarks[i].text[0] = (char)i;
#else
        orders[i].remark.text[0] = (char)i;
        (void)remarks;
#endif
    }
    return orders;
}

APART double turnover(const order *orders, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += orders[i].price * orders[i].quantity; /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = 10000 * scale_of(argc, argv);
    comment *remarks = malloc(n * sizeof *remarks);
    order *orders = make_orders(n, remarks);
    double sum = 0;

    for (int round = 0; round < 20; round++)
        sum += turnover(orders, n);
    printf("%.0f\n", sum);
    free(orders);
    free(remarks);
    return 0;
}
