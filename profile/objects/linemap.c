/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linemap.c: the greedy algorithm of Myers (An O(ND) difference algorithm and its variations, 1986).
 *
 * On diagonal k = x - y lies, for each number d of differences, the furthest point that can be reached; going back from
 * the end through what was kept for each d gives the equal lines. Equal beginnings and ends are taken off before.
 */
#include "profile/objects/linemap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/mem.h"

enum { MOST_DIFFERENCES = 3000 }; /* what is kept is as many squared */

struct line {
    const char *text;
    size_t length;
    uint64_t hash;
};
typedef TP_VECTOR(struct line) lines;

static int split(lines *to, const char *text)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        uint64_t hash = 14695981039346656037u;
        for (length = 0; text[length] && text[length] != '\n'; length++)
            hash = (hash ^ (unsigned char)text[length]) * 1099511628211u;
        if (!TP_VECTOR_PUSH(to, (struct line){text, length, hash}))
            return -1;
    }
    return 0;
}

static bool same(const lines *a, size_t i, const lines *b, size_t k)
{
    const struct line *x = &a->at[i], *y = &b->at[k];

    return x->hash == y->hash && x->length == y->length && memcmp(x->text, y->text, x->length) == 0;
}

struct middle {
    const lines *a, *b;
    size_t begin, a_count, b_count; /* lines from `begin` on, of both */
    int32_t **kept;                 /* by d: the furthest x by diagonal, from -d to d */
    uint32_t *to;
};

/* The furthest x on diagonal k with d differences, from those with d - 1. */
static int32_t linemap_step(const struct middle *m, int32_t d, int32_t k)
{
    const int32_t *before = d ? m->kept[d - 1] + (d - 1) : NULL;
    int32_t x = !d ? 0 : k == -d || (k != d && before[k - 1] < before[k + 1]) ? before[k + 1] : before[k - 1] + 1;

    while (x < (int32_t)m->a_count && x - k < (int32_t)m->b_count && x >= 0 && x - k >= 0 &&
           same(m->a, m->begin + (size_t)x, m->b, m->begin + (size_t)(x - k)))
        x++;
    return x;
}

/* Back from the end along what was kept. */
static void trace(const struct middle *m, int32_t d)
{
    int32_t x = (int32_t)m->a_count, y = (int32_t)m->b_count;

    for (; d >= 0; d--) {
        const int32_t *before = d ? m->kept[d - 1] + (d - 1) : NULL;
        int32_t k = x - y, from = 0, from_k = 0;
        if (d) {
            from_k = k == -d || (k != d && before[k - 1] < before[k + 1]) ? k + 1 : k - 1;
            from = before[from_k];
        }
        while (x > from && y > from - from_k && x > 0 && y > 0 &&
               (!d || x > from + (from_k < k))) {
            x--;
            y--;
            m->to[m->begin + (size_t)x + 1] = (uint32_t)(m->begin + (size_t)y + 1);
        }
        x = from;
        y = from - from_k;
    }
}

/* The lines between equal beginnings and ends. */
static int match_middle(struct middle *m)
{
    int32_t most = MOST_DIFFERENCES;
    bool done = false, failed = false;

    if (m->a_count > INT32_MAX / 2 || m->b_count > INT32_MAX / 2)
        return 0;
    m->kept = calloc((size_t)most + 1, sizeof *m->kept);
    if (!m->kept)
        return -1;
    for (int32_t d = 0; !done && !failed && d <= most; d++) {
        int32_t *row = m->kept[d] = calloc(2 * (size_t)d + 1, sizeof *row);
        failed = !row;
        for (int32_t k = -d; row && k <= d && !done; k += 2) {
            int32_t x = row[d + k] = linemap_step(m, d, k);
            done = x >= (int32_t)m->a_count && x - k >= (int32_t)m->b_count;
        }
        if (done)
            trace(m, d);
    }
    for (int32_t i = 0; i <= most; i++)
        free(m->kept[i]);
    free(m->kept);
    return failed ? -1 : 0;
}

int tp_linemap_make(struct tp_linemap *map, const char *old, const char *new)
{
    lines a = {0}, b = {0};
    int failed = split(&a, old) || split(&b, new) ? -1 : 0;

    map->count = a.count + 1;
    map->to = failed ? NULL : calloc(map->count, sizeof *map->to);
    failed = map->to ? 0 : -1;
    if (!failed) {
        struct middle m = {.a = &a, .b = &b, .to = map->to};
        size_t end = 0, least = a.count < b.count ? a.count : b.count;
        for (; m.begin < least && same(&a, m.begin, &b, m.begin); m.begin++)
            map->to[m.begin + 1] = (uint32_t)m.begin + 1;
        for (; end < least - m.begin && same(&a, a.count - 1 - end, &b, b.count - 1 - end); end++)
            map->to[a.count - end] = (uint32_t)(b.count - end);
        m.a_count = a.count - m.begin - end;
        m.b_count = b.count - m.begin - end;
        failed = match_middle(&m);
    }
    TP_VECTOR_FREE(&a);
    TP_VECTOR_FREE(&b);
    if (failed)
        tp_linemap_free(map);
    return failed;
}

void tp_linemap_free(struct tp_linemap *map)
{
    free(map->to);
    *map = (struct tp_linemap){0};
}
