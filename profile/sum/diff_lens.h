/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_lens.h: how profiles are looked at to be compared (sum.h, struct tp_sum_lens).
 *
 *   names      source files, objects and functions are renamed as the user wishes
 *   functions  are the same if name and file are; where the file is not known, if name and the object's file name are
 *   objects    have changed if their build ids differ, or are missing, in any two of the profiles. In one that has
 *              changed an instruction is not that of another build, and neither is a call site: its calls go by line.
 *   lines      in an object that has changed are those of the last new profile: found by comparing the source texts,
 *              if both profiles have them (--embed-source); otherwise the line is not known
 */
#ifndef TENURE_PROFILE_DIFF_LENS_H
#define TENURE_PROFILE_DIFF_LENS_H

#include "profile/objects/linemap.h"
#include "profile/sum/rename.h"
#include "profile/sum/sum.h"

struct tp_diff_lens {
    struct tp_sum_lens lens;
    const struct tp_rename *filename, *funcname;
    char kind[16]; /* of the data object at hand: it says what its name is made of */
    char *renamed; /* what rewrite has returned */
    struct tp_arena arena;
    TP_VECTOR(struct tp_diff_object) objects; /* by path */
    TP_VECTOR(struct tp_pair) sources;        /* path, text: of the profile whose lines are meant */
    TP_VECTOR(const char *) paths;            /* of the objects of the profile at hand, as they are there */
    TP_VECTOR(struct tp_diff_map) maps;       /* of the profile at hand */
    TP_VECTOR(int) changed;                   /* by row of the sum's objects: 0 not looked up, 1 no, 2 yes */
    TP_VECTOR(int) map_of;                    /* by row of its files: 0 not looked up, 1 none, map + 2 */
    TP_VECTOR(bool) unmatched;                /* by row of its files */
    size_t unmatched_count;
    size_t looked;   /* profiles */
    bool rebuilt;    /* some object has changed, or is not in all of them */
    char *replaced; /* a name of a data structure, its line another one or none */
    bool failed; /* out of memory where nobody could be told */
};

/* Look at all of the profiles; the last is the one whose lines are meant. */
int tp_diff_lens_look(struct tp_diff_lens *lens, tp_profile *profile, bool last, struct tp_error *err);
/* The profile to be read next. */
int tp_diff_lens_begin(struct tp_diff_lens *lens, const struct tp_sum *sum, tp_profile *profile, struct tp_error *err);
void tp_diff_lens_free(struct tp_diff_lens *lens);

#endif
