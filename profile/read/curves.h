/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * curves.h: see curves.c.
 */
#ifndef TENURE_PROFILE_CURVES_H
#define TENURE_PROFILE_CURVES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct sqlite3;

/* The events of stack distances in their order: without a level, and with how many ways such an access is a miss.
 * Behind the last one NULL. */
struct tp_distance {
    const char *name;
    unsigned ways;
};
extern const struct tp_distance tp_distances[];

/* As options write it: "512K", "2M". */
static inline void tp_size_text(char *out, size_t size, uint64_t bytes)
{
    unsigned shift = bytes % (1 << 20) == 0 ? 20 : bytes % (1 << 10) == 0 ? 10 : 0;

    snprintf(out, size, "%" PRIu64 "%s", bytes >> shift, shift == 20 ? "M" : shift ? "K" : "");
}

/* Define what tables of reports call. False: there was no memory. */
bool tp_curve_functions(struct sqlite3 *db);

#endif
