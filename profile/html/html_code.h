/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_code.h: the text of the instructions that a page shows.
 *
 * It is made when the page is written, of the program's files as they are here.
 */
#ifndef TENURE_PROFILE_HTML_CODE_H
#define TENURE_PROFILE_HTML_CODE_H

#include "profile/profile.h"

/*
 * Makes temp.page_code(instruction_id, text), of the functions in temp.page_coded (html_tables.h). Of objects that are
 * not here, or not those recorded, there is no text.
 */
int tp_html_gather_code(tp_profile *profile, struct tp_error *err);

#endif
