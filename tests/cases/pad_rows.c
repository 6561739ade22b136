/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Twelve rows that lie a power of two apart are read at once: their lines fall into one set. REPAIRED: each row is a
 * line longer. */
#include "case.h"

enum { ROWS = 12 };

APART double *make_image(size_t pitch)
{
    double *image = malloc(ROWS * pitch * sizeof *image);

    for (size_t i = 0; i < ROWS * pitch; i++)
        image[i] = (double)(i / pitch + i % pitch % 100);
    return image;
}

APART double filter(const double *image, size_t width, size_t pitch)
{
    double sum = 0;

    for (size_t j = 0; j < width; j++)
        for (size_t i = 0; i < ROWS; i++)
            sum += image[i * pitch + j]; /* problem */
    return sum;
}

int main(int argc, char **argv)
{
    size_t width = 2048 * scale_of(argc, argv), pitch = width;
    double *image, sum = 0;

#ifdef REPAIRED
    pitch += 8;
#endif
    image = make_image(pitch);
    for (int round = 0; round < 20; round++)
        sum += filter(image, width, pitch);
    printf("%.0f\n", sum);
    free(image);
    return 0;
}
