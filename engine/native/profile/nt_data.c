/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_data.c: what the core needs to know of data objects: what memory is, and what system calls make of it.
 *
 * Allocation functions are told by generated code (nt_tell.c).
 *
 * A function's result is in its home when it returns: whatever tells a return has put it there (nt_count.c). The break
 * is made of mappings, which the kernel may join with what is in front of it; so its bounds are our own.
 */
#include "nt_profile.h"

#include "engine/common/data_map.h"
#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"

enum { MOST_STACK = 1 << 30 }; /* below it, what is not mapped yet is where it grows to */

static struct {
    const struct code_map_host *host;
    data_map *map;
    uint64_t stack;
    bool is_wanted;
} data;

static bool data_special(void *user, uint64_t address, struct tn_memory_info *out)
{
    struct code_mapping mapping = {0};
    uint64_t start = nt.break_start, end = NT_UP(nt.break_now, NT_PAGE);

    if (address >= start && address < end) {
        *out = (struct tn_memory_info){.start = start, .end = end, .kind = TN_DATA_REST};
        return true;
    }
    if (!data.host->mapping_at(user, data.stack, &mapping) || address >= mapping.end)
        return false;
    *out = (struct tn_memory_info){
        .start = mapping.start, .end = mapping.end, .kind = TN_DATA_STACK, .thread = 1};
    if (address >= mapping.start)
        return true;
    out->start = address;
    return mapping.start - address < MOST_STACK && !data.host->mapping_at(user, address, &mapping);
}

static void memory_at(void *user, uint64_t address, struct tn_memory_info *out)
{
    (void)user;
    data_map_at(data.map, address, out);
}

static enum tn_element_answer element_at(void *user, uint64_t address, struct tn_element *out)
{
    (void)user;
    return data_map_element(data.map, address, out);
}

static uint64_t data_result(void *user, tn_thread *thread, uint64_t at)
{
    const struct nt_area *area = (const struct nt_area *)thread - 1;
    uint64_t word = 0;

    (void)user;
    if (at == 0)
        return area->gpr[NT_RAX];
    if ((uint32_t)area->gpr[NT_RAX] != 0 || nt_copy(&word, (const void *)at, sizeof word) != 0)
        return 0;
    return word;
}

void nt_data_start(struct engine_options *options, const struct code_map_host *host, const void *stack)
{
    struct tn_config *config = &options->config;

    config->memory_at = memory_at;
    config->element_at = element_at;
    config->result = data_result;
    options_answer_core(options, config);
    data.host = host;
    data.map = data_map_new(host, options->elements, data_special);
    options->told = data_map_told(data.map);
    data.stack = (uint64_t)stack;
    data.is_wanted = config->data;
}

void nt_data_changed(struct nt_thread *thread, uint64_t start, uint64_t bytes, bool is_anonymous)
{
    tn_thread *core = (tn_thread *)(thread->area + 1);

    if (!thread->is_profiled || !data.is_wanted)
        return;
    tn_memory_changed(core, start, bytes);
    data_map_changed(data.map, start, bytes);
    if (is_anonymous)
        tn_memory_mapped(core, start, bytes);
}
