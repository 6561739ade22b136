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

#include "cli/base/column.h"
#include "cli/base/place.h"
#include "cli/base/query.h"
#include "cli/base/term.h"
#include "engine/common/geometry.h"
#include "profile/advice/advice.h"
#include "profile/read/lineless.h"
#include "profile/read/margin.h"

#include <ctype.h>
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

/* Columns of a line's beginning; the number with the blank before it. */
enum { LABEL = 30, NUMBER = 16, RATE = 10, MARGIN = 11 };

static void line(tp_profile *profile, FILE *out, const char *indent, const char *label, double value,
                 const char *events)
{
    char number[32], off[24];

    fprintf(out, "%s%-*s %*s%s", indent, LABEL, label, NUMBER - 1, term_number(number, (int64_t)value),
            margin(profile, events, value, off));
}

/* Its label from what is declared of the event: "Bytes never touched (SpLossD1)". */
static void event_line(tp_profile *profile, FILE *out, const char *indent, const char *event, double value,
                       const char *events)
{
    char label[160];

    tp_named(profile, event, label, sizeof label);
    label[0] = (char)toupper((unsigned char)label[0]);
    line(profile, out, indent, label, value, events);
}

static bool fits(tp_profile *profile, FILE *out, const char *indent, int used, const char *text)
{
    used += (int)strlen(indent) + (tp_sample(profile) > 1 ? MARGIN : 0);
    return !term_cuts(out) || used + term_columns(text) <= term_width(out);
}

/* A percentage, and what comes behind it on its line, where the terminal is wide enough. */
static void end_line(tp_profile *profile, FILE *out, const char *indent, double percent, const char *text)
{
    fprintf(out, "  %6.2f %%%s\n", percent, fits(profile, out, indent, LABEL + NUMBER + RATE, text) ? text : "");
}

static void misses(tp_profile *profile, FILE *out, const char *indent, const char *label, const char *events,
                   double of)
{
    double value = total(profile, events);

    line(profile, out, indent, label, value, events);
    end_line(profile, out, indent, rate(value, of), "");
}

/* "Data accesses (Dr + Dw)  123  (100 reads + 23 writes)"; with a rate of what `of` counts, and rates of reads and
 * writes if there is room. */
static void split(tp_profile *profile, FILE *out, const char *indent, const char *label, const char *events,
                  const double value[2], const double of[2])
{
    char reads[32], writes[32], text[160], rates[200];

    line(profile, out, indent, label, value[0] + value[1], events);
    term_number(reads, (int64_t)value[0]);
    term_number(writes, (int64_t)value[1]);
    snprintf(text, sizeof text, "%*s  (%s reads + %s writes)", of == NULL ? RATE : 0, "", reads, writes);
    if (of == NULL) {
        fprintf(out, "%s\n", fits(profile, out, indent, LABEL + NUMBER, text) ? text : "");
        return;
    }
    snprintf(rates, sizeof rates, "  (%s reads %.2f %% + %s writes %.2f %%)", reads, rate(value[0], of[0]), writes,
             rate(value[1], of[1]));
    end_line(profile, out, indent, rate(value[0] + value[1], of[0] + of[1]),
             fits(profile, out, indent, LABEL + NUMBER + RATE, rates) ? rates : text);
}

/* Of the misses of D1, those of lines that other threads have taken away. */
static void coherence(tp_profile *profile, FILE *out, const char *indent, double d1)
{
    double other = total(profile, "D1cr") + total(profile, "D1cw");
    double falsely = total(profile, "D1fr") + total(profile, "D1fw");

    if (tp_event_find(profile, "D1cr") == NULL)
        return;
    line(profile, out, indent, "    taken away (D1cr + D1cw)", other, "D1cr + D1cw");
    end_line(profile, out, indent, rate(other, d1), "  of these: another thread wrote to the line");
    line(profile, out, indent, "    falsely shared (D1fr+D1fw)", falsely, "D1fr + D1fw");
    end_line(profile, out, indent, rate(falsely, d1), "  of these: and to other bytes of it");
}

static void caches(tp_profile *profile, FILE *out, const char *indent, double ir, const double d[2])
{
    double d1[2] = {total(profile, "D1mr"), total(profile, "D1mw")};
    double dl[2] = {total(profile, "DLmr"), total(profile, "DLmw")};
    double d2[2] = {total(profile, "D2mr"), total(profile, "D2mw")};
    double ll = total(profile, "ILmr") + dl[0] + dl[1];
    bool has_l2 = tp_event_find(profile, "D2mr") != NULL;

    misses(profile, out, indent, "  missed I1 (I1mr)", "I1mr", ir);
    if (has_l2)
        misses(profile, out, indent, "  missed L2 (I2mr)", "I2mr", ir);
    misses(profile, out, indent, "  went to memory (ILmr)", "ILmr", ir);
    split(profile, out, indent, "Data accesses (Dr + Dw)", "Dr + Dw", d, NULL);
    split(profile, out, indent, "  missed D1 (D1mr + D1mw)", "D1mr + D1mw", d1, d);
    coherence(profile, out, indent, d1[0] + d1[1]);
    if (has_l2)
        split(profile, out, indent, "  missed L2 (D2mr + D2mw)", "D2mr + D2mw", d2, d);
    split(profile, out, indent, "  went to memory (DLmr + DLmw)", "DLmr + DLmw", dl, d);
    event_line(profile, out, indent, "LLm", ll, "LLm");
    end_line(profile, out, indent, rate(ll, ir + d[0] + d[1]), "  of all accesses");
    if (tp_event_find(profile, "Tm") == NULL)
        return;
    event_line(profile, out, indent, "Tm", total(profile, "Tm"), "Tm");
    end_line(profile, out, indent, rate(total(profile, "Tm"), ir + d[0] + d[1]), "  of all accesses");
    event_line(profile, out, indent, "Walk", total(profile, "Walk"), "Walk");
    end_line(profile, out, indent, rate(total(profile, "Walk"), ir + d[0] + d[1]), "  of all accesses");
}

/* What was loaded and never touched, of what was loaded; a tenure that has not begun loaded nothing. */
static void line_use(tp_profile *profile, FILE *out, const char *indent, const char *level)
{
    double distinct = total_at(profile, "Use", level), lost = total_at(profile, "SpLoss", level);
    double touched = total_at(profile, "Byt", level);
    char text[96], event[16];

    snprintf(event, sizeof event, "SpLoss%s", level);
    snprintf(text, sizeof text, "  of the bytes loaded; temporal use %.1f", distinct > 0 ? touched / distinct - 1 : 0);
    event_line(profile, out, indent, event, lost, event);
    end_line(profile, out, indent, rate(lost, distinct + lost), text);
}

/* Bytes that lines of the cache carried down. */
static void written_back(tp_profile *profile, FILE *out, const char *indent, const char *cache, const char *level)
{
    bool by_fetches = level[1] == '2'; /* of L2, lines loaded by fetches are told apart */
    double lines = total_at(profile, "Wb", level) + (by_fetches ? total(profile, "WbI2") : 0);
    double changed = total_at(profile, "Wrt", level) + (by_fetches ? total(profile, "WrtI2") : 0);
    char key[32], label[40], number[32], text[96], events[32];
    struct tn_geometry geometry;

    snprintf(key, sizeof key, "cache.%s", cache);
    if (tp_meta(profile, key) == NULL || geometry_parse(tp_meta(profile, key), &geometry) != NULL)
        return;
    snprintf(label, sizeof label, "Bytes written back from %s", cache);
    snprintf(events, sizeof events, by_fetches ? "%u * (Wb%s + WbI2)" : "%u * Wb%s", (unsigned)geometry.line, level);
    snprintf(text, sizeof text, "  changed; %s lines (Wb%s%s)", term_number(number, (int64_t)lines), level,
             by_fetches ? " + WbI2" : "");
    line(profile, out, indent, label, lines * (double)geometry.line, events);
    end_line(profile, out, indent, rate(changed, lines * (double)geometry.line), text);
}

/* Of a profile with other events than ours: what it counts, one to a line. */
static bool foreign_totals(tp_profile *profile, FILE *out, const char *indent)
{
    char words[160], label[4 * sizeof words];

    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);

        if (event->derived)
            continue;
        tp_named(profile, event->name, words, sizeof words);
        term_escape(label, sizeof label, words);
        line(profile, out, indent, label, total(profile, event->name), NULL);
        fputc('\n', out);
    }
    return true;
}

/* Of each level with prefetchers, or below one: lines that they loaded, of all lines loaded, and what was of use. */
static void prefetched(tp_profile *profile, FILE *out, const char *indent)
{
    static const struct {
        const char *code, *data, *misses[2];
    } levels[] = {{"", "D1", {"D1mr", "D1mw"}}, {"I2", "D2", {"L2m", ""}}, {"", "L", {"LLm", ""}}};
    static const char *const counted[2][2] = {{"Pf", "Lines prefetched"}, {"PfU", "  used"}};
    char name[16], label[64];

    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        double loaded = total(profile, levels[i].misses[0]) + total(profile, levels[i].misses[1]), ahead = 0;
        for (int used = 0; used < 2; used++) {
            const char *event = counted[used][0], *code = levels[i].code;
            snprintf(name, sizeof name, "%s%s", event, levels[i].data);
            snprintf(label, sizeof label, "%s (%s%s%s%s)", counted[used][1], *code ? event : "", code,
                     *code ? " + " : "", name);
            if (tp_event_find(profile, name) == NULL)
                continue;
            double value = total(profile, name) + total_at(profile, event, code);
            ahead = used ? ahead : value;
            line(profile, out, indent, label, value, NULL);
            end_line(profile, out, indent, used ? rate(value, ahead) : rate(value, value + loaded),
                     used ? "  of the lines prefetched" : "  of the lines loaded");
        }
    }
}

bool summary_totals(tp_profile *profile, FILE *out, const char *indent)
{
    double ir = total(profile, "Ir"), value = 0;
    double d[2] = {total(profile, "Dr"), total(profile, "Dw")};

    if (tp_event_find(profile, "Ir") == NULL)
        return foreign_totals(profile, out, indent);
    event_line(profile, out, indent, "Ir", ir, NULL);
    fputc('\n', out);
    if (tp_event_find(profile, "D1mr") != NULL && !query_was_off(profile, "cache-sim"))
        caches(profile, out, indent, ir, d);
    else if (tp_event_find(profile, "Dr") != NULL)
        split(profile, out, indent, "Data accesses (Dr + Dw)", "Dr + Dw", d, NULL);
    if (tp_event_find(profile, "SpLossD1") != NULL) {
        line_use(profile, out, indent, "D1");
        if (tp_event_find(profile, "SpLossD2") != NULL)
            line_use(profile, out, indent, "D2");
        line_use(profile, out, indent, "L");
    }
    prefetched(profile, out, indent);
    if (tp_event_find(profile, "WbD1") != NULL) {
        written_back(profile, out, indent, "D1", "D1");
        if (tp_event_find(profile, "WbD2") != NULL)
            written_back(profile, out, indent, "L2", "D2");
        written_back(profile, out, indent, "LL", "L");
    }
    if (tp_event_find(profile, "Bc") != NULL) {
        value = total(profile, "Bc") + total(profile, "Bi");
        line(profile, out, indent, "Branches (Bc + Bi)", value, NULL);
        fputc('\n', out);
        misses(profile, out, indent, "  guessed wrong (Bm)", "Bm", value);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ findings */

/* A function, or what else has a name, and its place share `room` columns; a short one leaves the other its part. */
static void print_place(FILE *out, const char *name, const char *place, int room)
{
    char safe[2][4200], cut[4200];

    term_escape(safe[0], sizeof safe[0], name);
    term_escape(safe[1], sizeof safe[1], place);
    int wide = term_columns(safe[1]), long_name = term_columns(safe[0]);
    if (!term_cuts(out))
        room = wide + long_name;
    if (wide > room / 2 && wide + long_name > room)
        wide = long_name < room / 2 ? room - long_name : room / 2;
    fprintf(out, "%s%s%s%s", term_style(out, TERM_NAME), term_fit_name(cut, sizeof cut, safe[0], room - wide),
            term_style(out, TERM_PLAIN), *place != '\0' ? "  " : "");
    fprintf(out, "%s\n", term_fit(cut, sizeof cut, safe[1], wide, TERM_CUT_BEGIN));
}

/* The row: function, file, line, object, bytes wasted, bytes used, ids. */
static void print_line(tp_profile *profile, FILE *out, const char *indent, int rank, struct query *q, double all)
{
    const int used = 47;
    char path[4096], number[32], off[24];
    double waste = query_real(q, 4);

    place_long(profile, path, sizeof path, query_text(q, 0), query_text(q, 1), query_int(q, 2),
               query_text(q, 3));
    fprintf(out, "%s%d. %s%16s%s%s  %5.1f %%  used %5.1f %%  ", indent, rank, term_style(out, TERM_HOT),
            term_number(number, query_int(q, 4)), term_style(out, TERM_PLAIN),
            margin_in(profile, TP_SAMPLED_LINES, query_text(q, 6), "SpLossD1", waste, off), rate(waste, all),
            rate(query_real(q, 5), query_real(q, 5) + waste));
    print_place(out, query_text(q, 0), path,
                term_width(out) - (int)strlen(indent) - used - (tp_sample(profile) > 1 ? MARGIN : 0));
}

/* The lines of source that waste most of what they load, but for those of start-up. */
static bool worst_lines(tp_profile *profile, FILE *out, const char *indent)
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
        "WHERE ifnull(function_id, 0) NOT IN (SELECT id FROM temp.startup) "
        "GROUP BY base, file, line, object HAVING waste > 0 ORDER BY waste DESC, base LIMIT 3");
    while (query_row(&q) && (rank == 0 || query_real(&q, 4) >= worth_saying * all)) {
        if (rank++ == 0)
            fprintf(out, "%sLines that load most unused bytes%s:\n", indent,
                    term_width(out) < 80 ? "" : " (brought into D1 and never touched)");
        print_line(profile, out, indent, rank, &q, all);
    }
    return query_end(&q);
}

/* The first pieces of advice; `any`: there are some. */
static bool first_advice(tp_profile *profile, FILE *out, const char *indent, bool *any)
{
    const int used = 12;
    int room = term_width(out) - (int)strlen(indent) - used;
    struct tp_error err = {0};
    struct query q;

    if (tp_advise(profile, NULL, &err) != 0) {
        term_error("%s", err.message);
        return false;
    }
    query_begin(&q, profile, "SELECT id, share, title, coalesce(function, data), file, line FROM temp.advice "
                             "ORDER BY id LIMIT 3");
    while (query_row(&q)) {
        char path[4096], share[16] = "> 100"; /* what other threads take is more than the estimate has */

        if (!*any)
            fprintf(out, "%sWhat to change, and the part of %s that it would save:\n", indent,
                    tp_timed(profile) ? "that time" : "these cycles");
        *any = true;
        place_long(profile, path, sizeof path, query_text(&q, 3), query_text(&q, 4), query_int(&q, 5), "");
        if (query_real(&q, 1) <= 100)
            snprintf(share, sizeof share, "%5.1f", query_real(&q, 1));
        fprintf(out, "%s%d. %s%s %%%s  %s%s%s\n%s%*s", indent, (int)query_int(&q, 0), term_style(out, TERM_HOT),
                share, term_style(out, TERM_PLAIN), term_style(out, TERM_BOLD), query_text(&q, 2),
                term_style(out, TERM_PLAIN), indent, used, "");
        print_place(out, query_text(&q, 3), path, room);
    }
    return query_end(&q);
}

bool summary_verdict(tp_profile *profile, FILE *out, const char *indent, const char *name)
{
    const double cheap = 2e6; /* instructions, of which advice takes a second or so */
    bool estimated = tp_event_find(profile, "CEst") != NULL, any = false;
    char text[2048], word[TERM_WORD], safe[4 * TERM_WORD];
    struct tp_error err = {0};

    if (tp_time(profile, text, sizeof text, &err) != 0) {
        term_error("%s", err.message);
        return false;
    }
    term_escape(safe, sizeof safe, text);
    if (*text != '\0')
        fprintf(out, "%sEstimated %s: %s\n", indent, tp_timed(profile) ? "time" : "cycles", safe);
    bool quick = estimated && query_value(profile, "SELECT max(id) FROM t_instructions", 0) <= cheap;
    if (quick && !first_advice(profile, out, indent, &any))
        return false;
    if (!any && !worst_lines(profile, out, indent))
        return false;
    term_escape(safe, sizeof safe, term_word(word, name));
    fprintf(out, "%s", indent);
    bool lines = query_value(profile, "SELECT EXISTS (SELECT 1 FROM t_lines)", 0) > 0;
    if (any || (estimated && !quick))
        fprintf(out, "`tenure report --advice %s` says %s, ", safe, any ? "how" : "what to change");
    else if (lines)
        fprintf(out, "`tenure report --lines %s` shows what each line costs, ", safe);
    fprintf(out, "`tenure open %s` %s\n", safe, lines ? "the rest" : "shows the rest");
    return true;
}

bool summary_lineless(tp_profile *profile, FILE *out, const char *indent)
{
    struct tp_error err = {0};
    char safe[8192];
    struct query q;

    if (tp_lineless(profile, &err) != 0) {
        term_error("%s", err.message);
        return false;
    }
    query_begin(&q, profile, "SELECT text FROM temp.lineless ORDER BY rowid");
    while (query_row(&q)) {
        term_escape(safe, sizeof safe, query_text(&q, 0));
        fprintf(out, "%s%s\n", indent, safe);
    }
    return query_end(&q);
}
