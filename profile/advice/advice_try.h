/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_try.h: remedies as `tenure record --remap` takes them, so that they can be tried before they are written.
 *
 * A remap names a data structure of the profile by a number that another recording of the same program knows it by
 * (core/raw_format.h, tn_remap_path), and fields by their bytes.
 */
#ifndef TENURE_PROFILE_ADVICE_TRY_H
#define TENURE_PROFILE_ADVICE_TRY_H

#include "profile/profile.h"

/* What can be tried, of one data structure. Texts are freed by tp_try_free. */
struct tp_try {
    char *remap;     /* for --remap; NULL: it cannot be tried */
    char *words;     /* the same with the profile's names, for people */
    const char *why; /* without remap: why it cannot be; lives as long as the program */
    int64_t data;    /* id of the data structure */
};

/* The remedy of a piece of advice, by its rank: tp_advise has been called. 0 also if it cannot be tried. */
int tp_try_advice(tp_profile *profile, int64_t id, struct tp_try *out, struct tp_error *err);

/* A remap in the names of the profile: "split struct order: x,y | rest". A data structure is named by its name, its
 * symbol, its function, or a part of its name that no other has. What is wrong, and what is known instead, is in `err`.
 */
int tp_try_named(tp_profile *profile, const char *text, struct tp_try *out, struct tp_error *err);

void tp_try_free(struct tp_try *what);

/* Sets `remap` of all pieces of advice (advice.h). */
int tp_try_layouts(tp_profile *profile, struct tp_error *err);

/* What came of a remedy that was tried, or why it was not. */
struct tp_tried {
    const char *event; /* by which it is compared: Time or CEst; NULL: it was not tried */
    const char *words; /* what was tried, or why it was not */
    double saved;      /* of the event, in percent; negative: it costs more */
    double cest;       /* the same of CEst */
    double lines[2];   /* that less are loaded into level 1, and from memory */
};

/* What tables of advice (advice.h) say of this piece of advice from now on: what was tried instead of the estimate. */
int tp_advice_tried(tp_profile *profile, int64_t id, const struct tp_tried *tried, struct tp_error *err);

#endif
