/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * continuation.h: which lines of a source text are one statement, by what the text itself says.
 *
 * A statement goes on behind the end of a line if it has begun and not ended there. What ends one depends on the
 * language: `;`, the `{` of a block, the `)` of what `if`, `for`, `while` and `switch` ask; in Rust and Go also a `,`
 * between braces, in Go most ends of lines; in Fortran the line, unless it ends with `&` or the next one goes on (in
 * fixed form, by column 6). No preprocessor runs and nothing is parsed: a macro that hides braces or semicolons may
 * join lines that are several statements.
 */
#ifndef TENURE_PROFILE_CONTINUATION_H
#define TENURE_PROFILE_CONTINUATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/base/mem.h"

enum tp_language {
    TP_LANGUAGE_OTHER, /* each line is a statement */
    TP_LANGUAGE_C,     /* and C++, Java, ... */
    TP_LANGUAGE_RUST,
    TP_LANGUAGE_GO,
    TP_LANGUAGE_FORTRAN,
    TP_LANGUAGE_FORTRAN_FIXED,
};

/* By the name of the file. */
enum tp_language tp_language_of(const char *path);

/* By line, from 1. */
enum { TP_LINE_GOES_ON = 1 /* a statement goes on behind its end */, TP_LINE_LOOPS = 2 /* a loop begins there */ };
struct tp_continuation {
    TP_VECTOR(uint8_t) line;
};

/* 0, or -1: out of memory. What it held before is gone. */
int tp_continuation_make(struct tp_continuation *c, const char *text, enum tp_language language);
void tp_continuation_free(struct tp_continuation *c);

/* The first and the last line of the statement that `line` belongs to. */
uint32_t tp_statement_first(const struct tp_continuation *c, uint32_t line);
uint32_t tp_statement_last(const struct tp_continuation *c, uint32_t line);

#endif
