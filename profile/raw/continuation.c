/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * continuation.c: see continuation.h. One pass over the text, token by token.
 *
 * Brackets are kept on a stack, with what they are: within parentheses, square brackets and the braces of an
 * initialiser the statement around goes on; the braces of a block hold statements of their own, and if the block is
 * itself within parentheses (a lambda, a closure), the one around goes on behind it. Brackets that do not match are
 * the text's mistake: a closing one closes what it can.
 */
#include "profile/raw/continuation.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEEPEST = 1024 }; /* brackets within brackets; deeper ones are not told apart */

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

enum bracket { PARENTHESIS, QUESTION /* of if, for, ... */, SQUARE, INITIALISER, BLOCK };

/* What has been seen of the statement at hand. */
struct statement {
    bool begun;
    bool asks;      /* begins with if, for, ...: its parenthesis ends it */
    bool label;     /* begins with case, default: a colon ends it */
    bool declares;  /* begins with template, or names an operator: its = assigns nothing */
    bool assigns;   /* what follows in braces are values */
    bool lambda;
    unsigned words; /* 2: two or more */
    unsigned conditional; /* ?s without : */
};

struct scan {
    const char *p;
    enum tp_language language;
    struct tp_continuation *to;
    struct statement now;
    char last, before; /* the two last characters that are neither blank nor comment */
    bool line_is_empty; /* so far, but for blanks */
    bool loops;         /* a loop begins on the line */
    unsigned depth;
    struct open {
        uint8_t bracket;
        struct statement around;
    } open[DEEPEST];
    bool no_memory;
};

/* ------------------------------------------------------------------------------------------ lines */

static bool continuation_within(const struct scan *s, enum bracket bracket)
{
    return s->depth && s->open[s->depth - 1].bracket == bracket;
}

static bool among_statements(const struct scan *s)
{
    return s->depth == 0 || continuation_within(s, BLOCK);
}

/* Go: a line that ends with an operand, a closing bracket, ++ or -- ends its statement. */
static bool line_ends_statement(const struct scan *s)
{
    unsigned char last = (unsigned char)s->last;

    return s->language == TP_LANGUAGE_GO && among_statements(s) &&
           (isalnum(last) || last >= 0x80 || strchr("_\"'`)]}", last) || (strchr("+-", last) && s->before == s->last));
}

static void end_statement(struct scan *s)
{
    s->now = (struct statement){0};
}

static void end_line(struct scan *s)
{
    if (s->now.begun && line_ends_statement(s))
        end_statement(s);
    uint8_t *line = TP_VECTOR_ADD(&s->to->line);
    s->no_memory |= !line;
    if (line)
        *line = (uint8_t)((s->now.begun ? TP_LINE_GOES_ON : 0) | (s->loops ? TP_LINE_LOOPS : 0));
    s->line_is_empty = true;
    s->loops = false;
}

/* Up to `end`, which is in the text or its end. */
static void skip_to(struct scan *s, const char *end)
{
    for (; s->p < end && *s->p; s->p++) {
        if (*s->p == '\n')
            end_line(s);
    }
}

static void skip_over(struct scan *s, const char *mark)
{
    const char *end = strstr(s->p, mark);

    skip_to(s, end ? end + strlen(mark) : s->p + strlen(s->p));
}

/* ------------------------------------------------------------------------------------------ tokens */

static void saw(struct scan *s, char c)
{
    s->before = s->last;
    s->last = c;
    s->now.begun = true;
}

static void skip_comment(struct scan *s)
{
    unsigned depth = 0;

    if (s->p[1] == '/') {
        s->p += strcspn(s->p, "\n");
        return;
    }
    if (s->language != TP_LANGUAGE_RUST) { /* in Rust they nest */
        s->p += 2;
        skip_over(s, "*/");
        return;
    }
    do {
        bool opens = s->p[0] == '/' && s->p[1] == '*', closes = s->p[0] == '*' && s->p[1] == '/';
        depth += opens;
        depth -= closes;
        skip_to(s, s->p + (opens || closes ? 2 : 1));
    } while (depth && *s->p);
}

static void skip_quoted(struct scan *s)
{
    char quote = *s->p;
    const char *p = s->p + 1;

    while (*p && *p != quote && (*p != '\n' || (s->language == TP_LANGUAGE_RUST && quote == '"')))
        p += *p == '\\' && p[1] ? 2 : 1;
    saw(s, quote);
    skip_to(s, *p == quote ? p + 1 : p);
}

/* C++: R"x(...)x"; Rust: r"..." and r#"..."#. `p` is behind the R. False: it is none. */
static bool skip_raw(struct scan *s, const char *p)
{
    char mark[32] = "";
    size_t n = 0;

    if (s->language == TP_LANGUAGE_RUST) {
        size_t hashes = strspn(p, "#");
        if (p[hashes] != '"' || hashes + 2 > sizeof mark)
            return false;
        mark[n++] = '"';
        memset(mark + n, '#', hashes);
        p += hashes + 1;
    } else {
        size_t name = p[0] == '"' ? strcspn(p + 1, "(\"\n") : 0;
        if (p[0] != '"' || p[1 + name] != '(' || name + 3 > sizeof mark)
            return false;
        snprintf(mark, sizeof mark, ")%.*s\"", (int)name, p + 1);
        p += name + 2;
    }
    saw(s, '"');
    skip_to(s, p);
    skip_over(s, mark);
    return true;
}

/* A character, or in Rust the name of a lifetime or a label. */
static void skip_apostrophe(struct scan *s)
{
    const char *p = s->p + 1;

    if (s->language != TP_LANGUAGE_RUST || *p == '\\' || (*p && p[1] == '\'')) {
        skip_quoted(s);
        return;
    }
    while (isalnum((unsigned char)*p) || *p == '_' || (unsigned char)*p >= 0x80)
        p++;
    if (*p == ':' && !s->now.begun) {
        s->p = p + 1;
        return;
    }
    saw(s, 'a');
    s->p = p;
}

static bool continuation_is_word(const char *word, size_t length, const char *const *list)
{
    for (; *list; list++) {
        if (strlen(*list) == length && memcmp(word, *list, length) == 0)
            return true;
    }
    return false;
}

/* What a word means at the beginning of a statement. */
static void first_word(struct scan *s, const char *word, size_t length)
{
    static const char *const asking[] = {"if", "for", "while", "switch", "catch", NULL};
    static const char *const alone[] = {"else", "do", "try", NULL};
    static const char *const labels[] = {"case", "default", NULL};
    static const char *const giving[] = {"return", NULL};
    static const char *const looping[] = {"for", "while", "do", "loop", NULL};

    s->now.begun = true;
    s->now.words = 1;
    if (!(s->before == '}' && *word == 'w')) /* the end of a do */
        s->loops |= continuation_is_word(word, length, looping);
    if (s->language == TP_LANGUAGE_C && continuation_is_word(word, length, alone)) {
        end_statement(s);
        return;
    }
    s->now.asks = s->language == TP_LANGUAGE_C && continuation_is_word(word, length, asking);
    s->now.label = s->language != TP_LANGUAGE_RUST && continuation_is_word(word, length, labels);
    s->now.assigns = continuation_is_word(word, length, giving);
}

static void take_word(struct scan *s)
{
    static const char *const declaring[] = {"template", "operator", NULL};
    const char *word = s->p, *end = word;
    bool is_first = !s->now.begun;

    while (isalnum((unsigned char)*end) || *end == '_' || (unsigned char)*end >= 0x80)
        end++;
    size_t length = (size_t)(end - word);
    bool raw = length <= 3 && (end[-1] == 'R' || end[-1] == 'r') && (*end == '"' || *end == '#');
    if (raw && skip_raw(s, end))
        return;
    s->before = s->last;
    s->last = end[-1];
    s->p = end;
    s->now.words += s->now.words < 2;
    s->now.declares |= continuation_is_word(word, length, declaring);
    if (is_first) {
        first_word(s, word, length);
    }
}

/* ------------------------------------------------------------------------------------------ brackets */

static void open_bracket(struct scan *s, enum bracket bracket)
{
    if (s->depth < DEEPEST)
        s->open[s->depth++] = (struct open){(uint8_t)bracket, s->now};
    if (bracket == BLOCK)
        end_statement(s);
}

/* Braces hold values behind `=`, `,`, `return`, in an initialiser, and behind the `)` of a compound literal; of a
 * lambda they hold statements. */
static bool holds_values(const struct scan *s)
{
    if (s->language != TP_LANGUAGE_C || !s->now.begun)
        return s->language == TP_LANGUAGE_C && continuation_within(s, INITIALISER);
    if (s->last == '(' || s->now.lambda)
        return false;
    return !among_statements(s) || s->now.assigns || strchr("=,", s->last);
}

/* A `[` that follows no operand; `return` is none. */
static bool begins_lambda(const struct scan *s)
{
    unsigned char last = (unsigned char)s->last;

    bool operand = isalnum(last) || strchr("_)][\"'", last);

    return s->language == TP_LANGUAGE_C && s->p[1] != '[' && (!operand || (s->now.assigns && s->now.words == 1));
}

static void close_bracket(struct scan *s, char c)
{
    bool brace = c == '}';

    while (s->depth && brace && s->open[s->depth - 1].bracket < INITIALISER)
        s->depth--;
    if (!s->depth || (!brace && s->open[s->depth - 1].bracket >= INITIALISER)) {
        end_statement(s);
        return;
    }
    struct open *closed = &s->open[--s->depth];
    bool goes_on = closed->bracket != BLOCK || !among_statements(s);
    saw(s, c);
    if (closed->bracket == QUESTION || !goes_on)
        end_statement(s);
    else if (closed->bracket == BLOCK)
        s->now = closed->around;
}

static void take_bracket(struct scan *s, char c)
{
    bool lambda = c == '[' && begins_lambda(s);

    switch (c) {
    case '(':
        saw(s, c);
        open_bracket(s, s->now.asks && among_statements(s) ? QUESTION : PARENTHESIS);
        break;
    case '[':
        saw(s, c);
        s->now.lambda |= lambda;
        open_bracket(s, SQUARE);
        break;
    case '{': {
        bool values = holds_values(s);
        saw(s, c);
        open_bracket(s, values ? INITIALISER : BLOCK);
        break;
    }
    default: close_bracket(s, c);
    }
}

/* ------------------------------------------------------------------------------------------ other characters */

static void take_colon(struct scan *s)
{
    bool twice = s->p[1] == ':';
    bool name = s->now.begun && s->now.words == 1 && s->language == TP_LANGUAGE_C && isalnum((unsigned char)s->last);

    saw(s, ':');
    s->p += twice;
    if (twice || !among_statements(s)) {
        s->now.words = 2;
        return;
    }
    if (s->now.conditional)
        s->now.conditional--;
    else if (s->now.label || name)
        end_statement(s);
}

static void take_sign(struct scan *s, char c)
{
    bool commas = s->language == TP_LANGUAGE_RUST || s->language == TP_LANGUAGE_GO;

    if (c == ':') {
        take_colon(s);
    } else if (c == ';') {
        /* In C nothing but the head of a `for` has a semicolon in parentheses: what was opened is closed elsewhere,
         * between other directives of the preprocessor. */
        while (s->language == TP_LANGUAGE_C && (continuation_within(s, PARENTHESIS) || continuation_within(s, SQUARE)))
            s->depth--;
        saw(s, ';');
        if (among_statements(s))
            end_statement(s);
    } else if (c == ',' && commas && among_statements(s)) {
        saw(s, c);
        end_statement(s);
    } else {
        saw(s, c);
        s->now.words = 2;
        s->now.assigns |= c == '=' && s->p[1] != '=' && !s->now.declares && among_statements(s) &&
                          !strchr("=!<>", s->before);
        s->now.conditional += c == '?' && among_statements(s) && s->language == TP_LANGUAGE_C;
    }
    s->p++;
}

static void continuation_take(struct scan *s)
{
    char c = *s->p;
    bool first = s->line_is_empty;

    if (c == '\n') {
        end_line(s);
        s->p++;
        return;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        s->p++;
        return;
    }
    s->line_is_empty = false;
    if (c == '/' && (s->p[1] == '/' || s->p[1] == '*')) {
        skip_comment(s);
    } else if (c == '#' && first && s->language == TP_LANGUAGE_C) {
        /* A directive of the preprocessor, which is part of no statement. */
        for (; *s->p && *s->p != '\n'; s->p++) {
            if (s->p[0] == '\\' && s->p[1] == '\n') {
                s->p++;
                end_line(s);
            } else if (s->p[0] == '/' && s->p[1] == '*') {
                skip_comment(s);
                s->p--;
            }
        }
    } else if (c == '"') {
        skip_quoted(s);
    } else if (c == '\'') {
        skip_apostrophe(s);
    } else if (c == '`' && s->language == TP_LANGUAGE_GO) {
        saw(s, '+'); /* lines end within it */
        s->p++;
        skip_over(s, "`");
        saw(s, c);
    } else if (isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80) {
        take_word(s);
    } else if (strchr("(){}[]", c)) {
        take_bracket(s, c);
        s->p++;
    } else {
        take_sign(s, c);
    }
}

static int scan_braces(struct tp_continuation *to, const char *text, enum tp_language language)
{
    struct scan *s = calloc(1, sizeof *s);

    if (!s)
        return -1;
    s->p = text;
    s->language = language;
    s->to = to;
    s->line_is_empty = true;
    while (*s->p && !s->no_memory)
        continuation_take(s);
    end_line(s);
    int failed = s->no_memory ? -1 : 0;
    free(s);
    return failed;
}

/* ------------------------------------------------------------------------------------------ Fortran */

/* Whether a line of free form ends with &, comment left out. `quote`: the quote that a string is open with, or 0. */
static bool ends_with_ampersand(const char *line, size_t length, char *quote)
{
    char last = ' ';

    for (size_t i = 0; i < length; i++) {
        char c = line[i];
        if (*quote)
            *quote = c == *quote ? '\0' : *quote;
        else if (c == '!')
            break;
        else if (c == '\'' || c == '"')
            *quote = c;
        if (!isspace((unsigned char)c))
            last = c;
    }
    if (last != '&')
        *quote = '\0';
    return last == '&';
}

static bool is_blank_or_comment(const char *line, size_t length, bool fixed)
{
    size_t blanks = strspn(line, " \t\r\f");

    if (blanks >= length || line[blanks] == '!' || line[0] == '#')
        return true;
    return fixed && strchr("cC*dD", line[0]);
}

static bool continues_fixed(const char *line, size_t length)
{
    if (line[0] == '\t')
        return length > 1 && line[1] >= '1' && line[1] <= '9';
    return length > 5 && strspn(line, " ") >= 5 && !strchr(" 0\t", line[5]);
}

/* `do` and `name: do`; in fixed form behind a label. */
static bool continuation_begins_loop(const char *line, size_t length)
{
    const char *end = line + length, *p = line + strspn(line, " \t0123456789");
    size_t word = strspn(p, WORD);

    if (p + word < end && p[word] == ':') {
        p += word + 1;
        p += strspn(p, " \t");
        word = strspn(p, WORD);
    }
    return p < end && word == 2 && strncasecmp(p, "do", 2) == 0;
}

static int scan_fortran(struct tp_continuation *to, const char *text, bool fixed)
{
    size_t last = 0; /* the line with text before this one */
    char quote = '\0';

    for (bool open = false; *text;) {
        size_t length = strcspn(text, "\n"), number = to->line.count;
        uint8_t *line = TP_VECTOR_ADD(&to->line);
        if (!line)
            return -1;
        if (!is_blank_or_comment(text, length, fixed)) {
            for (size_t i = last; fixed && last && continues_fixed(text, length) && i < number; i++)
                to->line.at[i] |= TP_LINE_GOES_ON;
            *line = continuation_begins_loop(text, length) ? TP_LINE_LOOPS : 0;
            open = !fixed && ends_with_ampersand(text, length, &quote);
            last = number;
        }
        *line |= open ? TP_LINE_GOES_ON : 0;
        text += length + (text[length] == '\n');
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ all */

enum tp_language tp_language_of(const char *path)
{
    static const struct {
        const char *suffixes;
        enum tp_language language;
    } list[] = {
        {" c h cc hh cpp hpp cxx hxx c++ h++ ipp inl tcc tpp ixx cppm cu cuh m mm y l ll yy java cs d def inc ",
         TP_LANGUAGE_C},
        {" rs ", TP_LANGUAGE_RUST},
        {" go ", TP_LANGUAGE_GO},
        {" f90 f95 f03 f08 f18 fpp ", TP_LANGUAGE_FORTRAN},
        {" f for ftn f77 ", TP_LANGUAGE_FORTRAN_FIXED},
    };
    const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
    char suffix[16];

    if (!dot) /* a header of the C++ library */
        return strstr(path, "/include/") ? TP_LANGUAGE_C : TP_LANGUAGE_OTHER;
    if (strlen(dot) + 2 > sizeof suffix || strchr(dot, ' '))
        return TP_LANGUAGE_OTHER;
    snprintf(suffix, sizeof suffix, " %s ", dot + 1);
    for (size_t i = 0; suffix[i]; i++)
        suffix[i] = (char)tolower((unsigned char)suffix[i]);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (strstr(list[i].suffixes, suffix))
            return list[i].language;
    }
    return TP_LANGUAGE_OTHER;
}

int tp_continuation_make(struct tp_continuation *c, const char *text, enum tp_language language)
{
    int failed = TP_VECTOR_ZEROES(&c->line, 1); /* line 0 */

    if (!failed && (language == TP_LANGUAGE_FORTRAN || language == TP_LANGUAGE_FORTRAN_FIXED))
        failed = scan_fortran(c, text, language == TP_LANGUAGE_FORTRAN_FIXED);
    else if (!failed && language != TP_LANGUAGE_OTHER)
        failed = scan_braces(c, text, language);
    if (!failed)
        c->line.at[c->line.count - 1] &= (uint8_t)~TP_LINE_GOES_ON; /* behind the last one there is nothing */
    return failed;
}

void tp_continuation_free(struct tp_continuation *c)
{
    TP_VECTOR_FREE(&c->line);
}

uint32_t tp_statement_first(const struct tp_continuation *c, uint32_t line)
{
    while (line > 1 && line - 1 < c->line.count && c->line.at[line - 1] & TP_LINE_GOES_ON)
        line--;
    return line;
}

uint32_t tp_statement_last(const struct tp_continuation *c, uint32_t line)
{
    while (line + 1 < c->line.count && c->line.at[line] & TP_LINE_GOES_ON)
        line++;
    return line;
}
