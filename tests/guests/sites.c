/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sites.c: ways in which programs keep what they allocate, each in a function of its own: leaf_..., node_... and so on
 * allocate what their names say; none_... something of which nobody should say what it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    long key;
    char more[48];
};
struct leaf {
    long a, b, c;
};
struct link {
    struct link *next, *previous;
};
struct item { /* its link is what lists know of it */
    long key[4];
    struct link link;
};
struct vector {
    struct leaf *data;
    size_t count, room;
    void *any;
};
struct owner {
    struct node *first;
    struct leaf *leaves[8];
    struct vector vector, *other;
};
struct base {
    long kind;
};
struct derived {
    struct base base;
    double value[5];
};

static struct node *head;
static struct leaf *table[16];
static struct owner *global_owner;
struct link links; /* for all to see, so that nothing of it is left out */
static long sum;

#define APART __attribute__((noinline))
#define USE(pointer) __asm__ volatile("" ::"r"(pointer) : "memory")

APART void *get(size_t bytes)
{
    void *block = malloc(bytes);

    if (block == NULL)
        abort();
    return block;
}

/* ------------------------------------------------------------------------------------------ what is known */

APART void node_local(void)
{
    struct node *node = malloc(sizeof *node);

    if (node == NULL)
        return;
    node->key = 1;
    sum += node->key;
    USE(node);
}

APART struct leaf *leaf_returned(void)
{
    return malloc(sizeof(struct leaf));
}

APART void node_member(struct owner *owner)
{
    owner->first = malloc(sizeof *owner->first);
}

APART void leaf_member_array(struct owner *owner, int i)
{
    owner->leaves[i] = malloc(sizeof(struct leaf));
}

APART void leaf_member_of_member(struct owner *owner)
{
    owner->vector.data = malloc(10 * sizeof *owner->vector.data);
    owner->vector.count = 10;
}

APART void leaf_behind_member(struct owner *owner)
{
    owner->other->data = malloc(11 * sizeof(struct leaf));
}

APART void owner_global(void)
{
    global_owner = malloc(sizeof *global_owner);
}

APART void leaf_global_array(int i)
{
    table[i] = malloc(sizeof(struct leaf));
}

APART int node_by_reference(struct node **out)
{
    struct node *node = malloc(sizeof *node);

    if (node == NULL)
        return -1;
    memset(node, 0, sizeof *node);
    *out = node;
    return 0;
}

static inline struct node *node_inlined(long key, struct node *next)
{
    struct node *node = malloc(sizeof *node);

    if (node != NULL) {
        node->key = key;
        node->next = next;
    }
    return node;
}

APART void push(struct vector *vector, struct leaf *leaf)
{
    vector->count += leaf != NULL;
    USE(leaf);
}

APART void leaf_argument(struct vector *vector)
{
    push(vector, malloc(sizeof(struct leaf)));
}

APART void leaf_grown(struct vector *vector)
{
    if (vector->count == vector->room) {
        vector->room = vector->room ? 2 * vector->room : 4;
        vector->data = realloc(vector->data, vector->room * sizeof *vector->data);
    }
    vector->count++;
}

APART struct node *node_wrapped(void)
{
    struct node *node = get(sizeof *node);

    node->next = NULL;
    return node;
}

APART struct leaf *leaf_wrapped(void)
{
    return get(sizeof(struct leaf));
}

APART void node_at_end(void)
{
    struct node **end = &head;

    while (*end != NULL)
        end = &(*end)->next;
    *end = malloc(sizeof **end);
    if (*end != NULL)
        (*end)->next = NULL;
}

APART struct leaf **leaf_rows(int count, struct leaf **rows)
{
    for (int i = 0; i < count; i++)
        rows[i] = malloc(7 * sizeof *rows[i]);
    return rows;
}

APART struct leaf *leaf_perhaps(int wanted, struct leaf *old)
{
    struct leaf *leaf = wanted ? malloc(sizeof *leaf) : old;

    if (leaf != NULL)
        leaf->a = wanted;
    return leaf;
}

/* Both pointers are to its beginning: the wider one is what it is. */
APART struct base *derived_made(void)
{
    struct derived *derived = malloc(sizeof *derived);
    struct base *base = (struct base *)derived;

    if (base == NULL)
        return NULL;
    base->kind = 3;
    derived->value[2] = 1.5;
    return base;
}

/* ------------------------------------------------------------------------------------------ what is not */

APART void none_bytes(void)
{
    char *text = malloc(100);

    USE(text);
}

APART void none_void(struct vector *vector)
{
    vector->any = malloc(200);
}

APART void none_inside(void)
{
    links.next = &((struct item *)malloc(sizeof(struct item)))->link;
}

APART void none_agreed(void)
{
    void *block = malloc(240);
    struct leaf *leaf = block;
    struct node *node = block;

    if (block == NULL)
        return;
    leaf->b = 2;
    USE(leaf);
    node->key = 3;
    USE(node);
}

int main(void)
{
    struct vector vector = {0}, grown = {0};
    struct owner owner = {.other = &vector};
    struct leaf *rows[3];
    struct node *node = NULL;

    node_local();
    USE(leaf_returned());
    node_member(&owner);
    leaf_member_array(&owner, 3);
    leaf_member_of_member(&owner);
    leaf_behind_member(&owner);
    owner_global();
    leaf_global_array(2);
    sum += node_by_reference(&node);
    for (int i = 0; i < 3; i++)
        head = node_inlined(i, head);
    leaf_argument(&vector);
    for (int i = 0; i < 9; i++)
        leaf_grown(&grown);
    USE(node_wrapped());
    USE(leaf_wrapped());
    node_at_end();
    USE(leaf_rows(3, rows));
    USE(leaf_perhaps(1, NULL));
    USE(derived_made());
    none_bytes();
    none_void(&vector);
    none_inside();
    none_agreed();
    USE(&owner);
    USE(node);
    return sum == -1;
}
