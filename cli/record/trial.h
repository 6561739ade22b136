/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trial.h: a profile's recording once more, with data structures elsewhere: what a remedy would save.
 *
 *   struct trial trial = {.profile = profile};
 *   bool good = trial_begin(&trial, false);
 *   ... trial_take(&trial, rank, &item), trial_run(&trial, &item), item.saved ..., trial_forget(&item) ...
 *   trial_end(&trial);
 *
 * The program runs as it is; only where the simulation has the data structure differs (docs/model.md, 22). What it
 * prints goes nowhere. Whatever returns false has said why on standard error. Signals are the caller's
 * (given_hold_signals): once there was one, what runs is ended, and false returned.
 */
#ifndef TENURE_CLI_TRIAL_H
#define TENURE_CLI_TRIAL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/advice/advice_try.h"
#include "profile/profile.h"

enum { TRIAL_REMAPS = 32 };

struct trial {
    tp_profile *profile;
    char **given;      /* the program, if the user named one; else NULL: the profile's */
    const char *weights; /* that CEst of the profile has; NULL: the usual ones */
    const char *out;   /* where the profile of a run is to stay, or NULL: the run is beside it until then */
    const char *event; /* that is compared: Time, or CEst; set by trial_begin */

    char folder[PATH_MAX], path[PATH_MAX + 16]; /* of the recordings */
    char **options, **program;                  /* of the profile's recording */
    bool told;                                  /* which program runs */
    off_t input;                                /* where standard input was at first; -1: it cannot go back */
    struct trial_done {
        char *remap;
        int64_t rank;
        struct trial_costs {
            double after;    /* the event */
            double cest;     /* of CEst what is saved, in percent */
            double lines[2]; /* that less are loaded into D1, and from memory */
            double otherwise; /* in percent: instructions that the run has more, if it did something else; else 0 */
        } costs;
    } *done; /* what was tried for a piece of advice, and may be the remedy of another one, too */
    size_t dones;
};

/* One run: what is changed, and what that costs. */
struct trial_item {
    int64_t rank;    /* of the advice; 0: a remap of the user's */
    char *title;     /* of the advice, and its data structure */
    const char *why; /* without `whats`: why it cannot be tried */
    struct tp_try what[TRIAL_REMAPS];
    size_t whats;
    double promised; /* in percent of the event; with a rank */
    double promised_cest; /* the same of CEst */

    tp_profile *with; /* of the run; NULL: not tried, or `same` */
    bool tried;
    int64_t same;     /* rank of the advice whose remedy was the same; 0: none */
    double before;    /* the event */
    double saved;     /* of it, in percent */
    struct trial_costs costs;
};

/* Reads how the profile was recorded, and makes a folder for the runs unless `words_only`: nothing is to run. */
bool trial_begin(struct trial *trial, bool words_only);
void trial_end(struct trial *trial);

/* A piece of advice by its rank (tp_advise was called). */
bool trial_take(struct trial *trial, int64_t rank, struct trial_item *item);
/* Runs it, if it can be tried. */
bool trial_run(struct trial *trial, struct trial_item *item);
void trial_forget(struct trial_item *item);

/* The command that would run, one line on standard output. */
void trial_print_command(const struct trial *trial, const struct trial_item *item);

/* Tries the first `most` pieces of advice; what is said of each that was tried is what came of it from then on
 * (advice.h: columns `tried`, `promised`, and evidence `remap`), of each that cannot be, why (evidence `untried`). */
bool trial_advice(tp_profile *profile, const char *weights, uint64_t most);

#endif
