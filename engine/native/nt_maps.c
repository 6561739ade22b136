/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_maps.c: see nt_maps.h. */
#include "nt_maps.h"

#include <linux/mman.h>

#include "nt_lib.h"
#include "nt_region.h"

enum { MOST = 1 << 18 }; /* room for them is taken page by page, as it is used */

struct range {
    uint64_t start, end;
};

struct nt_lock nt_maps_lock;
static struct range *ranges;
static size_t count;

/* The first range that ends behind `at`. */
static size_t first_behind(uint64_t at)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (ranges[middle].end > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void open_gap(size_t at)
{
    if (ranges == NULL)
        ranges = nt_region_pages(MOST * sizeof *ranges, PROT_READ | PROT_WRITE);
    if (count == MOST)
        nt_die(125, "too many pieces of executable memory\n");
    memmove(&ranges[at + 1], &ranges[at], (count - at) * sizeof *ranges);
    count++;
}

static void close_gap(size_t at)
{
    count--;
    memmove(&ranges[at], &ranges[at + 1], (count - at) * sizeof *ranges);
}

/* Take [start, end) out of all ranges; returns where it would have to be put in. */
static size_t cut(uint64_t start, uint64_t end)
{
    size_t at = first_behind(start);

    if (at < count && ranges[at].start < start) {
        uint64_t old_end = ranges[at].end;

        ranges[at].end = start;
        at++;
        if (old_end > end) {
            open_gap(at);
            ranges[at] = (struct range){end, old_end};
            return at;
        }
    }
    while (at < count && ranges[at].end <= end)
        close_gap(at);
    if (at < count && ranges[at].start < end)
        ranges[at].start = end;
    return at;
}

static void add(size_t at, uint64_t start, uint64_t end)
{
    if (at > 0 && ranges[at - 1].end == start) {
        ranges[at - 1].end = end;
        if (at < count && ranges[at].start == end) {
            ranges[at - 1].end = ranges[at].end;
            close_gap(at);
        }
    } else if (at < count && ranges[at].start == end) {
        ranges[at].start = start;
    } else {
        open_gap(at);
        ranges[at] = (struct range){start, end};
    }
}

void nt_maps_set(uint64_t start, uint64_t end, bool is_executable)
{
    size_t at;

    if (start >= end)
        return;
    nt_lock_take(&nt_maps_lock);
    at = cut(start, end);
    if (is_executable)
        add(at, start, end);
    nt_lock_give(&nt_maps_lock);
}

size_t nt_maps_reach(uint64_t at, size_t bytes)
{
    size_t i, reach = 0;

    nt_lock_take(&nt_maps_lock);
    i = first_behind(at);
    if (i < count && ranges[i].start <= at)
        reach = ranges[i].end - at;
    nt_lock_give(&nt_maps_lock);
    return reach < bytes ? reach : bytes;
}

bool nt_maps_meets(uint64_t start, uint64_t end)
{
    size_t i;
    bool meets;

    nt_lock_take(&nt_maps_lock);
    i = first_behind(start);
    meets = i < count && ranges[i].start < end;
    nt_lock_give(&nt_maps_lock);
    return meets;
}
