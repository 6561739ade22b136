/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate.h: what the files of `tenure annotate` share.
 *
 *   cmd_annotate.c         options; what is printed, in which order
 *   annotate_columns.c     columns, their cells in a table, sort keys, thresholds
 *   annotate_functions.c   the tables by file and function, and by function and file
 *   annotate_source.c      source files with their lines' costs
 *   annotate_text.c        the text of a source file
 *   annotate_code.c        instructions as text
 *   annotate_json.c        all of it as JSON
 *
 * A row of costs (union tp_cell *) has a cell for each term; a column is a term, or a formula over some. Tables are
 * printed as those of reports (cli/base/table.h).
 */
#ifndef TENURE_CLI_ANNOTATE_H
#define TENURE_CLI_ANNOTATE_H

#include "cli/base/column.h"
#include "cli/base/term.h"
#include "profile/annotation/annotation.h"
#include "profile/base/json.h"
#include "profile/objects/source.h"

enum {
    ANNOTATE_MAX_COLUMNS = 512,
    ANNOTATE_MAX_TERMS = 1024,
    ANNOTATE_MAX_KEYS = 16,
    ANNOTATE_MAX_FOLDERS = 64,
};

struct annotate_key {
    unsigned column;
    double threshold; /* percent of the total; of a ratio its own value; negative: this key chooses nothing */
};

/* What a column says of a row. */
struct annotate_value {
    bool known, is_count; /* is_count: `count` is exact */
    int64_t count;
    double value;
};

enum annotate_choice { ANNOTATE_NOT, ANNOTATE_AUTO, ANNOTATE_USER, ANNOTATE_MISSING /* chosen, but not found */ };

struct annotate {
    /* Options. */
    const char *show, *sort, *weights;
    struct column_defines defines;
    double threshold;
    uint64_t context;
    bool percentages, json, calls, disassemble, statements;
    struct tp_source_access access; /* of `folders` */
    const char *folders[2 * ANNOTATE_MAX_FOLDERS];
    int automatic; /* -1: unless files are named */
    const char *folder[ANNOTATE_MAX_FOLDERS];
    struct tp_file_map map[ANNOTATE_MAX_FOLDERS];
    struct tp_search search;
    char *const *source; /* file names on the command line */
    size_t sources;

    tp_profile *profile;
    const char *file;                     /* the user's name for it */
    struct column_list columns;           /* those shown, then those that only sort */
    size_t shown;
    unsigned (*term_of)[TP_FORMULA_TERMS]; /* of each column: of an event one, else the formula's */
    struct annotate_key key[ANNOTATE_MAX_KEYS];
    size_t keys;
    struct tp_term term[ANNOTATE_MAX_TERMS];
    size_t terms;
    struct tp_margin *(*margin)[TP_SAMPLED_DATA]; /* of each column, in rows of each kind, once asked for */
    unsigned ran_of[2][3]; /* the terms Ir, Dr and Dw, self and inclusive; where sets were sampled */
    struct tp_annotation costs;
    struct tp_json out; /* with --json */
    uint8_t *choice; /* of each file, enum annotate_choice */
    uint32_t *order; /* files, those chosen first, in the order they are shown */
    size_t chosen;
    uint32_t *by_address; /* functions, sorted; NULL until they are needed */
    unsigned sections;    /* printed so far */
    bool failed;          /* margins: an error was printed */
};

/* ------------------------------------------------------------------------------------------ columns */

/* Reads --show and --sort. False with one line on stderr. */
bool annotate_choose(struct annotate *an);
struct annotate_value annotate_value(const struct annotate *an, size_t column, const union tp_cell *cost);
/* How far the column may be off in a row of this kind, where sets were sampled and the profile has groups of it. */
struct tp_figure annotate_margin(struct annotate *an, size_t column, enum tp_sampled of, const union tp_cell *cost);
void annotate_margins_free(struct annotate *an);
/* Whether any key's threshold is reached. */
bool annotate_reaches(const struct annotate *an, const union tp_cell *cost);
/* Order of rows, for qsort: the larger amount first, by the keys, then by the columns shown; 0: equal. */
int annotate_compare(const struct annotate *an, const union tp_cell *a, const union tp_cell *b);

/* ------------------------------------------------------------------------------------------ tables */

/* A table of the columns shown, and behind them one with this heading: TABLE_TEXT for names, or TABLE_SOURCE. Between
 * them with --statements there is one of their costs, for source. */
struct table *annotate_table(struct annotate *an, enum table_kind kind, const char *heading);
/* The cells of a row but for the last one. `cost` NULL: nothing can occur. What is not known is blank. `of`: what the
 * row's margins are those of. */
enum annotate_known { ANNOTATE_ALL, ANNOTATE_SELF_ONLY, ANNOTATE_INCLUSIVE_ONLY };
void annotate_cells(struct annotate *an, struct table *table, const union tp_cell *cost, enum annotate_known known,
                    enum tp_sampled of);
void annotate_print(const struct annotate *an, struct table *table); /* frees it */
void annotate_section(struct annotate *an, const char *title);

/* ------------------------------------------------------------------------------------------ names and sections */

/* A file as it is called in tables and headings; not escaped. */
void annotate_file_name(const struct annotate *an, uint32_t file, char *out, size_t size);
void annotate_functions(struct annotate *an); /* both tables; chooses files */
bool annotate_sources(struct annotate *an);

/* A table's rows: groups (files, or functions), with what is in them; those below the threshold are left out. */
struct annotate_group {
    const union tp_cell *cost, *rank; /* rank: what it is sorted by */
    uint32_t index; /* of the file or function */
    size_t first, count, all; /* of the pairs in it: those that are shown come first */
};
struct annotate_groups {
    struct annotate_group *group;
    size_t count, all; /* that are shown; in the profile */
    uint32_t *pair;    /* indices of pairs */
    bool by_file;      /* groups are files, else functions */
};

/* As JSON: the beginning of the object, a table, the sources with the end of it. */
void annotate_json_begin(struct annotate *an);
void annotate_json_groups(struct annotate *an, const struct annotate_groups *groups);
bool annotate_json_sources(struct annotate *an);

/* A source file's lines. */
struct annotate_text {
    struct tp_arena arena;
    TP_VECTOR(const char *) lines; /* the first is line 1 */
    bool found, embedded, newer;   /* newer than the profile */
    const char *refused;           /* why it is not shown though it is there (profile/objects/source.h), or NULL */
};
/* False: an error was printed. Free it otherwise. */
bool annotate_read(struct annotate *an, uint32_t file, struct annotate_text *text);
void annotate_text_free(struct annotate_text *text);

/* The instruction as text: where it is, what it is, and the function that it calls or jumps to. */
void annotate_instruction(struct annotate *an, const struct tp_annotated_instruction *instruction, char *out,
                          size_t size);
void annotate_instructions_end(void);

#endif
