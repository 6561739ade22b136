/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_code_map.c: engine/common/code_map.h: which objects and functions the core hears of, and how often.
 *
 * The core's tn_object, tn_function and tn_function_rename are stood in for: they write down what they are told. A made
 * ELF object is mapped, twice, elsewhere, unmapped; memory without a file holds code of a JIT compiler.
 */
#include "tests/common/elf_make.h"
#include "tests/common/fb_host.h"

#include "engine/common/code_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 2048, TEXT = ELF_MAKE_BASE + ELF_MAKE_TEXT, JIT = 0x7000000 };

static struct {
    struct fb_test_host test;
    struct fb_host files;
    struct code_map_host host;
    uint8_t *image;
    size_t size;
    const char *jit; /* content of /tmp/perf-77.map, and of the jitdump */
    bool perf_map_missing;
    unsigned asked; /* for the perf map, or the jitdump */
    struct code_mapping mappings[4];
    struct tn_object_info objects[MOST];
    struct tn_function_info functions[MOST];
    char names[MOST][64], paths[MOST][64];
    uint32_t object_count, function_count;
    code_map *map;
} t;

uint32_t tn_object(tn_core *core, const struct tn_object_info *info)
{
    assert_null(core);
    t.objects[t.object_count] = *info;
    snprintf(t.paths[t.object_count], sizeof t.paths[0], "%s", info->path);
    return ++t.object_count;
}

uint32_t tn_function(tn_core *core, const struct tn_function_info *info)
{
    assert_null(core);
    t.functions[t.function_count] = *info;
    snprintf(t.names[t.function_count], sizeof t.names[0], "%s", info->name);
    return ++t.function_count;
}

void tn_function_rename(tn_core *core, uint32_t function, const char *name)
{
    assert_null(core);
    assert_true(function > 0 && function <= t.function_count);
    snprintf(t.names[function - 1], sizeof t.names[0], "%s", name);
}

static const void *map_file(void *user, const char *path, size_t *bytes)
{
    (void)user;
    if (strcmp(path, "/lib/made.so") == 0) {
        *bytes = t.size;
        return t.image;
    }
    t.asked++;
    if ((t.perf_map_missing || strcmp(path, "/tmp/perf-77.map") != 0) && strcmp(path, "/var/jit-77.dump") != 0)
        return NULL;
    *bytes = t.jit ? strlen(t.jit) : 0;
    return t.jit;
}

static void unmap_file(void *user, const void *memory, size_t bytes)
{
    (void)user;
    (void)memory;
    (void)bytes;
}

static bool mapping_at(void *user, uint64_t address, struct code_mapping *out)
{
    assert_ptr_equal(user, &t);
    for (size_t i = 0; i < sizeof t.mappings / sizeof t.mappings[0]; i++) {
        if (address >= t.mappings[i].start && address < t.mappings[i].end) {
            *out = t.mappings[i];
            return true;
        }
    }
    return false;
}

static void describe(void *user, uint32_t fb_flags, struct tn_function_info *info)
{
    assert_ptr_equal(user, &t);
    info->flags = fb_flags & FB_PLT ? TN_FN_SKIP : 0;
    info->separate_callers = strcmp(info->name, "outer") == 0 ? 3 : 0;
}

static uint64_t process_id(void *user)
{
    assert_ptr_equal(user, &t);
    return 77;
}

static const struct elf_make_symbol symbols[] = {
    {"outer", 0x10, 0x40, 'F', 'g'}, {"other", 0x60, 0x20, 'F', 'g'}, {"outer.cold", 0xa0, 0x20, 'F', 'l'}, {0}};

static int begin(void **state)
{
    struct elf_make made = {.text_size = 0x100, .symbols = symbols, .build_id = "abcd"};

    (void)state;
    memset(&t, 0, sizeof t);
    fb_test_host(&t.test);
    t.image = elf_make(&made, &t.size);
    t.files = t.test.host;
    t.files.map = map_file;
    t.files.unmap = unmap_file;
    t.host = (struct code_map_host){&t.files, &t, mapping_at, describe, process_id};
    t.mappings[0] = (struct code_mapping){ELF_MAKE_BASE, ELF_MAKE_BASE + t.size, "/lib/made.so", 0, 1, 2};
    t.map = code_map_new(&t.host, NULL);
    return t.map ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    code_map_free(t.map);
    free(t.image);
    return t.test.balance ? -1 : 0;
}

static struct code_function at(uint64_t address)
{
    struct code_function function;
    code_map_function(t.map, address, &function);
    assert_true(function.id > 0 && function.id <= t.function_count);
    assert_true(address >= function.start && address < function.end);
    return function;
}

static void functions_are_told_once_and_pieces_belong_to_their_function(void **state)
{
    (void)state;
    struct code_function outer = at(TEXT + 0x11), cold = at(TEXT + 0xa8), again = at(TEXT + 0x4f);
    assert_int_equal(outer.id, cold.id);
    assert_int_equal(outer.id, again.id);
    assert_int_equal(outer.start, TEXT + 0x10);
    assert_int_equal(outer.end, TEXT + 0x50);
    assert_int_equal(cold.start, TEXT + 0xa0);
    assert_int_not_equal(at(TEXT + 0x60).id, outer.id);
    assert_int_equal(t.object_count, 1);
    assert_int_equal(t.function_count, 2);
    assert_string_equal(t.names[0], "outer");
    assert_int_equal(t.functions[0].start, TEXT + 0x10);
    assert_int_equal(t.functions[0].object, 1);
    assert_int_equal(t.functions[0].separate_callers, 3);
    assert_int_equal(t.functions[1].separate_callers, 0);
    assert_string_equal(t.paths[0], "/lib/made.so");
    assert_int_equal(t.objects[0].build_id_size, 4);
    assert_int_equal(t.objects[0].bias, 0);
}

static void the_cache_answers_the_same(void **state)
{
    (void)state;
    uint32_t outer = code_map_function_id(t.map, TEXT + 0x20);
    assert_int_equal(code_map_function_id(t.map, TEXT + 0x20), outer);
    assert_int_equal(at(TEXT + 0x20).id, outer);
    assert_int_equal(t.function_count, 1);
}

static void mappings_of_one_file_are_one_object_if_they_lie_as_in_the_file(void **state)
{
    (void)state;
    uint64_t middle = ELF_MAKE_BASE + ELF_MAKE_TEXT + 0x60;
    t.mappings[0].end = middle;
    t.mappings[1] = (struct code_mapping){middle, ELF_MAKE_BASE + t.size, "/lib/made.so", ELF_MAKE_TEXT + 0x60, 1, 2};
    t.mappings[2] = (struct code_mapping){0x5000000, 0x5000000 + t.size, "/lib/made.so", 0, 1, 2};
    at(TEXT + 0x10);
    at(TEXT + 0x60);
    assert_int_equal(t.object_count, 1);
    struct code_function elsewhere = at(0x5000000 + ELF_MAKE_TEXT + 0x10);
    assert_int_equal(t.object_count, 2);
    assert_int_equal(elsewhere.start, 0x5000000 + ELF_MAKE_TEXT + 0x10);
    assert_int_equal(t.objects[1].bias, 0x5000000 - ELF_MAKE_BASE);
}

static void unmapped_is_forgotten(void **state)
{
    (void)state;
    uint32_t before = code_map_function_id(t.map, TEXT + 0x10);
    code_map_unmapped(t.map, ELF_MAKE_BASE - 1, 1);
    assert_int_equal(code_map_function_id(t.map, TEXT + 0x10), before);
    code_map_unmapped(t.map, TEXT, 1);
    assert_int_not_equal(code_map_function_id(t.map, TEXT + 0x10), before);
    assert_int_equal(t.object_count, 2);
}

static void functions_without_bounds_begin_where_they_are_called(void **state)
{
    (void)state;
    t.mappings[1] = (struct code_mapping){.start = JIT, .end = JIT + 0x2000};
    struct code_function a = at(JIT + 0x10), b = at(JIT + 0x1010);
    assert_int_equal(a.id, b.id);
    assert_int_equal(a.end, a.start + 1);
    assert_string_equal(t.paths[0], "[anon]");
    assert_string_equal(t.names[0], "0x10");
    assert_int_equal(t.functions[0].size, 0x1ff0);
    assert_int_equal(code_map_function_id(t.map, JIT + 0x1010), a.id);
    uint32_t called = code_map_callee_id(t.map, JIT + 0x1010); /* the cache has it as the inside of another */
    assert_int_not_equal(called, a.id);
    assert_string_equal(t.names[called - 1], "0x1010");
    assert_int_equal(code_map_function_id(t.map, JIT + 0x1020), called);
    assert_int_equal(code_map_function_id(t.map, JIT + 0x100f), a.id);
    assert_int_equal(code_map_callee_id(t.map, JIT + 0x1010), called);
    for (uint64_t i = 1; i < 1000; i++) /* between those that there are, backwards */
        code_map_callee_id(t.map, JIT + 0x1010 - i);
    assert_int_equal(t.function_count, 1001);
    assert_int_equal(code_map_function_id(t.map, JIT + 0x10), a.id);
    assert_int_equal(at(JIT).id, 1002); /* entered below all of them */
    assert_int_not_equal(at(0x9000123).id, a.id); /* nothing is known to be mapped there */
    assert_int_equal(t.objects[1].start, 0x9000000);
    t.mappings[1] = (struct code_mapping){.start = JIT - 0x1000, .end = JIT + 0x4000}; /* it has grown */
    assert_int_equal(code_map_function_id(t.map, JIT + 0x10), a.id);
    assert_string_equal(t.names[code_map_callee_id(t.map, JIT + 0x3000) - 1], "0x3000");
    assert_int_equal(t.object_count, 2);
    t.mappings[2] = (struct code_mapping){0x8000000, 0x8001000, "/lib/image", 0x3000, 1, 9}; /* no ELF file */
    assert_string_equal(t.names[at(0x8000020).id - 1], "0x3020");
}

static void names_that_are_written_at_the_end_are_found(void **state)
{
    (void)state;
    t.mappings[1] = (struct code_mapping){.start = JIT, .end = JIT + 0x2000};
    uint32_t first = code_map_callee_id(t.map, JIT + 0x10), none = code_map_callee_id(t.map, JIT + 0x200);
    code_map_name_late(t.map);
    assert_string_equal(t.names[first - 1], "0x10");
    t.jit = "7000010 20 first\n7000100 10 second\n";
    code_map_name_late(t.map);
    assert_string_equal(t.names[first - 1], "first");
    assert_string_equal(t.names[none - 1], "0x200");
    code_map_function_id(t.map, JIT + 0x2f);
    code_map_callee_id(t.map, JIT + 0x100);
    code_map_name_late(t.map);
    assert_string_equal(t.names[first - 1], "first");
    t.jit = "7000010 20 first\n7000100 10 second\n7000200 8 third\n";
    code_map_function_id(t.map, JIT + 0x208);
    code_map_name_late(t.map);
    assert_string_equal(t.names[none - 1], "third and what follows it");
}

static void made_code_has_the_names_that_its_compiler_wrote(void **state)
{
    (void)state;
    t.mappings[1] = (struct code_mapping){.start = JIT, .end = JIT + 0x2000};
    uint32_t none = code_map_function_id(t.map, JIT + 0x18);
    unsigned asked = t.asked;
    t.jit = "7000010 20 first\n7000100 10 second\n";
    assert_int_not_equal(at(JIT + 0x100).id, 0);
    assert_int_equal(t.asked, asked); /* nobody can have written it without the kernel */
    code_map_written(t.map);
    assert_string_equal(t.names[at(JIT + 0x100).id - 1], "second");
    uint32_t first = code_map_function_id(t.map, JIT + 0x18); /* what the cache held is out of date */
    assert_int_not_equal(first, none);
    assert_string_equal(t.names[first - 1], "first");
    assert_int_equal(at(JIT + 0x10).id, first);
}

static void a_mapped_jitdump_is_noticed(void **state)
{
    (void)state;
    t.mappings[1] = (struct code_mapping){.start = JIT, .end = JIT + 0x2000};
    t.mappings[2] = (struct code_mapping){0x8000000, 0x8001000, "/var/jit-77.dump", 0, 1, 9};
    t.jit = "7000010 20 dumped\n"; /* told by its first bytes to be a perf map, which does here */
    t.perf_map_missing = true;
    assert_string_equal(t.names[at(JIT + 0x10).id - 1], "0x10");
    code_map_mapped(t.map, 0x8000000);
    assert_string_equal(t.names[at(JIT + 0x10).id - 1], "dumped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(functions_are_told_once_and_pieces_belong_to_their_function, begin, end),
        cmocka_unit_test_setup_teardown(the_cache_answers_the_same, begin, end),
        cmocka_unit_test_setup_teardown(mappings_of_one_file_are_one_object_if_they_lie_as_in_the_file, begin, end),
        cmocka_unit_test_setup_teardown(unmapped_is_forgotten, begin, end),
        cmocka_unit_test_setup_teardown(functions_without_bounds_begin_where_they_are_called, begin, end),
        cmocka_unit_test_setup_teardown(names_that_are_written_at_the_end_are_found, begin, end),
        cmocka_unit_test_setup_teardown(made_code_has_the_names_that_its_compiler_wrote, begin, end),
        cmocka_unit_test_setup_teardown(a_mapped_jitdump_is_noticed, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
