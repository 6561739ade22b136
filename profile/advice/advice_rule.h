/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_rule.h: what a rule of advice.h is: a query, and the words around its numbers.
 *
 * The query asks the profile's tables and those of advice_gather.c. Its columns are known by name:
 *
 *   function_id, file_id, line, loop_id     what it is about: a source line, in a loop
 *   data_id                                 the data object
 *   other_function_id, other_file_id, other_line, other_loop_id   a second place, whose role is `other`
 *   fusion                                  in temp.advice_fusions: loops that are named, too
 *   lines1, lines2, linesL                  lines that less would be loaded, by level
 *   shared, wrong                           lines of other threads that less would be missed, branches guessed wrong
 *   walks, waited                           page walks that there would be less, and the part of one that is waited for
 *   calls, called                           what calls cost that need not be made, of CEst and of Time
 *   confidence                              0 to 1
 *
 * and each row of `evidence` is the column of its key, or the text in <key>_text. A column that is not there is NULL.
 * Parameters are bound by name: every limit (:spatial), :line1, :line2, :lineL (bytes of a line by level), :size1,
 * :size2, :sizeL (bytes of the caches), :w1, :w2, :wL, :wt, :wc, :wb (weights of a level's misses, of page walks, of
 * coherence misses and of mispredictions in CEst), :total (CEst of the program), :kinds (1: misses are told apart, else
 * 0), :way1 (bytes of a way of level 1: addresses so far apart are in one set), :held (pages that the TLBs hold).
 *
 * Rules are asked in their order, and may see what those before them have found, in temp.advice_found: one cause is one
 * piece of advice.
 */
#ifndef TENURE_PROFILE_ADVICE_RULE_H
#define TENURE_PROFILE_ADVICE_RULE_H

#include "profile/profile.h"

enum { TP_RULE_EVIDENCE = 8 };

struct tp_rule {
    const char *kind, *title, *fix;
    const char *needs;  /* events without which it says nothing, ' ' between */
    enum { TP_STRIDES_ANY, TP_STRIDES_KEPT, TP_STRIDES_LOST } strides; /* whether it says nothing without, or with,
                                                                          strides */
    const char *record; /* option of `tenure record` that it needs; NULL: none */
    bool sampled;       /* `record` can be given with --sample, too */
    bool pages;         /* it saves new pages, too */
    bool walks;         /* what is left is loaded line after line, ahead of its use */
    bool past;          /* lines saved are stored past the caches: half of what it takes to load and write them back */
    bool turns;         /* Valgrind's engine gives threads such long turns that it sees little of this */
    const char *if_so;  /* a query: whether there would be anything to say with it; NULL: yes */
    bool without_data; /* it says something of a profile without data objects, too */
    const char *other; /* role of the second place; NULL: there is none */
    const char *sql;
    struct {
        const char *key, *unit, *words;
    } evidence[TP_RULE_EVIDENCE];
};

/* Ended by a rule without a kind. */
extern const struct tp_rule tp_rules[];

/* What is worth saying: so much of the estimate, in which a miss of levels 1, 2 and L, and a page walk, have these
 * weights; limits of advice, and the bytes of a line of level 1. */
struct tp_advice_worth {
    double least, weight[4], cold, regular, far, line;
};

/* Makes the temporary tables that rules ask; see advice_gather.c. */
int tp_advice_gather(tp_profile *profile, const struct tp_advice_worth *worth, struct tp_error *err);

/* Empty tables for what is found; then advice.h's tables of it, at most `most` of a kind. */
int tp_advice_begin(tp_profile *profile, struct tp_error *err);
int tp_advice_rank(tp_profile *profile, int most, struct tp_error *err);

#endif
