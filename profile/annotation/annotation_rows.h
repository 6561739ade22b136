/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotation_rows.h: rows of views, for the files that make an annotation.
 *
 *   annotation_rows.c   cells and queries
 *   annotation.c        files, functions, pairs, lines
 *   annotation_code.c   inlined functions, calls and instructions
 */
#ifndef TENURE_PROFILE_ANNOTATION_ROWS_H
#define TENURE_PROFILE_ANNOTATION_ROWS_H

#include <sqlite3.h>

#include "profile/annotation/annotation.h"

/* Which columns of a view stand for the terms. */
enum tp_columns {
    TP_COLUMNS_NONE,
    TP_COLUMNS_AS_ASKED, /* self costs and inclusive ones */
    TP_COLUMNS_BELOW,    /* inclusive ones; self costs are absent */
    TP_COLUMNS_PLAIN,    /* self costs, for inclusive terms too */
    TP_COLUMNS_WHOLE,    /* inclusive ones, for self terms too */
};

struct tp_view_rows {
    const char *columns; /* before those of the terms */
    int count;
    const char *table; /* what the terms are columns of: "v."; may be "" */
    enum tp_columns how;
    const char *from;
    bool grouped; /* another view has groups of these rows */
    int group;    /* the column that has the row's group; 0: it is none of a group */
};

struct tp_reading {
    struct tp_annotation *a;
    sqlite3_stmt *row;
    union tp_cell *cell; /* of the terms */
    void *user;
    const struct tp_view_rows *rows; /* what is read, and who takes it */
    bool (*take)(struct tp_reading *);
};

/* `take` each row; it is false where there is no memory for it. */
int tp_read_rows(struct tp_annotation *a, const struct tp_view_rows *rows, bool (*take)(struct tp_reading *),
                 void *user);

/* A copy that lives as long as the annotation; NULL for NULL. */
const char *tp_text_at(struct tp_reading *r, int column);
/* 0 for what is none: NULL, or below 0, or beyond INT32_MAX. */
uint32_t tp_number_at(struct tp_reading *r, int column);
/* What an id of the database is here; TP_NOT_FOUND also for NULL. */
uint32_t tp_index_at(struct tp_reading *r, int column, const struct tp_idmap *map);
/* An id that is there already, or is none, stays as it is. */
bool tp_remember(struct tp_idmap *map, int64_t id, size_t index);
/* The file at `column`; unknown: that of the function's object. TP_NOT_FOUND: out of memory. */
uint32_t tp_file_at(struct tp_reading *r, int column, uint32_t function);
/* The function whose context is at `column`; 0: unknown. */
uint32_t tp_function_at(struct tp_reading *r, int column);

/* A line, made if it is new; NULL: out of memory. Its pointer is good until the next is made. */
struct tp_annotated_line *tp_line_of(struct tp_annotation *a, uint32_t file, uint32_t number);
bool tp_is_real(const struct tp_annotation *a, size_t term);
void tp_add_cell(bool real, union tp_cell *to, union tp_cell from);
/* Whether any term is inclusive. */
bool tp_has_inclusive(const struct tp_annotation *a);

/* The order of two things on lines, by file and line. And how many of a list in that order are on a line, which
 * `*at`, an index, goes forward to and past. */
int tp_compare_places(const void *x, const void *y);
size_t tp_count_there(const void *list, size_t size, size_t count, size_t *at, const struct tp_annotated_line *line);

int tp_load_inlined(struct tp_annotation *a);
int tp_load_calls(struct tp_annotation *a);

/* An inclusive cost of a part is no more than the whole's, where things call themselves. `all_of_it`: it is that. */
void tp_bound(const struct tp_annotation *a, union tp_cell *part, const union tp_cell *whole, bool all_of_it);

#endif
