/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limit.h: limits on what a new run may cost, as words: EVENT@WHERE>NUMBER.
 *
 *   Ir@total>+5%              more than 5 % above the baseline
 *   DLmr@total>+1000          more than 1000 above it
 *   SpLossL_incl@main>10M     more than 10 * 1024^2, whatever it was
 *   SpLossD1_incl@solve>2%    more than 2 % of the program's total of this event in the new run
 *   D1mr@total<-1%            a fall by more than 1 %; also >= and <=
 *
 *   SpLossL@data:cells>+5%    of a data structure
 *   LLm@2M@total>+5%          what LL would miss with 2 MB
 *
 * WHERE is `total`, or a function, or data: and a data structure (data:: begins the name of a function in C++); * and ?
 * match. It may hold anything, @ and > too: EVENT ends at the first @, or at the next one if there is a size between
 * them, and the limit is the last thing of its form. So no WHERE begins with a size and @.
 */
#ifndef TENURE_PROFILE_LIMIT_H
#define TENURE_PROFILE_LIMIT_H

#include <stdbool.h>

#include "profile/profile.h"

struct tp_limit {
    char event[48];
    char *where;  /* to be freed */
    bool total;   /* where is `total` */
    bool data;    /* where is a data structure's name, `data:` left off */
    bool above, equal; /* above: > or >=; equal: >= or <= are broken by equality too */
    bool growth;  /* signed: of the difference */
    bool percent; /* growth: of the baseline; else: of the new total */
    double number;
};

/* -1 if `text` is no limit. */
int tp_limit_read(struct tp_limit *limit, const char *text, struct tp_error *err);
/* Whether it is broken by these values; `total`: of the event in the new run. */
bool tp_limit_broken(const struct tp_limit *limit, double baseline, double now, double total);
void tp_limit_free(struct tp_limit *limit);

#endif
