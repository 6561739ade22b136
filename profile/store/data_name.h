/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_name.h: what a data object is called, and where its user's code allocates it.
 */
#ifndef TENURE_PROFILE_DATA_NAME_H
#define TENURE_PROFILE_DATA_NAME_H

#include "profile/raw/recording.h"

struct tp_data_name {
    const char *name;      /* "strdup in main (main.c:41)", "table (libfoo.so)", "stack of thread 1", ... */
    const char *kind;      /* "heap", "mapping", "static", "stack", "file", "rest", "other", "region" */
    const char *allocator; /* the function that allocates; NULL: nothing does */
    const char *called;    /* the one that the user's code calls: the same, or a library's that leads there; or NULL */
    const char *function;  /* the user's, that calls it, directly or through libraries; NULL: not known */
    const char *symbol;    /* demangled; of a static object; NULL: none */
    uint32_t file, line;   /* of that call; 0: not known. File + 1 */
};

/* What a source line calls: the user's, if inlined code of a system's header stands there. */
struct tp_call_place {
    const char *function;
    uint32_t file, line; /* file + 1 */
};
void tp_call_place(const struct tp_recording *rec, uint32_t site, struct tp_call_place *out);

/* Texts live as long as the recording. -1: no memory. */
int tp_data_name(struct tp_recording *rec, const struct tp_data *data, struct tp_data_name *out);

#endif
