/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_maps.c: see nt_maps.h. */
#include "nt_maps.h"

#include <linux/mman.h>

#include "engine/native/base/nt_lib.h"
#include "nt_region.h"

enum {
    MOST = 1 << 18, /* room for them is taken page by page, as it is used */
    OFTEN = 64,     /* stores to a page that was guarded */
    COUNTED = 256,  /* pages of which these are counted at the same time */
};

struct range {
    uint64_t start, end;
};

struct set {
    struct range *ranges;
    size_t count;
};

struct nt_lock nt_maps_lock;
static struct set executable, writable, guarded; /* the second and third within the first */
static struct set shared, sealed; /* what is sealed was shared when it was */
static struct {
    uint64_t page;
    unsigned stores;
} counted[COUNTED];

/* The first range that ends behind `at`. */
static size_t first_behind(const struct set *set, uint64_t at)
{
    size_t low = 0, high = set->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (set->ranges[middle].end > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void open_gap(struct set *set, size_t at)
{
    if (set->ranges == NULL)
        set->ranges = nt_region_pages(MOST * sizeof *set->ranges, PROT_READ | PROT_WRITE);
    if (set->count == MOST)
        nt_die(125, "too many pieces of executable or shared memory\n");
    memmove(&set->ranges[at + 1], &set->ranges[at], (set->count - at) * sizeof *set->ranges);
    set->count++;
}

static void close_gap(struct set *set, size_t at)
{
    set->count--;
    memmove(&set->ranges[at], &set->ranges[at + 1], (set->count - at) * sizeof *set->ranges);
}

/* Take [start, end) out of all ranges; returns where it would have to be put in. */
static size_t maps_cut(struct set *set, uint64_t start, uint64_t end)
{
    size_t at = first_behind(set, start);

    if (at < set->count && set->ranges[at].start < start) {
        uint64_t old_end = set->ranges[at].end;

        set->ranges[at].end = start;
        at++;
        if (old_end > end) {
            open_gap(set, at);
            set->ranges[at] = (struct range){end, old_end};
            return at;
        }
    }
    while (at < set->count && set->ranges[at].end <= end)
        close_gap(set, at);
    if (at < set->count && set->ranges[at].start < end)
        set->ranges[at].start = end;
    return at;
}

static void maps_add(struct set *set, size_t at, uint64_t start, uint64_t end)
{
    if (at > 0 && set->ranges[at - 1].end == start) {
        set->ranges[at - 1].end = end;
        if (at < set->count && set->ranges[at].start == end) {
            set->ranges[at - 1].end = set->ranges[at].end;
            close_gap(set, at);
        }
    } else if (at < set->count && set->ranges[at].start == end) {
        set->ranges[at].start = start;
    } else {
        open_gap(set, at);
        set->ranges[at] = (struct range){start, end};
    }
}

static void set_range(struct set *set, uint64_t start, uint64_t end, bool is_in)
{
    size_t at = maps_cut(set, start, end);

    if (is_in)
        maps_add(set, at, start, end);
}

static bool meets(const struct set *set, uint64_t start, uint64_t end)
{
    size_t i = first_behind(set, start);

    return i < set->count && set->ranges[i].start < end;
}

void nt_maps_set(uint64_t start, uint64_t end, bool is_executable, bool is_writable)
{
    if (start >= end)
        return;
    nt_lock_take(&nt_maps_lock);
    set_range(&executable, start, end, is_executable);
    set_range(&writable, start, end, is_executable && is_writable);
    set_range(&guarded, start, end, false);
    nt_lock_give(&nt_maps_lock);
}

void nt_maps_share(uint64_t start, uint64_t end, bool is_shared)
{
    if (start >= end)
        return;
    nt_lock_take(&nt_maps_lock);
    if (is_shared || meets(&shared, start, end))
        set_range(&shared, start, end, is_shared);
    if (meets(&sealed, start, end))
        set_range(&sealed, start, end, false);
    nt_lock_give(&nt_maps_lock);
}

static void maps_seal(uint64_t start, uint64_t end)
{
    for (size_t i = first_behind(&writable, start); i < writable.count && writable.ranges[i].start < end; i++) {
        struct range range = writable.ranges[i];
        range.start = range.start > start ? range.start : start;
        range.end = range.end < end ? range.end : end;
        set_range(&shared, range.start, range.end, true);
        set_range(&sealed, range.start, range.end, true);
    }
}

void nt_maps_seal(uint64_t start, uint64_t end)
{
    nt_lock_take(&nt_maps_lock);
    maps_seal(start, end);
    nt_lock_give(&nt_maps_lock);
}

static bool meets_locked(const struct set *set, uint64_t start, uint64_t end)
{
    nt_lock_take(&nt_maps_lock);
    bool is_met = meets(set, start, end);
    nt_lock_give(&nt_maps_lock);
    return is_met;
}

bool nt_maps_shared(uint64_t start, uint64_t end)
{
    return meets_locked(&shared, start, end);
}

bool nt_maps_sealed(uint64_t start, uint64_t end)
{
    return meets_locked(&sealed, start, end);
}

size_t nt_maps_reach(uint64_t at, size_t bytes)
{
    size_t i, reach = 0;

    nt_lock_take(&nt_maps_lock);
    i = first_behind(&executable, at);
    if (i < executable.count && executable.ranges[i].start <= at)
        reach = executable.ranges[i].end - at;
    nt_lock_give(&nt_maps_lock);
    return reach < bytes ? reach : bytes;
}

bool nt_maps_meets(uint64_t start, uint64_t end)
{
    return meets_locked(&executable, start, end);
}

/* ------------------------------------------------------------------------------------------------ guarding */

static void maps_protect(uint64_t page, int protection)
{
    nt_sys3(__NR_mprotect, (long)page, (long)NT_PAGE, protection);
}

void nt_maps_guard(uint64_t start, uint64_t end)
{
    nt_lock_take(&nt_maps_lock);
    for (uint64_t page = NT_DOWN(start, NT_PAGE); start < end && page < end; page += NT_PAGE) {
        if (meets(&writable, page, page + 1) && !meets(&guarded, page, page + 1) && !meets(&sealed, page, page + 1)) {
            maps_protect(page, PROT_READ | PROT_EXEC);
            set_range(&guarded, page, page + NT_PAGE, true);
        }
    }
    nt_lock_give(&nt_maps_lock);
}

bool nt_maps_unguard(uint64_t at)
{
    uint64_t page = NT_DOWN(at, NT_PAGE);

    nt_lock_take(&nt_maps_lock);
    bool is_writable = meets(&writable, page, page + 1);
    if (meets(&guarded, page, page + 1)) {
        maps_protect(page, PROT_READ | PROT_WRITE | PROT_EXEC);
        set_range(&guarded, page, page + NT_PAGE, false);
    }
    nt_lock_give(&nt_maps_lock);
    return is_writable;
}

bool nt_maps_stored(uint64_t at)
{
    uint64_t page = NT_DOWN(at, NT_PAGE), place = page / NT_PAGE % COUNTED;

    if (!nt_maps_unguard(at))
        return false;
    nt_lock_take(&nt_maps_lock);
    if (counted[place].page != page) {
        counted[place].page = page;
        counted[place].stores = 0;
    }
    if (++counted[place].stores == OFTEN)
        maps_seal(page, page + NT_PAGE);
    nt_lock_give(&nt_maps_lock);
    return true;
}

uint64_t nt_maps_guarded(uint64_t start, uint64_t end)
{
    uint64_t page = 0;

    nt_lock_take(&nt_maps_lock);
    size_t i = first_behind(&guarded, start);
    if (i < guarded.count && guarded.ranges[i].start < end)
        page = guarded.ranges[i].start > start ? guarded.ranges[i].start : NT_DOWN(start, NT_PAGE);
    nt_lock_give(&nt_maps_lock);
    return page;
}
