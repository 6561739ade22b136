/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_limits.c: --fail-on.
 *
 * A limit is about the total, or about functions or data structures: those of exactly this name (a function's
 * arguments, and where a data structure is, may be left out), else those that match it as a pattern. A growth within
 * the spread of the runs is none. A ratio has no limit where it has no value; one that is a percentage is compared with
 * the limit as it is.
 */
#include "cli/base/term.h"
#include "cli/diff/diff.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_called(const struct tp_diff_row *row, const char *name)
{
    size_t length = strlen(name);

    return (row->function && strncmp(row->function, name, length) == 0 &&
            (row->function[length] == '\0' || row->function[length] == '(' ||
             strncmp(row->function + length, " (", 2) == 0)) ||
           (row->base && strcmp(row->base, name) == 0) || (row->symbol && strcmp(row->symbol, name) == 0);
}

static bool is_ratio(const struct diff_limit *limit)
{
    return limit->column.formula != NULL && !limit->column.formula->counts;
}

static bool is_broken(const struct diff *diff, const struct diff_limit *limit, const struct tp_diff_value *value)
{
    struct diff_column self = limit->column;
    double now = value->side[TP_NEW], total = 0;
    bool ratio = is_ratio(limit);

    self.inclusive = false;
    if (ratio && !value->known)
        return false;
    if (ratio)
        total = 100; /* it is in percent: diff_limits_known has seen to that */
    else if (tp_diff_rows(diff->diff, TP_DIFF_TOTALS) > 0)
        total = diff_value(diff, TP_DIFF_TOTALS, 0, &self).side[TP_NEW];
    if (limit->limit.growth && !value->counts)
        now = value->side[TP_BASELINE];
    return tp_limit_broken(&limit->limit, value->side[TP_BASELINE], now, total);
}

/* How many rows the limit is about. */
static size_t each(struct diff *diff, const struct diff_limit *limit, diff_visit *visit, void *user)
{
    bool total = limit->limit.total, exactly = false;
    enum tp_diff_table table = total ? TP_DIFF_TOTALS : limit->limit.data ? TP_DIFF_DATA : TP_DIFF_FUNCTIONS;
    size_t count = 0;
    struct tp_diff_row row;

    for (size_t i = 0; !total && !exactly && i < tp_diff_rows(diff->diff, table); i++) {
        tp_diff_row(diff->diff, table, i, &row);
        exactly = is_called(&row, limit->limit.where);
    }
    for (size_t i = 0; i < tp_diff_rows(diff->diff, table); i++) {
        tp_diff_row(diff->diff, table, i, &row);
        if (!total && (exactly ? !is_called(&row, limit->limit.where)
                               : !row.function || fnmatch(limit->limit.where, row.function, 0) != 0))
            continue;
        count++;
        struct tp_diff_value value = diff_value(diff, table, i, &limit->column);
        if (visit != NULL)
            visit(user, limit, total ? "total" : row.function, &value, is_broken(diff, limit, &value));
    }
    return count;
}

void diff_limits_each(struct diff *diff, diff_visit *visit, void *user)
{
    for (size_t i = 0; i < diff->limit_count; i++)
        each(diff, &diff->limits[i], visit, user);
}

bool diff_limits_known(struct diff *diff)
{
    for (size_t i = 0; i < diff->limit_count; i++) {
        struct diff_limit *limit = &diff->limits[i];

        if (!diff_column_of(diff, limit->limit.event, &limit->column))
            return false;
        if (is_ratio(limit) && limit->limit.percent && !limit->limit.growth &&
            strcmp(limit->column.formula->unit, "%") != 0) {
            term_error("--fail-on=%s: %s is no part of a total: leave out the percent sign", limit->text,
                       limit->column.name);
            return false;
        }
        if (limit->limit.total && limit->limit.percent && !limit->limit.growth && !is_ratio(limit)) {
            term_error("--fail-on=%s: the total is always 100 %% of itself; a change has a sign, as in %s@total>+5%%",
                       limit->text, limit->column.name);
            return false;
        }
        if (limit->limit.data && limit->column.inclusive) {
            term_error("--fail-on=%s: data structures have no inclusive costs: an event without _incl", limit->text);
            return false;
        }
        if (each(diff, limit, NULL, NULL) == 0) {
            term_error("--fail-on=%s: neither side has a %s %s; * and ? match", limit->text,
                       limit->limit.data ? "data structure" : "function", limit->limit.where);
            return false;
        }
    }
    return true;
}

static void tell(void *user, const struct diff_limit *limit, const char *where, const struct tp_diff_value *value,
                 bool broken)
{
    char before[32], now[32], percent[48] = "";
    size_t *count = user;

    if (!broken)
        return;
    if (fabs(value->side[TP_BASELINE]) > 0)
        snprintf(percent, sizeof percent, ", %+.1f %%", 100 * value->difference / fabs(value->side[TP_BASELINE]));
    term_error("limit %s is passed: %s of %s was %s, is %s%s", limit->text, limit->column.name, where,
               term_real(before, value->side[TP_BASELINE]), term_real(now, value->side[TP_NEW]), percent);
    ++*count;
}

bool diff_limits_kept(struct diff *diff)
{
    size_t broken = 0;

    diff_limits_each(diff, tell, &broken);
    return broken == 0;
}
