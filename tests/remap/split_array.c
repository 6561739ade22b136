/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Particles whose places are walked, and whose other fields are seldom needed: hot and cold parts. */
#include "twin.h"

enum { N = 30000, ROUNDS = 12 };

struct hot {
    double x, y, z;
};
struct cold {
    char name[40];
};

#ifdef TWIN
static struct hot *hot;
static struct cold *cold;
#define HOT(i) hot[i]
#define COLD(i) cold[i]
#else
struct particle {
    struct hot hot;
    struct cold cold;
};
static struct particle *all;
#define HOT(i) all[i].hot
#define COLD(i) all[i].cold
#endif

APART static void make(void)
{
#ifdef TWIN
    hot = malloc(N * sizeof *hot);
    cold = malloc(N * sizeof *cold);
#else
    all = malloc(N * sizeof *all);
#endif
    for (int i = 0; i < N; i++) {
        HOT(i) = (struct hot){i, 2 * i, 3 * i};
        COLD(i).name[0] = (char)i;
        COLD(i).name[39] = (char)(i / 2);
    }
}

int main(void)
{
    double sum = 0;
    make();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++) {
            HOT(i).x += HOT(i).y * 0.5;
            sum += HOT(i).x + HOT(i).z;
        }
    }
    for (int i = 0; i < N; i += 7)
        sum += COLD(i).name[39];
    printf("%.3f\n", sum);
    return 3;
}
