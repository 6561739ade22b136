/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * continuation_test: which lines of a text are one statement, and at which lines loops begin.
 *
 * Texts are written with a mark at the beginning of each line: `+` where the line goes on with the statement before it,
 * ` ` where it does not; `*` and `L` the same for a line at which a loop begins.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/raw/continuation.h"

/* What is found must be what the marks say. */
static void check(enum tp_language language, const char *marked)
{
    char *text = calloc(1, strlen(marked) + 1), *to = text, marks[256];
    struct tp_continuation found = {0};
    unsigned lines = 0;

    for (const char *p = marked; *p; lines++) {
        marks[lines] = *p++;
        size_t length = strcspn(p, "\n") + 1;
        to = stpncpy(to, p, length);
        p += length;
    }
    assert_int_equal(tp_continuation_make(&found, text, language), 0);
    for (unsigned line = 1; line <= lines; line++) {
        bool joined = tp_statement_first(&found, line) < line;
        bool loops = line < found.line.count && found.line.at[line] & TP_LINE_LOOPS;
        if (joined != (strchr("+*", marks[line - 1]) != NULL) || loops != (strchr("*L", marks[line - 1]) != NULL))
            fail_msg("line %u of:\n%s", line, marked);
        assert_int_equal(tp_statement_first(&found, tp_statement_last(&found, line)), tp_statement_first(&found, line));
    }
    tp_continuation_free(&found);
    free(text);
}

static void test_c(void **state)
{
    (void)state;
    check(TP_LANGUAGE_C, " int main(int argc,\n"
                         "+         char **argv)\n"
                         "+{\n"
                         "     int x = 1, y[] = {1,\n"
                         "+                      2};\n"
                         "L    for (int i = 0;\n"
                         "+         i < argc; i++)\n"
                         "         x += f(i, /* one ;\n"
                         "+ two */   y[i]);\n"
                         "     if (x)\n"
                         "         y[0] = \"a;{\\\"\"[1];\n"
                         "     else if (argc > 1 &&\n"
                         "+             argc < 5)\n"
                         "         x = ';';\n"
                         "     else\n"
                         "         x = 0; // no {\n"
                         "L    while (x--)\n"
                         "         ;\n"
                         "L    do {\n"
                         "         x++;\n"
                         "     } while (x < 3);\n"
                         "     switch (x) {\n"
                         "     case 1:\n"
                         "         x = 2;\n"
                         "     default:\n"
                         "         x = y[0] ? 1 :\n"
                         "+            3;\n"
                         "     }\n"
                         " again:\n"
                         "     return x\n"
                         "+ #if A\n"
                         "+        + 1\n"
                         "+ #endif\n"
                         "+        ;\n"
                         " }\n");
}

static void test_values(void **state)
{
    (void)state;
    check(TP_LANGUAGE_C, " void f(void)\n"
                         "+{\n"
                         "     g((struct s){\n"
                         "+        .a = 1,\n"
                         "+        .b = 2 });\n"
                         "     if (a == (struct s){1}) {\n"
                         "         h();\n"
                         "         i();\n"
                         "     }\n"
                         "     x = ({ int y = 1;\n"
                         "         y + 1; });\n"
                         " #define M(a) \\\n"
                         "     { a\n"
                         "     z = 1;\n"
                         " }\n");
}

static void test_cpp(void **state)
{
    (void)state;
    check(TP_LANGUAGE_C, " template <typename T = int>\n"
                         "+struct S {\n"
                         "   S &operator=(const S &o)\n"
                         "+  {\n"
                         "     a = o.a;\n"
                         "     b = o.b;\n"
                         "   }\n"
                         " public:\n"
                         "   int a, b;\n"
                         " };\n"
                         " int g() {\n"
                         "   auto f = [&](int x) {\n"
                         "     x++;\n"
                         "     return x;\n"
                         "   };\n"
                         "   std::for_each(v.begin(),\n"
                         "+    v.end(), [](int x) {\n"
                         "     h(x);\n"
                         "     i(x);\n"
                         "   },\n"
                         "+    3);\n"
                         "   s = R\"x(;\n"
                         "+  )\" ;)x\" + t;\n"
                         "   return [y] {\n"
                         "     return y;\n"
                         "   }();\n"
                         " }\n");
}

static void test_rust(void **state)
{
    (void)state;
    check(TP_LANGUAGE_RUST, " fn f<'a>(x: &'a str)\n"
                            "+    -> u32 {\n"
                            "     let y = match x {\n"
                            "         \"a\" => 1,\n"
                            "         _ => 2,\n"
                            "     };\n"
                            "     /* a /* nested ; */ comment */\n"
                            "     let s = v.iter()\n"
                            "+        .map(|z| {\n"
                            "             z + 1\n"
                            "+        })\n"
                            "+        .sum();\n"
                            "L    for i in 0..n {\n"
                            "         t += ';' as u32;\n"
                            "     }\n"
                            "     let r = r#\"a\n"
                            "+\";\"#;\n"
                            "L    'l: loop {\n"
                            "         break 'l;\n"
                            "     }\n"
                            "     y + s\n"
                            "+}\n");
}

static void test_go(void **state)
{
    (void)state;
    check(TP_LANGUAGE_GO, " func f(a int,\n"
                          "+    b int) int {\n"
                          "     x := a +\n"
                          "+        b\n"
                          "     x++\n"
                          "L    for i := 0; i < 3; i++ {\n"
                          "         g(x)\n"
                          "         y := `a\n"
                          "+;b`\n"
                          "     }\n"
                          "     return x\n"
                          " }\n");
}

static void test_fortran(void **state)
{
    (void)state;
    check(TP_LANGUAGE_FORTRAN, " subroutine s(a, b) ! not & this\n"
                               "   x = a + &\n"
                               "+  ! a comment\n"
                               "+      b\n"
                               "L  do i = 1, n\n"
                               "     print *, 'a & b ! c', &\n"
                               "+      x\n"
                               "   end do\n"
                               "L  outer: DO concurrent (k = 1:n)\n"
                               "   done = 1\n"
                               " end\n");
    check(TP_LANGUAGE_FORTRAN_FIXED, "       subroutine s(a,\n"
                                     "+     &   b)\n"
                                     " c     a comment\n"
                                     "       x = a +\n"
                                     "+C     another\n"
                                     "+     1    b\n"
                                     "L      do 10 i = 1, n\n"
                                     "  10   continue\n"
                                     "       end\n");
}

static void test_other(void **state)
{
    (void)state;
    check(TP_LANGUAGE_OTHER, " a = (\n 1\n");
    assert_int_equal(tp_language_of("/a.b/c"), TP_LANGUAGE_OTHER);
    assert_int_equal(tp_language_of("/usr/include/c++/12/vector"), TP_LANGUAGE_C);
    assert_int_equal(tp_language_of("x.C"), TP_LANGUAGE_C);
    assert_int_equal(tp_language_of("x.F90"), TP_LANGUAGE_FORTRAN);
    assert_int_equal(tp_language_of("x.f"), TP_LANGUAGE_FORTRAN_FIXED);
    assert_int_equal(tp_language_of("x.c h"), TP_LANGUAGE_OTHER);
}

/* Brackets that do not match join or part lines, and nothing else. */
static void test_broken(void **state)
{
    (void)state;
    check(TP_LANGUAGE_C, " }}}) ]\n a;\n b((;\n c;\n {{{ ((\n+ d; }\n e;\n");
    check(TP_LANGUAGE_C, " \"open\n+b;\n 'x\n+;\n /* never\n closed\n");
    check(TP_LANGUAGE_RUST, " r###\n+'\n+\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c),       cmocka_unit_test(test_values), cmocka_unit_test(test_cpp),
        cmocka_unit_test(test_rust),    cmocka_unit_test(test_go),     cmocka_unit_test(test_fortran),
        cmocka_unit_test(test_other),   cmocka_unit_test(test_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
