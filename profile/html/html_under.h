/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_under.h: what a page says of functions and all that they call, by data objects.
 *
 * A large program has many more pairs of function and object than a page has room for: every function on the way to
 * one that misses in an object has one. Where there are more than TP_HTML_UNDER, those are kept that cost more than one
 * in TP_HTML_UNDER_SHARE of some event's total.
 */
#ifndef TENURE_PROFILE_HTML_UNDER_H
#define TENURE_PROFILE_HTML_UNDER_H

#include <stdbool.h>

#include "profile/profile.h"

enum { TP_HTML_UNDER = 8192, TP_HTML_UNDER_SHARE = 500 };

/*
 * Makes temp.page_under(function_id, data_id, stored events with _incl), and temp.page_under_sums(pairs), how many
 * there are in all. `sides`: with columns "Ir_incl@before", "Ir_incl@after" of those schemas, too.
 */
int tp_html_gather_under(tp_profile *profile, bool sides, struct tp_error *err);

#endif
