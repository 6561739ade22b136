/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elements.c: the table of elements that an engine reads before the program runs, from files that may be anything.
 *
 * A table that is taken answers for every path and key that it has, and for others, and only with entries of its own.
 */
#include <stdint.h>
#include <string.h>

#include "engine/common/element_table.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 64 }; /* modules, and entries of each, that are asked for */

static void ask(const struct element_table *table, const char *path, uint64_t key)
{
    const struct element_entry *found = element_table_find(table, path, key);

    must(!found || found->key == key);
}

static void ask_module(const struct element_table *table, const struct element_module *module)
{
    const char *path = table->names + module->path;

    ask(table, path, 0);
    ask(table, path, ~0ull);
    for (uint64_t i = 0; i < module->count && i < MOST; i++) {
        uint64_t key = table->entries[module->first + i].key;
        ask(table, path, key);
        ask(table, path, key + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct element_table table;
    uint8_t *copy = NULL; /* aligned, as what is mapped is, and no byte longer than the input */

    must(posix_memalign((void **)&copy, sizeof(uint64_t), size ? size : 1) == 0);
    memcpy(copy, data, size);
    if (element_table_open(&table, copy, size)) {
        ask(&table, "", 0);
        ask(&table, "/no/such/file", 0x1000);
        element_table_means(&table, "_Z1av", "a");
        for (uint64_t i = 0; i < table.module_count && i < MOST; i++)
            ask_module(&table, &table.modules[i]);
    }
    free(copy);
    return 0;
}
