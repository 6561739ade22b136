/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h: what is found out about the code of a recording, in this order: files, lines and inlined frames; statements;
 * loops. And, before a program runs, what its data is made of.
 *
 * Function boundaries are the recording's and are not touched. What cannot be found stays unknown; only running out of
 * memory and being told to give up are failures: -1.
 */
#ifndef TENURE_PROFILE_CODE_H
#define TENURE_PROFILE_CODE_H

#include "profile/raw/recording.h"

/* The function that runs in a context (+ 1); NULL: no context (0), or it is not known. */
static inline const struct tp_function *tp_function_of(const struct tp_recording *rec, uint32_t context)
{
    uint32_t function = context ? rec->contexts.at[context - 1].function : 0;

    return function ? &rec->functions.at[function - 1] : NULL;
}

/* tp_instr.file, line and frame of every instruction that has costs; tp_function.file and line; tp_object's debug_file,
 * and the note that says why it has none; the recording's files and frames. */
int tp_symbols(struct tp_recording *rec, const struct tp_import_options *options, struct tp_error *err);

/* The debug information of object number `index`, whose file (NULL in it: there is none) need not be the one that has
 * it. No server is asked. Nothing happens if there is none. */
struct Dwarf;
struct tp_image;
typedef void tp_visit_debug(void *user, struct tp_object *object, const struct tp_image *image,
                            const struct tp_image *debug, struct Dwarf *dwarf);
int tp_symbols_visit(struct tp_recording *rec, size_t index, tp_visit_debug *visit, void *user, struct tp_error *err);

/* rec->statements, by file and line; the statement of every executed instruction whose line is known; and
 * rec->loop_lines. */
int tp_statements(struct tp_recording *rec, const struct tp_import_options *options, struct tp_error *err);

/* The executed instructions, context by context, each context's by address. */
struct tp_sites {
    struct tp_site {
        uint64_t address;
        uint32_t instr; /* index */
    } *at;
    uint32_t *first; /* those of context c (+ 1) are at[first[c - 1]] to at[first[c]] */
};
/* Free in any case. */
int tp_sites_make(struct tp_sites *sites, const struct tp_recording *rec);
void tp_sites_free(struct tp_sites *sites);

/* rec->loops, and loop and type of every executed instruction, from the code itself; after tp_statements. Of code that
 * is not there to be read (made at run time, an object file that is gone or not the one recorded) nothing becomes
 * known. */
int tp_loops(struct tp_recording *rec, const struct tp_sites *sites, const struct tp_import_options *options,
             struct tp_error *err);

/* What the engine is to be told of a program: what its data is made of, and which functions some patterns mean. */
struct tp_asked {
    bool data;
    const char *const *patterns;
    size_t count;
    bool (*matches)(const char *pattern, const char *name);
};

/* That of `program`, and of the libraries that it needs, found out before it runs, for the engine to read
 * (core/element_format.h): a data object's costs are told apart by their offset in an element (docs/attribution.md,
 * section 11), and names of functions in options are those of reports. Written to `out`. Returns the number of entries
 * and lines; 0: nothing is known, and no file is written; -1: failed. */
int64_t tp_elements_write(const char *program, const struct tp_asked *asked, const char *out, struct tp_error *err);

#endif
