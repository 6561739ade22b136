/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_state.c: the extended state in the order of each maker (engine/native/plan/nt_xstate.h, vector.h), and what
 * CPUID does not show (nt_cpuid.h).
 *
 * The orders are written down here, as CPUID's leaf 13 gives them: so each is tested whatever processor this is.
 */
#include "vector.h"

#include "engine/native/base/nt_cpuid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { HEADER = 512, ROOM = 2696, KEYS = 9 };

/* AMD leaves no room for what it never had (MPX), and protection keys stand behind the vectors. */
static const struct nt_xstate orders[] = {
    {.enabled = 0x2e7, /* Intel */
     .offset = {0, 160, 576, [NT_XSTATE_OPMASK] = 1088, 1152, 1664, [KEYS] = 2688},
     .size = {160, 256, 256, [NT_XSTATE_OPMASK] = 64, 512, 1024, [KEYS] = 8},
     .aligned = {[NT_XSTATE_ZMM_UPPER] = true, true}},
    {.enabled = 0x2e7, /* AMD */
     .offset = {0, 160, 576, [NT_XSTATE_OPMASK] = 832, 896, 1408, [KEYS] = 2432},
     .size = {160, 256, 256, [NT_XSTATE_OPMASK] = 64, 512, 1024, [KEYS] = 8},
     .aligned = {[NT_XSTATE_ZMM_UPPER] = true, true}},
    {.enabled = 7, .offset = {0, 160, 576}, .size = {160, 256, 256}}, /* AVX is the last that it has */
    {.enabled = 3, .offset = {0, 160}, .size = {160, 256}},
};
enum { ORDERS = sizeof orders / sizeof *orders };

static void ends_are_found(void **state)
{
    static const uint32_t all[ORDERS] = {2696, 2440, 832, 576}, vectors[ORDERS] = {2688, 2432, 832, 576};

    (void)state;
    for (unsigned i = 0; i < ORDERS; i++) {
        assert_int_equal(nt_xstate_bytes(&orders[i], orders[i].enabled), all[i]);
        assert_int_equal(vector_bytes(&orders[i]), vectors[i]);
    }
}

/* As a processor with AVX-512 would write it: each register has its number in its first byte. */
static void write_registers(const struct nt_xstate *order, uint8_t *to)
{
    for (unsigned i = 0; i < 16; i++) {
        to[order->offset[NT_XSTATE_SSE] + 16 * i] = (uint8_t)(1 + i);
        to[order->offset[NT_XSTATE_AVX] + 16 * i] = (uint8_t)(33 + i);
        to[order->offset[NT_XSTATE_ZMM_UPPER] + 32 * i] = (uint8_t)(65 + i);
        to[order->offset[NT_XSTATE_ZMM_MORE] + 64 * i] = (uint8_t)(97 + i);
    }
    for (unsigned i = 0; i < 8; i++)
        to[order->offset[NT_XSTATE_OPMASK] + 8 * i] = (uint8_t)(129 + i);
}

static void registers_are_found(void **state)
{
    static uint8_t image[ROOM];
    uint8_t got[64];
    uint64_t mask;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        memset(image, 0, sizeof image);
        write_registers(&orders[i], image);
        for (unsigned r = 0; r < 16; r++) {
            vector_register(&orders[i], image, r, got);
            assert_true(got[0] == 1 + r && got[16] == 33 + r && got[32] == 65 + r);
            vector_register(&orders[i], image, 16 + r, got);
            assert_int_equal(got[0], 97 + r);
            vector_opmask(&orders[i], image, r % 8, &mask);
            assert_int_equal(mask, 129 + r % 8);
        }
    }
    vector_register(&orders[2], image, 3, got); /* has no upper half of it */
    assert_int_equal(got[32], 0);
    vector_opmask(&orders[2], image, 3, &mask);
    assert_int_equal(mask, 0);
}

/* Nothing behind the end of what the processor has is touched. */
static void what_is_absent_becomes_its_initial_state(void **state)
{
    static uint8_t image[ROOM];
    uint64_t present = 1 << NT_XSTATE_SSE;

    (void)state;
    for (unsigned i = 0; i < ORDERS; i++) {
        memset(image, 0xee, sizeof image);
        memcpy(image + HEADER, &present, sizeof present);
        vector_complete(&orders[i], image);
        assert_true(image[0] == 0x7f && image[1] == 3 && image[32] == 0);
        assert_int_equal(image[160], 0xee); /* it was there */
        uint64_t rest = vector_components(&orders[i]) & ~3ull;
        while (rest) {
            unsigned component = vector_next(&rest);
            for (uint32_t k = 0; k < orders[i].size[component]; k++)
                assert_int_equal(image[orders[i].offset[component] + k], 0);
        }
        for (uint32_t at = vector_bytes(&orders[i]); at < ROOM; at++)
            assert_int_equal(image[at], 0xee);
    }
}

/* What the engine says of xsave's accesses: each register's once, where the processor has it. */
static void accesses_are_where_the_processor_has_them(void **state)
{
    static uint8_t image[ROOM] __attribute__((aligned(64)));
    static struct nt_area area;
    struct nt_access where = {.how = NT_WRITE, .kind = NT_STATE, .form = NT_XSAVE};
    struct nt_piece pieces[NT_XSTATE_PIECES];
    uint64_t base = (uintptr_t)image;

    (void)state;
    for (unsigned i = 0; i < ORDERS; i++) {
        area.gpr[NT_RAX] = area.gpr[NT_RDX] = 0xffffffff;
        unsigned count = nt_xstate_find(&orders[i], &where, &area, base, pieces), rows = 0;
        for (unsigned k = 0; k < count; k++) {
            uint64_t at = pieces[k].address - base;
            assert_true(at + pieces[k].size <= nt_xstate_bytes(&orders[i], orders[i].enabled));
            rows += orders[i].enabled >> NT_XSTATE_ZMM_MORE & 1 && pieces[k].size == 64 &&
                    at >= orders[i].offset[NT_XSTATE_ZMM_MORE];
        }
        assert_int_equal(rows, i < 2 ? 16 : 0);
        assert_int_equal(count, i < 2 ? 76 : i == 2 ? 35 : 19);
    }
}

static bool shows(uint32_t leaf, uint32_t subleaf, char which, uint32_t bits)
{
    struct nt_cpuid id = nt_cpuid_shown(leaf, subleaf);

    return (which == 'a' ? id.a : which == 'b' ? id.b : which == 'c' ? id.c : id.d) & bits;
}

/* In this order, since nothing is shown again. */
static void hidden_features_are_not_shown(void **state)
{
    struct nt_cpuid before = nt_cpuid_shown(13, 0), after;

    (void)state;
    assert_false(nt_cpuid_hide("avx512,avx3"));
    assert_false(nt_cpuid_hide(""));
    assert_false(nt_cpuid_hide("bmi2,"));
    assert_false(nt_cpuid_hide("avx51"));
    assert_true(nt_cpuid_hide("avx2,bmi2"));
    assert_false(nt_cpuid_has(NT_CPUID_AVX512) || nt_cpuid_has(NT_CPUID_AVX2) || nt_cpuid_has(NT_CPUID_BMI2));
    assert_false(shows(7, 0, 'b', 0xdc230120) || shows(7, 1, 'a', 0x30));
    after = nt_cpuid_shown(13, 0); /* xsave goes by it */
    assert_memory_equal(&before, &after, sizeof before);
    assert_true(nt_cpuid_hide("xsave"));
    assert_false(shows(1, 0, 'c', 0x1c001000 | 0x20000000) || shows(13, 0, 'a', ~0u) || shows(13, 1, 'a', ~0u));
    assert_true(shows(1, 0, 'd', 1u << 26)); /* SSE2, as everywhere */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_found),
        cmocka_unit_test(registers_are_found),
        cmocka_unit_test(what_is_absent_becomes_its_initial_state),
        cmocka_unit_test(accesses_are_where_the_processor_has_them),
        cmocka_unit_test(hidden_features_are_not_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
