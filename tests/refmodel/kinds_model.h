/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds_model.h: docs/model.md, section 14, as it is written: why a line was not in a cache.
 *
 * Every line that a cache ever loaded is in a list, the horizon is found by sorting.
 */
#ifndef TENURE_REFMODEL_KINDS_MODEL_H
#define TENURE_REFMODEL_KINDS_MODEL_H

#include "model.h"

#include <stddef.h>

struct past_line {
    uint64_t line, used;                /* used: 0: no ghost, or trace */
    uint64_t index;                     /* of the access that used it then */
    struct model_payer loader, evictor; /* evictor: of a trace, who threw it out */
};
struct past { /* all zeroes: it never held anything */
    uint64_t *loaded;
    size_t loads, room, since; /* since: loads since the horizon was taken */
    struct past_line *ghost, *trace;
    uint64_t *gone, horizon;
};

enum past_kind { PAST_COLD, PAST_CAPACITY, PAST_CONFLICT };

/* `line` of `size` bytes is loaded by a cache of so many lines. Why it was not there, and its trace, if it had one; of
 * which there are at least so many. */
enum past_kind past_load(struct past *past, uint64_t lines, uint64_t line, uint32_t size, uint64_t traces,
                         struct past_line *was);
/* Behind it: the `victim` has left `set`, and is a ghost, unless it was never used: nothing has left. */
void past_leave(struct past *past, uint64_t lines, uint64_t sets, uint64_t set, const struct past_line *victim,
                uint32_t size, uint64_t traces);
void past_forget(struct past *past);

#endif
