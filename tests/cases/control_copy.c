/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: a small buffer is filled, copied and added up, over and over. */
#include "case.h"
#include <string.h>

enum { BYTES = 2048 };

APART void copy(char *to, const char *from)
{
    memcpy(to, from, BYTES);
}

int main(int argc, char **argv)
{
    static char one[BYTES], other[BYTES];
    size_t rounds = 20000 * scale_of(argc, argv), sum = 0;

    for (size_t round = 0; round < rounds; round++) {
        one[round % BYTES] = (char)round;
        copy(other, one);
        sum += (unsigned char)other[round * 7 % BYTES];
    }
    printf("%zu\n", sum);
    return 0;
}
