/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lineless.h: which objects have no line information, how much of the cost is in them, and where it can be had.
 */
#ifndef TENURE_PROFILE_LINELESS_H
#define TENURE_PROFILE_LINELESS_H

#include "profile/profile.h"

/* Makes table temp.lineless(text): a sentence for each object without source lines that has at least a twentieth of the
 * cost, the worst first; with names as the profile has them. No row of a difference. */
int tp_lineless(tp_profile *profile, struct tp_error *err);

#endif
