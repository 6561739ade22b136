/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample.c: the classes and parts that are simulated; see sample.h.
 *
 * Classes are drawn one from each of as many runs of neighbours as are wanted: no stride of a power of two has all
 * lines in classes that are drawn, or none, unless they are all of one class.
 */
#include "sample.h"

#include "core/base/machine.h"

#include <string.h>

enum { CLASS_BITS = 6, MOST_BITS = 40 };

static uint32_t trailing_zeros(uint64_t value)
{
    return (uint32_t)__builtin_ctzll(value);
}

/* The first bit of an address above those that, from its line on, are in the number of its set whatever the rest. */
static uint32_t end_of_set(const struct tn_geometry *geometry)
{
    return trailing_zeros(geometry->line) + trailing_zeros(geometry->size / geometry->line / geometry->assoc);
}

/* How a configuration is sampled: exponents of two. */
struct drawn {
    uint32_t first_bit;      /* of an address: the lowest that is part of its class */
    uint32_t class_bits;     /* all classes */
    uint32_t run_bits;       /* neighbours of which one is drawn */
    uint32_t parts_bits;     /* parts of which one is drawn */
    uint32_t room_for_parts; /* bits that parts may have */
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static struct drawn draw(const struct tn_config *config)
{
    struct drawn drawn = {.first_bit = trailing_zeros(config->ll.line)}; /* the longest line */
    uint32_t wanted = trailing_zeros(config->sample), groups = trailing_zeros(TN_SAMPLE_GROUPS);
    uint32_t below = end_of_set(&config->ll);
    if (config->l2.size)
        below = least(below, end_of_set(&config->l2));
    uint32_t all = least(below, least(end_of_set(&config->i1), end_of_set(&config->d1)));
    drawn.class_bits = all > drawn.first_bit ? least(all - drawn.first_bit, CLASS_BITS) : 0;
    /* Where data is elsewhere is not known as soon as an address is, so level 1 simulates all classes then. */
    if (drawn.class_bits > groups && config->remap_count == 0)
        drawn.run_bits = least(wanted, drawn.class_bits - groups);
    drawn.parts_bits = wanted - drawn.run_bits;
    drawn.room_for_parts = below > drawn.first_bit ? below - drawn.first_bit - drawn.class_bits : 0;
    return drawn;
}

const char *tn_sample_check(const struct tn_config *config)
{
    if (!config->sample || config->sample & (config->sample - 1) || config->sample > TN_RAW_MOST_SAMPLED)
        return "one set in 2, 4, 8, ... or 1024 can be simulated (--sample)";
    if (tn_prefetches(config) || config->patterns || config->strides || config->coherence)
        return "prefetching, kinds of misses, strides and coherence are known where all misses are (--sample=1)";
    struct drawn drawn = draw(config);
    if (drawn.class_bits < trailing_zeros(TN_SAMPLE_GROUPS))
        return "--sample: the number of sets of each cache must be a multiple of 4, or of more if its lines are "
               "shorter than those of the last level";
    if (drawn.parts_bits > drawn.room_for_parts)
        return "--sample: the caches below level 1 have too few sets for that; sample more of them";
    return NULL;
}

uint32_t tn_sample_end(const struct tn_config *config)
{
    struct drawn drawn = draw(config);
    uint32_t end = config->sample == 1 ? 0 : drawn.first_bit + drawn.class_bits + drawn.parts_bits;
    return end > TN_PAGE_BITS ? end : TN_PAGE_BITS;
}

/* Good random bits of a seed and a number. */
static uint64_t mix(uint64_t seed, uint64_t number)
{
    uint64_t x = seed + (number + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

void tn_sample_init(struct tn_sample *sample, struct tn_layout *layout, const struct tn_config *config)
{
    memset(sample, 0, sizeof *sample);
    sample->groups = config->sample > 1 ? TN_SAMPLE_GROUPS : 1;
    layout->sampled = ~0ull;
    if (config->sample == 1)
        return;
    struct drawn drawn = draw(config);
    uint32_t part_bit = drawn.first_bit + drawn.class_bits;
    layout->sampled = 0;
    layout->class_bits = sample->class_bits = drawn.first_bit;
    sample->part_mask = ((1ull << drawn.parts_bits) - 1) << part_bit;
    for (uint32_t class = 0; class < TN_CLASSES; class++) {
        uint32_t number = class & ((1u << drawn.class_bits) - 1), run = number >> drawn.run_bits;
        uint64_t random = mix(config->sample_seed, run);
        if ((number ^ random) & ((1u << drawn.run_bits) - 1))
            continue;
        layout->sampled |= 1ull << class;
        sample->part[class] = (random >> 32) << part_bit & sample->part_mask;
        sample->group[class] = (uint8_t)(run % TN_SAMPLE_GROUPS);
    }
}
