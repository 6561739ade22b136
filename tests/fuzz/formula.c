/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * formula.c: the parser of --define, and the values of what it accepts.
 *
 * Every name is an event's, so that input need not guess; what is accepted has a value, or none, for events that are
 * absent, 0 and large.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/read/formula.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct tp_event events[26 * 2];

static void must(bool holds)
{
    if (!holds)
        abort();
}

static const struct tp_formula *lookup(void *user, const char *name, struct tp_term *term)
{
    const struct tp_formula *earlier = user;
    size_t length = strlen(name);

    must(length > 0 && length < 200);
    if (name[0] == 'F' && earlier->steps)
        return earlier;
    term->event = name[0] == 'N' ? NULL : &events[(unsigned char)name[0] % 52];
    term->inclusive = length > 5 && strcmp(name + length - 5, "_incl") == 0;
    return NULL;
}

static void evaluate(const struct tp_formula *formula)
{
    static const struct tp_figure values[] = {{0, false}, {0, true}, {1e300, true}, {-3, true}};
    struct tp_figure term[TP_FORMULA_TERMS];

    for (size_t turn = 0; turn < 4; turn++) {
        for (size_t i = 0; i < formula->terms; i++)
            term[i] = values[(i + turn) % 4];
        struct tp_figure value = tp_formula_value(formula, term);
        must(isfinite(value.value) && (value.known || value.value == 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tp_formula earlier;
    struct tp_formula formula;
    struct tp_error err = {.message = ""};
    char *text = malloc(size + 1);

    must(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    memset(&earlier, 0, sizeof earlier);
    /* The name is looked up first, and must mean nothing: those that begin with N. */
    if (tp_formula_parse(&earlier, "N0=(a+b)/2", lookup, &earlier, &err) != 0)
        abort();
    if (tp_formula_parse(&formula, text, lookup, &earlier, &err) == 0)
        evaluate(&formula);
    else
        must(err.message[0] && !strchr(err.message, '\n'));
    free(text);
    return 0;
}
