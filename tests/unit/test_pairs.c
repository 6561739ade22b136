/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_pairs.c: who loads lines again that others have thrown out, where that is known beforehand (docs/model.md,
 * section 16).
 *
 * Two instructions walk through a cache of one set by turns. What a part says of it: in pair_sheet, which the models
 * are compared with.
 */
#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 64, WAYS = 8, ROUNDS = 10, READS = 2 * WAYS, ACCESSES = 2 /* of a read, and its fetch */ };

static const uint64_t A = 0x10000000;

static struct kit *start(uint32_t most_pairs)
{
    struct pair_config config = kit_config();
    struct kit *k;

    config.d1 = (struct model_cache_config){WAYS * LINE, WAYS, LINE};
    config.ll = (struct model_cache_config){1 << 20, 16, LINE};
    config.patterns = true;
    config.data = false;
    config.most_pairs = most_pairs;
    config.traces = 1;
    k = kit_new(&config);
    kit_begin(k, 0, KIT_MAIN);
    return k;
}

static void turns(struct kit *k, uint64_t rounds)
{
    for (uint64_t read = 0; read < rounds * READS; read++)
        kit_read(k, read % READS / WAYS, A + read % READS * LINE, 8);
}

/* The row whose key, behind the level and kind, is this pattern; its events. NULL: there is none. */
static const uint64_t *row(struct kit *k, uint32_t *loader, uint32_t *evictor, uint32_t *instr, uint32_t nth)
{
    const struct sheet *sheet = pair_sheet(kit_pair(k));

    for (size_t i = 0; i < sheet->rows; i++) {
        if (sscanf(sheet->row[i].key, "again 0 data i%u i%u i%u", loader, evictor, instr) == 3 && nth-- == 0)
            return &sheet->row[i].value[SHEET_EVENTS];
    }
    return NULL;
}

static uint64_t left_out(struct kit *k)
{
    const struct sheet *sheet = pair_sheet(kit_pair(k));

    for (size_t i = 0; i < sheet->rows; i++) {
        if (strcmp(sheet->row[i].key, "again 0 data - - -") == 0)
            return sheet->row[i].value[SHEET_EVENTS];
    }
    return 0;
}

/* Each reads again what itself had read, and the other thrown out, a round ago. */
static void by_turns(void **state)
{
    struct kit *k = start(100);
    uint32_t loader, evictor, instr, first = 0;

    (void)state;
    turns(k, ROUNDS);
    kit_finish(k);
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t *value = row(k, &loader, &evictor, &instr, i);

        assert_non_null(value);
        assert_int_equal(loader, instr);
        assert_int_not_equal(evictor, instr);
        assert_int_not_equal(instr, first);
        assert_int_equal(value[0], (ROUNDS - 1) * WAYS);
        assert_int_equal(value[1], value[0]);
        assert_int_equal(value[2], value[0] * READS * ACCESSES);
        assert_int_equal(value[3 + 5], value[0]); /* 32 accesses: 2^5 */
        first = instr;
    }
    assert_null(row(k, &loader, &evictor, &instr, 2));
    assert_int_equal(left_out(k), 0);
    kit_free(k);
}

/* Room for one: the other's misses are counted without names. A part begins with room. */
static void no_room(void **state)
{
    struct kit *k = start(1);
    uint32_t loader, evictor, instr;

    (void)state;
    for (int part = 0; part < 2; part++) {
        turns(k, ROUNDS);
        part ? kit_finish(k) : kit_dump(k);
        assert_int_equal(row(k, &loader, &evictor, &instr, 0)[0], (ROUNDS - !part) * WAYS);
        assert_null(row(k, &loader, &evictor, &instr, 1));
        assert_int_equal(left_out(k), (ROUNDS - !part) * WAYS);
    }
    kit_free(k);
}

/* One row of these names; how many lines, and after how many accesses in all. */
static void reused(struct kit *k, int level, const char *names, uint64_t lines, uint64_t distance)
{
    const struct sheet *sheet = pair_sheet(kit_pair(k));
    uint32_t a, b, same = names[0] == names[1], found = 0;
    char key[16];

    sprintf(key, "reuse %d data ", level);
    for (size_t i = 0; i < sheet->rows; i++) {
        if (strncmp(sheet->row[i].key, key, strlen(key)) != 0)
            continue;
        assert_int_equal(sscanf(sheet->row[i].key + strlen(key), "i%u i%u", &a, &b), 2);
        if ((a == b) != same)
            continue;
        found++;
        assert_int_equal(sheet->row[i].value[SHEET_EVENTS], lines);
        assert_int_equal(sheet->row[i].value[SHEET_EVENTS + 2], distance);
    }
    assert_int_equal(found, lines ? strlen(names) / 2 : 0);
}

/* In D1 nobody uses a line before it has left; in LL each asks for its own again, once that counts. */
static void reused_below(void **state)
{
    struct kit *k = start(100);

    (void)state;
    turns(k, ROUNDS);
    kit_finish(k);
    reused(k, 0, "aabb", 0, 0);
    reused(k, 1, "aabb", WAYS, WAYS * READS * ACCESSES);
    kit_free(k);
}

/* Each line is loaded by one, used next by the other, and then by both: only the first use counts. */
static void reused_by_another(void **state)
{
    struct kit *k = start(100);

    (void)state;
    for (uint64_t line = 0; line < 5; line++) {
        kit_read(k, 0, A + line * LINE, 8);
        kit_read(k, 1, A + line * LINE + 8, 8);
        kit_read(k, 1, A + line * LINE, 8);
        kit_read(k, 0, A + line * LINE, 8);
    }
    kit_finish(k);
    reused(k, 0, "ab", 5, 5 * ACCESSES);
    kit_free(k);
}

/* Both lines of an access, each by itself. */
static void reused_straddling(void **state)
{
    struct kit *k = start(100);

    (void)state;
    kit_read(k, 0, A + LINE - 4, 8);
    kit_read(k, 1, A + LINE - 4, 8);
    kit_read(k, 1, A + LINE - 4, 8);
    kit_finish(k);
    reused(k, 0, "ab", 2, 2 * ACCESSES);
    kit_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_turns), cmocka_unit_test(no_room),
                                       cmocka_unit_test(reused_below), cmocka_unit_test(reused_by_another),
                                       cmocka_unit_test(reused_straddling)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
