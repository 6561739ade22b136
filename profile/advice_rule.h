/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_rule.h: what a rule of advice.h is: a query, and the words around its numbers.
 *
 * The query asks the profile's tables and those of advice_gather.c. Its columns are known by name:
 *
 *   function_id, file_id, line, last_line   what it is about: a source line, or a loop from line to last_line
 *   data_id                                 the data object
 *   other_function_id, other_file_id, other_line, other_last   a second place, whose role is `other`
 *   lines1, lines2, linesL                  lines that less would be loaded, by level
 *   cycles                                  what else would be saved of the estimate
 *   confidence                              0 to 1
 *
 * and each row of `evidence` is the column of its key. A column that is not there is NULL. Parameters are bound by
 * name: every limit (:spatial), :line1, :line2, :lineL (bytes of a line by level), :w1, :w2, :wL, :wb (weights of a
 * level's misses and of mispredictions in CEst), :total (CEst of the program).
 */
#ifndef TENURE_PROFILE_ADVICE_RULE_H
#define TENURE_PROFILE_ADVICE_RULE_H

#include "profile/profile.h"

enum { TP_RULE_EVIDENCE = 8 };

struct tp_rule {
    const char *kind, *title, *fix;
    const char *needs; /* events and tables without which it says nothing, ' ' between */
    const char *other; /* role of the second place; NULL: there is none */
    const char *sql;
    struct {
        const char *key, *unit, *words;
    } evidence[TP_RULE_EVIDENCE];
};

/* Ended by a rule without a kind. */
extern const struct tp_rule tp_rules_space[], tp_rules_time[], tp_rules_branch[];

/* Makes temp.advice_sites, temp.advice_objects and temp.advice_code. */
int tp_advice_gather(tp_profile *profile, struct tp_error *err);

/* Whether the profile has this event, or a table or view of this name. */
bool tp_advice_has(tp_profile *profile, const char *name);

#endif
