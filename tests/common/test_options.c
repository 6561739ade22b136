/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_options.c: engine/common/options.h and geometry.h: every option's value, what is refused and how it says so,
 * what options say of functions, and this machine's caches from a made sysfs.
 */
#include "engine/common/functions.h"
#include "engine/common/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct engine_options o;
static void *given[16];
static int givens;

static void *allocate(size_t bytes)
{
    return given[givens++] = malloc(bytes);
}

static bool no_text(const char *path, char *text, size_t size)
{
    (void)path;
    (void)text;
    (void)size;
    return false;
}

static int begin(void **state)
{
    (void)state;
    givens = 0;
    o.allocate = allocate;
    options_default(&o, no_text);
    return 0;
}

static int end(void **state)
{
    (void)state;
    while (givens > 0)
        free(given[--givens]);
    return 0;
}

static void taken(const char *argument)
{
    char why[OPTIONS_WHY] = "";
    enum options_taken result = options_take(&o, argument, why);
    if (result != OPTIONS_TAKEN)
        fail_msg("%s: %d %s", argument, result, why);
}

static void wrong(const char *argument, const char *expected)
{
    char why[OPTIONS_WHY] = "";
    assert_int_equal(options_take(&o, argument, why), OPTIONS_WRONG);
    assert_string_equal(why, expected);
}

/* A function or a number; the last one holds; what is collected from the start on is not collected before. */
static void start_is_waited_for(void **state)
{
    struct recording_start *start = &o.start;
    struct tn_function_info info = {.name = "work"};
    (void)state;
    taken("--start=main");
    taken("--start=wor?");
    taken("--warm=1000");
    wrong("--start=-5", "--start=-5: give a function, or a whole number of instructions");
    taken("--start=-f");
    wrong("--start=10k", "--start=10k: give a function, or a whole number of instructions");
    taken("--start=wor?");
    assert_null(options_check(&o));
    assert_false(o.instrument_at_start || o.config.collect_at_start);
    assert_true(start->collects && start_counts(start) && start_watches(start) && options_wait(&o));
    assert_true(options_toggle(&o));
    assert_int_equal(start_left(start, 400), 600);
    assert_int_equal(start_after(start, 999), START_WAITS);
    assert_int_equal(start_after(start, 1000), START_WARMS);
    start->phase = START_WARMS;
    assert_false(start_counts(start));
    options_describe(&o, 0, &info);
    assert_int_equal(start_at(start, info.flags), START_RUNS);
    info = (struct tn_function_info){.name = "main"};
    options_describe(&o, 0, &info);
    assert_int_equal(start_at(start, info.flags), START_WARMS);
}

static void values_arrive(void **state)
{
    (void)state;
    assert_true(o.config.cache_sim && o.config.use && o.instrument_at_start && o.skip_plt);
    taken("--cacheuse=no");
    taken("--branch-sim=yes");
    taken("--instr-atstart=no");
    taken("--prefetch=stream");
    taken("--tenure-out-file=a b");
    taken("--paths=18446744073709551615");
    taken("--alias-limit=4294967295");
    taken("--D1=48K,12,64");
    assert_false(o.config.use);
    assert_true(o.config.branch_sim);
    assert_false(o.instrument_at_start);
    assert_true(o.config.prefetch);
    assert_string_equal(o.out_file, "a b");
    assert_int_equal(o.config.paths, UINT64_MAX);
    assert_int_equal(o.config.alias_limit, UINT32_MAX);
    assert_int_equal(o.config.d1.size, 48 << 10);
    assert_int_equal(o.config.d1.assoc, 12);
    assert_int_equal(o.config.d1.line, 64);
    assert_string_equal(o.geometry_source[GEOMETRY_D1], "option");
    assert_string_equal(o.geometry_source[GEOMETRY_I1], "default");
    taken("--prefetch=none");
    assert_false(o.config.prefetch);
    assert_null(options_check(&o));
}

static void pairs_need_patterns(void **state)
{
    (void)state;
    taken("--interdependence=yes");
    assert_null(options_check(&o));
    assert_true(o.config.patterns);
    taken("--patterns=no");
    assert_string_equal(options_check(&o),
                        "--interdependence=yes is of misses that --patterns=yes tells apart: leave out --patterns=no");
    taken("--patterns=yes");
    assert_null(options_check(&o));
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    wrong("--cacheuse=maybe", "--cacheuse=maybe: the value must be yes or no");
    wrong("--prefetch=yes", "--prefetch=yes: the value must be none or stream");
    wrong("--tenure-out-file=", "--tenure-out-file=: the value is empty");
    wrong("--paths=1x", "--paths=1x: the value must be a whole number");
    wrong("--paths=18446744073709551616", "--paths=18446744073709551616: the value must be a whole number");
    wrong("--alias-limit=4294967296", "--alias-limit=4294967296: the value must be a whole number");
    wrong("--LL=1,2", "--LL=1,2: a cache is size,associativity,line in bytes, as in 32768,8,64");
    wrong("--LL=99999999999999999999,2,64",
          "--LL=99999999999999999999,2,64: a cache is size,associativity,line in bytes, as in 32768,8,64");
    wrong("--fn-skip=", "--fn-skip=: name a function");
    wrong("--dump-line=no", "--dump-line=no is refused: lines are always kept; choose what to show when reporting");
    wrong("--separate-callers=101",
          "--separate-callers=101: give a number from 0 to 100, for all functions or as in "
          "--separate-callers1=FUNCTION");
    wrong("--separate-recs=0",
          "--separate-recs=0: give a number from 1 to 100, for all functions or as in --separate-recs2=FUNCTION");
    wrong("--separate-callers2", "--separate-callers2: give a number from 0 to 100, for all functions or as in "
                                 "--separate-callers1=FUNCTION");
    wrong("--separate-callers2=", "--separate-callers2=: name a function");
    char why[OPTIONS_WHY] = "", argument[2000] = "--cacheuse=";
    memset(argument + strlen(argument), 'x', sizeof argument - 20);
    assert_int_equal(options_take(&o, argument, why), OPTIONS_WRONG);
    assert_int_equal(strlen(why), OPTIONS_WHY - 1);
}

static void others_are_not_ours(void **state)
{
    (void)state;
    char why[OPTIONS_WHY];
    const char *const others[] = {"--cacheuse", "--cacheus=no", "--cacheuses=no", "-I1=1,1,1", "cacheuse=no", ""};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(options_take(&o, others[i], why), OPTIONS_NOT_OURS);
}

static struct tn_function_info described(const char *name, uint32_t fb_flags)
{
    struct tn_function_info info = {.name = name};
    options_describe(&o, fb_flags, &info);
    return info;
}

static void options_say_what_functions_are(void **state)
{
    (void)state;
    taken("--fn-skip=mem*");
    taken("--dump-before=*cpy");
    taken("--toggle-collect=b?d");
    taken("--separate-callers=1");
    taken("--separate-callers3=deep*");
    taken("--separate-recs=2=deep");
    assert_true(o.functions_dump);
    assert_false(o.config.collect_at_start);
    assert_true(options_toggle(&o));
    assert_null(options_check(&o));
    assert_int_equal(o.config.separate_callers, 3);
    assert_int_equal(o.config.separate_recs, 2);
    assert_int_equal(described("memcpy", 0).flags, TN_FN_SKIP | TN_FN_DUMP_BEFORE);
    assert_int_equal(described("strcpy", 0).flags, TN_FN_DUMP_BEFORE);
    assert_int_equal(described("bad", 0).flags, TN_FN_TOGGLE);
    assert_int_equal(described("baad", 0).flags, 0);
    assert_int_equal(described(".plt", FB_PLT).flags, TN_FN_SKIP);
    assert_int_equal(described("_dl_runtime_resolve_xsavec", 0).flags, TN_FN_POP_ON_JUMP);
    assert_int_equal(described("bad", 0).separate_callers, 1);
    assert_int_equal(described("deeper", 0).separate_callers, 3);
    assert_int_equal(described("deeper", 0).separate_recs, 1);
    assert_int_equal(described("deep", 0).separate_recs, 2);
    taken("--skip-plt=no");
    assert_int_equal(described(".plt", FB_PLT).flags, 0);
}

static void a_later_option_wins(void **state)
{
    (void)state;
    taken("--toggle-collect=f");
    taken("--collect-atstart=yes");
    assert_true(o.config.collect_at_start);
    assert_true(options_toggle(&o));
}

/* A processor with 48 KB of D1, 32 KB of I1, 2 MB of L2 and a fully associative L3 of 4 MB, in twelve indexes. */
static bool made_sysfs(const char *path, char *text, size_t size)
{
    static const struct {
        unsigned index;
        const char *name, *text;
    } files[] = {{0, "level", "1"}, {0, "type", "Data"}, {0, "size", "48K"}, {0, "coherency_line_size", "64"},
                 {0, "ways_of_associativity", "12"}, {1, "level", "1"}, {1, "type", "Instruction"},
                 {1, "size", "32K"}, {1, "coherency_line_size", "64"}, {1, "ways_of_associativity", "8"},
                 {2, "level", "2"}, {2, "type", "Unified"}, {2, "size", "2M"}, {2, "coherency_line_size", "64"},
                 {2, "ways_of_associativity", "16"}, {11, "level", "3"}, {11, "type", "Unified"}, {11, "size", "4M"},
                 {11, "coherency_line_size", "64"}, {11, "ways_of_associativity", "0"}};
    unsigned index;
    char name[64];
    assert_int_equal(sscanf(path, "/sys/devices/system/cpu/cpu0/cache/index%u/%63s", &index, name), 2);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (files[i].index == index && strcmp(files[i].name, name) == 0) {
            snprintf(text, size, "%s", files[i].text);
            return true;
        }
    }
    if (index > 2 && index < 11 && strcmp(name, "type") == 0) { /* something else in between */
        snprintf(text, size, "Instruction");
        return true;
    }
    return false;
}

static void the_machine_is_read(void **state)
{
    (void)state;
    options_default(&o, made_sysfs);
    assert_int_equal(o.config.i1.size, 32 << 10);
    assert_int_equal(o.config.d1.size, 48 << 10);
    assert_int_equal(o.config.d1.assoc, 12);
    assert_int_equal(o.config.l2.size, 0);
    assert_int_equal(o.config.ll.size, 4 << 20);
    assert_int_equal(o.config.ll.assoc, (4 << 20) / 64);
    assert_string_equal(o.geometry_source[GEOMETRY_LL], "sysfs");
    assert_string_equal(o.geometry_source[GEOMETRY_L2], "default");
}

/* ------------------------------------------------------------------------------------------ allocation functions */

static void allocates(const char *name, uint8_t bytes, uint8_t count, uint8_t old, uint8_t at)
{
    struct tn_function_info info = {.name = name};
    options_describe(&o, 0, &info);
    if (info.allocation.bytes != bytes || info.allocation.count != count || info.allocation.old != old ||
        info.allocation.at != at)
        fail_msg("%s: %u %u %u %u", name, info.allocation.bytes, info.allocation.count, info.allocation.old,
                 info.allocation.at);
}

static void allocation_functions_are_known(void **state)
{
    (void)state;
    allocates("malloc", 1, 0, 0, 0);
    allocates("mallocx", 0, 0, 0, 0);
    allocates("calloc", 2, 1, 0, 0);
    allocates("reallocarray", 3, 2, 1, 0);
    allocates("posix_memalign", 3, 0, 0, 1);
    allocates("free", 0, 0, 1, 0);
    allocates("_ZnwmSt11align_val_tRKSt9nothrow_t", 1, 0, 0, 0);
    allocates("_ZdaPvm", 0, 0, 1, 0);
    allocates("_ZdlPvSt11align_val_t", 0, 0, 1, 0);
    allocates("_ZnwmPv", 0, 0, 0, 0);
    allocates("_ZdlPvS_", 0, 0, 0, 0);
    taken("--alloc-fn=pool_*:2");
    taken("--free-fn=pool_put");
    taken("--alloc-fn=Pool::get");
    allocates("pool_get", 2, 0, 0, 0);
    allocates("pool_put", 0, 0, 1, 0);
    allocates("Pool::get", 1, 0, 0, 0);
    wrong("--alloc-fn=", "--alloc-fn=: name a function");
    wrong("--free-fn=f:5", "--free-fn=f:5: behind the colon goes the number of an argument, 1 to 4");
    wrong("--data=maybe", "--data=maybe: the value must be yes or no");
}

static void data_need_calls_and_caches(void **state)
{
    (void)state;
    taken("--inclusive=no");
    assert_null(options_check(&o));
    assert_false(o.config.data);
    taken("--data=yes");
    assert_non_null(strstr(options_check(&o), "data objects are known only where"));
    taken("--inclusive=yes");
    assert_null(options_check(&o));
    assert_true(o.config.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_arrive, begin, end),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_said, begin, end),
        cmocka_unit_test_setup_teardown(others_are_not_ours, begin, end),
        cmocka_unit_test_setup_teardown(options_say_what_functions_are, begin, end),
        cmocka_unit_test_setup_teardown(a_later_option_wins, begin, end),
        cmocka_unit_test_setup_teardown(the_machine_is_read, begin, end),
        cmocka_unit_test_setup_teardown(allocation_functions_are_known, begin, end),
        cmocka_unit_test_setup_teardown(data_need_calls_and_caches, begin, end),
        cmocka_unit_test_setup_teardown(pairs_need_patterns, begin, end),
        cmocka_unit_test_setup_teardown(start_is_waited_for, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
