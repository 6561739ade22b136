/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sites.c: the executed instructions of a recording, context by context, each context's by address (code.h).
 *
 * A counting sort by context comes first, then each context is sorted. What was translated and never executed is left
 * out.
 */
#include "profile/code/code.h"

#include <stdlib.h>

static int sites_by_address(const void *a, const void *b)
{
    const struct tp_site *x = a, *y = b;
    int order = TP_COMPARE(x->address, y->address);

    return order ? order : TP_COMPARE(x->instr, y->instr);
}

int tp_sites_make(struct tp_sites *sites, const struct tp_recording *rec)
{
    uint32_t *first = calloc(rec->contexts.count + 2, sizeof *first);
    size_t executed = 0;

    for (size_t i = 0; first && i < rec->instrs.count; i++) {
        if (!rec->instrs.at[i].costs)
            continue;
        first[rec->instrs.at[i].context + 1]++;
        executed++;
    }
    *sites = (struct tp_sites){calloc(executed + 1, sizeof *sites->at), first};
    if (!first || !sites->at)
        return -1;
    for (size_t i = 1; i < rec->contexts.count + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < rec->instrs.count; i++) {
        if (rec->instrs.at[i].costs)
            sites->at[first[rec->instrs.at[i].context]++] = (struct tp_site){rec->instrs.at[i].address, (uint32_t)i};
    }
    /* Each first[context + 1] now stands at the end of its group, which is where the next one begins. */
    for (size_t i = 0; i < rec->contexts.count; i++)
        qsort(sites->at + first[i], first[i + 1] - first[i], sizeof *sites->at, sites_by_address);
    return 0;
}

void tp_sites_free(struct tp_sites *sites)
{
    free(sites->at);
    free(sites->first);
    *sites = (struct tp_sites){0};
}
