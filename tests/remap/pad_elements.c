/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Elements of 48 bytes, visited in no order: many are in two lines, but in the twin, where each has a line.
 */
#include "twin.h"

enum { N = 4000, ROUNDS = 20 };

struct element {
    uint64_t value[6];
#ifdef TWIN
    uint64_t more[2];
#endif
};
__attribute__((aligned(64))) static struct element elements[N];

int main(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t k = 0; k < 6; k++)
            elements[i].value[k] = i * k;
    for (uint32_t k = 0; k < ROUNDS * N; k++) {
        struct element *element = &elements[any() % N];
        sum += element->value[0] + element->value[5]++;
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
