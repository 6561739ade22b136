/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remap.h: what --remap says, as text (docs/man/tenure-record.1).
 *
 *   split OBJECT: BYTES,... | BYTES,...       parts of each element, which lie apart
 *   order OBJECT: BYTES,...                   its bytes in another order
 *   pad OBJECT: N   or   pad OBJECT: ROW+N    elements become multiples of N; rows of ROW bytes have N more behind them
 *   align OBJECT: N                           blocks begin at multiples of N
 *   pool OBJECT                               blocks are packed, in the order in which they are allocated
 *   pool OBJECT: walk   or   pool OBJECT: walk FUNCTION
 *                                             elements are packed in the order of their first reads, by the function
 *   transpose OBJECT: ROW                     rows of ROW bytes become columns
 *
 * BYTES is FROM-TO, TO being the first byte behind them, or `rest`: what nothing else names. OBJECT may end in /SIZE,
 * the bytes of an element.
 */
#ifndef TENURE_ENGINE_REMAP_H
#define TENURE_ENGINE_REMAP_H

#include "core/tenure_core.h"

#include <stdbool.h>

/* NULL, or what is wrong with the text. *name, *end: its object, without /SIZE. */
const char *remap_parse(const char *text, struct tn_remap *out, const char **name, const char **end);

/* Whether a function is one of those that `walk` names; `name`: of its symbol. */
bool remap_walks(const struct tn_remap *remap, const char *name);

#endif
