/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nothing.c: see nothing.h.
 *
 * A name that no function has is found out at the end only: libraries may be loaded at any time. The usual reason is
 * that the compiler has inlined the function or made another one of it.
 */
#include "cli/base/nothing.h"

#include <string.h>

#include "cli/base/query.h"
#include "cli/base/term.h"
#include "profile/read/glance.h"

/* gcc calls a function f.constprop.0 that it has made for one caller. */
static const char *hint(const char *function)
{
    if (strpbrk(function, "*?") != NULL || strspn(function, "0123456789") == strlen(function))
        return "";
    return "; a name may go on, and * and ? match: f* is f.constprop.0, too";
}

static bool is_empty(tp_profile *profile)
{
    struct query q;
    bool empty;

    query_begin(&q, profile, "SELECT ifnull(sum(Ir), 0) = 0 FROM totals");
    empty = query_row(&q) && query_int(&q, 0) == 1;
    query_end(&q);
    return empty;
}

/* `start`: of a recording that never began, what it waited for; else NULL. */
static bool tell(const char *start, bool empty, const struct engine_options *options)
{
    const struct options_pattern *toggle = options_of_flag(options, TN_FN_TOGGLE);
    bool starts_later = options->start.run.text != NULL;
    char safe[256];

    if (start != NULL) {
        term_escape(safe, sizeof safe, start);
        term_error("--start=%s: the program never came there, so nothing was recorded%s", safe, hint(start));
        return true;
    }
    if (!empty)
        return false;
    if (toggle != NULL) {
        term_escape(safe, sizeof safe, toggle->text);
        term_error("--toggle-collect=%s: the program never entered it, so nothing was recorded%s", safe,
                   hint(toggle->text));
        return true;
    }
    if (!options->start.collects || (!options->instrument_at_start && !starts_later))
        term_error("--%s=no: nobody switched it on, so nothing was recorded; tenure.h and `tenure control` do",
                   options->start.collects ? "instr-atstart" : "collect-atstart");
    return false;
}

bool nothing_recorded(tp_profile *profile, const struct engine_options *options)
{
    const char *started = tp_meta(profile, "started"), *start = tp_meta(profile, "start");
    bool never = started != NULL && start != NULL && strcmp(started, "no") == 0;

    return tell(never ? start : NULL, never || is_empty(profile), options);
}

bool nothing_in_raw(const char *raw, const struct engine_options *options)
{
    struct tp_glance glance;
    struct tp_error err;

    if (tp_glance(raw, &glance, &err) != 0)
        return false; /* an import will say what is wrong with it */
    return tell(glance.never && glance.start[0] != '\0' ? glance.start : NULL, glance.empty, options);
}
