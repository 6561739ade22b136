/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_code.c: the code cache: finding, linking and forgetting blocks.
 *
 * One piece of memory: tables, then code growing up, and what C keeps of it growing down towards it. When they meet the
 * memory is used up, and everything is forgotten at once: no block's memory is used again alone, so that a thread
 * which is still in a block that was invalidated, or reads a table without a lock, always finds what it expects.
 */
#include "engine/native/base/nt_cpuid.h"
#include "nt_block.h"
#include "nt_calls.h"

enum {
    BUCKETS = 1 << 17,
    PAGE_BUCKETS = 1 << 14,
    PAGE_BITS = 12,
    ROOM_FOR_CODE = 64 << 10, /* more than the largest block takes */
    BYTES_PER_BLOCK = 64,     /* the least that one takes */
};

struct nt_code {
    struct nt_code_config config;
    struct nt_decoder decoder;
    struct nt_forms forms;
    bool used_up, has_bmi2, has_rtm;
    uint8_t *code_start, *code_at; /* generated code, up to where the cold begins */
    uint8_t *cold_start, *cold_at;
    uint8_t *back_at; /* what is kept of it, from here to the end of the memory */
    struct nt_block *buckets[BUCKETS];
    struct nt_page_use *pages[PAGE_BUCKETS];
    const struct nt_target *lookup[NT_LOOKUPS];
    struct nt_target nowhere; /* for those that find nothing */
    uint32_t block_count, block_room;
    struct nt_block **blocks; /* in the order of their code */
    struct nt_making making;
};

/* Forgets all blocks. */
static void start_over(struct nt_code *code)
{
    /* What generated code finds in the lookup table where no block is noted is `nowhere`. It compares this target's
     * address with the branch's as it does any other: the address is ~0, where no code can be. A branch that does lead
     * to ~0 goes to the head that is made here, which leaves for the engine; that sees that the address is none. */
    struct nt_emit emit = {.at = code->code_start, .end = code->code_start + ROOM_FOR_CODE};
    code->nowhere = (struct nt_target){.not_pc = 0, .head = emit.at, .function = TN_NONE};
    nt_store_constant(&emit, nt_gs(NT_RIP), -1);
    nt_store_constant(&emit, nt_gs(NT_EXIT), -1); /* NT_RESUME */
    nt_jump_memory(&emit, nt_gs(NT_LEAVE));
    code->code_at = emit.at;
    code->cold_at = code->cold_start;
    code->back_at = (uint8_t *)code->config.memory + code->config.bytes;
    code->block_count = 0;
    code->used_up = false;
    for (unsigned i = 0; i < NT_LOOKUPS; i++)
        code->lookup[i] = &code->nowhere;
}

struct nt_code *nt_code_new(const struct nt_code_config *config)
{
    struct nt_code *code = config->memory;
    code->config = *config;
    if (!nt_decoder_init(&code->decoder, config->host.symbol, nt_cpuid_is_amd()))
        return NULL;
    code->has_bmi2 = nt_cpuid_has(NT_CPUID_BMI2);
    code->has_rtm = nt_cpuid_has_rtm();
    code->block_room = (uint32_t)(config->bytes / BYTES_PER_BLOCK);
    code->blocks = (struct nt_block **)(code + 1);
    code->code_start = (uint8_t *)(((uintptr_t)(code->blocks + code->block_room) + 4095) & ~(uintptr_t)4095);
    size_t rest = (size_t)((uint8_t *)code->config.memory + config->bytes - code->code_start);
    code->cold_start = code->code_start + rest / 8 * 3 / 4096 * 4096;
    start_over(code);
    return code;
}

static void *code_keep(struct nt_code *code, size_t bytes)
{
    bytes = (bytes + 7) & ~(size_t)7;
    if ((size_t)(code->back_at - code->cold_at) < bytes + ROOM_FOR_CODE)
        return NULL;
    code->back_at -= bytes;
    return code->back_at;
}

static struct nt_out *keep_out(struct nt_making *making)
{
    struct nt_out *out = code_keep(making->code, sizeof *out);
    if (!out)
        making->emit.full = true;
    return out;
}

static uint64_t out_index(struct nt_making *making, const struct nt_out *out)
{
    return (uint64_t)((const uint8_t *)out - (const uint8_t *)making->code);
}

const struct nt_exit *nt_code_exit(const struct nt_code *code, uint64_t index)
{
    return &((const struct nt_out *)((const uint8_t *)code + index))->exit;
}

static unsigned bucket_of(uint64_t pc)
{
    return (unsigned)(pc * 0x9e3779b97f4a7c15ull >> 32) % BUCKETS;
}

static unsigned page_bucket_of(uint64_t page)
{
    return (unsigned)(page * 0x9e3779b97f4a7c15ull >> 48) % PAGE_BUCKETS;
}

static struct nt_block *code_find(const struct nt_code *code, uint64_t pc)
{
    struct nt_block *block = __atomic_load_n(&code->buckets[bucket_of(pc)], __ATOMIC_ACQUIRE);
    while (block && block->pc != pc)
        block = __atomic_load_n(&block->next, __ATOMIC_ACQUIRE);
    return block;
}

const void *nt_code_find(const struct nt_code *code, uint64_t pc)
{
    const struct nt_block *block = code_find(code, pc);
    return block ? block->head : NULL;
}

/* Makes the block. If the memory does not suffice, what it has taken is given back. */
static struct nt_block *code_make(struct nt_code *code, uint64_t pc, bool joins)
{
    struct nt_making *making = &code->making;
    uint8_t *back_at = code->back_at;
    struct nt_block *block = code_keep(code, sizeof *block);
    bool room = (size_t)(code->cold_start - code->code_at) >= ROOM_FOR_CODE;
    if (!block || !room || code->block_count == code->block_room)
        return NULL;
    *block = (struct nt_block){.pc = pc, .alive = true};
    making->config = &code->config;
    making->lookup = code->lookup;
    making->decoder = &code->decoder;
    making->forms = &code->forms;
    making->new_out = keep_out;
    making->out_index = out_index;
    making->code = code;
    making->has_bmi2 = code->has_bmi2;
    making->has_rtm = code->has_rtm;
    making->block = block;
    making->joins = joins;
    making->emit = (struct nt_emit){.at = code->code_at, .end = code->code_at + ROOM_FOR_CODE};
    making->cold = (struct nt_emit){.at = code->cold_at, .end = code->cold_at + ROOM_FOR_CODE};
    nt_find_block(making, pc);
    nt_translate(making);
    uint64_t where;
    bool checks = code->config.check && !making->emit.full && !making->cold.full;
    const char *wrong = checks ? nt_check_block(making, &where) : NULL;
    if (wrong)
        code->config.host.wrong(where, wrong);
    struct nt_mark *marks = code_keep(code, making->mark_count * sizeof *marks);
    if (making->emit.full || making->cold.full || !marks) {
        code->back_at = back_at;
        return NULL;
    }
    __builtin_memcpy(marks, making->marks, making->mark_count * sizeof *marks);
    block->marks = marks;
    block->mark_count = (uint16_t)making->mark_count;
    block->may_join =
        code->config.join && !joins && making->count && making->insn[making->count - 1].kind == NT_IS_JCC;
    code->blocks[code->block_count] = block;
    code->code_at = making->emit.at;
    code->cold_at = making->cold.at;
    __atomic_store_n(&code->block_count, code->block_count + 1, __ATOMIC_RELEASE);
    return block;
}

/* From now on it is found. */
static void code_enter(struct nt_code *code, struct nt_block *block)
{
    struct nt_block **bucket = &code->buckets[bucket_of(block->pc)];
    uint64_t last = (block->pc + block->extent - 1) >> PAGE_BITS;
    for (uint64_t page = block->pc >> PAGE_BITS; page <= last; page++) {
        struct nt_page_use *use = &block->pages[block->page_count++];
        struct nt_page_use **list = &code->pages[page_bucket_of(page)];
        *use = (struct nt_page_use){.page = page, .block = block, .next = *list, .back = list};
        if (use->next)
            use->next->back = &use->next;
        *list = use;
    }
    block->next = *bucket;
    __atomic_store_n(bucket, block, __ATOMIC_RELEASE);
}

static bool simulates(const struct nt_code *code)
{
    return code->config.planner && !code->config.planner->clock_only;
}

const void *nt_code_make(struct nt_code *code, uint64_t pc)
{
    struct nt_block *block = code_find(code, pc);
    if (block)
        return block->head;
    block = code->used_up ? NULL : code_make(code, pc, code->config.join && !simulates(code));
    if (!block) {
        code->used_up = true;
        return NULL;
    }
    if (code->making.count == 0) /* there may be code tomorrow */
        return block->head;
    code_enter(code, block);
    return block->head;
}

/* A jump may lead to the entry if it goes forwards, and while code is simulated not out of its page. */
static void link_out(const struct nt_code *code, struct nt_out *out, struct nt_block *to)
{
    uint64_t from = out->from->pc;
    bool is_near = !simulates(code) || from >> PAGE_BITS == to->pc >> PAGE_BITS;
    bool forward = to->pc > from && is_near && !to->compares;
    out->to = to;
    out->next = to->incoming;
    out->back = &to->incoming;
    if (out->next)
        out->next->back = &out->next;
    to->incoming = out;
    nt_way(out->site, forward ? (const void *)to->entry : to->target->head);
}

static void unlink_out(struct nt_out *out)
{
    if (!out->to)
        return;
    nt_way(out->site, out->stub);
    *out->back = out->next;
    if (out->next)
        out->next->back = out->back;
    out->to = NULL;
}

static struct nt_block *block_at(const struct nt_code *code, uint64_t at)
{
    uint32_t low = 0, high = __atomic_load_n(&code->block_count, __ATOMIC_ACQUIRE);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)code->blocks[middle]->end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < code->block_count && (uintptr_t)code->blocks[low]->head <= at ? code->blocks[low] : NULL;
}

void nt_code_link(struct nt_code *code, uint64_t index, uint64_t pc)
{
    struct nt_out *out = (struct nt_out *)((uint8_t *)code + index);
    struct nt_block *to = code_find(code, pc);
    if (!to)
        return;
    if (out->exit.kind == NT_EXIT_INDIRECT) {
        if (code->config.lookup)
            __atomic_store_n(&code->lookup[to->pc % NT_LOOKUPS], to->target, __ATOMIC_RELEASE);
    } else if (code->config.link && out->site && !out->to && out->from->alive && out->exit.pc == pc) {
        link_out(code, out, to);
    }
}

/* Whatever leads to the block leads to the engine instead. Its own code stays as it is, for who is in it, but leads to
 * no other block either, so that it is in nobody's list. */
static void code_forget(struct nt_code *code, struct nt_block *block)
{
    block->alive = false;
    struct nt_block **link = &code->buckets[bucket_of(block->pc)];
    while (*link != block)
        link = &(*link)->next;
    __atomic_store_n(link, block->next, __ATOMIC_RELEASE);
    if (code->lookup[block->pc % NT_LOOKUPS] == block->target)
        __atomic_store_n(&code->lookup[block->pc % NT_LOOKUPS], &code->nowhere, __ATOMIC_RELEASE);
    while (block->incoming)
        unlink_out(block->incoming);
    for (unsigned i = 0; i < block->out_count; i++)
        unlink_out(block->outs[i]);
    for (unsigned i = 0; i < block->page_count; i++) {
        struct nt_page_use *use = &block->pages[i];
        *use->back = use->next;
        if (use->next)
            use->next->back = use->back;
    }
}

bool nt_code_may_join(const struct nt_code *code, uint64_t pc)
{
    const struct nt_block *block = code_find(code, pc);
    return block && block->may_join;
}

void nt_code_join(struct nt_code *code, uint64_t pc)
{
    struct nt_block *old = code_find(code, pc);
    if (!old || !old->may_join || code->used_up)
        return;
    struct nt_block *longer = code_make(code, pc, true);
    if (!longer)
        code->used_up = true;
    if (!longer || code->making.count == 0)
        return;
    /* What leads to the old one leads to the longer one, for the same place in the program. */
    const struct nt_target **found = &code->lookup[pc % NT_LOOKUPS];
    if (*found == old->target)
        __atomic_store_n(found, longer->target, __ATOMIC_RELEASE);
    while (old->incoming) {
        struct nt_out *out = old->incoming;
        unlink_out(out);
        if (out->from != old) /* whose code leads nowhere any more */
            link_out(code, out, longer);
    }
    code_forget(code, old);
    code_enter(code, longer);
}

static void forget_in(struct nt_code *code, struct nt_page_use *use, uint64_t start, uint64_t last)
{
    while (use) {
        struct nt_block *block = use->block;
        use = use->next;
        if (block->pc > last || block->pc + block->extent - 1 < start)
            continue;
        while (use && use->block == block) /* both its pages may be in this list */
            use = use->next;
        code_forget(code, block);
    }
}

void nt_code_invalidate(struct nt_code *code, uint64_t start, uint64_t bytes)
{
    if (!bytes)
        return;
    uint64_t last = start + bytes - 1 < start ? UINT64_MAX : start + bytes - 1;
    uint64_t first_page = start >> PAGE_BITS, last_page = last >> PAGE_BITS;
    if (last_page - first_page >= PAGE_BUCKETS) {
        for (unsigned i = 0; i < PAGE_BUCKETS; i++)
            forget_in(code, code->pages[i], start, last);
        return;
    }
    for (uint64_t page = first_page; page <= last_page; page++)
        forget_in(code, code->pages[page_bucket_of(page)], start, last);
}

void nt_code_thread(const struct nt_code *code, struct nt_area *area)
{
    for (unsigned i = 0; i < NT_RETURN_COUNT; i++)
        area->returns[i] = (uintptr_t)&code->nowhere;
    area->planner = code->config.planner;
    area->lookup = code->lookup;
    __builtin_memcpy(area->calls, nt_thunks, sizeof nt_thunks);
}

void nt_code_reclaim(struct nt_code *code)
{
    if (!code->used_up)
        return;
    __builtin_memset(code->buckets, 0, sizeof code->buckets);
    __builtin_memset(code->pages, 0, sizeof code->pages);
    start_over(code);
}

void nt_code_plan(struct nt_code *code, struct nt_planner *planner)
{
    code->config.planner = planner;
    code->used_up = true;
    nt_code_reclaim(code);
}

struct nt_code_usage nt_code_usage(const struct nt_code *code)
{
    return (struct nt_code_usage){
        .hot = (uint64_t)(code->code_at - code->code_start),
        .cold = (uint64_t)(code->cold_at - code->cold_start),
        .kept = (uint64_t)((uint8_t *)code->config.memory + code->config.bytes - code->back_at),
        .decoded = code->forms.asked,
        .known = code->forms.known,
    };
}

bool nt_code_holds(const struct nt_code *code, uint64_t at)
{
    bool hot = at >= (uintptr_t)code->code_start && at < (uintptr_t)code->code_at;
    return hot || (at >= (uintptr_t)code->cold_start && at < (uintptr_t)code->cold_at);
}

bool nt_code_place(const struct nt_code *code, uint64_t at, struct nt_place *place)
{
    const struct nt_block *block = block_at(code, at);
    if (!block)
        return false;
    __builtin_memset(place, 0, sizeof *place);
    uint64_t offset = at - (uintptr_t)block->head;
    unsigned i = block->mark_count - 1u;
    while (i > 0 && block->marks[i].code > offset)
        i--;
    const struct nt_mark *mark = &block->marks[i];
    place->pc = block->pc + mark->pc;
    place->spilled = mark->aside;
    place->segment = mark->segment;
    return true;
}

/* Of 32 bits the upper half is that of all generated code. */
void nt_fpu_show(const struct nt_code *code, void *at, uint64_t bytes)
{
    uint64_t address = 0;
    struct nt_place place;

    __builtin_memcpy(&address, at, bytes == 8 ? 8 : 4);
    if (bytes != 8)
        address |= (uintptr_t)code >> 32 << 32;
    if (nt_code_place(code, address, &place))
        __builtin_memcpy(at, &place.pc, bytes == 8 ? 8 : 4);
}

bool nt_code_is_forgotten(const struct nt_code *code, uint64_t at)
{
    const struct nt_block *block = block_at(code, at);
    return block && !block->alive;
}
