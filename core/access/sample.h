/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample.h: which lines are simulated where one set in N is (docs/model.md, section 17).
 *
 * A *class* is what six bits of an address say, or fewer, which are in the number of the set in every cache: all lines
 * of a set are of one class. Some classes are sampled, and level 1 simulates all their sets. If these are more than one
 * in N, the levels below simulate of their sets one *part*, which further bits of the address say; a line of another
 * part is in level 1 and counts nowhere. A seed decides which classes and parts these are.
 *
 * What is sampled is counted in groups of classes, whose differences say how far the sum may be off.
 */
#ifndef TENURE_CORE_SAMPLE_H
#define TENURE_CORE_SAMPLE_H

#include "core/tenure_core.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_sample {
    uint32_t groups;              /* 1: everything is simulated, and no other member is looked at */
    uint32_t class_bits;          /* the lowest of the bits */
    uint64_t part_mask;           /* of an address; 0: there is one part */
    uint64_t part[TN_CLASSES];    /* of a class: the masked bits of addresses that are simulated */
    uint8_t group[TN_CLASSES];    /* of a class, from 0 */
};

/* NULL if `config` can be sampled as it says, else what is wrong. Its geometries are good. */
const char *tn_sample_check(const struct tn_config *config);

/* The lowest bit of an address that decides neither its place in its page nor whether it is simulated. */
uint32_t tn_sample_end(const struct tn_config *config);

/* `config` is checked. Fills in what the layout has for engines, too. */
void tn_sample_init(struct tn_sample *sample, struct tn_layout *layout, const struct tn_config *config);

static inline uint32_t tn_class_of(const struct tn_sample *sample, uint64_t address)
{
    return address >> sample->class_bits & (TN_CLASSES - 1);
}

/* Whether a line of a class that is sampled is in the part that is simulated below level 1. */
static inline bool tn_sample_counts(const struct tn_sample *sample, uint64_t address)
{
    return (address & sample->part_mask) == sample->part[tn_class_of(sample, address)];
}

#endif
