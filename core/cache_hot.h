/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_hot.h: the hot path in C: what an engine emits as code for each access.
 *
 * The way table says where in the cache the line was last. With x = address - way.line, the one comparison
 * x > line size - size catches both "another line" and "straddles two lines". On a hit only words
 * of the way change: use, mask and stamp, and with write-backs the one that says what is written. No call is made,
 * no set is searched. Where D1s are kept coherent, a write compares with a word of its own, which is the line only
 * where no other thread has it.
 *
 * Where sets are sampled, an access that touches no line which is simulated is left out before anything else.
 *
 * Engines emit the same; tests and rarely used paths call these functions. `use` is tn_config.use.
 */
#ifndef TENURE_CORE_CACHE_HOT_H
#define TENURE_CORE_CACHE_HOT_H

#include "tenure_core.h"

/* `table`: the offset of the way table from the thread base. */
static inline struct tn_way *tn_hot_way_in(struct tn_thread *thread, const struct tn_l1_layout *layout, uint32_t table,
                                           uint64_t address)
{
    const uint16_t *elements = (const uint16_t *)((char *)thread + table);
    uint64_t offset = elements[address >> layout->line_bits & layout->table_mask];
    return (struct tn_way *)((char *)thread + layout->origin + offset * 8);
}

/* Where `words`, which has one word for each way, would begin if it had one for each offset of the way table that is a
 * multiple of a way's: for who adds twice such an offset. */
static inline uint32_t tn_hot_words(const struct tn_l1_layout *layout, uint32_t words)
{
    return words - (layout->ways - layout->origin) / (sizeof(struct tn_way) / sizeof(uint64_t));
}

static inline struct tn_way *tn_hot_way(struct tn_thread *thread, const struct tn_l1_layout *layout,
                                        uint64_t address)
{
    return tn_hot_way_in(thread, layout, layout->table, address);
}

/* The granules that `size` bytes from `address` on touch in the line of `address`. Bits past the line stay
 * inside the word and are ignored, or fall out of it. 1 <= size <= line. */
static inline uint64_t tn_hot_mask(const struct tn_l1_layout *layout, uint64_t address, uint32_t size)
{
    uint64_t low = address & ((1ull << layout->line_bits) - 1);
    if (layout->granule_bits == 0)
        return ~0ull >> (64 - size) << low;
    uint64_t first = low >> layout->granule_bits;
    uint64_t granules = (((low & ((1ull << layout->granule_bits) - 1)) + size - 1) >> layout->granule_bits) + 1;
    if (granules > 64) /* a straddling access, long granules */
        granules = 64;
    return (~0ull >> (64 - granules)) << first;
}

/* Whether any line of `size` bytes from `address` on is simulated; of an access that is longer than a line it may be
 * true where none is. */
static inline bool tn_hot_sampled(const struct tn_layout *layout, uint64_t address, uint32_t size)
{
    return tn_is_sampled(layout, address) || tn_is_sampled(layout, address + size - 1) ||
           size > 1u << layout->d1.line_bits;
}

/* The line that an access must find in the way that the way table leads to. */
static inline uint64_t tn_hot_line(const struct tn_thread *thread, const struct tn_l1_layout *d1,
                                   const struct tn_way *way, bool writes)
{
    const struct tn_way *ways = (const struct tn_way *)((const char *)thread + d1->ways);
    const uint64_t *exclusive = (const uint64_t *)((const char *)thread + d1->exclusive);
    return writes && d1->exclusive ? exclusive[way - ways] : way->line;
}

/* A data access: `id` and `table` from tn_access_now, with its size and back; `writes`: of any kind but TN_READ. */
static inline void tn_hot_data_in(struct tn_thread *thread, const struct tn_layout *layout, uint32_t table,
                                  uint64_t address, uint32_t id, uint32_t size, uint32_t back, bool writes, bool use)
{
    const struct tn_l1_layout *d1 = &layout->d1;
    uint64_t line = 1ull << d1->line_bits;
    if (!tn_hot_sampled(layout, address, size))
        return;
    if (size > line) {
        tn_whole_data(thread, address, id);
        return;
    }
    struct tn_way *way = tn_hot_way_in(thread, d1, table, address);
    if (address - tn_hot_line(thread, d1, way, writes) > line - size) {
        tn_slow_data(thread, address, id);
        way = tn_hot_way_in(thread, d1, table, address);
    }
    if (use) {
        way->use += 1 | (uint64_t)size << TN_TOUCH_BITS;
        way->mask |= tn_hot_mask(d1, address, size);
    }
    way->stamp = thread->clock - back;
}

/* The same in the first table: `id` from tn_access. */
static inline void tn_hot_data(struct tn_thread *thread, const struct tn_layout *layout, uint64_t address,
                               uint32_t id, uint32_t size, uint32_t back, bool writes, bool use)
{
    tn_hot_data_in(thread, layout, layout->d1.table, address, id, size, back, writes, use);
}

/* Behind tn_hot_data_in, for a write or a modify, where layout->d1.written says so. */
static inline void tn_hot_written_in(struct tn_thread *thread, const struct tn_layout *layout, uint32_t table,
                                     uint64_t address, uint32_t size)
{
    const struct tn_l1_layout *d1 = &layout->d1;
    if (size > 1ull << d1->line_bits || !tn_hot_sampled(layout, address, size)) /* tn_whole_data has seen to it */
        return;
    const struct tn_way *ways = (const struct tn_way *)((char *)thread + d1->ways);
    uint64_t *written = (uint64_t *)((char *)thread + d1->written);
    written[tn_hot_way_in(thread, d1, table, address) - ways] |= tn_hot_mask(d1, address, size);
}

/* A fetch run: `id` from tn_fetch with `info`. */
static inline void tn_hot_fetch(struct tn_thread *thread, const struct tn_layout *layout, uint32_t id,
                                const struct tn_fetch_info *info, bool use)
{
    struct tn_way *way = tn_hot_way(thread, &layout->i1, info->line);
    if (!tn_is_sampled(layout, info->line))
        return;
    if (way->line != info->line) {
        tn_slow_fetch(thread, id);
        way = tn_hot_way(thread, &layout->i1, info->line);
    }
    if (use) {
        way->use += tn_fetch_use(info);
        way->mask |= info->mask;
    }
    way->stamp = thread->clock - tn_fetch_stamp_back(info);
}

#endif
