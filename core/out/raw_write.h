/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_write.h: a part of the raw profile, from all that a core has counted since the last one.
 */
#ifndef TENURE_CORE_RAW_WRITE_H
#define TENURE_CORE_RAW_WRITE_H

#include "core/tenure_core.h"

/* Write a part to the host's `stream`; `why` is its reason, as it is shown. The rings are drained and all threads have
 * settled. What nodes have collected is moved to arcs and functions; it is the caller who then sets all other costs to
 * zero. Returns 0, or the host's error number. */
int tn_raw_write_part(tn_core *core, void *stream, const char *why);

#endif
