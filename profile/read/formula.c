/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * formula.c: see formula.h. A formula becomes steps of a stack machine as it is read, so that its value needs
 * neither a tree nor recursion. What was made of a definition is whole or not used at all.
 *
 * Invariants of a parsed formula: the stack never underflows, never holds more than DEEPEST figures, and holds one at
 * the end; each step's term is below `terms`.
 */
#include "profile/read/formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profile/base/error.h"

enum { DEEPEST = 100, SHOWN = 60, LONGEST_NAME = 128 };

struct parser {
    struct tp_formula *formula;
    const char *at;
    tp_formula_lookup *lookup;
    void *user;
    int nested, stacked; /* brackets and signs that are open; figures on the stack */
    struct tp_error *err;
};

static int parse_sum(struct parser *p);

static void skip_blanks(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static int expected(struct parser *p, const char *what)
{
    if (*p->at == '\0')
        return TP_FAIL(p->err, "%s was expected at its end", what);
    return TP_FAIL(p->err, "%s was expected at '%.*s'", what, SHOWN, p->at);
}

static int add_step(struct parser *p, char what, double number, size_t term)
{
    p->stacked += what == '#' || what == '$' ? 1 : what == '~' ? 0 : -1;
    if (p->formula->steps == TP_FORMULA_STEPS || p->stacked > DEEPEST)
        return TP_FAIL(p->err, "it is too long");
    p->formula->step[p->formula->steps++] = (struct tp_formula_step){what, (uint8_t)term, number};
    return 0;
}

static int formula_add_term(struct parser *p, const struct tp_term *term)
{
    struct tp_formula *f = p->formula;
    size_t i = 0;

    while (i < f->terms && (f->term[i].event != term->event || f->term[i].inclusive != term->inclusive))
        i++;
    if (i == TP_FORMULA_TERMS)
        return TP_FAIL(p->err, "it has more than %d events", TP_FORMULA_TERMS);
    if (i == f->terms)
        f->term[f->terms++] = *term;
    return add_step(p, '$', 0, i);
}

static int add_name(struct parser *p, const char *name, size_t length)
{
    char copy[LONGEST_NAME];
    struct tp_term term = {NULL, false};

    if (length == 0 || length >= sizeof copy)
        return TP_FAIL(p->err, "'%.*s' is no name of an event", length > SHOWN ? SHOWN : (int)length, name);
    snprintf(copy, sizeof copy, "%.*s", (int)length, name);
    const struct tp_formula *other = p->lookup(p->user, copy, &term);
    if (other) {
        /* Another formula in place of its name. */
        for (size_t i = 0; i < other->steps; i++) {
            const struct tp_formula_step *step = &other->step[i];
            if (step->what == '$' ? formula_add_term(p, &other->term[step->term])
                                  : add_step(p, step->what, step->number, 0))
                return -1;
        }
        return 0;
    }
    if (term.event)
        return formula_add_term(p, &term);
    if (strcmp(copy, p->formula->name) == 0)
        return TP_FAIL(p->err, "%s is defined by itself; a column of your own has a name of its own", copy);
    return TP_FAIL(p->err, "this profile has no event %s", copy);
}

#define DIGITS "0123456789"

static size_t length_of_name(const char *text)
{
    static const char characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_@" DIGITS;

    return strspn(text, DIGITS) ? 0 : strspn(text, characters);
}

/* Digits with a point in them or before them, and an exponent; 0: there is no number. strtod alone would take more. */
static size_t length_of_number(const char *text)
{
    size_t whole = strspn(text, DIGITS), n = whole;

    if (text[n] == '.')
        n += 1 + strspn(text + n + 1, DIGITS);
    if (whole == 0 && n < 2)
        return 0;
    if (text[n] == 'e' || text[n] == 'E') {
        size_t sign = text[n + 1] == '+' || text[n + 1] == '-';
        size_t exponent = strspn(text + n + 1 + sign, DIGITS);
        n += exponent ? 1 + sign + exponent : 0;
    }
    return n;
}

static int parse_number(struct parser *p, size_t length)
{
    char copy[64];

    if (length >= sizeof copy)
        return TP_FAIL(p->err, "the number '%.*s...' is too long", SHOWN, p->at);
    snprintf(copy, sizeof copy, "%.*s", (int)length, p->at);
    p->at += length;
    double value = strtod(copy, NULL);
    return isfinite(value) ? add_step(p, '#', value, 0) : TP_FAIL(p->err, "the number %s is too large", copy);
}

static int parse_factor(struct parser *p)
{
    int failed = 0;

    skip_blanks(p);
    size_t number = length_of_number(p->at), name = length_of_name(p->at);
    char first = *p->at;
    if (++p->nested > DEEPEST)
        return TP_FAIL(p->err, "its brackets are nested too deep");
    if (number) {
        failed = parse_number(p, number);
    } else if (name) {
        failed = add_name(p, p->at, name);
        p->at += name;
    } else if (first == '"') {
        name = strcspn(++p->at, "\"");
        if (p->at[name] == '\0')
            return TP_FAIL(p->err, "a quotation mark is not closed");
        failed = add_name(p, p->at, name);
        p->at += name + 1;
    } else if (first == '(') {
        p->at++;
        failed = parse_sum(p);
        if (!failed && *p->at != ')')
            failed = expected(p, "an operator or )");
        p->at += !failed;
    } else if (first == '-' || first == '+') {
        p->at++;
        failed = parse_factor(p) || (first == '-' && add_step(p, '~', 0, 0)) ? -1 : 0;
    } else {
        failed = expected(p, "an event, a number or (");
    }
    p->nested--;
    skip_blanks(p);
    return failed;
}

/* Operands of one strength, from left to right. */
static int parse_row(struct parser *p, const char *operators, int (*operand)(struct parser *))
{
    if (operand(p))
        return -1;
    while (*p->at != '\0' && strchr(operators, *p->at)) {
        char operator= *p->at++;
        if (operand(p) || add_step(p, operator, 0, 0))
            return -1;
    }
    return 0;
}

static int parse_product(struct parser *p)
{
    return parse_row(p, "*/", parse_factor);
}

static int parse_sum(struct parser *p)
{
    return parse_row(p, "+-", parse_product);
}

static int check_name(struct parser *p, size_t length)
{
    const char *name = p->formula->name;
    struct tp_term term = {NULL, false};

    if (length > 5 && strcasecmp(name + length - 5, "_incl") == 0)
        return TP_FAIL(p->err, "the name %s must not end in _incl", name);
    if (p->lookup(p->user, name, &term) || term.event)
        return TP_FAIL(p->err, "the name %s is taken", name);
    return 0;
}

int tp_formula_parse(struct tp_formula *formula, const char *definition, tp_formula_lookup *lookup, void *user,
                     struct tp_error *err)
{
    struct parser p = {formula, definition, lookup, user, 0, 0, err};

    memset(formula, 0, sizeof *formula);
    skip_blanks(&p);
    size_t length = length_of_name(p.at);
    const char *name = p.at;
    p.at += length;
    skip_blanks(&p);
    if (length == 0 || *p.at != '=')
        return TP_FAIL(err, "a definition is NAME=EXPRESSION, as in 'rate=100 * D1mr / Dr'");
    if (length >= sizeof formula->name)
        return TP_FAIL(err, "the name '%.*s...' is longer than %d characters", SHOWN, name, TP_FORMULA_NAME - 1);
    memcpy(formula->name, name, length);
    p.at++;
    skip_blanks(&p);
    snprintf(formula->text, sizeof formula->text, "%s", p.at);
    if (check_name(&p, length) || parse_sum(&p))
        return -1;
    return *p.at == '\0' ? 0 : expected(&p, "an operator");
}

/* ------------------------------------------------------------------------------------------ value */

struct entry {
    double value;
    bool known, constant, divided; /* no event in it; a division in it */
};

static struct entry combined(char what, struct entry a, struct entry b)
{
    struct entry out = {0, a.known && b.known, a.constant && b.constant, a.divided || b.divided || what == '/'};

    if (what == '*' || what == '/') {
        out.known = out.known && !(what == '/' && b.value == 0);
        if (out.known)
            out.value = what == '*' ? a.value * b.value : a.value / b.value;
        return out;
    }
    /* A sum has a value if a term with events in it has one, and each with a division in it. */
    out.value = (a.known ? a.value : 0) + (!b.known ? 0 : what == '-' ? -b.value : b.value);
    out.known = out.constant || (a.known && !a.constant) || (b.known && !b.constant);
    if ((a.divided && !a.known) || (b.divided && !b.known))
        out.known = false;
    return out;
}

struct tp_figure tp_formula_value(const struct tp_formula *formula, const struct tp_figure *term)
{
    struct entry stack[DEEPEST + 2];
    size_t n = 0;

    for (size_t i = 0; i < formula->steps; i++) {
        const struct tp_formula_step *step = &formula->step[i];
        if (step->what == '#') {
            stack[n++] = (struct entry){step->number, true, true, false};
        } else if (step->what == '$') {
            stack[n++] = (struct entry){term[step->term].value, term[step->term].known, false, false};
        } else if (step->what == '~') {
            stack[n - 1].value = -stack[n - 1].value;
        } else {
            stack[n - 2] = combined(step->what, stack[n - 2], stack[n - 1]);
            n--;
        }
    }
    bool known = n == 1 && stack[0].known && isfinite(stack[0].value);
    return (struct tp_figure){known ? stack[0].value : 0, known};
}
