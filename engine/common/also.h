/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * also.h: further machines, as --also has them: NAME:I1=32768,8,64:D1=...:L2=...:LL=..., and more behind ';'.
 *
 * A machine without L2 in it has none. `tenure record` makes such a text of a machine's name. Freestanding, as
 * geometry.h.
 */
#ifndef TENURE_ENGINE_ALSO_H
#define TENURE_ENGINE_ALSO_H

#include "engine/common/geometry.h"

/* Names are parts of names of files. */
enum { ALSO_NAME = 61 };
struct also_machine {
    char name[ALSO_NAME];
    struct tn_also caches;
};

/* The machine that *text begins with, behind blanks; moves it behind the ';', or to the end. NULL, or what is wrong. */
const char *also_parse(const char **text, struct also_machine *out);

/* The same as a text: sizes are bytes. */
enum { ALSO_TEXT = ALSO_NAME + GEOMETRY_LEVELS * (GEOMETRY_TEXT + 4) };
void also_put(char text[ALSO_TEXT], const struct also_machine *machine);

/* Whether a machine can be called so: processes of a recording have numbers. */
bool also_good_name(const char *name);

#endif
