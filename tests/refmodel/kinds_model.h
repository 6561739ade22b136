/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds_model.h: docs/model.md, section 14, as it is written: why a line was not in a cache.
 *
 * Every line that a cache ever loaded is in a list, the horizon is found by sorting.
 */
#ifndef TENURE_REFMODEL_KINDS_MODEL_H
#define TENURE_REFMODEL_KINDS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct past_line {
    uint64_t line, used; /* used: 0: no ghost */
};
struct past { /* all zeroes: it never held anything */
    uint64_t *loaded;
    size_t loads, room, since; /* since: loads since the horizon was taken */
    struct past_line *ghost;
    uint64_t *gone, horizon;
};

enum past_kind { PAST_COLD, PAST_CAPACITY, PAST_CONFLICT };

/* `line` of `size` bytes is loaded by a cache of so many lines and sets. Why it was not there. */
enum past_kind past_load(struct past *past, uint64_t lines, uint64_t sets, uint64_t line, uint32_t size);
/* Behind it: the `victim` has left `set`, having been used last at `used`, from 1 on; 0: nothing has left. */
void past_leave(struct past *past, uint64_t lines, uint64_t sets, uint64_t set, uint64_t victim, uint32_t size,
                uint64_t used);
void past_forget(struct past *past);

#endif
