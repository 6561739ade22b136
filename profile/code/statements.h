/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statements.h: which statement each executed instruction belongs to.
 */
#ifndef TENURE_PROFILE_STATEMENTS_H
#define TENURE_PROFILE_STATEMENTS_H

#include "profile/raw/recording.h"

/* rec->statements, by file and line; the statement of every executed instruction whose line is known; and
 * rec->loop_lines. */
int tp_statements(struct tp_recording *rec, const struct tp_import_options *options, struct tp_error *err);

#endif
