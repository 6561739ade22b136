/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_map.c: maps of code made at run time, which the program under test writes.
 *
 * The input is a file, of which a part is there at first and the rest later. Functions that are found hold the address
 * that was asked for, and all memory comes back.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/common/jit_map.h"
#include "scratch.h"
#include "tests/common/fb_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fb_test_host host;
static const uint8_t *file;
static size_t bytes_now;
static volatile size_t seen;

/* No byte longer than what is there. */
static const void *map(void *user, const char *path, size_t *bytes)
{
    (void)user;
    must(strcmp(path, "/map") == 0);
    uint8_t *copy = bytes_now ? malloc(bytes_now) : NULL;
    if (copy)
        memcpy(copy, file, bytes_now);
    *bytes = bytes_now;
    return copy;
}

static void unmap(void *user, const void *memory, size_t bytes)
{
    (void)user;
    must(bytes == bytes_now);
    free((void *)(uintptr_t)memory);
}

static void look(const fb_jit *jit, uint64_t address)
{
    struct fb_function found;

    if (!fb_jit_lookup(jit, address, &found))
        return;
    must(found.size > 0 && address - found.start < found.size && found.parent == found.index);
    seen += strlen(found.name);
}

/* Numbers of any eight bytes, and of any digits. */
static void look_everywhere(const fb_jit *jit, size_t size)
{
    for (size_t i = 0; i < size && i < 4096; i++) {
        uint64_t address = 0;
        memcpy(&address, file + i, size - i < sizeof address ? size - i : sizeof address);
        look(jit, address);
        char digits[17] = "";
        memcpy(digits, file + i, size - i < 16 ? size - i : 16);
        look(jit, strtoull(digits, NULL, 16));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fb_test_host(&host);
    host.host.map = map;
    host.host.unmap = unmap;
    file = data;
    fb_jit *jit = fb_jit_open(&host.host, "/map");
    must(jit != NULL);
    bytes_now = size ? data[size - 1] % (size + 1) : 0;
    fb_jit_refresh(jit);
    bytes_now = size;
    fb_jit_refresh(jit);
    look_everywhere(jit, size);
    bytes_now = size / 2; /* shorter: read anew */
    fb_jit_refresh(jit);
    look_everywhere(jit, size);
    fb_jit_close(jit);
    must(host.balance == 0);
    return 0;
}
