/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loops.h: the loops of a recording, and what its instructions have in memory: both are read from the code itself.
 */
#ifndef TENURE_PROFILE_LOOPS_H
#define TENURE_PROFILE_LOOPS_H

#include "profile/code/sites.h"

/* rec->loops, and loop and type of every executed instruction; after tp_statements. Of code that is not there to be
 * read (made at run time, an object file that is gone or not the one recorded) nothing becomes known; only running out
 * of memory and being told to give up are failures. */
int tp_loops(struct tp_recording *rec, const struct tp_sites *sites, const struct tp_import_options *options,
             struct tp_error *err);

#endif
