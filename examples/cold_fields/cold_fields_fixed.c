/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold_fields.c with its structure split: what every step needs lies together, the rest in an array of its own. */
#include <stdio.h>
#include <stdlib.h>

enum { PARTICLES = 50000, STEPS = 20 };

struct motion {
    float x, v; /* every step */
};

struct particle {
    int id; /* at the beginning and at the end */
    char name[40];
    double born, last_seen;
};

static void make_particles(struct motion **motions, struct particle **particles)
{
    struct motion *m = aligned_alloc(64, sizeof *m * PARTICLES);
    struct particle *p = aligned_alloc(64, sizeof *p * PARTICLES);
    for (int i = 0; i < PARTICLES; i++) {
        m[i].x = (float)i;
        m[i].v = (float)(i % 17) - 8;
        p[i].id = i;
        snprintf(p[i].name, sizeof p[i].name, "particle %d", i);
        p[i].born = p[i].last_seen = 0;
    }
    *motions = m;
    *particles = p;
}

__attribute__((noinline)) static void move(struct motion *m, float dt)
{
    for (int i = 0; i < PARTICLES; i++)
        m[i].x += m[i].v * dt;
}

int main(void)
{
    struct motion *m;
    struct particle *p;
    make_particles(&m, &p);
    for (int step = 0; step < STEPS; step++)
        move(m, 0.5f);
    for (int i = 0; i < PARTICLES; i += 10000)
        printf("%s: %.1f\n", p[i].name, (double)m[i].x);
    free(p);
    free(m);
    return 0;
}
