/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.c: find-or-make for everything an engine translates; see code.h.
 *
 * Each kind has a key, a hash of the key, and a comparison of a key with an entry. Ids start at 1: entry 0 of
 * each array is a placeholder.
 */
#include "code.h"

#include "core/host.h"

#include <string.h>

void tn_code_init(struct tn_code *code)
{
    tn_array_init(&code->objects, sizeof(struct tn_object_entry));
    tn_array_init(&code->functions, sizeof(struct tn_function));
    tn_array_init(&code->instrs, sizeof(struct tn_instr_info));
    tn_array_init(&code->counters, sizeof(struct tn_counter));
    tn_array_init(&code->accesses, sizeof(struct tn_access_entry));
    tn_array_init(&code->fetches, sizeof(struct tn_fetch_entry));
    tn_array_init(&code->runs, sizeof(uint32_t));
    struct tn_array *from_one[] = {&code->objects,  &code->functions, &code->instrs,
                                   &code->counters, &code->accesses,  &code->fetches};
    for (size_t i = 0; i < sizeof from_one / sizeof *from_one; i++)
        tn_array_add(from_one[i]);
    tn_table_init(&code->instr_table);
    tn_table_init(&code->counter_table);
    tn_table_init(&code->access_table);
    tn_table_init(&code->fetch_table);
    tn_bytes_init(&code->names);
}

void tn_code_free(struct tn_code *code)
{
    struct tn_array *arrays[] = {&code->objects,  &code->functions, &code->instrs, &code->counters,
                                 &code->accesses, &code->fetches,   &code->runs};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tn_array_free(arrays[i]);
    tn_table_free(&code->instr_table);
    tn_table_free(&code->counter_table);
    tn_table_free(&code->access_table);
    tn_table_free(&code->fetch_table);
    tn_bytes_free(&code->names);
}

size_t tn_code_bytes(const struct tn_code *code)
{
    return tn_array_bytes(&code->objects) + tn_array_bytes(&code->functions) + tn_array_bytes(&code->instrs) +
           tn_array_bytes(&code->counters) + tn_array_bytes(&code->accesses) + tn_array_bytes(&code->fetches) +
           tn_array_bytes(&code->runs) + tn_table_bytes(&code->instr_table) +
           tn_table_bytes(&code->counter_table) + tn_table_bytes(&code->access_table) +
           tn_table_bytes(&code->fetch_table) + code->names.bytes;
}

/* ------------------------------------------------------------------------------------------ named things */

uint32_t tn_code_object(struct tn_code *code, const struct tn_object_info *info)
{
    uint32_t id = code->objects.count;
    struct tn_object_entry *entry = tn_array_add(&code->objects);
    entry->info = *info;
    entry->info.path = tn_bytes_text(&code->names, info->path);
    if (info->build_id_size) {
        uint8_t *copy = tn_bytes_get(&code->names, info->build_id_size);
        memcpy(copy, info->build_id, info->build_id_size);
        entry->info.build_id = copy;
    }
    return id;
}

uint32_t tn_code_function(struct tn_code *code, const struct tn_function_info *info)
{
    uint32_t id = code->functions.count;
    struct tn_function *function = tn_array_add(&code->functions);
    function->object = info->object;
    function->flags = info->flags;
    function->start = info->start;
    function->size = info->size;
    function->name = tn_bytes_text(&code->names, info->name);
    function->separate_callers = info->separate_callers;
    function->separate_recs = info->separate_recs;
    function->allocation = info->allocation;
    if (info->allocation.bytes)
        function->flags |= TN_FN_ALLOCATES;
    function->base = id;
    function->level = 1;
    return id;
}

/* ------------------------------------------------------------------------------------------ instructions */

static bool instr_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_instr_info *a = tn_code_get_instr(owner, id), *b = key;
    return a->address == b->address && a->function == b->function && a->length == b->length &&
           a->flags == b->flags && a->reads == b->reads && a->writes == b->writes;
}

uint32_t tn_code_instr(struct tn_code *code, const struct tn_instr_info *info)
{
    uint32_t hash = tn_hash_near(info->address / 4, (uint64_t)info->function << 2 | info->address % 4);
    uint32_t id = tn_table_find(&code->instr_table, hash, instr_equal, code, info);
    if (id)
        return id;
    id = code->instrs.count;
    *(struct tn_instr_info *)tn_array_add(&code->instrs) = *info;
    tn_table_add(&code->instr_table, hash, id);
    return id;
}

/* ------------------------------------------------------------------------------------------ counters */

struct counter_key {
    const uint32_t *instrs;
    uint32_t n;
    uint8_t kind;
};

static bool counter_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_code *code = owner;
    const struct tn_counter *counter = tn_code_get_counter(code, id);
    const struct counter_key *want = key;
    if (counter->kind != want->kind || counter->n != want->n)
        return false;
    if (want->kind != TN_COUNTER_SEGMENT)
        return counter->first == want->instrs[0];
    for (uint32_t i = 0; i < want->n; i++) {
        if (tn_code_run(code, counter->first + i) != want->instrs[i])
            return false;
    }
    return true;
}

static uint32_t counter_make(struct tn_code *code, const struct counter_key *key, uint32_t limit)
{
    if (code->counters.count >= limit)
        tn_host_panic("more segment counters are needed than the hot layout has");
    uint32_t id = code->counters.count;
    struct tn_counter *counter = tn_array_add(&code->counters);
    counter->kind = key->kind;
    counter->n = key->n;
    counter->first = key->kind == TN_COUNTER_SEGMENT ? code->runs.count : key->instrs[0];
    for (uint32_t i = 0; key->kind == TN_COUNTER_SEGMENT && i < key->n; i++)
        *(uint32_t *)tn_array_add(&code->runs) = key->instrs[i];
    return id;
}

static uint32_t counter_of(struct tn_code *code, const struct counter_key *key, uint32_t limit)
{
    uint32_t hash = tn_hash_near(key->instrs[0], (uint64_t)key->n << 8 | key->kind);
    uint32_t id = tn_table_find(&code->counter_table, hash, counter_equal, code, key);
    if (!id) {
        id = counter_make(code, key, limit);
        tn_table_add(&code->counter_table, hash, id);
    }
    return id;
}

uint32_t tn_code_segment(struct tn_code *code, const uint32_t *instrs, uint32_t n, uint32_t limit)
{
    return counter_of(code, &(struct counter_key){instrs, n, TN_COUNTER_SEGMENT}, limit);
}

uint32_t tn_code_guarded(struct tn_code *code, uint32_t instr, bool write, uint32_t limit)
{
    uint8_t kind = write ? TN_COUNTER_WRITE : TN_COUNTER_READ;
    return counter_of(code, &(struct counter_key){&instr, 1, kind}, limit);
}

/* ------------------------------------------------------------------------------------------ accesses */

static bool access_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_access_info *a = &tn_code_get_access(owner, id)->info, *b = key;
    return a->instr == b->instr && a->back == b->back && a->size == b->size && a->kind == b->kind;
}

static uint32_t access_make(struct tn_code *code, const struct tn_access_info *info, uint32_t table)
{
    uint32_t id = code->accesses.count;
    struct tn_access_entry *entry = tn_array_add(&code->accesses);
    entry->info = *info;
    entry->table = table;
    return id;
}

uint32_t tn_code_access_move(struct tn_code *code, uint32_t id, uint32_t table)
{
    struct tn_access_entry *entry = tn_code_get_access(code, id);
    entry->now = access_make(code, &entry->info, table);
    tn_code_get_access(code, entry->now)->moves = entry->moves + 1;
    return entry->now;
}

uint32_t tn_code_access(struct tn_code *code, const struct tn_access_info *info, uint32_t table)
{
    uint32_t hash = tn_hash_near(info->instr, (uint64_t)info->back << 32 | (uint64_t)info->size << 8 | info->kind);
    uint32_t id = tn_table_find(&code->access_table, hash, access_equal, code, info);
    if (!id) {
        id = access_make(code, info, table);
        tn_table_add(&code->access_table, hash, id);
    }
    return id;
}

static bool fetch_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_fetch_info *a = &tn_code_get_fetch(owner, id)->info, *b = key;
    return a->instr == b->instr && a->line == b->line && a->back_first == b->back_first &&
           a->back_last == b->back_last && a->touches == b->touches && a->bytes == b->bytes &&
           a->mask == b->mask && a->second == b->second && a->last_second == b->last_second;
}

uint32_t tn_code_fetch(struct tn_code *code, const struct tn_fetch_info *info)
{
    uint32_t hash = tn_hash_near(info->instr, (uint64_t)info->back_first << 32 | info->back_last);
    uint32_t id = tn_table_find(&code->fetch_table, hash, fetch_equal, code, info);
    if (!id) {
        id = code->fetches.count;
        ((struct tn_fetch_entry *)tn_array_add(&code->fetches))->info = *info;
        tn_table_add(&code->fetch_table, hash, id);
    }
    return id;
}
