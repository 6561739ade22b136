/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern.c: strides and sets of a payer's misses; see pattern.h.
 *
 * Misra and Gries: a stride that is kept is counted; a new one takes a free place; where none is free, all counts are
 * lowered by one, which says of each of them, and of the new one, that one more was lost.
 */
#include "pattern.h"

#include "core/host.h"

#include <string.h>

struct tn_patterns *tn_patterns_new(void)
{
    struct tn_patterns *patterns = tn_host_alloc(sizeof *patterns);
    tn_array_init(&patterns->numbers, sizeof(uint32_t));
    tn_slots_init(&patterns->list, sizeof(struct tn_pattern));
    tn_slots_init(&patterns->sets, TN_SET_COUNTS * sizeof(uint64_t));
    return patterns;
}

void tn_patterns_free(struct tn_patterns *patterns)
{
    if (!patterns)
        return;
    tn_array_free(&patterns->numbers);
    tn_slots_free(&patterns->list);
    tn_slots_free(&patterns->sets);
    tn_host_free(patterns, sizeof *patterns);
}

size_t tn_patterns_bytes(const struct tn_patterns *patterns)
{
    return tn_array_bytes(&patterns->numbers) + tn_array_bytes(&patterns->list.array) +
           tn_array_bytes(&patterns->sets.array);
}

struct tn_pattern *tn_pattern_make(struct tn_patterns *patterns, const struct tn_late *late)
{
    uint32_t *number = tn_array_force(&patterns->numbers, late->near);
    *number = tn_slots_get(&patterns->list);
    return tn_pattern_at(patterns, *number);
}

/* ------------------------------------------------------------------------------------------ counting */

void tn_stride_other(struct tn_pattern *pattern, int64_t bytes)
{
    struct tn_stride *empty = NULL;
    for (uint32_t i = 0; i < TN_STRIDES; i++) {
        struct tn_stride *kept = &pattern->kept[i];
        if (kept->count && kept->bytes == bytes) {
            kept->count++;
            if (kept->count > pattern->kept[0].count) { /* it will be asked for first */
                struct tn_stride most = *kept;
                *kept = pattern->kept[0];
                pattern->kept[0] = most;
            }
            return;
        }
        empty = !kept->count && !empty ? kept : empty;
    }
    if (empty) {
        *empty = (struct tn_stride){bytes, 1};
        return;
    }
    pattern->lost++;
    for (uint32_t i = 0; i < TN_STRIDES; i++)
        pattern->kept[i].count--;
}

void tn_pattern_conflict(struct tn_patterns *patterns, const struct tn_late *late, enum tn_level level, uint64_t set)
{
    struct tn_pattern *pattern = tn_pattern_of(patterns, late);
    if (!pattern->sets[level])
        pattern->sets[level] = tn_slots_get(&patterns->sets);
    uint64_t *counts = tn_slots_at(&patterns->sets, pattern->sets[level]);
    counts[set % TN_SET_COUNTS]++;
}

/* ------------------------------------------------------------------------------------------ reading */

const uint64_t *tn_pattern_sets(const struct tn_patterns *patterns, const struct tn_pattern *pattern,
                                enum tn_level level)
{
    return pattern->sets[level] ? tn_slots_at(&patterns->sets, pattern->sets[level]) : NULL;
}

void tn_pattern_clear(const struct tn_patterns *patterns, const struct tn_late *late)
{
    struct tn_pattern *pattern = tn_pattern_known(patterns, late);
    if (!pattern)
        return;
    pattern->strides = pattern->covered = pattern->far = pattern->lost = 0;
    memset(pattern->kept, 0, sizeof pattern->kept);
    for (enum tn_level level = 0; level < TN_LEVELS; level++) {
        if (pattern->sets[level])
            memset(tn_slots_at(&patterns->sets, pattern->sets[level]), 0, TN_SET_COUNTS * sizeof(uint64_t));
    }
}
