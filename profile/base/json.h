/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h: JSON, written to a stream.
 *
 * A writer knows what is open, and puts commas and the names of members where they belong; what is written is not
 * indented, but each element of an object or array may begin a line. {.out = stream} to begin with.
 *
 *     tp_json_begin(&json, NULL, '{', ", ");
 *     tp_json_text(&json, "name", "main");
 *     tp_json_end(&json);                       {"name": "main"}
 */
#ifndef TENURE_PROFILE_JSON_H
#define TENURE_PROFILE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TP_JSON_DEEPEST = 16 };

struct tp_json {
    FILE *out;
    int depth;
    struct tp_json_open {
        const char *between; /* elements */
        char bracket;
        int any; /* elements so far */
    } open[TP_JSON_DEEPEST];
};

/* An object ('{') or array ('['), whose elements have `between` between them; of a `between` with a newline what is
 * behind the comma is before the first one, too. `name`: of the member that it is; NULL in an array. So for all. */
void tp_json_begin(struct tp_json *json, const char *name, char bracket, const char *between);
void tp_json_end(struct tp_json *json);
void tp_json_text(struct tp_json *json, const char *name, const char *text); /* NULL: null */
void tp_json_integer(struct tp_json *json, const char *name, int64_t value);
void tp_json_bool(struct tp_json *json, const char *name, bool value);
/* With ten digits, which is what people look at; a number that is not finite has no form in JSON and is null. */
void tp_json_figure(struct tp_json *json, const char *name, double value);
void tp_json_real(struct tp_json *json, const char *name, double value); /* as tp_write_real */
/* A value of other code's making: what comes before it; then it is to be written to `out`. */
void tp_json_next(struct tp_json *json, const char *name);

/* A string with its quotes. */
void tp_write_json_text(FILE *out, const char *text);
/* A field of CSV (RFC 4180), in quotes where it must be. What a terminal might obey is written \xNN; what a spreadsheet
 * would compute has a ' before it, which it takes as the mark of a text. */
void tp_write_csv_text(FILE *out, const char *text);
/* Bytes of the well-formed UTF-8 character that `text` begins with; 0 if it begins with none (RFC 3629: shortest form,
 * no surrogates), or with NUL. `left`: bytes that there are. */
size_t tp_utf8(const void *text, size_t left);
/* Of the control character that `text` begins with; 0: it is none. A terminal may obey it. */
size_t tp_control(const char *text);
/* Of the character that `text` begins with, if it may be shown to people; 0: it is malformed, a control character, one
 * that nobody sees, or one that turns the direction of writing, and would hide what a name is. */
size_t tp_shown(const char *text);
/* As short as reads back to the same number. */
void tp_write_real(FILE *out, double value);

#endif
