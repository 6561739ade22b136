/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * formula.h: columns that a reader makes of events: "rate = 100 * (D1mr + D1mw) / (Dr + Dw)".
 *
 *   sum     = product { ("+" | "-") product }
 *   product = factor { ("*" | "/") factor }
 *   factor  = number | name | '"' any name '"' | "(" sum ")" | ("-" | "+") factor
 *
 * "LLm@2M" is such a formula: what LL misses with that size, if stack distances were kept. So is "CEst@2M", the cycle
 * estimate with that in place of LLm.
 *
 * A name is an event's (with _incl behind: its inclusive cost), or that of an earlier formula. Numbers are decimal.
 *
 * Where an event cannot occur it has no value, and neither has what is made of it:
 *   - a product or a quotient lacks a value if a factor does; a quotient also if its divisor is 0;
 *   - in a sum, an event (or product of events) without a value counts 0 as long as another term of the sum that has
 *     events in it has one; a term with a division in it does not: where it has no value, the sum has none.
 * So D1mr + D1mw is what a line misses that only reads, and BytD1 / UseD1 - 1 is nothing where no byte was used.
 *
 * Parsing needs no profile: names are looked up by the caller. A profile has formulas as long as it is open, and its
 * file does not change: of the ratios of core/events.inc those for which it has the events, and those of its user. A
 * formula is a column of every view, by the SQL expression that tp_formula_sql gives. Dirty lines are all of one size,
 * which is what is known of them in the tenures that ended: (Use + SpLoss) / Ev.
 */
#ifndef TENURE_PROFILE_FORMULA_H
#define TENURE_PROFILE_FORMULA_H

#include "profile/profile.h"

enum { TP_FORMULA_TERMS = 64, TP_FORMULA_STEPS = 256, TP_FORMULA_NAME = 41, TP_FORMULA_TEXT = 256 };

/* An event as a column of a view: self or inclusive. */
struct tp_term {
    const struct tp_event *event;
    bool inclusive;
};

/* Known, or absent: the event cannot occur. */
struct tp_figure {
    double value;
    bool known;
};

struct tp_formula {
    char name[TP_FORMULA_NAME];
    char text[TP_FORMULA_TEXT]; /* behind the =, for people; cut */
    struct tp_term term[TP_FORMULA_TERMS]; /* each once */
    size_t terms;
    struct tp_formula_step {
        char what; /* '#' a number, '$' a term, '~' minus, or an operator; in the order of a stack machine */
        uint8_t term;
        double number;
    } step[TP_FORMULA_STEPS];
    size_t steps;
    /* Of a profile's. */
    const char *meaning, *title, *unit; /* unit: "%", "times" or ""; meaning NULL: a user's, and the text says it */
    bool counts;                        /* a sum of weighted events, which is a number of something as they are */
    struct tp_event event;              /* if it counts: what it is as one of them */
    struct tp_formula *next;
};

/* What `name` stands for: an event (`term`), a formula (returned), or neither: NULL with term->event NULL. */
typedef const struct tp_formula *tp_formula_lookup(void *user, const char *name, struct tp_term *term);

/* Parse "name=expression". The name begins with a letter, goes on with letters, digits and _, does not end in _incl,
 * and means nothing yet. */
int tp_formula_parse(struct tp_formula *formula, const char *definition, tp_formula_lookup *lookup, void *user,
                     struct tp_error *err);

/* Its value for those of its terms, in their order. */
struct tp_figure tp_formula_value(const struct tp_formula *formula, const struct tp_figure *term);

/* A derived event is a sum of weighted events, as table `events` says it: "Ir + 10 * L1m". Its terms may be derived
 * themselves, from what is listed before it. */
enum { TP_WEIGHTED_TERMS = 32 };

struct tp_weighted_sum {
    size_t count;
    struct {
        char event[48];
        long weight;
        size_t column; /* for a user of the formula: where the event is */
    } term[TP_WEIGHTED_TERMS];
};

/* -1 if the text is no such sum. */
int tp_weighted_sum_read(struct tp_weighted_sum *formula, const char *text);

/* ------------------------------------------------------------------------------------------ a profile's */

/* "name=expression" over the profile's events and the formulas it has. */
int tp_define(tp_profile *profile, const char *definition, struct tp_error *err);
/* The same, read into `formula` alone. */
int tp_formula_read(tp_profile *profile, const char *definition, struct tp_formula *formula, struct tp_error *err);
/* Whether a definition is well formed, whatever events a profile has. */
int tp_define_check(const char *definition, struct tp_error *err);

/* The ratios, and misses with other sizes of caches, with what reports need of these (curves.h); tp_open calls them. */
int tp_define_ratios(tp_profile *profile, struct tp_error *err);
int tp_define_curves(tp_profile *profile, struct tp_error *err);
/* Of the latter CEst@SIZE alone, again where CEst has changed (tp_weigh). */
int tp_define_estimates(tp_profile *profile, struct tp_error *err);

/* The first of the profile's formulas; NULL: it has none. */
const struct tp_formula *tp_formulas(const tp_profile *profile);

/* By name, upper or lower case; NULL: there is none. */
const struct tp_formula *tp_formula_find(const tp_profile *profile, const char *name);

/* What is known of an event or ratio besides its name, and its level; "": nothing. */
struct tp_declared;
const char *tp_words_of(const tp_profile *profile, const char *base, struct tp_declared *declared);

/* These words with the name as the short form, "bytes never touched (SpLossD1_incl)"; the name alone, where nothing
 * more is known of it. */
void tp_named(const tp_profile *profile, const char *name, char *out, size_t size);

/* What the cycles of a term of the estimate go to, "memory"; else as tp_named. */
void tp_time_words(const tp_profile *profile, const char *event, char *out, size_t size);

/* What the time goes to, by the terms of CEst. In a profile with an estimate of time its cycles, else those of CEst. */
struct tp_time_part {
    const struct tp_event *event;
    char words[200];
    double cycles;
    bool timed; /* they are those of the estimate of time */
    double pointers, pages; /* of them: those that wait for an address to be loaded, again and again; of new pages */
};

/* Their number; 0 if CEst is no sum of several terms. */
int tp_time_parts(tp_profile *profile, struct tp_time_part part[TP_WEIGHTED_TERMS], size_t *count,
                  struct tp_error *err);

/* The formula as an expression over a view's columns. `inclusive`: of the inclusive costs of all its events. False: it
 * does not fit into `size` bytes. */
bool tp_formula_sql(const tp_profile *profile, const struct tp_formula *formula, bool inclusive, char *out,
                    size_t size);

#endif
