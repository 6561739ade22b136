/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lastlevel.h: the last level, and the consumer of the miss queue.
 *
 * Nothing upstream depends on the last level, so its look-ups wait in the queue and are done in batches. The
 * consumer charges all late costs: level-1 misses, use of level-1 tenures that end, last-level misses, and
 * tenure records. A record is one stay of a line in the last level: it outlives the stay while a level-1 way
 * filled from it is resident, collects the use of all of these, and is charged when the last of them is gone.
 *
 *   set s: tags[s * assoc ..], most recently used first; tag = (line number + 1) << slot_bits | slot, 0: empty
 *   records[s * assoc + slot]: the record of that slot, 0: none
 *   record.holders = number of level-1 stays with stay.record == record
 *   a record is live while resident or holders > 0
 */
#ifndef TENURE_CORE_LASTLEVEL_H
#define TENURE_CORE_LASTLEVEL_H

#include "arena.h"
#include "cache.h"
#include "cost.h"

#include <stdbool.h>
#include <stdint.h>

enum { TN_QUEUE = 256 };

struct tn_record {
    struct tn_node *node;
    uint64_t loaded, touches, bytes, mask;
    uint32_t thread, instr, epoch, holders;
    uint8_t stream;
    bool resident;
};

struct tn_ll {
    uint64_t sets, set_mask, mask_valid;
    uint32_t assoc, line, line_bits, slot_bits, granule_bits;
    uint64_t *tags;
    uint32_t *slots;           /* records by set and slot */
    struct tn_array records;   /* struct tn_record, id from 1 */
    uint32_t free;             /* list of unused records, through holders */
    uint64_t live, live_max;
    bool access_missed;        /* an earlier line of the same access missed here */
};

void tn_ll_init(struct tn_ll *ll, const struct tn_geometry *geometry);
void tn_ll_free(struct tn_ll *ll);

/* Consume the core's queue. */
void tn_ll_drain(tn_core *core);

/* End all tenures (after the level-1 caches were flushed); the cache is empty then. */
void tn_ll_flush(tn_core *core, uint64_t now);

size_t tn_ll_bytes(const struct tn_ll *ll);

#endif
