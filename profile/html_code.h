/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_code.h: the text of instructions for a page.
 *
 * A program has more instructions than a page has room for their text, and most are not worth reading: those of
 * functions with at least half a percent of some event's total, self cost, are there.
 */
#ifndef TENURE_PROFILE_HTML_CODE_H
#define TENURE_PROFILE_HTML_CODE_H

#include "profile/profile.h"

/* Makes table temp.page_code(instruction_id, text). Objects that are not here, or not those recorded, are left out. */
int tp_html_gather_code(tp_profile *profile, struct tp_error *err);

#endif
