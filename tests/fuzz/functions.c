/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.c: engine/common against objects that are no objects.
 *
 * The input is an ELF file as a program under test may map it. However damaged, the module draws some ranges, and
 * these keep its promises: every address of a range leads back to it, parents exist, names end, and all memory
 * comes back.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/common/functions.h"
#include "tests/common/fb_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LOOKED_AT = 4096 };
static const uint64_t BIAS = 0x555555000000;
static volatile size_t seen;

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_range(const fb_object *object, uint32_t index)
{
    struct fb_function function, again;
    if (!fb_get(object, index, &function))
        return;
    must(function.index == index && function.size > 0);
    seen += strlen(function.name);
    must(function.parent == index || (function.flags & FB_PIECE));
    must(fb_get(object, function.parent, &again));
    must(fb_lookup(object, function.start, &again) && again.index == index);
    must(fb_lookup(object, function.start + function.size - 1, &again) && again.index == index);
}

static void check_data(fb_object *object)
{
    uint64_t start, end;
    struct fb_data found;
    if (!fb_loaded(object, &start, &end))
        return;
    must(start < end);
    seen += fb_loads(object, 0, end - start);
    for (uint64_t i = 0, step = (end - start) / LOOKED_AT + 1; i < LOOKED_AT && i * step < end - start; i++) {
        uint64_t address = start + i * step;
        if (!fb_data_at(object, address, &found))
            continue;
        must(found.start <= address && address < found.end);
        must(found.size == 0 || found.end - found.start <= found.size);
        must(strlen(found.name) >= found.name_bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fb_test_host host;
    fb_test_host(&host);
    struct fb_source source = {.image = data, .image_bytes = size, .bias = BIAS};
    const char *why = NULL;
    fb_object *object = fb_open(&host.host, &source, &why);
    if (object) {
        uint64_t address;
        uint32_t bytes;
        uint32_t limit = fb_limit(object);
        for (uint32_t i = 0; i < limit && i < LOOKED_AT; i++)
            check_range(object, i);
        check_data(object);
        fb_symbol(object, "main", &address);
        const uint8_t *id = fb_build_id(object, &bytes);
        for (uint32_t i = 0; i < bytes; i++)
            seen += id[i];
        fb_place(object, 0x400000, 0x1000);
        fb_close(object);
    } else {
        must(why != NULL);
    }
    must(host.balance == 0);
    return 0;
}
