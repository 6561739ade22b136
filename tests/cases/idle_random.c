/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of records in no order one field is needed each time, and the rest is loaded with it. REPAIRED: these fields lie in
 * an array of their own, which fits into the last level, though not into the first one. */
#include "case.h"

typedef struct {
    char text[120];
} rest;

typedef struct {
    uint64_t balance;
#ifndef REPAIRED
    rest more;
#endif
} account;

APART account *make_accounts(size_t n, rest *others)
{
    account *accounts = malloc(n * sizeof *accounts);

    for (size_t i = 0; i < n; i++) {
        accounts[i].balance = i;
#ifdef REPAIRED
        others[i].text[0] = (char)i;
#else
        accounts[i].more.text[0] = (char)i;
        (void)others;
#endif
    }
    return accounts;
}

APART uint64_t pay(account *accounts, size_t n, size_t times)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < times; i++)
        sum += accounts[any() % n].balance++; /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = 8000 * scale_of(argc, argv);
    rest *others = malloc(n * sizeof *others);
    account *accounts = make_accounts(n, others);

    printf("%llu\n", (unsigned long long)pay(accounts, n, 25 * n));
    free(accounts);
    free(others);
    return 0;
}
