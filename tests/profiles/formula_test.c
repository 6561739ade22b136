/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * formula_test: what a user may define, what it is worth, and what is said of what is wrong; and where sources are
 * found. No profile is needed for either.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/objects/locate.h"
#include "profile/read/formula.h"

static const struct tp_event events[] = {{"Ir", "", false, false}, {"Dr", "", false, false}, {"Dw", "", false, false},
                                         {"a:b c", "", false, false}};
static struct tp_formula earlier;

static const struct tp_formula *lookup(void *user, const char *name, struct tp_term *term)
{
    (void)user;
    *term = (struct tp_term){NULL, false};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        char inclusive[32];
        snprintf(inclusive, sizeof inclusive, "%s_incl", events[i].name);
        if (strcmp(name, events[i].name) == 0 || strcmp(name, inclusive) == 0)
            *term = (struct tp_term){&events[i], strcmp(name, inclusive) == 0};
    }
    return strcmp(name, earlier.name) == 0 ? &earlier : NULL;
}

/* The value with Ir = 12, Ir_incl = 100, Dr = 4, Dw absent, "a:b c" = 0. */
static struct tp_figure value_of(const struct tp_formula *formula)
{
    struct tp_figure term[TP_FORMULA_TERMS];

    for (size_t i = 0; i < formula->terms; i++) {
        const char *name = formula->term[i].event->name;
        if (formula->term[i].inclusive)
            term[i] = (struct tp_figure){100, true};
        else if (strcmp(name, "Ir") == 0)
            term[i] = (struct tp_figure){12, true};
        else if (strcmp(name, "Dr") == 0)
            term[i] = (struct tp_figure){4, true};
        else
            term[i] = (struct tp_figure){0, strcmp(name, "Dw") != 0};
    }
    return tp_formula_value(formula, term);
}

static struct tp_figure compute(const char *expression)
{
    struct tp_formula formula;
    struct tp_error err = {.message = ""};
    char definition[2000];

    snprintf(definition, sizeof definition, "x=%s", expression);
    if (tp_formula_parse(&formula, definition, lookup, NULL, &err))
        fail_msg("%s: %s", expression, err.message);
    return value_of(&formula);
}

static void is(const char *expression, double value)
{
    struct tp_figure figure = compute(expression);

    if (!figure.known || figure.value != value)
        fail_msg("%s is %s %g, not %g", expression, figure.known ? "known," : "absent,", figure.value, value);
}

static void is_absent(const char *expression)
{
    struct tp_figure figure = compute(expression);

    if (figure.known)
        fail_msg("%s is %g, not absent", expression, figure.value);
}

static void arithmetic(void **state)
{
    (void)state;
    is("1", 1);
    is(" 1.5e2 ", 150);
    is(".5", 0.5);
    is("2.", 2);
    is("1 + 2 * 3", 7);
    is("(1 + 2) * 3", 9);
    is("10 - 4 - 3", 3);
    is("64 / 4 / 2", 8);
    is("-2 * -3", 6);
    is("- - 3", 3);
    is("+Ir", 12);
    is("2 - -Ir", 14);
    is("Ir / Dr", 3);
    is("100*Dr/(Ir+Dr)", 25);
    is("Ir_incl - Ir", 88);
    is("\"a:b c\" + 1", 1);
}

static void absence(void **state)
{
    (void)state;
    is_absent("Dw");
    is_absent("-Dw");
    is_absent("Dw * Ir");
    is_absent("Ir / Dw");
    is_absent("Ir / (Dr - 4)");
    is_absent("1 / 0");
    is_absent("1e308 * 1e308");
    is_absent("Dw + 1");
    is_absent("1 - Dw");
    is("Dr + Dw", 4);
    is("Dw - Dr", -4);
    is("100 * (Dr + Dw) / Ir", 400.0 / 12);
    is_absent("Ir + Dr / Dw");
    is_absent("Dr / 0 + Ir");
    is_absent("Dw / Ir - 1");
    is_absent("Dw + 2 * Dw");
}

static void earlier_formulas(void **state)
{
    struct tp_formula both;
    struct tp_error err;

    (void)state;
    assert_int_equal(tp_formula_parse(&both, "both = Dr + Dw", lookup, NULL, &err), 0);
    earlier = both;
    assert_string_equal(earlier.name, "both");
    assert_string_equal(earlier.text, "Dr + Dw");
    is("both * 2 + Dr", 12);
    is("both / both", 1);
    memset(&earlier, 0, sizeof earlier);
}

static void refused(const char *definition, const char *why)
{
    struct tp_formula formula;
    struct tp_error err = {.message = ""};

    if (tp_formula_parse(&formula, definition, lookup, NULL, &err) == 0)
        fail_msg("%s is accepted", definition);
    if (!strstr(err.message, why))
        fail_msg("%s: %s", definition, err.message);
}

static void errors(void **state)
{
    char *deep = calloc(1, 5000), *wide = calloc(1, 5000);

    (void)state;
    refused("", "NAME=EXPRESSION");
    refused("x", "NAME=EXPRESSION");
    refused("=1", "NAME=EXPRESSION");
    refused("1x=1", "NAME=EXPRESSION");
    refused("x==1", "expected at '=1'");
    refused("x=", "an event, a number or ( was expected at its end");
    refused("x=1+", "expected at its end");
    refused("x=(1", "an operator or ) was expected at its end");
    refused("x=1)", "an operator was expected at ')'");
    refused("x=1 2", "an operator was expected at '2'");
    refused("x=*2", "expected at '*2'");
    refused("x=Irr", "no event Irr");
    refused("x=\"Ir", "not closed");
    refused("x=\"\"", "no name");
    refused("x=1e999", "too large");
    refused("x=0x10", "an operator was expected at 'x10'");
    refused("x=nan", "no event nan");
    refused("Ir=1", "taken");
    refused("x_incl=1", "_incl");
    refused("x1234567890123456789012345678901234567890=1", "longer than 40");
    memset(deep, '(', 4000);
    memcpy(deep, "x=", 2);
    refused(deep, "nested too deep");
    memcpy(wide, "x=1", 4);
    for (int i = 0; i < 500; i++)
        strcat(wide, "+1");
    refused(wide, "too long");
    free(deep);
    free(wide);
}

/* ------------------------------------------------------------------------------------------ locate */

static char folder[64];

static void make_files(void)
{
    strcpy(folder, "/tmp/tenure-locate-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("src", 0700) | mkdir("inc", 0700) | mkdir("inc/lib", 0700), 0);
    for (size_t i = 0; i < 3; i++) {
        static const char *const names[] = {"src/a.c", "inc/lib/b.h", "inc/c.h"};
        FILE *file = fopen(names[i], "w");
        assert_non_null(file);
        fclose(file);
    }
}

static void remove_files(void)
{
    static const char *const names[] = {"src/a.c", "inc/lib/b.h", "inc/c.h", "src", "inc/lib", "inc"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(remove(names[i]), 0);
    assert_int_equal(chdir("/") | rmdir(folder), 0);
}

static void sources_are_found(void **state)
{
    static const char *const include[] = {"inc"};
    static const struct tp_file_map map[] = {{"/build/", "src"}, {"/old", "/new/"}, {"/bu", "/never"}};
    struct tp_search search = {map, 3, include, 1, folder};
    struct tp_arena arena = {0};
    struct tp_place place;

    (void)state;
    make_files();
    static const struct {
        const char *path, *found, *directory, *name;
    } cases[] = {
        {"src/a.c", "src/a.c", NULL, NULL},
        {"src/../src/./a.c", "src/a.c", NULL, NULL},
        {"/build/a.c", "src/a.c", NULL, NULL},
        {"/builder/a.c", NULL, NULL, "/builder/a.c"},
        {"/bu/x.c", NULL, NULL, "/never/x.c"},
        {"/usr/nowhere/lib/b.h", "inc/lib/b.h", "inc", NULL},
        {"lib/b.h", "inc/lib/b.h", "inc", NULL},
        {"/usr/nowhere/c.h", "inc/c.h", "inc", NULL},
        {"/old/./x/../d.c", NULL, NULL, "/new/d.c"},
        {"/oldest/d.c", NULL, NULL, "/oldest/d.c"},
        {"/../../d.c", NULL, NULL, "/d.c"},
        {"/src", NULL, NULL, "/src"},
        {"", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char whole[200];
        assert_int_equal(tp_locate(&arena, &search, cases[i].path, &place), 0);
        snprintf(whole, sizeof whole, "%s/%s", folder, cases[i].found ? cases[i].found : "");
        if (!place.path != !cases[i].found || (place.path && strcmp(place.path, whole) != 0))
            fail_msg("%s is %s", cases[i].path, place.path ? place.path : "not found");
        if (!place.directory != !cases[i].directory)
            fail_msg("%s: directory %s", cases[i].path, place.directory ? place.directory : "none");
        if (cases[i].name)
            assert_string_equal(place.name, cases[i].name);
    }
    tp_arena_free(&arena);
    remove_files();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arithmetic), cmocka_unit_test(absence),
                                       cmocka_unit_test(earlier_formulas), cmocka_unit_test(errors),
                                       cmocka_unit_test(sources_are_found)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
