/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_patterns.h: what a page says of misses beside their number: the strides between them, and in which sets they
 * conflict, by source line and data object.
 *
 * Of a large program there are the lines that have more than one in TP_HTML_DATA_SHARE (html_data.h) of all strides, or
 * of all conflicts; what is left out of an object is the difference between its events and the rows.
 */
#ifndef TENURE_PROFILE_HTML_PATTERNS_H
#define TENURE_PROFILE_HTML_PATTERNS_H

#include <stdbool.h>

#include "profile/profile.h"

/*
 * Makes temp.page_strides(data_id, file_id, line, function_id, stride, count), where a stride that is NULL stands for
 * those that were not worth keeping, and temp.page_conflicts(data_id, file_id, line, function_id, cache, set_bits,
 * misses). `sides`: with columns "count@before", "misses@after", ... of those schemas, else they are NULL.
 */
int tp_html_gather_patterns(tp_profile *profile, bool sides, struct tp_error *err);

#endif
