/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_pairs.h: what a page says of lines that were loaded again: who throws out what others need, by data objects and
 * by statements (--interdependence=yes).
 *
 * There are many more pairs than anybody looks at: of each cache there are the TP_HTML_PAIRS heaviest of each kind, and
 * how many there are in all.
 */
#ifndef TENURE_PROFILE_HTML_PAIRS_H
#define TENURE_PROFILE_HTML_PAIRS_H

#include <stdbool.h>

#include "profile/profile.h"

enum { TP_HTML_PAIRS = 2000 };

/*
 * Makes temp.page_data_pairs(cache, evictor_data_id, data_id, misses, timed, distance, place), place 1 being the
 * heaviest of its cache; temp.page_statement_pairs, in which there are instead, for the loader, the evictor and the
 * instruction that missed (prefixes loader_, evictor_ and none), file_id, first_line and line of its statement, NULL
 * if none is known, and a function_id; and temp.page_pair_sums(cache, misses, data_pairs, statement_pairs), how many
 * misses and pairs there are of each cache, where the cache is NULL of those that the recording had no room for.
 * `sides`: with columns "misses@before", "timed@after", ... of those schemas, and the heaviest of either side; else
 * they are NULL.
 */
int tp_html_gather_pairs(tp_profile *profile, bool sides, struct tp_error *err);

#endif
