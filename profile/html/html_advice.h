/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_advice.h: advice (advice.h) as a page has it.
 *
 * It is found when the page is written, with the usual limits. A difference has none, and neither has a profile that
 * the rules can say nothing of.
 */
#ifndef TENURE_PROFILE_HTML_ADVICE_H
#define TENURE_PROFILE_HTML_ADVICE_H

#include "profile/profile.h"

/* Makes temp.page_advice, page_advice_places and page_advice_evidence: what a page needs of the tables of advice.h. */
int tp_html_gather_advice(tp_profile *profile, struct tp_error *err);

#endif
