/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.c: see summary.h.
 *
 * Rates: level-1 misses over the accesses of their kind, last-level misses over all accesses of their kind
 * (not over level-1 misses), the last line's over instruction fetches and data accesses together (seed 001,
 * 5.2.1). Spatial use is the part of the bytes brought in that was touched at least once; temporal use is how
 * often a touched byte was touched again.
 */
#include "cli/summary.h"

#include "cli/query.h"
#include "cli/term.h"

#include <stdlib.h>
#include <string.h>

/* Of the one row of `totals`; 0 for events that the profile lacks. */
static double total(tp_profile *profile, const char *event)
{
    char sql[96];

    if (tp_event_find(profile, event) == NULL)
        return 0;
    snprintf(sql, sizeof sql, "SELECT \"%s\" FROM totals", tp_event_find(profile, event)->name);
    return query_value(profile, sql, 0);
}

static double rate(double part, double whole)
{
    return whole > 0 ? 100.0 * part / whole : 0;
}

static void line(FILE *out, const char *indent, const char *label, double value)
{
    char number[32];

    fprintf(out, "%s%-11s %16s", indent, label, term_number(number, (int64_t)value));
}

static void misses(FILE *out, const char *indent, const char *label, double value, double of)
{
    line(out, indent, label, value);
    fprintf(out, "  %6.2f %%\n", rate(value, of));
}

/* "D refs  123  (100 rd + 23 wr)"; with a rate of what `of` counts, and rates of reads and writes if there is
 * room. */
static void split(FILE *out, const char *indent, const char *label, const double value[2], const double of[2])
{
    bool both = of != NULL && term_width(out) >= 100;
    char reads[32], writes[32];

    line(out, indent, label, value[0] + value[1]);
    if (of != NULL)
        fprintf(out, "  %6.2f %%", rate(value[0] + value[1], of[0] + of[1]));
    else
        fprintf(out, "%10s", "");
    fprintf(out, "  (%s rd", term_number(reads, (int64_t)value[0]));
    if (both)
        fprintf(out, " %.2f %%", rate(value[0], of[0]));
    fprintf(out, " + %s wr", term_number(writes, (int64_t)value[1]));
    if (both)
        fprintf(out, " %.2f %%", rate(value[1], of[1]));
    fputs(")\n", out);
}

static void caches(tp_profile *profile, FILE *out, const char *indent, double ir, const double d[2])
{
    double d1[2] = {total(profile, "D1mr"), total(profile, "D1mw")};
    double dl[2] = {total(profile, "DLmr"), total(profile, "DLmw")};
    double il = total(profile, "ILmr");

    misses(out, indent, "I1 misses", total(profile, "I1mr"), ir);
    misses(out, indent, "LLi misses", il, ir);
    split(out, indent, "D refs", d, NULL);
    split(out, indent, "D1 misses", d1, d);
    split(out, indent, "LLd misses", dl, d);
    line(out, indent, "LL misses", il + dl[0] + dl[1]);
    fprintf(out, "  %6.2f %%  of all accesses\n", rate(il + dl[0] + dl[1], ir + d[0] + d[1]));
}

static void line_use(tp_profile *profile, FILE *out, const char *indent, const char *level)
{
    char event[16], label[24], loss[32];
    double distinct, lost, touched;

    snprintf(event, sizeof event, "Use%s", level);
    distinct = total(profile, event);
    snprintf(event, sizeof event, "SpLoss%s", level);
    lost = total(profile, event);
    snprintf(event, sizeof event, "Byt%s", level);
    touched = total(profile, event);
    snprintf(label, sizeof label, "%s lines", *level == 'L' ? "LL" : level);
    fprintf(out, "%s%-11s %14.1f %% of the bytes loaded touched, %.1f times; %s never\n", indent, label,
            rate(distinct, distinct + lost), distinct > 0 ? touched / distinct : 0,
            term_number(loss, (int64_t)lost));
}

bool summary_totals(tp_profile *profile, FILE *out, const char *indent)
{
    double ir = total(profile, "Ir");
    double d[2] = {total(profile, "Dr"), total(profile, "Dw")};

    line(out, indent, "I refs", ir);
    fputc('\n', out);
    if (tp_event_find(profile, "D1mr") != NULL && !query_was_off(profile, "cache-sim"))
        caches(profile, out, indent, ir, d);
    else
        split(out, indent, "D refs", d, NULL);
    if (tp_event_find(profile, "SpLossD1") != NULL) {
        line_use(profile, out, indent, "D1");
        line_use(profile, out, indent, "L");
    }
    if (tp_event_find(profile, "Bc") != NULL) {
        double all = total(profile, "Bc") + total(profile, "Bi");

        line(out, indent, "Branches", all);
        fputc('\n', out);
        misses(out, indent, "Mispredicts", total(profile, "Bm"), all);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ findings */

/* "file:line"; the object where there is no line. */
static void place(struct query *q, char *out, size_t size)
{
    const char *file = query_text(q, 1), *object = query_text(q, 3);
    size_t length;

    term_escape(out, size - 24, *file ? file : *object ? object : "???");
    length = strlen(out);
    if (*file != '\0')
        snprintf(out + length, size - length, ":%lld", (long long)query_int(q, 2));
}

/* Function and place share what is left of the line; a short one leaves the other its part. */
static void print_where(FILE *out, const char *function, const char *where, int room)
{
    int wide = term_columns(where), name = term_columns(function);
    char cut[4200];

    if (!term_cuts(out))
        room = wide + name;
    if (wide > room / 2 && wide + name > room)
        wide = name < room / 2 ? room - name : room / 2;
    fprintf(out, "%s%s%s  ", term_style(out, TERM_NAME),
            term_fit(cut, sizeof cut, function, room - wide, false), term_style(out, TERM_PLAIN));
    fprintf(out, "%s\n", term_fit(cut, sizeof cut, where, wide, true));
}

bool summary_findings(tp_profile *profile, FILE *out, const char *indent)
{
    const char *event = tp_event_find(profile, "SpLossD1") ? "SpLossD1" : NULL;
    char function[4200], where[4200], number[32];
    double all = event != NULL ? total(profile, event) : 0;
    struct query q;
    int rank = 0;

    if (all <= 0)
        return true;
    query_begin(
        &q, profile,
        "SELECT function, file, line, object, sum(\"%w\") AS waste FROM lines "
        "GROUP BY function, file, line, object HAVING waste > 0 ORDER BY waste DESC, function LIMIT 3",
        event);
    while (query_row(&q)) {
        if (rank++ == 0)
            fprintf(out, "%sLines that load most in vain (bytes brought into D1 and never touched):\n",
                    indent);
        term_escape(function, sizeof function, query_text(&q, 0));
        place(&q, where, sizeof where);
        fprintf(out, "%s%d. %s%16s%s %5.1f %%  ", indent, rank, term_style(out, TERM_HOT),
                term_number(number, query_int(&q, 4)), term_style(out, TERM_PLAIN),
                rate((double)query_int(&q, 4), all));
        print_where(out, function, where, term_width(out) - (int)strlen(indent) - 32);
    }
    return query_end(&q);
}
