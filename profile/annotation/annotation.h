/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotation.h: the costs of a profile by source file, line and function, in memory.
 *
 * Files that are one file under several names are one here, and so are the contexts of a function. A row of costs has a
 * cell for each of the terms that were asked for, in their order.
 *
 *   file      the sum of its lines; an inclusive cost is absent, since functions of a file lie below one another
 *   function  as table `functions`; inclusive costs of contexts are put together from the call tree
 *   pair      what a function costs in a file; inclusively: with what is called from there
 *   line      of all functions that have code there; inclusive costs are added up, so that what is called from a line
 *             of one function, and from the same line again of another below it, counts twice; but never more than
 *             the function's, or the program's, cost
 *   inlined   under the line that called it: its body's instructions and those inlined into it; inclusive: with what
 *             they call
 *   call      from a line to a function: inclusive costs alone
 *   instruction   inclusive: with what it calls
 *
 * Each structure of something on a line begins with its file and line (tp_compare_places).
 */
#ifndef TENURE_PROFILE_ANNOTATION_H
#define TENURE_PROFILE_ANNOTATION_H

#include "profile/objects/locate.h"
#include "profile/read/formula.h"

/* A count, or a double for events that are REAL; TP_ABSENT: it cannot occur, or is not known. */
union tp_cell {
    int64_t count;
    double real;
};
#define TP_ABSENT INT64_MIN
/* Where sets were sampled, a row goes on with as many cells for each group (profile/read/margin.h). They are absent
 * where the profile has no groups: of what was inlined, of instructions, and of inclusive costs of several contexts. */

struct tp_annotated_file {
    const char *path;    /* as the profile has it (one of its names); NULL: unknown, then it stands for an object's */
    const char *object;  /* code without a known file: its object's path; may be NULL */
    struct tp_place place;
    int64_t embedded; /* id in table `sources`; 0: the profile has no text */
    union tp_cell *cost;
    size_t first_line, lines; /* in `line` */
    bool wanted;              /* the caller's: tp_annotation_instructions looks at it */
};

struct tp_annotated_function {
    const char *name, *object; /* object may be NULL */
    uint64_t address, size;
    union tp_cell *cost;
    uint32_t contexts, pairs;
    bool in_tree; /* its inclusive costs are those of several contexts, from the call tree */
};

struct tp_annotated_pair {
    uint32_t file, function;
    union tp_cell *cost;
};

struct tp_annotated_line {
    uint32_t file, line;   /* line 0: unknown */
    uint32_t function;     /* whose alone it is; TP_NOT_FOUND: of several */
    union tp_cell *cost;   /* NULL: none, but something was inlined there */
    size_t first_inlined, inlined; /* in `inlined` */
    size_t first_call, calls;      /* in `calls` */
    size_t first_instruction, instructions;
};

struct tp_annotated_inlined {
    uint32_t file, line; /* that called it */
    const char *name;
    const char *path; /* where it is declared; NULL: unknown */
    uint32_t declared;
    union tp_cell *cost;
};

struct tp_annotated_call {
    uint32_t file, line; /* that calls */
    uint32_t function;
    uint64_t calls;
    union tp_cell *cost;
};

struct tp_annotated_instruction {
    uint32_t file, line, function;
    uint64_t address, offset;
    uint32_t length; /* of a run of them, in a function that is rarely executed, of all */
    union tp_cell *cost;
};

/* Lines that are one statement. */
struct tp_annotated_statement {
    uint32_t file, line, first_line;
    double cost;   /* percent of the program's CEst: its relative execution cost */
    double misses; /* percent, too: the part of it that is not the instructions themselves */
};

struct tp_annotation {
    const struct tp_term *term; /* the caller's */
    size_t terms, groups;       /* groups: 0 if all sets were simulated */
    union tp_cell *total; /* an inclusive cost of everything is its self cost */
    TP_VECTOR(struct tp_annotated_file) files;
    TP_VECTOR(struct tp_annotated_function) functions;
    TP_VECTOR(struct tp_annotated_pair) pairs;
    TP_VECTOR(struct tp_annotated_line) lines;     /* by file and line */
    TP_VECTOR(struct tp_annotated_inlined) inlined; /* by file, line and name */
    TP_VECTOR(struct tp_annotated_call) calls; /* by file, line and function's name */
    TP_VECTOR(struct tp_annotated_instruction) instructions; /* by file, line, function and address */
    TP_VECTOR(struct tp_annotated_statement) statements; /* by file and line; of all files */
    bool pruned; /* the call tree is not whole: inclusive costs of functions with several contexts may be too small */
    struct tp_arena arena;
    /* For loading. */
    tp_profile *profile;
    const struct tp_search *search;
    struct tp_slots file_of_name;
    struct tp_idmap file_of_id, function_of_context, pair_of, line_of, instruction_of_id;
    struct tp_error *err;
};

/* Load files, functions, pairs, lines and inlined functions. `terms` and `search` are the caller's, and stay. Free in
 * any case. */
int tp_annotation_load(struct tp_annotation *annotation, tp_profile *profile, const struct tp_term *terms, size_t count,
                       const struct tp_search *search, struct tp_error *err);
/* Load the instructions of files that are wanted. */
int tp_annotation_instructions(struct tp_annotation *annotation, struct tp_error *err);
/* Load the statements, and find that of a line; NULL: it is in none. */
int tp_annotation_statements(struct tp_annotation *annotation, struct tp_error *err);
const struct tp_annotated_statement *tp_annotation_statement(const struct tp_annotation *annotation, uint32_t file,
                                                             uint32_t line);
void tp_annotation_free(struct tp_annotation *annotation);

/* A row without costs, which lives as long as the annotation; NULL: out of memory. And the sum of two. */
union tp_cell *tp_annotation_row(struct tp_annotation *annotation);
void tp_annotation_add(const struct tp_annotation *annotation, union tp_cell *to, const union tp_cell *from);

/* The text that the profile has of a file; NULL: none, or `err` says why. Lives until `arena` is cleared. */
const char *tp_embedded_text(tp_profile *profile, struct tp_arena *arena, int64_t file_id, struct tp_error *err);

#endif
