/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads whose addresses come from other loads, in a function each: tests/cli/chains.py says which. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 20000, BUCKETS = 4096, LARGE = 1 << 17 };

struct node {
    struct node *next;
    long value, pad[6];
};
struct tree {
    long key;
    struct tree *left, *right;
    long pad[5];
};
struct trie {
    struct trie *child[4];
    long pad[4];
};
struct entry {
    struct entry *next;
    long key, value, pad;
};

static unsigned long seed = 1;

static unsigned random_number(void)
{
    seed = seed * 6364136223846793005ul + 1;
    return (unsigned)(seed >> 33);
}

#define APART __attribute__((noinline, noclone))

APART static long list(const struct node *node)
{
    long sum = 0;
    for (; node; node = node->next)
        sum += node->value;
    return sum;
}

APART static long search(const struct tree *tree, long key)
{
    long depth = 0;
    for (; tree && tree->key != key; depth++)
        tree = key < tree->key ? tree->left : tree->right;
    return depth;
}

APART static long digits(const struct trie *trie, unsigned key)
{
    long depth = 0;
    for (; trie; depth++, key /= 4)
        trie = trie->child[key % 4];
    return depth;
}

APART static long indices(const unsigned *next, unsigned at)
{
    long steps = 0;
    for (; at != 1; steps++)
        at = next[at];
    return steps;
}

APART static long recursive(const struct tree *tree)
{
    return tree ? tree->key + recursive(tree->left) + recursive(tree->right) : 0;
}

APART static long bucket(struct entry *const *table, long key)
{
    const struct entry *entry = table[key % BUCKETS];
    while (entry && entry->key != key)
        entry = entry->next;
    return entry ? entry->value : 0;
}

APART static long gather(const long *from, const unsigned *index, int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += from[index[i]];
    return sum;
}

APART static long straight(const long *from, int count)
{
    long sum = 0;
    for (int i = 0; i < count; i += 8)
        sum += from[i];
    return sum;
}

/* A list whose pointer is in rbp, where functions with a frame have the address of that. */
APART static long list_in_rbp(const struct node *node)
{
    long sum = 0;
    __asm__("mov %%rbp, %%r8\n\tmov %1, %%rbp\n"
            "1:\tadd 8(%%rbp), %0\n\tmov (%%rbp), %%rbp\n\ttest %%rbp, %%rbp\n\tjnz 1b\n\tmov %%r8, %%rbp"
            : "+a"(sum) : "S"(node) : "r8", "cc", "memory");
    return sum;
}

/* Searches that choose by flags and by vector registers, without a pointer. */
APART static long halves(const long *from, long count, long key)
{
    for (; count > 1; count -= count / 2) {
        const long *middle = from + count / 2;
        __asm__("cmpq (%2), %1\n\tcmovgeq %2, %0" : "+r"(from) : "r"(key), "r"(middle) : "cc", "memory");
    }
    return *from;
}

APART static long real_halves(const double *from, long count, double key)
{
    for (; count > 1; count -= count / 2) {
        long half = count / 2, step = 0;
        __asm__("movsd (%1,%2,8), %%xmm7\n\tcmplesd %3, %%xmm7\n\tmovq %%xmm7, %0"
                : "=r"(step) : "r"(from), "r"(half), "x"(key) : "xmm7", "memory");
        from += half & step;
    }
    return (long)*from;
}

/* What memcpy may be: rsi and rdi go on, which is no chain. */
APART static long copy(char *to, const char *from, size_t size)
{
    for (int i = 0; i < 3; i++) {
        char *destination = to;
        const char *source = from;
        size_t left = size;
        __asm__ volatile("rep movsb" : "+D"(destination), "+S"(source), "+c"(left) : : "memory");
    }
    return to[size / 2];
}

int main(void)
{
    static struct node *order[COUNT];
    static struct entry *table[BUCKETS];
    static unsigned index[COUNT], next[LARGE];
    static struct trie trie;
    static double reals[LARGE];
    unsigned last = 1;
    struct node *head = NULL;
    struct tree *root = NULL;
    long *array = calloc(LARGE, sizeof *array), sum = 0;

    for (int i = 0; i < COUNT; i++) {
        int other = (int)(random_number() % (unsigned)(i + 1));
        order[i] = order[other];
        order[other] = calloc(1, sizeof **order);
        index[i] = random_number() % LARGE;
    }
    for (int i = 0; i < COUNT; i++) {
        struct entry *entry = calloc(1, sizeof *entry);
        struct tree **place = &root;
        order[i]->value = i;
        order[i]->next = head;
        head = order[i];
        entry->key = random_number() % (4 * COUNT);
        entry->next = table[entry->key % BUCKETS];
        table[entry->key % BUCKETS] = entry;
        while (*place)
            place = entry->key < (*place)->key ? &(*place)->left : &(*place)->right;
        *place = calloc(1, sizeof **place);
        (*place)->key = entry->key;
    }
    for (int i = 0; i < COUNT; i++) {
        struct trie *at = &trie;
        for (unsigned key = random_number() % COUNT; key; key /= 4) {
            if (!at->child[key % 4])
                at->child[key % 4] = calloc(1, sizeof *at);
            at = at->child[key % 4];
        }
        if (!next[index[i]] && index[i] != 1) {
            next[index[i]] = last;
            last = index[i];
        }
    }
    sum += indices(next, last);
    for (int i = 0; i < COUNT; i++) {
        sum += digits(&trie, random_number() % COUNT);
        sum += bucket(table, random_number() % (4 * COUNT));
        sum += search(root, random_number() % (4 * COUNT));
    }
    sum += list(head) + list_in_rbp(head) + recursive(root) + gather(array, index, COUNT) + straight(array, LARGE);
    sum += copy((char *)array, (char *)array + LARGE * sizeof *array / 2, LARGE * sizeof *array / 2);
    for (int i = 0; i < LARGE; i++) {
        array[i] = i;
        reals[i] = i;
    }
    for (int i = 0; i < COUNT; i++)
        sum += halves(array, LARGE, random_number() % LARGE) + real_halves(reals, LARGE, random_number() % LARGE);
    printf("%ld\n", sum);
    return 0;
}
