/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lineless.h: which objects have no line information, how much of the cost is in them, and where it can be had.
 */
#ifndef TENURE_CLI_LINELESS_H
#define TENURE_CLI_LINELESS_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"

/* A line for each object without source lines that has at least a twentieth of the profile's cost; none: nothing is
 * printed. False: the profile could not be read, and that was printed. */
bool lineless_objects(tp_profile *profile, FILE *out, const char *indent);

#endif
