/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The brightness of each column of an image of 2000 x 1500 pixels. See README.md. */
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 2000, HEIGHT = 1500 };

struct image {
    int width, height;
    float *pixels; /* row by row */
};

static struct image make_image(void)
{
    struct image im = {WIDTH, HEIGHT, malloc(sizeof(float) * WIDTH * HEIGHT)};
    for (int y = 0; y < im.height; y++)
        for (int x = 0; x < im.width; x++)
            im.pixels[y * im.width + x] = (float)((x * 7 + y * 3) % 256);
    return im;
}

__attribute__((noinline)) static void column_sums(const struct image *im, double *sums)
{
    for (int x = 0; x < im->width; x++)
        for (int y = 0; y < im->height; y++)
            sums[x] += (double)im->pixels[y * im->width + x];
}

int main(void)
{
    static double sums[WIDTH];
    struct image im = make_image();
    column_sums(&im, sums);
    printf("%.0f %.0f %.0f\n", sums[0], sums[WIDTH / 2], sums[WIDTH - 1]);
    free(im.pixels);
    return 0;
}
