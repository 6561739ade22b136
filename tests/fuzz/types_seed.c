/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * types_seed.c: a program with a type of each kind that debug information has, and allocations; it is read, not run.
 */
#include <stdlib.h>

struct point {
    double x, y;
    unsigned char tag : 3, more : 5;
};
union number {
    int whole;
    float real;
    char text[12];
};
struct node {
    struct node *next;
    struct point at[3];
    union number value;
    int (*compare)(const void *, const void *);
    enum { RED, BLACK } colour;
    const char name[16];
    struct {
        short low, high;
    };
};
struct tail {
    long count;
    struct point point[];
};

struct node table[8];
static volatile struct point origin;
const union number *chosen;
int matrix[4][6];
struct tail *tail;
struct node *first;

int main(int argc, char **argv)
{
    struct node *node = malloc((size_t)argc * sizeof *node);

    first = calloc((size_t)argc, sizeof *first);
    tail = malloc(sizeof *tail + 4 * sizeof *tail->point);
    chosen = &node->value;
    node->at[0].x = origin.x + table[argc & 7].at[1].y + matrix[argc & 3][1];
    first->next = node;
    tail->count = argv[0][0];
    return (int)node->at[0].x;
}
