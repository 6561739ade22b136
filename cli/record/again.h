/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again.h: how a recording can be made again.
 *
 * `tenure try` reads it in a profile's meta data: record.options and record.program, words as a shell takes them.
 */
#ifndef TENURE_CLI_AGAIN_H
#define TENURE_CLI_AGAIN_H

#include "engine/common/options.h"

struct again {
    const struct engine_options *options;
    char *const *program;   /* and its arguments; NULL behind them */
    char *const *arguments; /* options as engines get them, but caches */
    size_t argument_count;
};

/* key, value, ..., NULL: options and program, and where the geometry came from. Of a further machine (from 1 on) the
 * options are those that would record it alone. It lives until the end, and is made once for each machine. */
const char *const *again_meta(const struct again *again, uint32_t machine);

#endif
