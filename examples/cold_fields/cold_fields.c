/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Particles move 20 steps; what is printed about them is kept beside what is needed at each step. See README.md. */
#include <stdio.h>
#include <stdlib.h>

enum { PARTICLES = 50000, STEPS = 20 };

struct particle {
    float x, v; /* every step */
    int id;     /* the rest: at the beginning and at the end */
    char name[40];
    double born, last_seen;
};

static struct particle *make_particles(void)
{
    struct particle *p = aligned_alloc(64, sizeof *p * PARTICLES);
    for (int i = 0; i < PARTICLES; i++) {
        p[i].x = (float)i;
        p[i].v = (float)(i % 17) - 8;
        p[i].id = i;
        snprintf(p[i].name, sizeof p[i].name, "particle %d", i);
        p[i].born = p[i].last_seen = 0;
    }
    return p;
}

__attribute__((noinline)) static void move(struct particle *p, float dt)
{
    for (int i = 0; i < PARTICLES; i++)
        p[i].x += p[i].v * dt;
}

int main(void)
{
    struct particle *p = make_particles();
    for (int step = 0; step < STEPS; step++)
        move(p, 0.5f);
    for (int i = 0; i < PARTICLES; i += 10000)
        printf("%s: %.1f\n", p[i].name, (double)p[i].x);
    free(p);
    return 0;
}
