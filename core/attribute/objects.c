/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * objects.c: finding and making data objects, origins and shares; blocks and mappings that come and go; see objects.h.
 *
 * Objects are equal if kind, origin, thread, file, name and address are. All look-ups here are rare but one: a miss
 * whose instruction last missed in another object asks for its share.
 */
#include "objects.h"

#include "core/core.h"
#include "core/host.h"
#include "remap.h"
#include "stack.h"
#include "thread.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------ life */

struct tn_data *tn_data_new(const struct tn_config *config, struct tn_cost_pools *pools)
{
    struct tn_data *data = tn_host_alloc(sizeof *data);
    tn_array_init(&data->objects, sizeof(struct tn_data_object));
    tn_array_init(&data->origins, sizeof(struct tn_origin));
    tn_array_init(&data->path, sizeof(const struct tn_node *));
    tn_array_add(&data->objects);
    tn_array_add(&data->origins);
    tn_table_init(&data->object_table);
    tn_table_init(&data->origin_table);
    tn_memory_init(&data->memory);
    tn_slices_init(&data->slices, config);
    tn_cells_init(&data->cells, pools);
    tn_bytes_init(&data->names);
    if (config->remap_count > 0)
        data->slices.remapping = data->remapping = tn_remapping_new();
    return data;
}

void tn_data_free(struct tn_data *data)
{
    if (!data)
        return;
    tn_array_free(&data->objects);
    tn_array_free(&data->origins);
    tn_array_free(&data->path);
    tn_table_free(&data->object_table);
    tn_table_free(&data->origin_table);
    tn_memory_free(&data->memory);
    tn_slices_free(&data->slices);
    tn_cells_free(&data->cells);
    tn_bytes_free(&data->names);
    tn_remapping_free(data->remapping);
    tn_host_free(data, sizeof *data);
}

size_t tn_data_bytes(const struct tn_data *data)
{
    return tn_array_bytes(&data->objects) + tn_array_bytes(&data->origins) + tn_array_bytes(&data->path) +
           tn_table_bytes(&data->object_table) + tn_table_bytes(&data->origin_table) +
           tn_memory_bytes(&data->memory) + tn_slices_bytes(&data->slices) + tn_cells_bytes(&data->cells) +
           data->names.bytes + (data->remapping ? tn_remapping_bytes(data->remapping) : 0);
}

void tn_data_clear(struct tn_data *data)
{
    for (uint32_t id = 1; id < data->objects.count; id++) {
        struct tn_data_object *object = tn_data_object_of(data, id);
        object->began = object->ended = object->bytes = object->largest = object->pages = 0;
    }
    tn_slices_clear(&data->slices);
}

void tn_data_undefine(struct tn_data *data)
{
    for (uint32_t id = 1; id < data->objects.count; id++)
        tn_data_object_of(data, id)->defined = false;
}

/* ------------------------------------------------------------------------------------------ shares */

void tn_shares_init(struct tn_shares *shares)
{
    tn_array_init(&shares->list, sizeof(struct tn_share));
    tn_array_add(&shares->list);
    tn_table_init(&shares->table);
}

void tn_shares_free(struct tn_shares *shares)
{
    tn_array_free(&shares->list);
    tn_table_free(&shares->table);
}

static bool share_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_share *a = tn_share_at(owner, id), *b = key;
    return a->instr == b->instr && a->object == b->object;
}

struct tn_late *tn_share_of(struct tn_shares *shares, uint32_t instr, uint32_t object)
{
    struct tn_share key = {.instr = instr, .object = object};
    uint32_t hash = tn_hash(instr, object), id = tn_table_find(&shares->table, hash, share_equal, shares, &key);
    if (!id) {
        id = shares->list.count;
        *(struct tn_share *)tn_array_add(&shares->list) = key;
        tn_table_add(&shares->table, hash, id);
    }
    return &tn_share_at(shares, id)->late;
}

/* ------------------------------------------------------------------------------------------ objects */

static bool same_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static uint32_t hash_text(const char *text)
{
    uint32_t hash = 2166136261u;
    while (*text)
        hash = (hash ^ (uint8_t)*text++) * 16777619u;
    return hash;
}

static bool object_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_data_object *a = tn_data_object_of(owner, id), *b = key;
    return a->kind == b->kind && a->origin == b->origin && a->thread == b->thread && a->address == b->address &&
           same_text(a->name, b->name) && same_text(a->file, b->file);
}

static uint32_t object_of(struct tn_data *data, const struct tn_data_object *key)
{
    uint32_t hash = tn_hash((uint64_t)key->kind << 32 | key->origin, key->address ^ key->thread) ^
                    hash_text(key->name) ^ hash_text(key->file);
    uint32_t id = tn_table_find(&data->object_table, hash, object_equal, data, key);
    if (id)
        return id;
    id = data->objects.count;
    struct tn_data_object *object = tn_array_add(&data->objects);
    *object = *key;
    object->name = tn_bytes_text(&data->names, key->name);
    object->file = tn_bytes_text(&data->names, key->file);
    tn_table_add(&data->object_table, hash, id);
    return id;
}

static uint32_t simple_object(struct tn_data *data, enum tn_data_kind kind, uint32_t origin, uint32_t thread)
{
    struct tn_data_object key = {
        .kind = (uint8_t)kind, .origin = origin, .thread = thread, .name = "", .file = ""};
    return object_of(data, &key);
}

static uint32_t rest_object(struct tn_data *data)
{
    if (!data->rest)
        data->rest = simple_object(data, TN_DATA_REST, 0, 0);
    return data->rest;
}

/* ------------------------------------------------------------------------------------------ origins */

static bool origin_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_origin *a = tn_origin_of(owner, id), *b = key;
    return a->caller == b->caller && a->site == b->site && a->function == b->function;
}

static uint32_t origin_of(struct tn_data *data, uint32_t caller, uint32_t site, uint32_t function)
{
    struct tn_origin key = {caller, site, function};
    uint32_t hash = tn_hash((uint64_t)site << 32 | function, caller);
    uint32_t id = tn_table_find(&data->origin_table, hash, origin_equal, data, &key);
    if (id)
        return id;
    id = data->origins.count;
    *(struct tn_origin *)tn_array_add(&data->origins) = key;
    tn_table_add(&data->origin_table, hash, id);
    return id;
}

static bool is_of_go(const struct tn_core *core, const struct tn_node *node)
{
    return tn_code_get_function(&core->code, node->function)->flags & TN_FN_GO_RUNTIME;
}

static struct tn_node_origin *origin_place(struct tn_data *data, const struct tn_node *node)
{
    return &data->node_origins[node->id % TN_NODE_ORIGINS];
}

/*
 * Of a path: from the root down, or, if it ends in Go's runtime, from as far up as the program's functions have called
 * each other. What is above is what the scheduler did before.
 *
 * The way up is as deep as the tree (docs/attribution.md, section 4), and the nodes there have long left the caches of
 * this machine: the search ends at one whose origin is known. A node's id is never another's.
 */
static uint32_t origin_of_path(struct tn_core *core, const struct tn_node *node)
{
    struct tn_data *data = core->data;
    bool go = is_of_go(core, node), left = false; /* left: the runtime, for the program's functions */
    uint32_t origin = 0, raised = tn_sums_raised(&core->sums), depth = 0;
    if (data->raised != raised)
        memset(data->node_origins, 0, sizeof data->node_origins);
    data->raised = raised;
    for (; node && !(left && is_of_go(core, node)); node = node->parent) {
        const struct tn_node_origin *known = origin_place(data, node);
        if (!go && known->node == node->id) {
            origin = known->origin;
            break;
        }
        *(const struct tn_node **)tn_array_force(&data->path, depth++) = node;
        left |= go && !is_of_go(core, node);
        if (go && tn_code_get_instr(&core->code, node->site)->flags & TN_INSTR_RETURN)
            break;
    }
    while (depth > 0) {
        node = *(const struct tn_node **)tn_array_at(&data->path, --depth);
        origin = origin_of(data, origin, origin ? node->site : TN_NONE, node->function);
        if (!go)
            *origin_place(data, node) = (struct tn_node_origin){node->id, origin};
    }
    return origin;
}

/* ------------------------------------------------------------------------------------------ blocks */

/* What the blocks of an object are made of, as the nearest of the calls that lead to it tells; the ones in between only
 * hand the block on. */
static void find_element(tn_core *core, struct tn_data_object *object)
{
    enum tn_element_answer answer = TN_ELEMENT_ABOVE;
    uint32_t origin = object->origin;
    for (; core->config.element_at && answer == TN_ELEMENT_ABOVE && origin;
         origin = tn_origin_of(core->data, origin)->caller) {
        uint32_t site = tn_origin_of(core->data, origin)->site;
        struct tn_element element = {0};
        if (!site)
            return;
        const struct tn_instr_info *instr = tn_code_get_instr(&core->code, site);
        answer = core->config.element_at(core->config.user, instr->address + instr->length, &element);
        if (answer != TN_ELEMENT_KNOWN || !element.size || element.size > TN_LARGEST_ELEMENT)
            continue;
        object->element = element.size;
        object->lead = element.lead < TN_LARGEST_ELEMENT ? element.lead : 0;
        object->type = element.type;
        object->typed_by = site;
    }
}

uint32_t tn_data_allocated(tn_core *core, struct tn_node *node, uint32_t site, uint32_t skipped)
{
    struct tn_data *data = core->data;
    tn_lock_take(&core->memory);
    uint32_t origin = origin_of_path(core, node);
    if (skipped)
        origin = origin_of(data, origin, site, skipped);
    uint32_t known = data->objects.count, object = simple_object(data, TN_DATA_HEAP, origin, 0);
    if (object == known) {
        find_element(core, tn_data_object_of(data, object));
        tn_remap_object(core, object);
    }
    tn_lock_give(&core->memory);
    return object;
}

/* Where a block ends is known to the unit. In a small one of small elements what is behind it would count as more of
 * them, and be a good part of all: then offsets say more. */
static bool ends_in_elements(const struct tn_data_object *object, const struct tn_block *block)
{
    enum { UNIT = 1 << TN_UNIT_BITS, SMALL = 16 * UNIT };
    uint64_t rest = block->bytes % UNIT;
    return object->element && rest && block->bytes < SMALL && object->element <= UNIT - rest;
}

/* Elements of an unknown type, whose size the program asked for. One byte is no such size: compilers make calloc(n, 1)
 * of malloc(n) and memset. */
static void take_element(struct tn_data_object *object, const struct tn_block *block)
{
    if (!object->number && ends_in_elements(object, block))
        object->element = object->lead = 0, object->type = 0;
    if (!object->number && !object->element && block->each > 1 && block->each < block->bytes &&
        block->each <= TN_LARGEST_ELEMENT)
        object->element = (uint32_t)block->each;
}

void tn_block_begins(tn_core *core, uint32_t object, const struct tn_block *block, bool collecting)
{
    tn_lock_take(&core->memory);
    struct tn_data_object *of = tn_data_object_of(core->data, object);
    take_element(of, block);
    tn_memory_begin(&core->data->memory, tn_block_entry(object, ++of->number), block->address, block->bytes);
    if (of->relocation)
        tn_remap_begins(core, of, block->address, block->bytes);
    if (collecting) {
        of->began++;
        of->bytes += block->bytes;
        of->largest = block->bytes > of->largest ? block->bytes : of->largest;
    }
    tn_lock_give(&core->memory);
}

/* Where the object is not known yet the next miss counts it. Of several threads one does. */
void tn_page_touched(tn_core *core, uint64_t address, uint32_t object)
{
    struct tn_page *page = tn_memory_page(&core->data->memory, address);
    if (object && !__atomic_load_n(&page->touched, __ATOMIC_RELAXED) &&
        !__atomic_exchange_n(&page->touched, 1, __ATOMIC_RELAXED) && !tn_data_object_of(core->data, object)->relocation)
        __atomic_fetch_add(&tn_data_object_of(core->data, object)->pages, 1, __ATOMIC_RELAXED);
}

/* The object of an entry if the entry is a block's; else 0. */
static struct tn_data_object *block_object(const struct tn_data *data, uint64_t entry)
{
    struct tn_data_object *object = entry ? tn_data_object_of(data, tn_entry_object(entry)) : NULL;
    return object && object->kind != TN_DATA_STATIC ? object : NULL;
}

void tn_block_ends(tn_core *core, uint64_t address, bool named, bool collecting)
{
    struct tn_data *data = core->data;
    tn_lock_take(&core->memory);
    const struct tn_page *page = tn_memory_page(&data->memory, address);
    uint64_t entry = page ? tn_page_entry(&data->memory, page, address) : 0;
    struct tn_data_object *object = tn_entry_begins(entry) ? block_object(data, entry) : NULL;
    if (object && (object->kind == TN_DATA_NAMED) == named) {
        object->ended += collecting;
        if (object->relocation)
            tn_remap_ends(core, object, entry, address);
        tn_memory_end(&data->memory, address);
    }
    tn_lock_give(&core->memory);
}

void tn_region_named(tn_thread *thread, uint64_t address, uint64_t bytes, const char *name)
{
    tn_core *core = thread->core;
    struct tn_block block = {.address = address, .bytes = bytes};
    struct tn_data_object key = {.kind = TN_DATA_NAMED, .name = name, .file = ""};
    if (!core->data)
        return;
    tn_lock_take(&core->memory);
    uint32_t object = object_of(core->data, &key);
    tn_lock_give(&core->memory);
    tn_block_begins(core, object, &block, thread->collecting);
}

void tn_region_forgotten(tn_thread *thread, uint64_t address)
{
    if (thread->core->data)
        tn_block_ends(thread->core, address, true, thread->collecting);
}

/* ------------------------------------------------------------------------------------------ what is mapped */

struct forgetting {
    tn_core *core;
    bool collecting;
};

static void block_unmapped(void *user, uint64_t entry, uint64_t address)
{
    const struct forgetting *forgetting = user;
    struct tn_data_object *object = block_object(forgetting->core->data, entry);
    if (object)
        object->ended += forgetting->collecting;
    if (object && object->relocation)
        tn_remap_ends(forgetting->core, object, entry, address);
}

void tn_memory_changed(tn_thread *thread, uint64_t start, uint64_t bytes)
{
    tn_core *core = thread->core;
    if (!core->data || !bytes)
        return;
    struct forgetting forgetting = {core, thread->collecting != 0};
    tn_lock_take(&core->memory);
    tn_memory_forget(&core->data->memory, start, start + bytes, block_unmapped, &forgetting);
    tn_region_set(&core->data->memory, start, start + bytes, 0);
    tn_lock_give(&core->memory);
}

void tn_memory_mapped(tn_thread *thread, uint64_t start, uint64_t bytes)
{
    tn_core *core = thread->core;
    if (!core->data || !bytes || !thread->running.node)
        return;
    tn_lock_take(&core->memory);
    struct tn_data *data = core->data;
    bool inside = thread->activity->level && thread->activity->level->allocating;
    uint32_t object = inside ? rest_object(data)
                             : simple_object(data, TN_DATA_MAPPING, origin_of_path(core, thread->running.node), 0);
    tn_region_set(&data->memory, start, start + bytes, object);
    tn_lock_give(&core->memory);
}

/* ------------------------------------------------------------------------------------------ asking */

static uint32_t told_object(tn_core *core, const struct tn_memory_info *info)
{
    struct tn_data *data = core->data;
    struct tn_data_object key = {.kind = info->kind,
                                 .thread = info->thread,
                                 .address = info->address,
                                 .size = info->size,
                                 .element = info->element.size <= TN_LARGEST_ELEMENT ? info->element.size : 0,
                                 .type = info->element.type,
                                 .name = info->name ? info->name : "",
                                 .file = info->file ? info->file : ""};
    uint32_t known = data->objects.count;
    uint32_t object = info->kind == TN_DATA_REST ? rest_object(data) : object_of(data, &key);
    if (object == known && info->kind == TN_DATA_STATIC)
        tn_remap_object(core, object);
    return object;
}

static struct tn_held ask_engine(tn_core *core, uint64_t address)
{
    struct tn_data *data = core->data;
    struct tn_memory_info info = {.start = address, .end = address + 1, .kind = TN_DATA_OTHER};
    core->config.memory_at(core->config.user, address, &info);
    uint32_t object = told_object(core, &info);
    if (info.kind == TN_DATA_STATIC) {
        bool part = info.start % (1 << TN_UNIT_BITS); /* of its first unit is another's */
        tn_memory_fill(&data->memory, tn_block_entry(object, 0) + part, info.start, info.end - info.start);
        return (struct tn_held){object, (uint32_t)((address >> TN_UNIT_BITS) - (info.start >> TN_UNIT_BITS)), 0};
    }
    /* Nothing is mapped there yet, or it is the kernel's. */
    if (info.end - info.start == 1 || address >> TN_ADDRESS_BITS)
        return (struct tn_held){.object = object};
    tn_region_add(&data->memory, info.start, info.end, object, address);
    const struct tn_region *region = tn_region_at(&data->memory, address);
    if (region)
        tn_region_show(&data->memory, region, address);
    return (struct tn_held){.object = object};
}

struct tn_held tn_data_find(tn_core *core, uint64_t address)
{
    struct tn_memory *memory = &core->data->memory;
    if (core->data->remapping && tn_is_elsewhere(core->data->remapping, address))
        return tn_remap_held(core, address);
    tn_lock_take(&core->memory);
    struct tn_held held = {.object = tn_memory_known(memory, address),
                           .unit = (uint32_t)tn_memory_entry(memory, address)};
    const struct tn_region *region = held.object ? NULL : tn_region_at(memory, address);
    if (region) {
        tn_region_show(memory, region, address);
        held.object = region->object;
    } else if (!held.object) {
        held = ask_engine(core, address);
    }
    tn_lock_give(&core->memory);
    return held;
}

struct tn_held tn_data_ask(tn_core *core, uint64_t address)
{
    struct tn_held held = tn_data_find(core, address);
    if (tn_memory_page(&core->data->memory, address))
        tn_page_touched(core, address, held.object);
    return held;
}

/* ------------------------------------------------------------------------------------------ stacks */

void tn_data_stack_begins(struct tn_thread *thread, uint64_t sp)
{
    tn_core *core = thread->core;
    struct tn_thread_record *record = tn_thread_record_of(core, thread->id);
    tn_lock_take(&core->memory);
    const struct tn_region *region = tn_region_at(&core->data->memory, sp);
    if (region && !record->stack.object && tn_data_object_of(core->data, region->object)->kind == TN_DATA_MAPPING) {
        record->stack = *region;
        record->stack.end = (sp | ((1 << TN_PAGE_BITS) - 1)) + 1;
        tn_region_set(&core->data->memory, record->stack.start, record->stack.end,
                      simple_object(core->data, TN_DATA_STACK, 0, record->row));
    }
    tn_lock_give(&core->memory);
}

void tn_data_stack_ends(struct tn_thread *thread)
{
    tn_core *core = thread->core;
    struct tn_thread_record *record = tn_thread_record_of(core, thread->id);
    tn_lock_take(&core->memory);
    const struct tn_region *region = tn_region_at(&core->data->memory, record->stack.start);
    if (record->stack.object && region &&
        region->object == simple_object(core->data, TN_DATA_STACK, 0, record->row))
        tn_region_set(&core->data->memory, region->start, region->end, record->stack.object);
    tn_lock_give(&core->memory);
}
