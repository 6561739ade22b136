/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_code.h: which instructions a page shows, and their text.
 *
 * A large program has more instructions than a page has room for, and most are not worth reading. Where there are more
 * than TP_HTML_INSTRUCTIONS, those of functions are there whose self cost is more than one in TP_HTML_CODE_SHARE of
 * some event's total. What is left out is in the lines, functions and call paths all the same.
 */
#ifndef TENURE_PROFILE_HTML_CODE_H
#define TENURE_PROFILE_HTML_CODE_H

#include "profile/profile.h"

enum { TP_HTML_INSTRUCTIONS = 65536, TP_HTML_CODE_SHARE = 200 };

/*
 * Makes temp.page_coded(function_id), the functions whose instructions are shown, and temp.page_code(instruction_id,
 * text) of these. Of objects that are not here, or not those recorded, there is no text.
 */
int tp_html_gather_code(tp_profile *profile, struct tp_error *err);

#endif
