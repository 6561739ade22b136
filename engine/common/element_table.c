/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * element_table.c: see element_table.h. Modules are few and searched one by one; entries and lines by halves. What a
 * table says of its own sizes is checked once, when it is opened.
 */
#include "engine/common/element_table.h"

static bool is_text(const char *names, uint64_t size, uint64_t at)
{
    while (at < size && names[at])
        at++;
    return at < size;
}

bool element_table_open(struct element_table *out, const void *bytes, size_t size)
{
    const struct element_head *head = bytes;
    size_t left = size - sizeof *head;

    *out = (struct element_table){0};
    if (size < sizeof *head || head->magic != ELEMENT_MAGIC ||
        head->modules > left / sizeof *out->modules)
        return false;
    left -= head->modules * sizeof *out->modules;
    if (head->entries > left / sizeof *out->entries)
        return false;
    left -= head->entries * sizeof *out->entries;
    if (head->names > left || head->meant != left - head->names)
        return false;
    out->modules = (const struct element_module *)(head + 1);
    out->entries = (const struct element_entry *)(out->modules + head->modules);
    out->names = (const char *)(out->entries + head->entries);
    for (uint64_t i = 0; i < head->modules; i++) {
        const struct element_module *module = &out->modules[i];
        if (module->first > head->entries || module->count > head->entries - module->first ||
            !is_text(out->names, head->names, module->path))
            return false;
    }
    out->module_count = head->modules;
    out->meant = out->names + head->names;
    out->meant_size = head->meant;
    return true;
}

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

const struct element_entry *element_table_find(const struct element_table *table, const char *path, uint64_t key)
{
    const struct element_module *module = table->modules, *end = module + table->module_count;

    while (module < end && !same(table->names + module->path, path))
        module++;
    if (module == end)
        return NULL;
    uint64_t low = module->first, high = low + module->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (table->entries[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < module->first + module->count && table->entries[low].key == key ? &table->entries[low] : NULL;
}

/* Below 0: the line stands in front of the one that is looked for; 0: it is that one. */
static int order(const char *line, const char *end, const char *symbol, const char *pattern)
{
    const char *wanted = symbol;
    bool is_last = false; /* the pattern's turn */

    for (; line < end; line++) {
        char want = *wanted ? *wanted : is_last ? '\n' : '\t';
        if (*line != want)
            return (unsigned char)*line < (unsigned char)want ? -1 : 1;
        if (*wanted)
            wanted++;
        else if (is_last)
            return 0;
        else
            wanted = pattern, is_last = true;
    }
    return -1;
}

bool element_table_means(const struct element_table *table, const char *symbol, const char *pattern)
{
    const char *lines = table->meant, *end = lines + table->meant_size;

    for (size_t low = 0, high = table->meant_size; low < high;) {
        size_t at = low + (high - low) / 2, next = at;
        while (at > low && lines[at - 1] != '\n')
            at--;
        int found = order(lines + at, end, symbol, pattern);
        if (!found)
            return true;
        while (next < high && lines[next++] != '\n')
            continue;
        if (found < 0)
            low = next;
        else
            high = at;
    }
    return false;
}
