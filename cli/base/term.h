/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term.h: what the terminal is told, and what it must not be.
 *
 * Colours only on a terminal and never with NO_COLOR, unless somebody wants them (term_color); names that come from
 * profiles are escaped; errors are one line on stderr, "tenure: ..."; progress is one line that is rewritten, on a
 * terminal only.
 */
#ifndef TENURE_CLI_TERM_H
#define TENURE_CLI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One line on stderr: "tenure: <text>". Bytes that a terminal might obey are escaped. */
void term_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the command with one line on stderr. The exit status is CLI_ERROR, or what term_own_failure said. What is not
 * whole yet must not be a file: profiles and pages are written by the profile library, which returns. */
_Noreturn void term_no_memory(void);
void *term_have(void *memory); /* the same, unless it is NULL */
/* A new text, as printf writes it. */
char *term_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void term_own_failure(int status);

/* libdw ends this process by abort() where an assertion fails: that is such a failure, too. */
void term_outlive_libraries(void);

/* Why nothing that is made now can be trusted; NULL: it can. */
typedef const char *term_reason(void);
/*
 * Keeps what is written to stdout until it is released: shown if it is good, else forgotten. Who finds an error on the
 * way has then written nothing but the error. It is still known whether stdout is a terminal. Where files have a limit,
 * which would hold for what is kept, it is shown at once.
 *
 * As soon as there is a reason, it is told in place of the next error, whoever finds that, and of all that follow; at
 * the release, if there was no error. What is kept is not good then. Returns whether it is.
 */
void term_hold(term_reason *reason);
bool term_release(bool good);
/* What is written to stdout goes to `path` from now on, or from the release on. False: errno says why not. */
bool term_redirect(const char *path);

/* Columns of the terminal `out` is, the number in COLUMNS, or 120 where there is neither. */
int term_width(FILE *out);
/* Whether there is either: what goes to a file or a pipe is not cut. */
bool term_cuts(FILE *out);

/* Colours "always" or "never", whatever the environment says, or "auto", as it does. False: `when` is none of these. */
bool term_color(const char *when);
enum term_style { TERM_PLAIN, TERM_BOLD, TERM_DIM, TERM_HOT, TERM_WARM, TERM_NAME };
/* The escape sequence that begins a style on `out` ("" without colours). */
const char *term_style(FILE *out, enum term_style style);

/* "1,234,567". `out` needs 32 bytes; returns it. */
char *term_number(char *out, int64_t value);
/* "12.3", as printf has it with "%.1f", which takes several times as long. */
char *term_tenths(char *out, double value);
/* The same for a REAL: no decimals from 1000 on, one below. */
char *term_real(char *out, double value);

/* A number of any size, with four digits or so: "0.0123", "4.57", "1,234". */
char *term_figure(char *out, double value);

/* Copies `text`, control characters and bytes that are not UTF-8 as \xNN. Always ended by a zero. */
void term_escape(char *out, size_t size, const char *text);

/* What stands around a word of a shell: a quote if it has anything but letters, digits and marks without a meaning, or
 * is empty; else nothing. A quote inside becomes TERM_QUOTE then. */
const char *term_quote(const char *text);
#define TERM_QUOTE "'\\''"

/* A name as a word of a shell, for a command that somebody is to type: in quotes where it has anything but letters,
 * digits and marks without a meaning, and never an option. Not escaped: that is done where it is printed. Returns
 * `out`, whose room, TERM_WORD, is enough for every path. */
enum { TERM_WORD = 4 * 4096 + 8 };
const char *term_word(char *out, const char *text);

/* Prints a line on stdout: `label` in `width` columns, and `text`, escaped. */
void term_labelled(const char *label, int width, const char *text);

/* Columns that UTF-8 `text` takes (combining characters are not known). */
int term_columns(const char *text);

/* Cuts `text` down to `width` columns, with a tilde where something is left out: at its end (a command), at its
 * beginning (a path) or in its middle (a function, whose class is in front and whose name is behind). `out` has
 * `size` bytes; returns it. */
enum term_cut { TERM_CUT_END, TERM_CUT_BEGIN, TERM_CUT_MIDDLE };
char *term_fit(char *out, size_t size, const char *text, int width, enum term_cut where);

/* The same for a function's name: first its arguments go, as in "queue<int>::push(~)", then those of templates, as in
 * "queue<~>::push(~)", and then its middle. */
char *term_fit_name(char *out, size_t size, const char *name, int width);

double term_now(void); /* seconds, of a clock that nobody sets */

/* A progress line on stderr, for work that takes longer than half a second; nothing if that is no terminal.
 * term_progress_end removes it. */
void term_progress(const char *stage, uint64_t done, uint64_t total);
void term_progress_end(void);

/* Flushes stdout; CLI_ERROR with a line on stderr if something could not be written (a full disk), else
 * `status`. */
int term_finish(int status);

#endif
