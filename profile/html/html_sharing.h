/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_sharing.h: what a page says of lines of the cache that threads take from one another (--coherence=mesi).
 *
 * Data objects are all there; of who took lines from whom, by lines of source, there are the TP_HTML_SHARING that come
 * first by false sharing, then by misses.
 */
#ifndef TENURE_PROFILE_HTML_SHARING_H
#define TENURE_PROFILE_HTML_SHARING_H

#include "profile/profile.h"

enum { TP_HTML_SHARING = 1000 };

/*
 * Makes temp.page_shared_data(data_id, false_sharing, true_sharing, misses, place); temp.page_sharing, in which there
 * are for the writer and for what missed (prefixes writer_ and none) function_id, file_id, line and address, then
 * data_id, false_sharing, true_sharing, misses, written, touched, place, of which the addresses and the bytes are those
 * of the pair of instructions that missed most; and temp.page_sharing_sums(pairs, false_sharing, true_sharing, misses).
 */
int tp_html_gather_sharing(tp_profile *profile, struct tp_error *err);

#endif
