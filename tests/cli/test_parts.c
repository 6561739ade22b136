/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_parts.c: parts of the command line that golden scripts cannot reach: caches in words, names for processes
 * that never ran, escaping, cutting and numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/base/caches.h"
#include "cli/base/names.h"
#include "cli/base/opt.h"
#include "cli/base/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------ caches */

static char folder[] = "/tmp/tenure-parts.XXXXXX";

static void test_caches(void **state)
{
    const struct tn_geometry geometry[GEOMETRY_LEVELS] = {
        {32 << 10, 8, 64}, {3 << 20, 12, 64}, {0}, {1000 * 64, 1000, 64, TN_RRIP}};
    const char *const one[GEOMETRY_LEVELS] = {"sysfs", "sysfs", "default", "sysfs"};
    const char *const several[GEOMETRY_LEVELS] = {"option", "sysfs", NULL, "sysfs"};
    const char *const unknown[GEOMETRY_LEVELS] = {NULL};
    char text[1024], foreign[2][2000]; /* of a profile */

    (void)state;
    caches_text(geometry, one, text, sizeof text);
    assert_string_equal(text, "I1 32 KiB, 8-way, 64-byte lines; D1 3 MiB, 12-way, 64-byte lines; "
                              "LL 64000 bytes, 1000-way, 64-byte lines, rrip (sysfs)");
    caches_text(geometry, several, text, sizeof text);
    assert_string_equal(text, "I1 32 KiB, 8-way, 64-byte lines (option); D1 3 MiB, 12-way, 64-byte lines; "
                              "LL 64000 bytes, 1000-way, 64-byte lines, rrip (sysfs)");
    caches_text(geometry, unknown, text, sizeof text);
    assert_null(strchr(text, '('));
    for (int i = 0; i < 2; i++) {
        memset(foreign[i], 'a' + i, sizeof foreign[i] - 1);
        foreign[i][sizeof foreign[i] - 1] = '\0';
    }
    caches_text(geometry, (const char *const[]){foreign[0], foreign[1], foreign[0], foreign[1]}, text, sizeof text);
    assert_true(strlen(text) < 4 * (96 + 70));
}

/* ------------------------------------------------------------------------------------------ names */

/* The profile's name for the raw file `pid`, number `count`, of a recording whose program is process 10. */
static void named(const char *pattern, pid_t pid, unsigned count, const char *expected)
{
    struct names names;
    struct names_raw raw = {NULL, pid, count};
    char *got;

    assert_null(names_make(&names, pattern));
    got = names_profile(&names, &raw, 10);
    assert_string_equal(got, expected);
    free(got);
    names_free(&names);
}

static void test_profile_names(void **state)
{
    char host[256], expected[300];

    (void)state;
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(setenv("TENURE_TEST", "value", 1), 0);
    assert_int_equal(gethostname(host, sizeof host), 0);
    named("tenure.out.%p", 10, 1, "tenure.out.10");
    named("tenure.out.%p", 11, 1, "tenure.out.11");
    named("tenure.out.%p", 10, 2, "tenure.out.10.2");
    named("%p.%n", 10, 2, "10.2");
    named("one", 10, 1, "one");
    named("one", 11, 1, "one.11");
    named("one", 11, 3, "one.11.3");
    named("/tmp/x%%y", 10, 1, "/tmp/x%y");
    named("%q{TENURE_TEST}", 10, 1, "value");
    snprintf(expected, sizeof expected, "./%s", host);
    named("./%h", 10, 1, expected);
}

/* Raw files that the engine would write are found again; others are not. */
static void test_raw_names(void **state)
{
    static const char *const patterns[] = {"tenure.out.%p", "one", "1%p1", "a.%n.%p", "%%%p", "7"};
    size_t i;

    (void)state;
    assert_int_equal(chdir(folder), 0);
    for (i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct names names;
        struct names_raw *list;
        char *raw, path[4096], made[4096], end[64], *mark;
        size_t count;
        FILE *file;

        assert_null(names_make(&names, patterns[i]));
        raw = names_raw_pattern(&names);
        assert_int_equal(raw[0], '/');
        mark = strstr(raw, "%p");
        assert_non_null(mark);
        snprintf(end, sizeof end, ".%s.raw", names.token);
        assert_string_equal(raw + strlen(raw) - strlen(end), end);
        snprintf(path, sizeof path, "%.*s4711%s", (int)(mark - raw), raw, mark + 2);
        for (mark = path; (mark = strstr(mark, "%%")) != NULL; mark++)
            memmove(mark, mark + 1, strlen(mark));
        file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
        names_raw(&names, 4711, made);
        assert_string_equal(made, path);
        assert_true(names_list(&names, &list, &count));
        assert_int_equal(count, 1);
        assert_int_equal(list[0].pid, 4711);
        assert_int_equal(list[0].count, 1);
        assert_string_equal(list[0].path, path);
        names_list_free(list, count);
        unlink(path);
        free(raw);
        names_free(&names);
    }
}

/* ------------------------------------------------------------------------------------------ text */

static void test_escape(void **state)
{
    char out[64];

    (void)state;
    term_escape(out, sizeof out, "a\33[31mb\n\x7f");
    assert_string_equal(out, "a\\x1b[31mb\\x0a\\x7f");
    term_escape(out, sizeof out,
                "gr\xc3\xbc\xc3\x9f\xe2\x82\xac \xff \xc2\x9b"
                "31m \xc3");
    assert_string_equal(out, "gr\xc3\xbc\xc3\x9f\xe2\x82\xac \\xff \\xc2\\x9b31m \\xc3");
    term_escape(out, 8, "abcdefghijkl");
    assert_true(strlen(out) < 8);
}

static void test_fit(void **state)
{
    char out[64];

    (void)state;
    assert_string_equal(term_fit(out, sizeof out, "abcdef", 6, TERM_CUT_END), "abcdef");
    assert_string_equal(term_fit(out, sizeof out, "abcdef", 4, TERM_CUT_END), "abc~");
    assert_string_equal(term_fit(out, sizeof out, "abcdef", 4, TERM_CUT_BEGIN), "~def");
    assert_string_equal(term_fit(out, sizeof out, "abcdef", 4, TERM_CUT_MIDDLE), "a~ef");
    assert_string_equal(term_fit(out, sizeof out, "abcdef", 1, TERM_CUT_MIDDLE), "~");
    assert_string_equal(term_fit(out, sizeof out, "abcdef", 0, TERM_CUT_END), "~");
    assert_string_equal(term_fit(out, sizeof out, "\xc3\xbc\xc3\xbc\xc3\xbc", 2, TERM_CUT_END), "\xc3\xbc~");
    assert_int_equal(term_columns("\xc3\xbc\xe2\x82\xac"), 2);
}

static void shortened(const char *name, int width, const char *expected)
{
    char out[4096];

    assert_string_equal(term_fit_name(out, sizeof out, name, width), expected);
}

static void test_fit_name(void **state)
{
    const char *push = "ns::queue<int, std::pair<a, b> >::push(int const&, std::vector<c>)";

    (void)state;
    shortened(push, 66, push);
    shortened(push, 65, "ns::queue<int, std::pair<a, b> >::push(~)");
    shortened(push, 40, "ns::queue<~>::push(~)");
    shortened(push, 10, "ns::~sh(~)");
    shortened("a::operator<<(std::ostream&, a const&)", 30, "a::operator<<(~)");
    shortened("a::operator()(int, int) const", 25, "a::operator()(~) const");
    shortened("(anonymous namespace)::f(int, int, int)", 30, "(anonymous namespace)::f(~)");
    shortened("f()", 2, "~)");
    shortened("unpaired<int::f(int, int)", 18, "unpaired<int::f(~)");
    shortened("unpaired(int", 6, "un~int");
}

static void test_numbers(void **state)
{
    char out[32];
    uint64_t value;

    (void)state;
    assert_string_equal(term_number(out, 0), "0");
    assert_string_equal(term_number(out, 999), "999");
    assert_string_equal(term_number(out, 1000), "1,000");
    assert_string_equal(term_number(out, -1234567), "-1,234,567");
    assert_string_equal(term_number(out, INT64_MAX), "9,223,372,036,854,775,807");
    assert_string_equal(term_number(out, INT64_MIN), "-9,223,372,036,854,775,808");
    assert_string_equal(term_real(out, 12.34), "12.3");
    assert_string_equal(term_real(out, 12345.6), "12,346");
    assert_true(opt_number("16K", NULL, &value) && value == 16384);
    assert_false(opt_number("16Kx", NULL, &value));
    assert_false(opt_number("", NULL, &value));
    assert_false(opt_number("-1", NULL, &value));
    assert_false(opt_number("99999999999999999999", NULL, &value));
    assert_false(opt_number("18446744073709551615G", NULL, &value));
}

static void test_nearest(void **state)
{
    static const char *const names[] = {"branch-sim", "cache-sim", "out"};

    (void)state;
    assert_string_equal(opt_nearest("brnach-sim", names, 3), "branch-sim");
    assert_string_equal(opt_nearest("cache", names, 3), "cache-sim");
    assert_string_equal(opt_nearest("ou", names, 3), "out");
    assert_null(opt_nearest("nothing-like-it", names, 3));
}

/* ------------------------------------------------------------------------------------------ parsing */

struct parsed {
    bool flag, on;
    const char *text;
    uint64_t count;
};

static const struct opt rows[] = {
    {OPT_FLAG, "flag", 'f', NULL, "", offsetof(struct parsed, flag)},
    {OPT_SWITCH, "switch", 0, NULL, "", offsetof(struct parsed, on)},
    {OPT_TEXT, "text", 't', "TEXT", "", offsetof(struct parsed, text)},
    {OPT_COUNT, "count", 0, "N", "", offsetof(struct parsed, count)},
};

/* `line` is split at blanks; the operands come back joined by blanks. */
static int parse(struct parsed *out, const char *line, bool stop, char *operands)
{
    struct opt_command command = {"test", "", "", OPT_ROWS(rows), .runs_program = stop};
    static char copy[256], name[] = "test"; /* the values in `out` point into it */
    char *argv[32] = {name}, *word;
    int argc = 1, first, i;

    memset(out, 0, sizeof *out);
    strcpy(copy, line);
    for (word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    first = opt_parse(&command, out, argc, argv);
    operands[0] = '\0';
    for (i = first; first > 0 && i < argc; i++)
        strcat(strcat(operands, *operands ? " " : ""), argv[i]);
    return first;
}

static void test_parse(void **state)
{
    struct parsed p;
    char operands[256];

    (void)state;
    assert_true(parse(&p, "a --text=x b --count 5K -f c", false, operands) > 0);
    assert_string_equal(operands, "a b c");
    assert_string_equal(p.text, "x");
    assert_true(p.flag && p.count == 5120 && !p.on);
    assert_true(parse(&p, "a -t x --switch -- -f --count c", false, operands) > 0);
    assert_string_equal(operands, "a -f --count c");
    assert_true(p.on && !p.flag);
    assert_true(parse(&p, "-tx --switch=no ls -f --text", true, operands) > 0);
    assert_string_equal(operands, "ls -f --text");
    assert_string_equal(p.text, "x");
    assert_true(!p.flag && !p.on);
    assert_true(parse(&p, "-- --flag -- x", true, operands) > 0);
    assert_string_equal(operands, "--flag -- x");
    assert_true(parse(&p, "- -f", false, operands) > 0);
    assert_string_equal(operands, "-");
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caches),
        cmocka_unit_test(test_profile_names),
        cmocka_unit_test(test_raw_names),
        cmocka_unit_test(test_escape),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_fit_name),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_parse),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
