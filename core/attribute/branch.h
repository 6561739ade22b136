/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch.h: two branch predictors for each thread, as the Valgrind manual describes them (section 5.8.2, "Branch
 * Simulation Specifics"). What they know is in the thread's hot memory (struct tn_branch), where an engine's code may
 * predict and learn by itself; what tells them of branches is in core/tenure_core.h.
 */
#ifndef TENURE_CORE_BRANCH_H
#define TENURE_CORE_BRANCH_H

#include "core/tenure_core.h"

/* The thread begins: its predictors know nothing. */
void tn_branch_begin(tn_thread *thread);

#endif
