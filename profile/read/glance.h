/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glance.h: what a raw profile says of its recording, without an import.
 *
 * Where `record` only keeps the raw file it has to know whether anything was recorded, and what had been waited for.
 * Chunks are checked as for an import; of their records only the few that answer this are read.
 */
#ifndef TENURE_PROFILE_GLANCE_H
#define TENURE_PROFILE_GLANCE_H

#include <stdbool.h>

#include "profile/base/error.h"

struct tp_glance {
    char start[256]; /* what the recording was to begin with; "" if nothing was asked for */
    bool never;      /* that has not come */
    bool empty;      /* no instruction was recorded */
};

/* 0, or -1: it cannot be read. */
int tp_glance(const char *raw, struct tp_glance *glance, struct tp_error *err);

#endif
