/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.c: see summary.h.
 *
 * Rates: level-1 misses over the accesses of their kind, last-level misses over all accesses of their kind (not
 * over level-1 misses), the last line's over instruction fetches and data accesses together, as Cachegrind's manual
 * has it (5.2.1 "Running Cachegrind"). Unused are the bytes loaded and never touched, the complement of spatial
 * use; temporal use is how often a touched byte was touched again. Where sets were sampled, behind a number is how far
 * it may be off, in percent of it. What is written back travels as whole lines: so
 * many bytes, of which a part was changed.
 */
#include "cli/base/summary.h"

#include "cli/base/place.h"
#include "cli/base/query.h"
#include "cli/base/term.h"
#include "engine/common/geometry.h"
#include "profile/read/margin.h"

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

/* Of an event that each level has. */
static double total_at(tp_profile *profile, const char *event, const char *level)
{
    char name[16];

    snprintf(name, sizeof name, "%s%s", event, level);
    return total(profile, name);
}

static double rate(double part, double whole)
{
    return whole > 0 ? 100.0 * part / whole : 0;
}

/* How far what `events` count may be off, "D1mr + D1mw", in percent of `value`, and in columns of which there are none
 * where all sets were simulated. NULL: nothing stands behind the number, which is exact. `of`: in the rows of these
 * `ids`, "3,14", together. */
static const char *margin_in(tp_profile *profile, enum tp_sampled of, const char *ids, const char *events,
                             double value, char out[24])
{
    struct tp_formula formula;
    struct tp_margin *margin = NULL;
    struct tp_sampled_sum sum = {0};
    struct tp_figure off = {0, false};
    struct tp_error err = {0};
    char definition[64];

    out[0] = '\0';
    if (events == NULL || tp_sample(profile) == 1)
        return out;
    snprintf(definition, sizeof definition, "events=%s", events);
    if (tp_formula_read(profile, definition, &formula, &err) == 0)
        margin = tp_margin_new(profile, of, &formula, NULL, false, &err);
    for (char *end; margin != NULL && ids != NULL && *ids != '\0'; ids = *end == ',' ? end + 1 : "")
        tp_margin_add(margin, strtoll(ids, &end, 10), &sum, &err);
    if (margin != NULL)
        off = tp_margin_of(margin, &sum);
    tp_margin_free(margin);
    if (*err.message != '\0')
        term_error("%s", err.message);
    if (off.known && off.value > 0 && value > 0)
        snprintf(out, 24, "  ± %5.1f %%", 100 * off.value / value);
    else
        snprintf(out, 24, "%11s", "");
    return out;
}

static const char *margin(tp_profile *profile, const char *events, double value, char out[24])
{
    return margin_in(profile, TP_SAMPLED_TOTALS, "1", events, value, out);
}

enum { AFTER_NUMBER = 28, AFTER_RATE = 38, MARGIN = 11 }; /* columns of a line's beginning */

static int after(tp_profile *profile, int columns)
{
    return columns + (tp_sample(profile) > 1 ? MARGIN : 0);
}

static void line(tp_profile *profile, FILE *out, const char *indent, const char *label, double value,
                 const char *events)
{
    char number[32], off[24];

    fprintf(out, "%s%-11s %16s%s", indent, label, term_number(number, (int64_t)value),
            margin(profile, events, value, off));
}

/* What comes behind a number on its line, where the terminal is wide enough; `used` columns are before it. */
static void behind(FILE *out, const char *indent, int used, const char *text)
{
    bool fits = !term_cuts(out) || (int)strlen(indent) + used + term_columns(text) <= term_width(out);

    fprintf(out, "%s\n", fits ? text : "");
}

static void misses(tp_profile *profile, FILE *out, const char *indent, const char *label, const char *events,
                   double of)
{
    double value = total(profile, events);

    line(profile, out, indent, label, value, events);
    fprintf(out, "  %6.2f %%\n", rate(value, of));
}

/* "D refs  123  (100 rd + 23 wr)"; with a rate of what `of` counts, and rates of reads and writes if there is
 * room. */
static void split(tp_profile *profile, FILE *out, const char *indent, const char *label, const char *events,
                  const double value[2], const double of[2])
{
    bool both = of != NULL && term_width(out) >= 100;
    char reads[32], writes[32], rates[2][32] = {"", ""}, text[160];

    line(profile, out, indent, label, value[0] + value[1], events);
    if (of != NULL)
        fprintf(out, "  %6.2f %%", rate(value[0] + value[1], of[0] + of[1]));
    for (int i = 0; i < 2 && both; i++)
        snprintf(rates[i], sizeof rates[i], " %.2f %%", rate(value[i], of[i]));
    snprintf(text, sizeof text, "%s  (%s rd%s + %s wr%s)", of == NULL ? "          " : "",
             term_number(reads, (int64_t)value[0]), rates[0], term_number(writes, (int64_t)value[1]), rates[1]);
    behind(out, indent, after(profile, of != NULL ? AFTER_RATE : AFTER_NUMBER), text);
}

static void caches(tp_profile *profile, FILE *out, const char *indent, double ir, const double d[2])
{
    double d1[2] = {total(profile, "D1mr"), total(profile, "D1mw")};
    double dl[2] = {total(profile, "DLmr"), total(profile, "DLmw")};
    double d2[2] = {total(profile, "D2mr"), total(profile, "D2mw")};
    double il = total(profile, "ILmr");
    bool has_l2 = tp_event_find(profile, "D2mr") != NULL;

    misses(profile, out, indent, "I1 misses", "I1mr", ir);
    if (has_l2)
        misses(profile, out, indent, "L2i misses", "I2mr", ir);
    misses(profile, out, indent, "LLi misses", "ILmr", ir);
    split(profile, out, indent, "D refs", "Dr + Dw", d, NULL);
    split(profile, out, indent, "D1 misses", "D1mr + D1mw", d1, d);
    if (has_l2)
        split(profile, out, indent, "L2d misses", "D2mr + D2mw", d2, d);
    split(profile, out, indent, "LLd misses", "DLmr + DLmw", dl, d);
    line(profile, out, indent, "LL misses", il + dl[0] + dl[1], "LLm");
    fprintf(out, "  %6.2f %%", rate(il + dl[0] + dl[1], ir + d[0] + d[1]));
    behind(out, indent, after(profile, AFTER_RATE), "  of all accesses");
}

/* What was loaded and never touched, of what was loaded; a tenure that has not begun loaded nothing. */
static void line_use(tp_profile *profile, FILE *out, const char *indent, const char *level)
{
    double distinct = total_at(profile, "Use", level), lost = total_at(profile, "SpLoss", level);
    double touched = total_at(profile, "Byt", level);
    char label[24], text[96], events[16];

    snprintf(events, sizeof events, "SpLoss%s", level);
    snprintf(label, sizeof label, "%s unused", *level == 'L' ? "LL" : level[1] == '2' ? "L2d" : level);
    line(profile, out, indent, label, lost, events);
    fprintf(out, "  %6.2f %%", rate(lost, distinct + lost));
    snprintf(text, sizeof text, "  of the bytes loaded; temporal use %.1f", distinct > 0 ? touched / distinct - 1 : 0);
    behind(out, indent, after(profile, AFTER_RATE), text);
}

/* Bytes that lines of the cache carried down. */
static void written_back(tp_profile *profile, FILE *out, const char *indent, const char *cache, const char *level)
{
    bool by_fetches = level[1] == '2'; /* of L2, lines loaded by fetches are told apart */
    double lines = total_at(profile, "Wb", level) + (by_fetches ? total(profile, "WbI2") : 0);
    double changed = total_at(profile, "Wrt", level) + (by_fetches ? total(profile, "WrtI2") : 0);
    char key[32], label[24], number[32], text[96], events[32];
    struct tn_geometry geometry;

    snprintf(key, sizeof key, "cache.%s", cache);
    if (tp_meta(profile, key) == NULL || geometry_parse(tp_meta(profile, key), &geometry) != NULL)
        return;
    snprintf(label, sizeof label, "%s written", cache);
    snprintf(events, sizeof events, by_fetches ? "%u * (Wb%s + WbI2)" : "%u * Wb%s", (unsigned)geometry.line, level);
    line(profile, out, indent, label, lines * (double)geometry.line, events);
    fprintf(out, "  %6.2f %%", rate(changed, lines * (double)geometry.line));
    snprintf(text, sizeof text, "  of the bytes written back changed; %s lines", term_number(number, (int64_t)lines));
    behind(out, indent, after(profile, AFTER_RATE), text);
}

/* Lines that a prefetch loaded, of all lines loaded; `misses` counts the others (two of one access once). */
static void prefetched(tp_profile *profile, FILE *out, const char *indent, const char *label, double lines,
                       double misses)
{
    line(profile, out, indent, label, lines, NULL); /* prefetches are never sampled */
    fprintf(out, "  %6.2f %%  of the lines loaded\n", rate(lines, lines + misses));
}

/* Of a profile with other events than ours: what it counts, one to a line. */
static bool foreign_totals(tp_profile *profile, FILE *out, const char *indent)
{
    char number[32], label[4 * 64], rest[600];

    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);

        if (event->derived)
            continue;
        term_escape(label, sizeof label, event->name);
        term_escape(rest, sizeof rest, strcmp(event->long_name, event->name) != 0 ? event->long_name : "");
        fprintf(out, "%s%-11s %16s%s%s\n", indent, label, term_number(number, (int64_t)total(profile, event->name)),
                *rest ? "  " : "", rest);
    }
    return true;
}

bool summary_totals(tp_profile *profile, FILE *out, const char *indent)
{
    double ir = total(profile, "Ir");
    double d[2] = {total(profile, "Dr"), total(profile, "Dw")};

    if (tp_event_find(profile, "Ir") == NULL)
        return foreign_totals(profile, out, indent);
    line(profile, out, indent, "I refs", ir, NULL);
    fputc('\n', out);
    if (tp_event_find(profile, "D1mr") != NULL && !query_was_off(profile, "cache-sim"))
        caches(profile, out, indent, ir, d);
    else if (tp_event_find(profile, "Dr") != NULL)
        split(profile, out, indent, "D refs", "Dr + Dw", d, NULL);
    if (tp_event_find(profile, "SpLossD1") != NULL) {
        line_use(profile, out, indent, "D1");
        if (tp_event_find(profile, "SpLossD2") != NULL)
            line_use(profile, out, indent, "D2");
        line_use(profile, out, indent, "L");
    }
    if (tp_event_find(profile, "PfD2") != NULL)
        prefetched(profile, out, indent, "L2 ahead", total(profile, "PfI2") + total(profile, "PfD2"),
                   total(profile, "I2mr") + total(profile, "D2mr") + total(profile, "D2mw"));
    if (tp_event_find(profile, "PfL") != NULL)
        prefetched(profile, out, indent, "LL ahead", total(profile, "PfL"), total(profile, "LLm"));
    if (tp_event_find(profile, "WbD1") != NULL) {
        written_back(profile, out, indent, "D1", "D1");
        if (tp_event_find(profile, "WbD2") != NULL)
            written_back(profile, out, indent, "L2", "D2");
        written_back(profile, out, indent, "LL", "L");
    }
    if (tp_event_find(profile, "Bc") != NULL) {
        double all = total(profile, "Bc") + total(profile, "Bi");

        line(profile, out, indent, "Branches", all, NULL);
        fputc('\n', out);
        misses(profile, out, indent, "Mispredicts", "Bm", all);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ findings */

/* The row: function, file, line, object, bytes wasted, bytes used, ids. */
static void print_finding(tp_profile *profile, FILE *out, const char *indent, int rank, struct query *q,
                          double all)
{
    char function[4200], where[4200], path[4096], number[32], cut[4200], off[24];
    double waste = query_real(q, 4);
    int room = term_width(out) - (int)strlen(indent) - after(profile, 47);

    term_escape(function, sizeof function, query_text(q, 0));
    place_long(profile, path, sizeof path, query_text(q, 0), query_text(q, 1), query_int(q, 2),
               query_text(q, 3));
    term_escape(where, sizeof where, path);
    fprintf(out, "%s%d. %s%16s%s%s  %5.1f %%  used %5.1f %%  ", indent, rank, term_style(out, TERM_HOT),
            term_number(number, query_int(q, 4)), term_style(out, TERM_PLAIN),
            margin_in(profile, TP_SAMPLED_LINES, query_text(q, 6), "SpLossD1", waste, off), rate(waste, all),
            rate(query_real(q, 5), query_real(q, 5) + waste));
    /* Function and place share what is left of the line; a short one leaves the other its part. */
    int wide = term_columns(where), name = term_columns(function);
    if (!term_cuts(out))
        room = wide + name;
    if (wide > room / 2 && wide + name > room)
        wide = name < room / 2 ? room - name : room / 2;
    fprintf(out, "%s%s%s%s", term_style(out, TERM_NAME), term_fit_name(cut, sizeof cut, function, room - wide),
            term_style(out, TERM_PLAIN), *where != '\0' ? "  " : "");
    fprintf(out, "%s\n", term_fit(cut, sizeof cut, where, wide, TERM_CUT_BEGIN));
}

bool summary_findings(tp_profile *profile, FILE *out, const char *indent)
{
    const double worth_saying = 0.001; /* of all waste: the first is always said */
    double all = total(profile, "SpLossD1");
    struct query q;
    int rank = 0;

    if (all <= 0)
        return true;
    query_begin(
        &q, profile,
        "SELECT base, file, line, object, sum(\"SpLossD1\") AS waste, sum(\"UseD1\"), group_concat(id) FROM lines "
        "GROUP BY base, file, line, object HAVING waste > 0 ORDER BY waste DESC, base LIMIT 3");
    while (query_row(&q) && (rank == 0 || query_real(&q, 4) >= worth_saying * all)) {
        if (rank++ == 0)
            fprintf(out, "%sLines that load most unused bytes%s:\n", indent,
                    term_width(out) < 80 ? "" : " (brought into D1 and never touched)");
        print_finding(profile, out, indent, rank, &q, all);
    }
    return query_end(&q);
}
