/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ages are kept in 64 bits each, although 16 are more than enough. REPAIRED: in 16 bits. */
#include "case.h"

#ifdef REPAIRED
typedef uint16_t age;
#else
typedef uint64_t age;
#endif

APART age *make_ages(size_t n)
{
    age *ages = malloc(n * sizeof *ages);

    for (size_t i = 0; i < n; i++)
        ages[i] = (age)(i * 31 % 110);
    return ages;
}

APART uint64_t add(const age *ages, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += ages[i]; /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = 100000 * scale_of(argc, argv);
    age *ages = make_ages(n);
    uint64_t sum = 0;

    for (int round = 0; round < 20; round++)
        sum += add(ages, n);
    printf("%llu\n", (unsigned long long)sum);
    free(ages);
    return 0;
}
