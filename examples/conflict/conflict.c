/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A separable filter runs down the columns of a picture, 16 rows at a time; a row is exactly 4096 bytes.
 * See README.md. */
#include <stdio.h>

enum { WIDTH = 1024, HEIGHT = 1024, TAPS = 16, ROW = WIDTH };

static float picture[HEIGHT][ROW];
static float result[HEIGHT][ROW];

static void fill(void)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            picture[y][x] = (float)((x * 31 + y * 17) % 251);
}

__attribute__((noinline)) static void filter(const float *weight)
{
    for (int y = 0; y + TAPS <= HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            float sum = 0;
            for (int k = 0; k < TAPS; k++)
                sum += weight[k] * picture[y + k][x];
            result[y][x] = sum;
        }
}

int main(void)
{
    float weight[TAPS];
    for (int k = 0; k < TAPS; k++)
        weight[k] = 1.0f / (float)(k + 1);
    fill();
    filter(weight);
    printf("%.3f %.3f\n", (double)result[0][0], (double)result[500][700]);
    return 0;
}
