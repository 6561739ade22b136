/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remap_test.c: known answers of remap_model.c, each reckoned by hand from docs/model.md, 22.
 */
#include "remap_model.h"

#include <stdio.h>
#include <stdlib.h>

static const uint64_t zone0 = 1ull << 47, zone = 1ull << 38;
static unsigned passed, failed;

static void same(const char *what, uint64_t got, uint64_t wanted)
{
    if (got == wanted)
        passed++;
    else
        failed++;
    if (got != wanted)
        printf("%s: %llx, not %llx\n", what, (unsigned long long)got, (unsigned long long)wanted);
}

/* The block that the test's accesses are in. */
static struct {
    uint64_t address, bytes;
    uint32_t block;
} only;

static bool always(void *user, const struct tn_remap *remap)
{
    (void)user;
    return remap->walk;
}

static uint32_t in_only(void *user, uint64_t address, uint64_t *offset)
{
    (void)user;
    *offset = address - only.address;
    return *offset < only.bytes ? only.block : 0;
}

/* Elements of 24 bytes: bytes 8 to 16 in part 0, the rest, 0 to 8 and 16 to 24, in part 1. */
static const struct tn_remap two_parts = {.element = 24, .runs = 1, .rest = 1, .run = {{8, 16, 0}}};

static void parts(void)
{
    struct remap_model *rm = rm_new();
    uint32_t object = rm_object(rm, &two_parts, 0, 0, true), a = rm_block_begins(rm, object, 0x1000, 50), b;
    struct rm_span spans[RM_SPANS];
    const uint32_t *place;

    /* 3 elements: 24 bytes at 0 of a piece, 48 bytes at the beginning of the other part's, which is 1 MB
     * further. */
    same("part 0", rm_address(rm, a, 8), zone0);
    same("part 0, element 1", rm_address(rm, a, 24 + 9), zone0 + 8 + 1);
    same("part 1", rm_address(rm, a, 0), zone0 + zone + (1 << 20));
    same("the rest goes on", rm_address(rm, a, 16), zone0 + zone + (1 << 20) + 8);
    same("part 1, element 2", rm_address(rm, a, 48), zone0 + zone + (1 << 20) + 32);
    b = rm_block_begins(rm, object, 0x2000, 72);
    same("packed", rm_address(rm, b, 8), zone0 + 24);
    rm_block_ends(rm, a);
    rm_block_ends(rm, b);
    same("the one that ended last", rm_address(rm, rm_block_begins(rm, object, 0x3000, 60), 8), zone0 + 24);
    same("then the other", rm_address(rm, rm_block_begins(rm, object, 0x3000, 60), 8), zone0);
    same("another size", rm_address(rm, rm_block_begins(rm, object, 0x3000, 24), 8), zone0 + 48);
    same("pages", rm_pages(rm, object), 2);
    rm_zero(rm);
    same("no new pages", rm_pages(rm, object), 0);

    only.address = 0x3000, only.bytes = 24, only.block = rm_block_begins(rm, object, 0x3000, 24);
    same("spans", rm_spans(rm, 0x2ffc, 40, false, in_only, NULL, spans), 5);
    same("in front", spans[0].size == 4 && spans[0].address == 0x2ffc, true);
    same("second", spans[1].size == 8 && spans[1].from == 4, true);
    same("third", spans[2].size == 8 && spans[2].address == zone0 + 56, true);
    same("fourth", spans[3].size == 8 && spans[3].address == spans[1].address + 8, true);
    same("behind", spans[4].size == 12 && spans[4].address == 0x3018, true);

    place = rm_places(rm, only.block, 8, 64); /* a line of part 0: bytes 8 to 16 of eight elements */
    same("byte 8", place[0], 2 + 8);
    same("byte 15 of a neighbour", place[63], 2 + 8);
    place = rm_places(rm, only.block, 0, 64); /* of part 1: it takes 16 bytes; pieces of 8 */
    same("byte 0", place[0], 2);
    same("byte 16", place[8], 2 + 16);
    rm_free(rm);
}

static void places(void)
{
    static const struct tn_remap plain, pool = {.pool = true, .align = 64}, pad = {.element = 12, .pad = 32},
                                        rows = {.element = 4, .row = 12}, walk = {.pool = true, .walk = true};
    struct remap_model *rm = rm_new();
    uint32_t object = rm_object(rm, &plain, 24, 8, true), block = rm_block_begins(rm, object, 0x1000, 8),
             other;
    const uint32_t *place;

    /* A block that is no more than the lead has one element and no lead; malloc's distances. */
    same("malloc", rm_address(rm, block, 0), zone0 + 16);
    block = rm_block_begins(rm, object, 0x1000, 8 + 25); /* two elements behind the lead: 56 bytes */
    same("malloc's next", rm_address(rm, block, 0), zone0 + 48);
    same("behind the lead", rm_address(rm, block, 8), zone0 + 56);
    same("malloc's third", rm_address(rm, rm_block_begins(rm, object, 0x1000, 8), 0), zone0 + 112);
    place = rm_places(rm, block, 0, 64);
    same("in front of the block", place[0], 0);
    same("lead", place[48], 0);
    same("first byte", place[56], 2);
    same("byte 7", place[63], 2 + 7);
    place = rm_places(rm, block, 8 + 24, 64);
    same("last byte", place[103 - 64], 2 + 23);
    same("behind the block", place[104 - 64], 0);
    block = rm_block_begins(rm, object, 0x12345678, 8 + 24 * 6000);
    same("large", rm_address(rm, block, 0), zone0 + (1 << 20) + 0x678);

    object =
        rm_object(rm, &pool, 0, 0, true); /* behind the large one: (1 MB + 0x678 + 144008) to the next page */
    block = rm_block_begins(rm, object, 0x1000, 100);
    other = rm_block_begins(rm, object, 0x1000, 10); /* E is 100 */
    same("pool", rm_address(rm, block, 0), zone0 + zone + 0x124000);
    same("aligned", rm_address(rm, other, 0), zone0 + zone + 0x124000 + 128);

    object = rm_object(rm, &pad, 0, 0, false);
    block = rm_block_begins(rm, object, 0x400008, 24);
    same("pad", rm_address(rm, block, 12) - rm_address(rm, block, 0), 32);
    object = rm_object(rm, &rows, 0, 0, false); /* 7 elements: 3 columns of 3 */
    block = rm_block_begins(rm, object, 0x400008, 28);
    same("column 1", rm_address(rm, block, 4) - rm_address(rm, block, 0), 12);
    same("row 1", rm_address(rm, block, 12) - rm_address(rm, block, 0), 4);
    same("row 2", rm_address(rm, block, 24) - rm_address(rm, block, 0), 8);

    object = rm_object(rm, &walk, 0, 0, true);
    only.address = 0x5000, only.bytes = 40, only.block = rm_block_begins(rm, object, 0x5000, 40);
    block = rm_block_begins(rm, object, 0x6000, 40);
    struct rm_span spans[RM_SPANS];
    rm_spans(rm, 0x5000, 4, NULL, in_only, NULL, spans);
    same("written only", spans[0].address >> 38, (zone0 >> 38) + 4);
    rm_spans(rm, 0x5000, 4, always, in_only, NULL, spans);
    same("read", spans[0].address >> 38, (zone0 >> 38) + 5);
    same("not the other", rm_address(rm, block, 0) >> 38, (zone0 >> 38) + 4);
    rm_free(rm);
}

/* Runs that are in another order, and holes between them; zones that are used up. */
static void limits(void)
{
    static const struct tn_remap order = {
        .element = 21, .runs = 2, .rest = 0, .run = {{16, 20, 0}, {0, 8, 0}}};
    struct remap_model *rm = rm_new();
    uint32_t object = rm_object(rm, &order, 0, 0, false), block = rm_block_begins(rm, object, 0x400010, 21);
    uint64_t begin = rm_address(rm, block, 16);
    const uint32_t *place = rm_places(rm, block, 16, 64);

    /* 16..20 at 0, 0..8 at 8, the rest 8..16 at 16 and 20..21 at 24: 25 bytes, 32 in all. */
    same("second run", rm_address(rm, block, 0), begin + 8);
    same("rest", rm_address(rm, block, 8), begin + 16);
    same("end of the rest", rm_address(rm, block, 20), begin + 24);
    same("a hole", place[16 + 4], 0);
    same("a piece", place[16 + 8 + 7], 2);
    for (uint32_t k = 1; k < RM_ZONES - 1; k++)
        same("a zone", rm_object(rm, &order, 0, 0, true), k + 1);
    same("no zone for two parts", rm_object(rm, &two_parts, 0, 0, true), 0);
    same("the last zone", rm_object(rm, &order, 0, 0, true), RM_ZONES);
    same("no zone", rm_object(rm, &order, 0, 0, true), 0);
    rm_free(rm);
}

int main(void)
{
    parts();
    places();
    limits();
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
