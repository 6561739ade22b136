/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice.h: what a profile suggests to change, what that would save, and why (docs/advice.md, normative).
 *
 *   advice.c           limits; runs the rules, drops what is not worth saying, ranks the rest
 *   advice_gather.c    tables that rules ask: costs of sites, of data objects; what the profile does not have is empty
 *   advice_rank.c      from what was found to the tables below
 *   advice_rule.h      what a rule is
 *   advice_rules.c     the rules
 *
 * All of it follows from the profile alone. The result are temporary tables, for commands and the page to read;
 * they live as long as the profile is open:
 *
 *   advice           id, kind, title, fix, function, function_id, file, file_id, line, loop_id, fusion, data, data_id,
 *                    cest, cest_share, cycles, share, bytes, memory_bytes, confidence, certain, tried, promised,
 *                    remap
 *   advice_places    advice_id, role, function, function_id, file, file_id, line, last_line, share, object
 *   advice_evidence  advice_id, key, value, unit, words, text
 *   advice_limits    name, value, unit, words
 *   advice_silent    kind, record: what was not looked for, and the option of `tenure record` that it needs
 *
 * `advice.id` is the rank, 1 for what saves most. `cycles` is what a fix would save of the estimated time (of CEst in a
 * profile that has no Time, or where weights were given), `share` the same in percent of the total; `cest` and
 * `cest_share` are of CEst in any case, `bytes` and `memory_bytes` what less would be loaded into level 1, and from
 * memory.
 * `confidence` is from 0 to 1, `certain` the word for it: high, medium, low. What is not known is NULL, and so are
 * `tried` and `promised`, but where the remedy was tried (advice_try.h): `cycles`, `share` and bytes are then what came
 * of it, by the event that `tried` names, `promised` what `share` was before, and `certain` is "tried".
 * `remap` is the remedy for --remap of another recording, where it is a layout.
 */
#ifndef TENURE_PROFILE_ADVICE_H
#define TENURE_PROFILE_ADVICE_H

#include "profile/profile.h"

/* Whether `limits` is well formed: NAME=NUMBER with ',' between. */
int tp_advice_limits_check(const char *limits, struct tp_error *err);

/* Makes the tables. `limits`: "share=1,spatial=40", or NULL. May be called again: tables are made anew. */
int tp_advise(tp_profile *profile, const char *limits, struct tp_error *err);

#endif
