/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machines.h: machines whose caches can be simulated, by name.
 *
 * A machine is a text with lines NAME = VALUE. A name is that of an option that says what a cache or a TLB is, `title`
 * or `source`, which says where the numbers are from and may be there more than once; a line that begins with # is a
 * comment. I1, D1 and LL have to be there. A name with a slash is a file; any other is looked for in
 * $XDG_CONFIG_HOME/tenure/machines, then among those that are part of the program (cli/record/machines); `this` is the
 * machine at hand.
 */
#ifndef TENURE_CLI_MACHINES_H
#define TENURE_CLI_MACHINES_H

#include "engine/common/options.h"
#include "profile/base/scan.h"

struct described {
    char name[61]; /* without folders, escaped and perhaps cut: what profiles have */
    char title[256];
    struct engine_options options; /* those that are given are the machine's */
};

/* Whether an option of a recording is one that machines have. */
bool machines_describe(const struct recording_option *option);

/* The lines of a machine's text: to be closed in any case. -1: there is no such machine. */
int machines_open(struct tp_scan *scan, const char *name, struct tp_error *err);
/* What they say; -1 if it is not a machine, too. */
int machines_read(struct described *machine, const char *name, struct tp_error *err);

/* --also=NAME,...: the machines as engines want them (engine/common/also.h), freed by nobody; a value that has this
 * form is returned as it is. NULL: *wrong says what is wrong. */
const char *machines_also(const char *value, const char **wrong);

/* All names, `this` first; returns how many there are. They are kept until the end. */
size_t machines_names(const char *const **names);

#endif
