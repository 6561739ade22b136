/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * element_table.h: what the engine is told before the program runs: of what elements its data is made, and which
 * functions the options mean by names as reports print them.
 *
 * The file is core/element_format.h's. Nothing in it is believed: one that is not as it should be is none.
 * Freestanding.
 */
#ifndef TENURE_ENGINE_ELEMENT_TABLE_H
#define TENURE_ENGINE_ELEMENT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/element_format.h"

struct element_table {
    const struct element_module *modules;
    const struct element_entry *entries;
    const char *names;
    uint64_t module_count;
    const char *meant; /* lines */
    size_t meant_size;
};

/* Whether `bytes`, of `size`, are a table; they must live as long as *out. */
bool element_table_open(struct element_table *out, const void *bytes, size_t size);

/* NULL: nothing is known. */
const struct element_entry *element_table_find(const struct element_table *table, const char *path, uint64_t key);

/* Whether the options mean the function of this symbol by this pattern. */
bool element_table_means(const struct element_table *table, const char *symbol, const char *pattern);

#endif
