/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_statements.h: what a page says of statements and loops beside the rows of t_lines.
 *
 * What a statement costs are its lines; what its loads and stores cost, by type, is not told by them. Of a large
 * program there are the loads and stores, and the loops, that cost more than next to nothing of some event.
 */
#ifndef TENURE_PROFILE_HTML_STATEMENTS_H
#define TENURE_PROFILE_HTML_STATEMENTS_H

#include "profile/profile.h"

enum { TP_HTML_LOOPS = 4096, TP_HTML_LOOP_SHARE = 1000 };

/*
 * Makes temp.page_statements(file_id, first_line, line), one row for all objects; temp.page_accesses(file_id,
 * first_line, line, store, floating, stored events), of these, floating NULL if unknown; temp.page_loops(id), the loops
 * to show: all of them where there are at most TP_HTML_LOOPS, else those whose inclusive cost is more than one in
 * TP_HTML_LOOP_SHARE of some event's total. `sides`: accesses with those of schemas `before` and `after`, too.
 */
int tp_html_gather_statements(tp_profile *profile, bool sides, struct tp_error *err);

#endif
