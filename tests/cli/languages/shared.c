/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shared.c: functions inlined side by side, whose sums all begin at 0: a compiler may set one's, in its loop, with the
 * line of another one; and one that is all on one line. A comment with a name marks where each loop begins.
 */
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 40, HEIGHT = 30, AROUND = 4 };
struct pixel {
    unsigned char r, g, b, a;
};

static struct pixel *made(void)
{
    struct pixel *p = malloc(sizeof *p * WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        p[i] = (struct pixel){i, i >> 3, i >> 7, 255};
    return p;
}

static void blur(const struct pixel *in, struct pixel *out)
{
    for (int x = 0; x < WIDTH; x++) /* columns */
        for (int y = 0; y < HEIGHT; y++) { /* rows */
            int r = 0, g = 0, b = 0, n = 0;
            for (int d = -AROUND; d <= AROUND; d++) { /* around */
                int at = y + d;
                if (at < 0 || at >= HEIGHT)
                    continue;
                const struct pixel *p = &in[at * WIDTH + x];
                r += p->r;
                g += p->g;
                b += p->b;
                n++;
            }
            out[y * WIDTH + x] = (struct pixel){r / n, g / n, b / n, in[y * WIDTH + x].a};
        }
}

static void clear(struct pixel *p) { for (int i = 0; i < WIDTH * HEIGHT; i++) p[i].a = 0; } /* on one line */

int main(void)
{
    struct pixel *from = made(), *to = malloc(sizeof *to * WIDTH * HEIGHT);
    unsigned sum = 0;
    for (int i = 0; i < 3; i++) { /* times */
        blur(from, to);
        struct pixel *swap = from;
        from = to;
        to = swap;
    }
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        sum = sum * 31 + from[i].r + from[i].g * 7 + from[i].b;
    clear(to);
    printf("%u %u\n", sum, to[5].a);
    free(from);
    free(to);
    return 0;
}
