/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * allocs.h: which functions allocate and free memory, by name (docs/attribution.md, section 11).
 *
 * Those of C and C++ are known, wherever they are defined: in a libc, in another allocator that is preloaded or linked,
 * in a static program. Freestanding.
 */
#ifndef TENURE_ENGINE_ALLOCS_H
#define TENURE_ENGINE_ALLOCS_H

#include "core/tenure_core.h"

/* What the function of this name does; nothing if it is none of those. */
struct tn_allocation allocs_of(const char *name);

#endif
