/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_meant.h: which functions of a file the options of a recording mean.
 *
 * Users name functions as reports print them, an engine knows symbols: a readable name is long and takes a library to
 * make, and an engine is freestanding. So it is told before the program runs which symbol matches which pattern.
 */
#ifndef TENURE_PROFILE_SYMBOLS_MEANT_H
#define TENURE_PROFILE_SYMBOLS_MEANT_H

#include "profile/code/code.h"
#include "profile/objects/symbols_image.h"

struct tp_meant {
    TP_VECTOR(const char *) lines; /* "SYMBOL\tPATTERN", in the arena */
    struct tp_arena arena;
};

/* Adds those of a file's symbol tables; of its separate debug file, where it was stripped. false: out of memory. */
bool tp_meant_add(struct tp_meant *meant, const struct tp_image *image, const struct tp_asked *asked);

#endif
