/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_options.c: engine/common/options.h and geometry.h: every option's value, what is refused and how it says so,
 * what options say of functions, and this machine's caches from a made sysfs.
 */
#include "engine/common/element_table.h"
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
    o.read_text = no_text;
    o.is_native = false;
    options_default(&o);
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
    const char *why;
    if (!options_take(&o, argument, &why) || why)
        fail_msg("%s: %s", argument, why);
}

static void wrong(const char *argument, const char *expected)
{
    const char *why;
    options_take(&o, argument, &why);
    assert_non_null(why);
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
    wrong("--start=-5", "give a function, or a whole number of instructions");
    taken("--start=-f");
    wrong("--start=10k", "give a function, or a whole number of instructions");
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
    assert_true(o.config.prefetch[TN_STREAM]);
    assert_string_equal(o.out_file, "a b");
    assert_int_equal(o.config.paths, UINT64_MAX);
    assert_int_equal(o.config.alias_limit, UINT32_MAX);
    assert_int_equal(o.config.d1.size, 48 << 10);
    assert_int_equal(o.config.d1.assoc, 12);
    assert_int_equal(o.config.d1.line, 64);
    taken("--prefetch=adjacent,next-line");
    assert_true(o.config.prefetch[TN_ADJACENT] && o.config.prefetch[TN_NEXT_LINE] && !o.config.prefetch[TN_STREAM]);
    taken("--prefetch=d1-stride,stride");
    assert_true(o.config.prefetch[TN_STRIDE] && o.config.prefetch[TN_PREFETCH_D1 + TN_STRIDE]);
    taken("--prefetch=none");
    assert_false(tn_prefetches(&o.config));
    assert_null(options_check(&o));
    assert_string_equal(o.geometry_source[GEOMETRY_D1], "option");
    assert_string_not_equal(o.geometry_source[GEOMETRY_I1], "option");
}

static void pairs_need_patterns(void **state)
{
    (void)state;
    taken("--interdependence=yes");
    assert_null(options_check(&o));
    assert_true(o.config.patterns);
    taken("--patterns=no");
    assert_string_equal(options_check(&o), "--interdependence goes only with --patterns=yes: who loads a line again "
                                           "is known where misses are told apart");
    taken("--patterns=yes");
    assert_null(options_check(&o));
}

static void needs(const char *expected)
{
    const char *why = options_check(&o);
    assert_non_null(why);
    assert_string_equal(why, expected);
}

static void options_need_others(void **state)
{
    (void)state;
    o.is_native = true;
    taken("--turn=5");
    needs("--turn goes only with --coherence=mesi or --deterministic=yes: threads take turns only then");
    taken("--coherence=mesi");
    assert_null(options_check(&o));
    taken("--shared-l1=yes");
    needs("--coherence goes only with --shared-l1=no: threads that share level-1 caches have nothing to keep coherent");
    taken("--cache-sim=no");
    needs("--coherence goes only with --cache-sim=yes: it is known only where caches are simulated");
    assert_false(o.config.strides || o.config.data); /* these are on only by default */
    taken("--coherence=no");
    taken("--deterministic=yes");
    taken("--cache-sim=yes");
    taken("--warm=f");
    needs("--warm goes only with --start: caches are warmed before the point that it names");
    taken("--start=g");
    taken("--toggle-collect=h");
    needs("--warm goes only with --collect-atstart=yes: --start says where collection begins, so "
          "--toggle-collect does not go with it either");
    taken("--collect-atstart=yes");
    assert_null(options_check(&o));
    taken("--inclusive=no");
    taken("--separate-callers=1");
    needs("--separate-callers goes only with --inclusive=yes: callers can be kept apart only where calls are followed");
    taken("--separate-callers=0");
    needs("--toggle-collect goes only with --inclusive=yes: who enters a function is known only where calls are "
          "followed");
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    wrong("--cacheuse=maybe", "the value must be yes or no");
    const char *list = "the value must be of none|stream|next-line|adjacent|stride|d1-stream|d1-next-line|d1-adjacent|"
                       "d1-stride, several with commas between them";
    wrong("--prefetch=yes", list);
    wrong("--prefetch=", list);
    wrong("--prefetch=stream,", list);
    wrong("--prefetch=none,stream", list);
    wrong("--prefetch=streams", list);
    wrong("--tenure-out-file=", "the value is empty");
    wrong("--paths=1x", "the value must be a whole number");
    wrong("--paths=18446744073709551616", "the value must be a whole number");
    wrong("--alias-limit=4294967296", "the value must be a whole number");
    wrong("--LL=1,2", "a cache is size,associativity,line in bytes, as in 32768,8,64 or 32K,8,64");
    wrong("--LL=99999999999999999999,2,64",
          "a cache is size,associativity,line in bytes, as in 32768,8,64 or 32K,8,64");
    wrong("--fn-skip=", "name a function");
    wrong("--dump-line=no", "lines are always kept; choose what to show in `tenure report`");
    const char *callers = "give a number of callers from 0 to 100, for all functions or as N=FUNCTION";
    wrong("--separate-callers=101", callers);
    wrong("--separate-recs=0", "give a number of levels from 1 to 100, for all functions or as N=FUNCTION");
    wrong("--separate-callers2", callers);
    wrong("--separate-callers2=", "name a function");
}

static void others_are_not_ours(void **state)
{
    (void)state;
    const char *why;
    const char *const others[] = {"--cacheuse", "--cacheus=no", "--cacheuses=no", "-I1=1,1,1", "cacheuse=no", ""};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_null(options_take(&o, others[i], &why));
        assert_null(why);
    }
    wrong("--link=no", "the Valgrind engine has no such option");
    o.is_native = true;
    wrong("--cold-blocks=no", "the native engine has no such option");
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
    assert_int_equal(described("runtime.morestack.abi0", 0).flags, TN_FN_MOVES_STACK | TN_FN_GO_RUNTIME);
    assert_int_equal(described("bad", 0).separate_callers, 1);
    assert_int_equal(described("deeper", 0).separate_callers, 3);
    assert_int_equal(described("deeper", 0).separate_recs, 1);
    assert_int_equal(described("deep", 0).separate_recs, 2);
    taken("--separate-callers=2=deep*r");
    assert_int_equal(described("deeper", 0).separate_callers, 2);
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

/* ------------------------------------------------------------------------------------------ values as text */

/* Whatever is read can be written, and is read again as the same: so `tenure record` hands it to an engine. */
static void values_are_written(void **state)
{
    static const struct {
        const char *given, *written;
    } cases[] = {{"--cacheuse=no", "no"},         {"--prefetch=stream", "stream"},
                 {"--prefetch=d1-stride,d1-adjacent,d1-next-line,d1-stream,stride,adjacent,next-line,stream",
                  "stream,next-line,adjacent,stride,d1-stream,d1-next-line,d1-adjacent,d1-stride"},
                 {"--prefetch=adjacent,stream", "stream,adjacent"}, {"--prefetch=none", "none"},
                 {"--simulate-hwpref=no", "no"},
                 {"--coherence=no", "no"},        {"--paths=1K", "1024"},          {"--alias-limit=1m", "1048576"},
                 {"--D1=48K,12,64", "49152,12,64"}, {"--start=f*", "f*"},          {"--warm=12", "12"},
                 {"--host=a b", "a b"},           {"--rank=0", "0"},               {"--code-cache=64", "64"},
                 {"--fn-skip=f", NULL},           {"--separate-callers2=f", NULL}, {"--free-fn=f:2", NULL}};
    char text[GEOMETRY_TEXT];
    const char *why;
    (void)state;
    o.is_native = true;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct recording_option *option = options_take(&o, cases[i].given, &why);
        const char *written = options_text(&o, option, text);
        assert_null(why);
        if (cases[i].written)
            assert_string_equal(written, cases[i].written);
        else
            assert_null(written);
    }
}

static void ranks_are_asked_for(void **state)
{
    const struct recording_option *option = options_table;
    char text[GEOMETRY_TEXT];
    (void)state;
    while (strcmp(option->name, "rank") != 0)
        option++;
    assert_null(options_text(&o, option, text));
    taken("--rank=0");
    assert_string_equal(options_text(&o, option, text), "0");
}

static bool is_row(const char *text)
{
    for (size_t i = 0; i < options_count; i++) {
        size_t length = strlen(options_table[i].name);
        if (strncmp(text, options_table[i].name, length) == 0 && (text[length] == '=' || text[length] == '\0'))
            return true;
    }
    return false;
}

/* Names are there once; what a row says of its value fits its kind; what options need are options. */
static void the_table_is_sound(void **state)
{
    (void)state;
    static const char *const named[][3] = {
#define NEEDS(name, other, or, reason) {name, other, or ? or : name},
#include "engine/common/options.inc"
    };
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        assert_true(is_row(named[i][0]) && is_row(named[i][1]) && is_row(named[i][2]));
    for (size_t i = 0; i < options_count; i++) {
        const struct recording_option *row = &options_table[i];
        bool words = row->kind == OPTIONS_SWITCH || row->kind == OPTIONS_WORDS || row->kind == OPTIONS_LIST;
        size_t more = 0;
        for (const char *bar = row->value; (bar = strchr(bar, '|')); bar++)
            more++;
        assert_true(row->kind != OPTIONS_LIST || more == row->detail);
        assert_true(words == (strchr(row->value, '|') != NULL && row->kind != OPTIONS_POINT));
        assert_true(row->kind != OPTIONS_SWITCH || strcmp(row->value, "yes|no") == 0);
        assert_true(row->member < sizeof o);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(row->name, options_table[k].name);
            if (row->kind <= OPTIONS_MEBIBYTES && row->member == options_table[k].member)
                assert_int_equal(row->usual, options_table[k].usual);
        }
    }
}

/* ------------------------------------------------------------------------------------------ caches */

struct file {
    unsigned index;
    const char *name, *text;
};
static const struct file *files;

static bool made_sysfs(const char *path, char *text, size_t size)
{
    unsigned index;
    char name[64];
    assert_int_equal(sscanf(path, "/sys/devices/system/cpu/cpu0/cache/index%u/%63s", &index, name), 2);
    for (const struct file *file = files; file->name; file++) {
        if (file->index == index && strcmp(file->name, name) == 0) {
            snprintf(text, size, "%s", file->text);
            return true;
        }
    }
    if (index > 2 && index < 11 && strcmp(name, "type") == 0) { /* something else in between */
        snprintf(text, size, "Instruction");
        return true;
    }
    return false;
}

#define CACHE(index, level, type, size, ways, line) \
    {index, "level", level}, {index, "type", type}, {index, "size", size}, {index, "ways_of_associativity", ways}, \
    {index, "coherency_line_size", line}
#define USUAL CACHE(0, "1", "Data", "48K", "12", "64"), CACHE(1, "1", "Instruction", "32K", "8", "64"), \
    CACHE(2, "2", "Unified", "2048K", "16", "64")

static void expect(const struct tn_geometry *found, const char *const *source, enum geometry_level level,
                   const char *text, const char *from)
{
    char got[GEOMETRY_TEXT];
    geometry_put(got, &found[level]);
    assert_string_equal(got, text);
    assert_string_equal(source[level], from);
}

static void the_machine_is_read(void **state)
{
    static const struct file three[] = {USUAL, CACHE(3, "3", "Unified", "30M", "15", "64"), {0}},
                             whole[] = {USUAL, CACHE(11, "3", "Unified", "4096K", "0", "64"), {0}},
                             senseless[] = {USUAL, CACHE(3, "3", "Unified", "30M", "16", "48"), {0}};
    struct tn_geometry found[GEOMETRY_LEVELS];
    const char *source[GEOMETRY_LEVELS];
    (void)state;
    files = three;
    geometry_detect(made_sysfs, found, source);
    expect(found, source, GEOMETRY_I1, "32768,8,64", "sysfs");
    expect(found, source, GEOMETRY_D1, "49152,12,64", "sysfs");
    expect(found, source, GEOMETRY_L2, "2097152,16,64", "sysfs");
    expect(found, source, GEOMETRY_LL, "31457280,15,64", "sysfs");
    files = senseless; /* the level below is the last */
    geometry_detect(made_sysfs, found, source);
    expect(found, source, GEOMETRY_LL, "2097152,16,64", "sysfs");
    expect(found, source, GEOMETRY_L2, "0,0,0", "default");
    files = whole; /* fully associative, behind many others: and what becomes of it in a configuration */
    o.read_text = made_sysfs;
    taken("--I1=16K,4,32");
    assert_null(options_check(&o));
    assert_int_equal(o.config.i1.size, 16 << 10);
    assert_int_equal(o.config.d1.assoc, 12);
    assert_int_equal(o.config.l2.size, 2 << 20);
    assert_int_equal(o.config.ll.assoc, (4 << 20) / 64);
    assert_string_equal(o.geometry_source[GEOMETRY_I1], "option");
    assert_string_equal(o.geometry_source[GEOMETRY_LL], "sysfs");
    assert_string_equal(o.geometry_source[GEOMETRY_L2], "sysfs");
}

/* The machine's second level, where there is room for it and nobody says otherwise. */
static void l2_has_room_or_is_left_out(void **state)
{
    static const struct {
        const char *options[3], *source;
        uint64_t size;
    } cases[] = {
        {{"--I1=16K,4,64", "--strides=no"}, "sysfs", 2 << 20},
        {{"--L2=none"}, "option", 0},
        {{"--L2=none", "--L2=256K,8,64"}, "option", 256 << 10},
        {{"--L2=256K,8,64", "--L2=none"}, "option", 0},
        {{"--D1=32K,8,64"}, "sysfs", 2 << 20},
        {{"--D1=32K,8,64", "--LL=8M,16,64"}, "default", 0},
        {{"--D1=32K,8,64", "--LL=8M,16,64", "--L2=1M,8,64"}, "option", 1 << 20},
        {{"--LL=2M,16,64"}, "default", 0},              /* no larger than it */
        {{"--LL=8M,16,128"}, "sysfs", 2 << 20},
        {{"--I1=32K,8,128", "--LL=8M,16,128"}, "default", 0}, /* its lines are shorter */
        {{"--L2=4M,16,64", "--sample=1024"}, "option", 4 << 20},
        {{"--sample=1024", "--LL=256M,16,64"}, "default", 0}, /* it has too few sets */
    };
    static const struct file machine[] = {USUAL, CACHE(3, "3", "Unified", "30M", "15", "64"), {0}};
    (void)state;
    files = machine;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        o.read_text = made_sysfs;
        options_default(&o);
        for (size_t k = 0; k < 3 && cases[i].options[k]; k++)
            taken(cases[i].options[k]);
        const char *wrong = options_check(&o);
        if (wrong)
            fail_msg("%s: %s", cases[i].options[0], wrong);
        assert_int_equal(o.config.l2.size, cases[i].size);
        assert_string_equal(o.geometry_source[GEOMETRY_L2], cases[i].source);
    }
}

static void nobody_says_which_caches(void **state)
{
    struct tn_geometry found[GEOMETRY_LEVELS];
    const char *source[GEOMETRY_LEVELS];
    (void)state;
    geometry_detect(no_text, found, source);
    for (int i = 0; i < GEOMETRY_LEVELS; i++) {
        assert_string_not_equal(source[i], "sysfs");
        if (i != GEOMETRY_L2 || found[i].size > 0)
            assert_null(tn_geometry_check(&found[i]));
    }
}

static void caches_are_parsed(void **state)
{
    static const char *const bad[] = {"32K,8", "32K,8,63", "18446744073709551615K,8,64", "-1,8,64", "32K,8,64,",
                                      "32K,9223372036854775808,64", "32K,8,4294967360", "0,8,64", "32K,0,64",
                                      "32K,8,64,fifo", "32K,8,64,lrux", "32K,8,64,rrip,", "48K,12,64,plru"};
    struct tn_geometry g;
    char text[GEOMETRY_TEXT];
    (void)state;
    assert_null(geometry_parse("3M,12,64", &g));
    geometry_put(text, &g);
    assert_string_equal(text, "3145728,12,64");
    assert_null(geometry_parse("3M,12,64,rrip", &g));
    geometry_put(text, &g);
    assert_string_equal(text, "3145728,12,64,rrip");
    assert_null(geometry_parse("32K,8,64,plru", &g));
    assert_int_equal(g.policy, TN_PLRU);
    assert_null(geometry_parse("32K,8,64,lru", &g));
    geometry_put(text, &g);
    assert_string_equal(text, "32768,8,64");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_non_null(geometry_parse(bad[i], &g));
}

static void tlbs_are_parsed(void **state)
{
    static const char *const bad[] = {"64", "64,", "64,4,", "64,5", "0,1", "64,0", "64,4,1536", "64,4,1536,7", "-64,4",
                                      "64,4,0,1", "32768,1", "64,4,4294967360,4", "64,4,1536,12,1", "64,4 "};
    struct tn_tlb_geometry tlb[2];
    char text[GEOMETRY_TEXT];
    (void)state;
    assert_null(tlb_parse("64,4", tlb));
    assert_string_equal(tlb_put(text, tlb), "64,4");
    assert_null(tlb_parse("32767,32767,2K,8", tlb));
    assert_string_equal(tlb_put(text, tlb), "32767,32767,2048,8");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_non_null(tlb_parse(bad[i], tlb));
}

struct leaf {
    unsigned leaf, subleaf, words[4];
};
static const struct leaf *processor; /* ended by leaf 0 */

static bool cpuid_of(unsigned leaf, unsigned subleaf, unsigned words[4])
{
    for (const struct leaf *at = processor; at->leaf; at++) {
        if (at->leaf != leaf || at->subleaf != subleaf)
            continue;
        memcpy(words, at->words, sizeof at->words);
        return true;
    }
    return false;
}

static void tlbs_are(const struct leaf *leaves, const char *instructions, const char *data)
{
    struct tn_tlb_geometry found[2][2] = {{{0}}};
    char text[GEOMETRY_TEXT];

    processor = leaves;
    tlb_detect(cpuid_of, found[0], found[1]);
    assert_string_equal(tlb_put(text, found[0]), instructions);
    assert_string_equal(tlb_put(text, found[1]), data);
}

static void processors_say_what_tlbs_they_have(void **state)
{
    /* AMD's: of each word the upper half is of data; 0xff: of one set; the second level has codes. */
    static const struct leaf amd[] = {{0x80000005, 0, {0xff40ff40, 0xff40ff40, 0, 0}},
                                      {0x80000006, 0, {0x48002200, 0x68004200, 0, 0}},
                                      {0}};
    /* Intel's: page sizes and ways, sets, kind and level. Two of the second level share pages of 4 KB. */
    static const struct leaf intel[] = {{0x80000005, 0, {0}},
                                        {0x80000006, 0, {0, 0, 0x02008040, 0}},
                                        {0x18, 0, {5, 0, 0, 0}},
                                        {0x18, 1, {0, 0x00080001, 16, 0x22}},
                                        {0x18, 2, {0, 0x00080006, 2, 0x22}},
                                        {0x18, 3, {0, 0x00040001, 16, 0x24}},
                                        {0x18, 4, {0, 0x00080007, 128, 0x43}},
                                        {0x18, 5, {0, 0x00080009, 128, 0x43}},
                                        {0}};
    static const struct leaf small[] = {{0x18, 0, {1, 0, 0, 0}}, {0x18, 1, {0, 0x00080001, 1, 0x22}}, {0}};
    static const struct leaf nothing[] = {{0}};
    (void)state;
    tlbs_are(amd, "64,64,512,4", "64,64,2048,8");
    tlbs_are(intel, "128,8", "64,4,2048,16");
    tlbs_are(small, "128,8", "64,4,1536,12");
    tlbs_are(nothing, "128,8", "64,4,1536,12");
}

/* What is given turns the rest on, which is the processor's. */
static void tlbs_are_chosen(void **state)
{
    struct tn_tlb_geometry none[2] = {{0}};
    char text[GEOMETRY_TEXT];
    (void)state;
    assert_null(options_check(&o));
    assert_false(tn_has_tlbs(&o.config));
    taken("--dtlb=32,2");
    assert_null(options_check(&o));
    assert_true(o.tlb && o.config.itlb[0].entries && !o.config.dtlb[1].entries);
    assert_string_equal(tlb_put(text, o.config.dtlb), "32,2");
    assert_null(tlb_put(text, none));
    taken("--sample=4");
    needs("--tlb goes only with --sample=1: it is known only where all sets are simulated");
    taken("--sample=1");
    taken("--coherence=mesi");
    needs("--tlb goes only with --coherence=no: a line that another thread takes away would no longer say when its "
          "page was used");
    taken("--coherence=no");
    taken("--cache-sim=no");
    needs("--tlb goes only with --cache-sim=yes: it is known only where caches are simulated");
    taken("--cache-sim=yes");
    taken("--tlb=no");
    needs("--dtlb goes only with --tlb=yes: it is a TLB");
}

/* A cache's lines may be as long as those of the next one that is there. */
static void lines_do_not_become_shorter(void **state)
{
    (void)state;
    taken("--I1=32K,8,128");
    taken("--D1=32K,8,64");
    taken("--LL=8M,16,64");
    assert_string_equal(options_check(&o), "--LL: its lines of 64 bytes are shorter than I1's of 128");
    taken("--L2=256K,8,128");
    assert_string_equal(options_check(&o), "--LL: its lines of 64 bytes are shorter than L2's of 128");
    taken("--LL=8M,16,128");
    assert_null(options_check(&o));
}

static void names_of_reports_are_known(void **state)
{
    static const char lines[] = "_Z1aPc\ta(char?)\n_Z1ai\ta\n_Z1ai\ta(int)\n_Z1b\tb\n";
    const struct element_table told = {.meant = lines, .meant_size = sizeof lines - 1};
    (void)state;
    o.told = &told;
    taken("--fn-skip=a(int)");
    taken("--dump-before=a(char?)");
    taken("--toggle-collect=b");
    taken("--zero-before=c");
    assert_int_equal(described("_Z1ai", 0).flags, TN_FN_SKIP);
    assert_int_equal(described("_Z1aPc", 0).flags, TN_FN_DUMP_BEFORE);
    assert_int_equal(described("_Z1b", 0).flags, TN_FN_TOGGLE);
    assert_int_equal(described("_Z1a", 0).flags, 0);
    assert_int_equal(described("_Z1bb", 0).flags, 0);
    for (struct options_pattern *at = o.patterns; at; at = at->next)
        assert_int_equal(at->met, strcmp(at->text, "c") != 0);
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
    allocates("runtime.mallocgc", TN_GO_ARGUMENT, 0, 0, 0);
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
    taken("--alloc-fn=pool_get");
    allocates("pool_get", 1, 0, 0, 0);
    wrong("--alloc-fn=", "name a function");
    wrong("--free-fn=f:5", "behind the colon goes the number of an argument, 1 to 4");
    wrong("--data=maybe", "the value must be yes or no");
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
        cmocka_unit_test_setup_teardown(names_of_reports_are_known, begin, end),
        cmocka_unit_test_setup_teardown(a_later_option_wins, begin, end),
        cmocka_unit_test_setup_teardown(values_are_written, begin, end),
        cmocka_unit_test_setup_teardown(ranks_are_asked_for, begin, end),
        cmocka_unit_test_setup_teardown(the_table_is_sound, begin, end),
        cmocka_unit_test_setup_teardown(the_machine_is_read, begin, end),
        cmocka_unit_test_setup_teardown(l2_has_room_or_is_left_out, begin, end),
        cmocka_unit_test_setup_teardown(nobody_says_which_caches, begin, end),
        cmocka_unit_test_setup_teardown(caches_are_parsed, begin, end),
        cmocka_unit_test_setup_teardown(tlbs_are_parsed, begin, end),
        cmocka_unit_test_setup_teardown(tlbs_are_chosen, begin, end),
        cmocka_unit_test(processors_say_what_tlbs_they_have),
        cmocka_unit_test_setup_teardown(lines_do_not_become_shorter, begin, end),
        cmocka_unit_test_setup_teardown(allocation_functions_are_known, begin, end),
        cmocka_unit_test_setup_teardown(data_need_calls_and_caches, begin, end),
        cmocka_unit_test_setup_teardown(pairs_need_patterns, begin, end),
        cmocka_unit_test_setup_teardown(options_need_others, begin, end),
        cmocka_unit_test_setup_teardown(start_is_waited_for, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
