/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sections.h: the tables in which a profile is shown, as data.
 *
 * A section is one table: the view or query that it reads, its columns with their names in JSON and on a terminal, how
 * rows are ordered and which are left out, and where the thing that a row is about lies. Sections that are asked for by
 * one option are a group. Whoever shows a section walks its descriptor, so that no column is written down twice: the
 * terminal, JSON and CSV (cli/report/report_table.c), and the page of `tenure html`, which has rows of its own by the
 * same keys (page/src/section.js).
 *
 * SQL and words of a descriptor have places that whoever shows it fills in:
 *
 *   $sort       the event sorted by: in SQL its expression, in words what it counts, with its name
 *   $by         what rows are ordered by: the same, or what the section says
 *   $size       a function that comes before (...): of a difference the size of a number counts, not its sign
 *   $total      the program's total of $by; 1 if there is none
 *   $limit      how many rows a table may have
 *   $strides    1 if strides between misses are known
 *   $inclusive, $ratio   1 if the event sorted by is an inclusive one, or a ratio
 *   $id, $name  of the row of `each`; without it, $name is the option's value
 *   $option, $file, $format   the group's option; the profile's name; the format of the file that was imported
 *   {EVENT}     in SQL: the event, or 0 where it is NULL, or the profile does not have it
 *   {EVENT|SQL} in SQL: the event, or `SQL` if the profile does not have it
 *   [SQL]       in SQL: for each event ", SQL AS event", with % for the event's name
 *   ?1          a parameter: the option's value, or the name that --in gives
 */
#ifndef TENURE_PROFILE_SECTIONS_H
#define TENURE_PROFILE_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/read/margin.h"

enum { TP_SECTION_GROUPS = 24 }; /* at most */

enum tp_column_kind { /* profile/html/html.c has their names in the page */
    TP_COLUMN_TEXT,
    TP_COLUMN_COUNT,
    TP_COLUMN_REAL,
    TP_COLUMN_PERCENT,
    TP_COLUMN_CHANGE,    /* a whole number with its sign */
    TP_COLUMN_AS_SORTED, /* as the event sorted by: whole or real */
    TP_COLUMN_BRIEF,     /* a function: people are shown its file and line instead, which are the next two columns */
    TP_COLUMN_SETS,      /* sets of a cache, from texts of bit masks with ',' between: "0-7 16" */
    TP_COLUMN_SET_COUNT, /* how many these are */
};

struct tp_section_column {
    const char *key; /* in JSON, and in the page */
    enum tp_column_kind kind;
    const char *title; /* the heading, with '\n' between two lines; NULL: people are not shown the column */
    int group;         /* where there is no room, columns of the highest group go first; 0: the column stays */
    const char *sql;   /* NULL: the view's column that is called as `key` */
    const char *event; /* the column is there only if the profile has this event; NULL: always */
    const char *about; /* what its values mean, for whoever asks (the page); NULL: the heading says it */
};

/* Which columns of events stand before a section's own. */
enum tp_section_events {
    TP_EVENTS_SHOWN,     /* those that the user asked for, or the usual ones */
    TP_EVENTS_SELF,      /* the same without inclusive ones */
    TP_EVENTS_INCLUSIVE, /* the same, each as the inclusive one */
    TP_EVENTS_NONE,
};

/* Where the thing is that the last column names, which people are shown behind that name: the three columns before it
 * are these. */
enum tp_section_place {
    TP_PLACE_NONE,
    TP_PLACE_POINT, /* file, line, object */
    TP_PLACE_RANGE, /* file, first line, last line */
    TP_PLACE_TYPE,  /* the column before is a type */
};

enum tp_section_rows {
    TP_ROWS_LARGE, /* what has less than the threshold is left out; at most $limit rows */
    TP_ROWS_FIRST, /* at most $limit rows */
    TP_ROWS_ALL,
};

struct tp_section {
    const char *key;   /* in JSON; may have $id */
    const char *title; /* words */
    enum tp_section_events events;
    /* Of events where the user asked for none, behind the event sorted by (self or, of TP_EVENTS_SHOWN, self and
     * inclusive): these, ending with NULL. NULL: the same for all sections. */
    const char *const *usual;
    const struct tp_section_column *columns; /* ends with a key that is NULL */
    enum tp_section_place place;
    enum tp_section_rows rows;
    const char *from;  /* SQL: a view, or a query in parentheses; NULL: rows are not made by SQL */
    const char *where; /* SQL: rows that the section is about; NULL: all */
    const char *function; /* SQL: the function's id, where rows of start-up (tp_startup) may be left out; or NULL */
    const char *in;    /* SQL: rows that --in chooses; NULL: the section is not there with --in */
    const char *by;    /* SQL: what orders and limits rows, instead of the event sorted by */
    const char *total; /* SQL: the program's total of it; NULL: that of the event */
    const char *ties;  /* SQL: the order of rows that are equal in $by */
    const char *order; /* SQL: the whole order, instead */
    const char *again; /* SQL: the order in which the rows that were chosen are shown, by columns' numbers */
    const char *of;    /* SQL: a view with one row, which percentages are of; NULL: the program */
    const char *there; /* SQL: a query, 0 if there is no such section of this profile; NULL: there is */
    const char *each;  /* SQL: a query of (id, name): a table for each of its rows, in JSON under the same key one for
                        * all; NULL: one table */
    const char *note, *note_if; /* words behind the table, and a query that is 0 if they do not hold */
    enum tp_sampled sampled;    /* what margins its events have where sets were sampled: `from` has ids then */
};

/* What must be true of a profile, or of what was asked for: a query, and what is wrong where its value is 0. */
struct tp_section_need {
    const char *sql, *refusal;
};

struct tp_section_group {
    const char *option; /* without dashes; NULL: what is shown if nothing is asked for */
    char letter;
    const char *value; /* what the option's value is called; NULL: it has none */
    const char *help;
    const char *in; /* SQL: the view in which --in must find something; NULL: --in does not choose among its rows */
    /* Of "sort show define limit threshold" those that would have no effect: on text, and on JSON and CSV. */
    const char *ignores[2];
    struct tp_section_need needs[6];         /* in this order, ending with an sql that is NULL */
    const struct tp_section *const *sections; /* ends with NULL; NULL: it is no table */
};

/* Events that are shown unasked behind the one sorted by, as far as the profile has them; ends with NULL. */
extern const char *const tp_section_usual[];

/* In the order in which they are shown. */
extern const struct tp_section_group tp_section_groups[];
extern const size_t tp_section_group_count;

#endif
