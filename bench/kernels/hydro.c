/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hydro.c: two-dimensional gas dynamics, split by direction: a sweep along rows, then one along columns.
 *
 * Four conserved fields (density, two momenta, energy) of N x N doubles are advanced by a first-order scheme: blocks of
 * STRIP lines by CHUNK cells are gathered into small arrays, pressures, speeds and fluxes are computed there, and the
 * fields are updated. A strip of the second sweep is half as wide as a line of the cache, so that each line is loaded
 * twice for it, the second time from the last level. With N = 1000 the fields are 32 MB, more than most last levels:
 * two thirds of the misses of level 1 go to memory.
 *
 *   hydro N STEPS
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DENSITY, ALONG, ACROSS, ENERGY, FIELDS, LINE = 8, STRIP = LINE / 2, CHUNK = 32 };

static const double GAMMA = 1.4;

/* Where a sweep walks: cell i of line l of field f is fields[order[f]][i * cell + l * line]. */
struct sweep {
    double *fields[FIELDS]; /* ALONG and ACROSS as this sweep sees them */
    size_t lines, cells, line, cell;
};

/* One line of a block, and the cell behind it. flux[f][i] is what goes through the side before cell i. */
struct work {
    double cell[FIELDS][CHUNK + 1], flux[FIELDS][CHUNK + 1], pressure[CHUNK + 1], speed[CHUNK + 1];
};

static void state(size_t cells, struct work *work)
{
    for (size_t i = 0; i < cells; i++) {
        double density = work->cell[DENSITY][i], along = work->cell[ALONG][i], across = work->cell[ACROSS][i];
        double kinetic = 0.5 * (along * along + across * across) / density;
        work->pressure[i] = (GAMMA - 1) * (work->cell[ENERGY][i] - kinetic);
        work->speed[i] = fabs(along / density) + sqrt(GAMMA * work->pressure[i] / density);
    }
}

/* Rusanov's fluxes through the sides between `cells` cells. */
static void fluxes(size_t cells, struct work *work)
{
    for (size_t i = 0; i + 1 < cells; i++) {
        double left = work->cell[ALONG][i] / work->cell[DENSITY][i];
        double right = work->cell[ALONG][i + 1] / work->cell[DENSITY][i + 1];
        double speed = work->speed[i] > work->speed[i + 1] ? work->speed[i] : work->speed[i + 1];
        double pressure[FIELDS] = {0, work->pressure[i] + work->pressure[i + 1], 0,
                                   left * work->pressure[i] + right * work->pressure[i + 1]};
        for (int f = 0; f < FIELDS; f++) {
            const double *cell = work->cell[f];
            work->flux[f][i + 1] = 0.5 * (cell[i] * left + cell[i + 1] * right + pressure[f]) -
                                   0.5 * speed * (cell[i + 1] - cell[i]);
        }
    }
}

/* Advance cells [first, end) of `lines` lines from `line` on; the last cell of each line stays as it is. */
static void block(const struct sweep *sweep, size_t line, size_t lines, size_t first, size_t end, struct work *work,
                  double step)
{
    size_t base = line * sweep->line + first * sweep->cell, cells = end - first;
    for (size_t i = 0; i <= cells; i++)
        for (size_t l = 0; l < lines; l++)
            for (int f = 0; f < FIELDS; f++)
                work[l].cell[f][i] = sweep->fields[f][base + i * sweep->cell + l * sweep->line];
    for (size_t l = 0; l < lines; l++) {
        state(cells + 1, &work[l]);
        fluxes(cells + 1, &work[l]);
    }
    for (size_t i = 0; i < cells; i++)
        for (size_t l = 0; l < lines; l++)
            for (int f = 0; f < FIELDS; f++)
                sweep->fields[f][base + i * sweep->cell + l * sweep->line] -=
                    step * (work[l].flux[f][i + 1] - work[l].flux[f][i]);
    for (size_t l = 0; l < lines; l++)
        for (int f = 0; f < FIELDS; f++)
            work[l].flux[f][0] = work[l].flux[f][cells];
}

static void advance(const struct sweep *sweep, double step)
{
    for (size_t line = 0; line < sweep->lines; line += STRIP) {
        size_t lines = sweep->lines - line < STRIP ? sweep->lines - line : STRIP;
        struct work work[STRIP] = {0}; /* nothing comes in through the first side */
        for (size_t first = 0; first + 1 < sweep->cells; first += CHUNK) {
            size_t end = first + CHUNK < sweep->cells ? first + CHUNK : sweep->cells - 1;
            block(sweep, line, lines, first, end, work, step);
        }
    }
}

int main(int argc, char **argv)
{
    size_t n = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned long steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    double *field[FIELDS], sum = 0;
    if (n < 3 || steps == 0) {
        fprintf(stderr, "usage: hydro N STEPS\n");
        return 2;
    }
    size_t apart = (n * n + LINE - 1) / LINE * LINE + LINE * 17; /* fields begin in different sets */
    double *all = aligned_alloc(LINE * sizeof *all, FIELDS * apart * sizeof *all);
    if (!all)
        return 1;
    memset(all, 0, FIELDS * apart * sizeof *all);
    for (int f = 0; f < FIELDS; f++)
        field[f] = all + f * apart;
    for (size_t i = 0; i < n * n; i++) {
        field[DENSITY][i] = 1;
        field[ENERGY][i] = i % n < n / 4 && i / n < n / 4 ? 10 : 1; /* a blast in one corner */
    }
    struct sweep rows = {{field[DENSITY], field[ALONG], field[ACROSS], field[ENERGY]}, n, n, n, 1};
    struct sweep columns = {{field[DENSITY], field[ACROSS], field[ALONG], field[ENERGY]}, n, n, 1, n};
    for (unsigned long s = 0; s < steps; s++) {
        advance(&rows, 0.1);
        advance(&columns, 0.1);
    }
    for (size_t i = 0; i < n * n; i++)
        sum += field[DENSITY][i];
    printf("%.6f\n", sum);
    free(all);
    return 0;
}
