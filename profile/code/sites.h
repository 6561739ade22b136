/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sites.h: the executed instructions of a recording, context by context, each context's by address.
 */
#ifndef TENURE_PROFILE_SITES_H
#define TENURE_PROFILE_SITES_H

#include "profile/raw/recording.h"

struct tp_site {
    uint64_t address;
    uint32_t instr; /* index */
};

struct tp_sites {
    struct tp_site *at;
    uint32_t *first; /* those of context c (+ 1) are at[first[c - 1]] to at[first[c]] */
};

/* -1: out of memory. Free in any case. */
int tp_sites_make(struct tp_sites *sites, const struct tp_recording *rec);
void tp_sites_free(struct tp_sites *sites);

#endif
