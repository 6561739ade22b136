/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of eight bytes in a heap block each, of which the allocator makes 32 bytes. REPAIRED: one block for all. */
#include "case.h"

typedef struct {
    double value;
} number;

APART number **make_numbers(size_t n)
{
    number **numbers = malloc(n * sizeof *numbers);
#ifdef REPAIRED
    number *pool = malloc(n * sizeof *pool);
#endif

    for (size_t i = 0; i < n; i++) {
#ifdef REPAIRED
        numbers[i] = &pool[i];
#else
        numbers[i] = malloc(sizeof **numbers);
#endif
        numbers[i]->value = (double)(i % 1000);
    }
    return numbers;
}

APART double add(number **numbers, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += numbers[i]->value; /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = 40000 * scale_of(argc, argv);
    number **numbers = make_numbers(n);
    double sum = 0;

    for (int round = 0; round < 20; round++)
        sum += add(numbers, n);
    printf("%.0f\n", sum);
    return 0;
}
