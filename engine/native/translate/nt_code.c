/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_code.c: the code cache: finding, linking and forgetting blocks.
 *
 * One piece of memory: tables, then code growing up, and what C keeps of it growing down towards it. When they meet the
 * memory is used up, and everything is forgotten at once: no block's memory is used again alone, so that a thread
 * which is still in a block that was invalidated, or reads a table without a lock, always finds what it expects.
 */
#include "engine/native/base/nt_cpuid.h"
#include "nt_calls.h"
#include "nt_count.h"
#include "nt_kept.h"

enum {
    BYTES_PER_BUCKET = 1024, /* of the cache, or up to twice as many: a block takes about a KiB */
    NEAR_BUCKETS = 64,       /* for neighbours in the program, side by side: a short run touches few pages of them */
    NEAR_BYTES = 8,          /* of the program's code for each of these: few blocks are shorter */
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
    uint32_t *buckets, bucket_count; /* places of blocks, as below; a power of two */
    uint32_t pages[PAGE_BUCKETS];    /* those and, of its second page, one more */
    const struct nt_target *lookup[NT_LOOKUPS];
    struct nt_target nowhere; /* for those that find nothing */
    uint32_t block_count, block_room;
    uint32_t *blocks; /* places of blocks (nt_kept.h), in the order of their code */
    struct nt_making making;
};

/* Forgets all blocks. */
static void start_over(struct nt_code *code)
{
    /* What generated code finds in the lookup table where no block is noted is `nowhere`. It compares this target's
     * address with the branch's as it does any other: the address is ~0, where no code can be. A branch that does lead
     * to ~0 goes to the head that is made here, which leaves for the engine; that sees that the address is none. */
    struct nt_emit emit = {.at = code->code_start, .end = code->code_start + ROOM_FOR_CODE, .near = true};
    code->nowhere = (struct nt_target){.not_pc = 0, .head = emit.at, .function = TN_NONE};
    nt_store_constant(&emit, nt_gs(NT_RIP), -1);
    nt_store_constant(&emit, nt_gs(NT_EXIT), -1); /* NT_RESUME */
    nt_jump_memory(&emit, nt_gs(NT_LEAVE));
    code->code_at = emit.at;
    code->cold_at = code->cold_start;
    code->back_at = (uint8_t *)code->config.memory + code->config.bytes;
    code->block_count = 0;
    code->used_up = false;
    __builtin_memset(&code->making.shared, 0, sizeof code->making.shared);
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
    for (code->bucket_count = NEAR_BUCKETS; code->bucket_count <= config->bytes / BYTES_PER_BUCKET / 2;)
        code->bucket_count *= 2;
    code->buckets = (uint32_t *)(code + 1);
    code->blocks = code->buckets + code->bucket_count;
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

static void *at_place(const struct nt_code *code, uint32_t place)
{
    return place ? (uint8_t *)code + place : NULL;
}

static uint32_t place_of(const struct nt_code *code, const void *at)
{
    return (uint32_t)((const uint8_t *)at - (const uint8_t *)code);
}

struct nt_exit nt_code_exit(const struct nt_code *code, uint64_t index)
{
    return nt_kept_exit(code, index);
}

static uint32_t *bucket_of(const struct nt_code *code, uint64_t pc)
{
    uint64_t far = pc / (NEAR_BUCKETS * NEAR_BYTES) * 0x9e3779b97f4a7c15ull >> 32;
    return &code->buckets[(far * NEAR_BUCKETS + pc / NEAR_BYTES % NEAR_BUCKETS) & (code->bucket_count - 1)];
}

static unsigned page_bucket_of(uint64_t page)
{
    return (unsigned)(page * 0x9e3779b97f4a7c15ull >> 48) % PAGE_BUCKETS;
}

static const uint8_t *head_of(const struct nt_code *code, const struct nt_kept *block)
{
    return at_place(code, block->head);
}

static const struct nt_target *target_of(const struct nt_code *code, const struct nt_kept *block)
{
    return at_place(code, block->target);
}

static struct nt_kept *code_find(const struct nt_code *code, uint64_t pc)
{
    struct nt_kept *block = at_place(code, __atomic_load_n(bucket_of(code, pc), __ATOMIC_ACQUIRE));
    while (block && block->pc != pc)
        block = at_place(code, __atomic_load_n(&block->next, __ATOMIC_ACQUIRE));
    return block;
}

const void *nt_code_find(const struct nt_code *code, uint64_t pc)
{
    const struct nt_kept *block = code_find(code, pc);
    return block ? head_of(code, block) : NULL;
}

/* What C keeps of what was made: behind its exits, which have their places already, and its marks. NULL: no memory. */
static struct nt_kept *keep_made(struct nt_code *code, struct nt_kept *block)
{
    struct nt_making *making = &code->making;
    uint8_t marks[NT_BLOCK_MARKS * NT_KEPT_MARK_BYTES];
    size_t mark_bytes = nt_kept_pack_marks(making, marks);
    if (!code_keep(code, making->out_count * sizeof(struct nt_kept_out) + mark_bytes))
        return NULL;
    *block = (struct nt_kept){
        .pc = making->block.pc,
        .head = place_of(code, making->block.head),
        .end = place_of(code, making->block.end),
        .target = place_of(code, making->block.target),
        .extent = (uint16_t)making->block.extent,
        .entry = (uint16_t)(making->block.entry - making->block.head),
        .mark_bytes = (uint16_t)mark_bytes,
        .out_count = (uint8_t)making->out_count,
        .alive = true,
        .compares = making->block.compares,
    };
    for (unsigned i = 0; i < making->out_count; i++)
        nt_kept_pack_out(making, i, block);
    __builtin_memcpy((uint8_t *)block - making->out_count * sizeof(struct nt_kept_out) - mark_bytes, marks, mark_bytes);
    return block;
}

/* Makes the block. If the memory does not suffice, what it has taken is given back. */
static struct nt_kept *code_make(struct nt_code *code, uint64_t pc, bool joins)
{
    struct nt_making *making = &code->making;
    uint8_t *back_at = code->back_at;
    struct nt_kept *block = code_keep(code, sizeof *block);
    bool room = (size_t)(code->cold_start - code->code_at) >= ROOM_FOR_CODE;
    if (!block || !room || code->block_count == code->block_room)
        return NULL;
    making->config = &code->config;
    making->lookup = code->lookup;
    making->decoder = &code->decoder;
    making->forms = &code->forms;
    making->code = code;
    making->index = place_of(code, block) + NT_KEPT_SAFE;
    making->has_bmi2 = code->has_bmi2;
    making->has_rtm = code->has_rtm;
    making->joins = joins;
    making->emit = (struct nt_emit){.at = code->code_at, .end = code->code_at + ROOM_FOR_CODE, .near = true};
    making->cold = (struct nt_emit){.at = code->cold_at, .end = code->cold_at + ROOM_FOR_CODE, .near = true};
    nt_find_block(making, pc);
    nt_translate(making);
    uint64_t where;
    bool fits = !making->emit.full && !making->cold.full;
    const char *wrong = code->config.check && fits ? nt_check_block(making, &where) : NULL;
    if (wrong)
        code->config.host.wrong(where, wrong);
    if (!fits || !keep_made(code, block)) {
        code->back_at = back_at;
        return NULL;
    }
    block->may_join =
        code->config.join && !joins && making->count && making->insn[making->count - 1].kind == NT_IS_JCC;
    code->blocks[code->block_count] = place_of(code, block);
    code->code_at = making->emit.at;
    code->cold_at = making->cold.at;
    __atomic_store_n(&code->block_count, code->block_count + 1, __ATOMIC_RELEASE);
    return block;
}

/* The list of blocks that have code in the block's page `number`. */
static uint32_t *pages_of(struct nt_code *code, const struct nt_kept *block, unsigned number)
{
    return &code->pages[page_bucket_of((block->pc >> PAGE_BITS) + number)];
}

static unsigned page_count(const struct nt_kept *block)
{
    return (block->pc + block->extent - 1) >> PAGE_BITS == block->pc >> PAGE_BITS ? 1 : 2;
}

/* What a list of a page leads to: the block, and which of its pages it is. */
static struct nt_kept *page_user(const struct nt_code *code, uint32_t use, unsigned *number)
{
    *number = use & 1;
    return at_place(code, use & ~1u);
}

/* From now on it is found. */
static void code_enter(struct nt_code *code, struct nt_kept *block)
{
    uint32_t *bucket = bucket_of(code, block->pc), place = place_of(code, block);
    for (unsigned i = 0; i < page_count(block); i++) {
        uint32_t *list = pages_of(code, block, i);
        block->pages[i] = *list;
        *list = place | i;
    }
    block->next = *bucket;
    __atomic_store_n(bucket, place, __ATOMIC_RELEASE);
}

static bool simulates(const struct nt_code *code)
{
    return code->config.planner && !code->config.planner->clock_only;
}

const void *nt_code_make(struct nt_code *code, uint64_t pc)
{
    struct nt_kept *block = code_find(code, pc);
    if (block)
        return head_of(code, block);
    block = code->used_up ? NULL : code_make(code, pc, code->config.join && !simulates(code));
    if (!block) {
        code->used_up = true;
        return NULL;
    }
    if (code->making.count) /* else there may be code tomorrow */
        code_enter(code, block);
    return head_of(code, block);
}

/* A jump may lead to the entry if it goes forwards, and while code is simulated not out of its page. */
static void link_out(struct nt_code *code, struct nt_kept_out *out, struct nt_kept *to)
{
    uint64_t from = ((const struct nt_kept *)at_place(code, out->from))->pc;
    bool is_near = !simulates(code) || from >> PAGE_BITS == to->pc >> PAGE_BITS;
    bool forward = to->pc > from && is_near && !to->compares;
    struct nt_kept_out *next = at_place(code, to->incoming);
    out->to = place_of(code, to);
    out->next = to->incoming;
    out->back = place_of(code, &to->incoming);
    if (next)
        next->back = place_of(code, &out->next);
    to->incoming = place_of(code, out);
    nt_way(at_place(code, out->site), forward ? head_of(code, to) + to->entry : target_of(code, to)->head);
}

static void unlink_out(struct nt_code *code, struct nt_kept_out *out)
{
    if (!out->links || !out->to)
        return;
    struct nt_kept_out *next = at_place(code, out->next);
    nt_way(at_place(code, out->site), at_place(code, out->stub));
    *(uint32_t *)at_place(code, out->back) = out->next;
    if (next)
        next->back = out->back;
    out->to = 0;
}

static struct nt_kept *block_at(const struct nt_code *code, uint64_t at)
{
    uint64_t place = at - (uintptr_t)code;
    uint32_t low = 0, count = __atomic_load_n(&code->block_count, __ATOMIC_ACQUIRE), high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (((const struct nt_kept *)at_place(code, code->blocks[middle]))->end <= place)
            low = middle + 1;
        else
            high = middle;
    }
    struct nt_kept *block = low < count ? at_place(code, code->blocks[low]) : NULL;
    return block && block->head <= place ? block : NULL;
}

void nt_code_link(struct nt_code *code, uint64_t index, uint64_t pc)
{
    struct nt_kept_out *out = at_place(code, (uint32_t)index);
    struct nt_kept *to = code_find(code, pc);
    if (!to)
        return;
    if (out->kind == NT_EXIT_INDIRECT) {
        if (code->config.lookup)
            __atomic_store_n(&code->lookup[to->pc % NT_LOOKUPS], target_of(code, to), __ATOMIC_RELEASE);
    } else if (code->config.link && out->links && !out->to) {
        const struct nt_kept *from = at_place(code, out->from);
        if (from->alive && from->pc + (uint64_t)(int64_t)out->pc == pc)
            link_out(code, out, to);
    }
}

/* Whatever leads to the block leads to the engine instead. Its own code stays as it is, for who is in it, but leads to
 * no other block either, so that it is in nobody's list. */
static void code_forget(struct nt_code *code, struct nt_kept *block)
{
    uint32_t place = place_of(code, block), *link = bucket_of(code, block->pc);
    block->alive = false;
    while (*link != place)
        link = &((struct nt_kept *)at_place(code, *link))->next;
    __atomic_store_n(link, block->next, __ATOMIC_RELEASE);
    if (code->lookup[block->pc % NT_LOOKUPS] == target_of(code, block))
        __atomic_store_n(&code->lookup[block->pc % NT_LOOKUPS], &code->nowhere, __ATOMIC_RELEASE);
    while (block->incoming)
        unlink_out(code, at_place(code, block->incoming));
    for (unsigned i = 0; i < block->out_count; i++)
        unlink_out(code, (struct nt_kept_out *)block - 1 - i);
    for (unsigned i = 0, number; i < page_count(block); i++) {
        uint32_t *use = pages_of(code, block, i);
        while (*use != (place | i))
            use = &page_user(code, *use, &number)->pages[number];
        *use = block->pages[i];
    }
}

bool nt_code_may_join(const struct nt_code *code, uint64_t pc)
{
    const struct nt_kept *block = code_find(code, pc);
    return block && block->may_join;
}

void nt_code_join(struct nt_code *code, uint64_t pc)
{
    struct nt_kept *old = code_find(code, pc);
    if (!old || !old->may_join || code->used_up)
        return;
    struct nt_kept *longer = code_make(code, pc, true);
    if (!longer)
        code->used_up = true;
    if (!longer || code->making.count == 0)
        return;
    /* What leads to the old one leads to the longer one, for the same place in the program. */
    const struct nt_target **found = &code->lookup[pc % NT_LOOKUPS];
    if (*found == target_of(code, old))
        __atomic_store_n(found, target_of(code, longer), __ATOMIC_RELEASE);
    while (old->incoming) {
        struct nt_kept_out *out = at_place(code, old->incoming);
        unlink_out(code, out);
        if (at_place(code, out->from) != old) /* whose code leads nowhere any more */
            link_out(code, out, longer);
    }
    code_forget(code, old);
    code_enter(code, longer);
}

static void forget_in(struct nt_code *code, uint32_t use, uint64_t start, uint64_t last)
{
    while (use) {
        unsigned number;
        struct nt_kept *block = page_user(code, use, &number);
        use = block->pages[number];
        if (block->pc > last || block->pc + block->extent - 1 < start)
            continue;
        while (use && page_user(code, use, &number) == block) /* both its pages may be in this list */
            use = block->pages[number];
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
    if (code->config.planner)
        nt_count_thread(code->config.planner, area);
    __builtin_memcpy(area->calls, nt_thunks, sizeof nt_thunks);
}

void nt_code_reclaim(struct nt_code *code)
{
    if (!code->used_up)
        return;
    __builtin_memset(code->buckets, 0, code->bucket_count * sizeof *code->buckets);
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
    const struct nt_kept *block = block_at(code, at);
    if (!block)
        return false;
    const struct nt_mark mark = nt_kept_mark(block, at - (uintptr_t)head_of(code, block));
    *place = (struct nt_place){.pc = block->pc + mark.pc, .segment = mark.segment, .spilled = mark.aside};
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
    const struct nt_kept *block = block_at(code, at);
    return block && !block->alive;
}
