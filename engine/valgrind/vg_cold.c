/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_cold.c: blocks that have not run often yet.
 *
 * Large programs run most of their blocks a few times only, and translating a block with all tests in line costs
 * Valgrind four times what it costs without. So a block begins cold: its accesses only put their addresses into
 * the spare words of the guest state's shadow (one host instruction each), and one helper call at the end of each
 * stretch does in C, from a list made at translation, what hot code does in line: the same counts, the same tests,
 * the same stamps, in the same order. A block that has been executed HOT times is discarded when the
 * thread's turn ends (no translation runs then, nor has the next one been chosen) and translated again, hot.
 *
 * The list is a row of 64-bit words: an access is two, a fetch run is five. It belongs to the
 * block's entry in a table by guest address, which also remembers that the block is hot, and is freed when the
 * translation is discarded.
 *
 * The call stands before the statement by which the stretch may be left, behind all its accesses; only a fault
 * can come in between, and then the stretch has not been counted.
 */
#include "vg_cold.h"

#include "pub_tool_guest.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_machine.h"

#include "core/cache_hot.h"

/* What VG_(discard_translations_safely) calls once it has made sure that it is called from a client request. */
extern void VG_(discard_translations)(Addr start, ULong bytes, const HChar *who);

enum {
    HOT = 2000,         /* executions after which translating again pays */
    MAX_WORDS = 4096,   /* of one stretch's list while it is recorded */
    MAX_COUNTERS = 512, /* counters of one stretch */
    MAX_PENDING = 1024, /* blocks waiting to be translated again */
};

/* A stretch, as its helper needs it. */
struct stretch {
    struct stretch *next; /* of the block */
    struct entry *block;
    ULong clock, data, branches;
    UInt counters, words;
    ULong list[]; /* `counters` counter offsets, then the accesses */
};

struct entry {
    struct entry *next; /* VgHashNode */
    UWord address;
    UInt executions;
    Bool queued, hot;
    UInt translations; /* alive, by this table's knowledge */
    struct stretch *stretches;
};

static VgHashTable *entries;
static struct entry *pending[MAX_PENDING];
static UInt pendings;

/* The stretch being recorded. */
static struct {
    struct entry *block;
    const struct vg_stretch *of; /* NULL: none, or its call has been emitted */
    ULong branches;
    ULong word[MAX_WORDS];
    ULong counter[MAX_COUNTERS];
    UInt words, counters, slots;
    Bool first; /* of its block */
} record;

static UInt shadow_size; /* bytes of one shadow area */

/* ------------------------------------------------------------------------------------------ the list */

/* Access: id | size << 32, back | slot << 32. Fetch run: id (no size), back, line, use, mask. */
enum { ACCESS_WORDS = 2, FETCH_WORDS = 5 };

static void put(ULong word)
{
    tl_assert(record.words < MAX_WORDS);
    record.word[record.words++] = word;
}

static ULong low(ULong word)
{
    return word & 0xffffffff;
}

static const ULong *do_fetch(tn_thread *thread, const ULong *at)
{
    struct tn_way *way = tn_hot_way(thread, &vg.layout->i1, at[2]);

    if (way->line != at[2]) {
        tn_slow_fetch(thread, at[0]);
        way = tn_hot_way(thread, &vg.layout->i1, at[2]);
    }
    if (vg.config.use) {
        way->use += at[3];
        way->mask |= at[4];
    }
    way->stamp = thread->clock - at[1];
    return at + FETCH_WORDS;
}

static const ULong *do_access(tn_thread *thread, const ULong *at, const ULong *slots)
{
    tn_hot_data(thread, vg.layout, slots[at[1] >> 32], low(at[0]), at[0] >> 32, low(at[1]), vg.config.use);
    return at + ACCESS_WORDS;
}

static void count_all(tn_thread *thread, const struct stretch *stretch)
{
    ULong step = vg.by_collecting ? thread->collecting : 1;
    UInt i;

    thread->clock += stretch->clock;
    thread->data += stretch->data;
    thread->branches += stretch->branches;
    for (i = 0; i < stretch->counters; i++)
        *(ULong *)((UChar *)thread + stretch->list[i]) += step;
}

/* The helper. `guest` is the guest state; the slots follow the thread base in its first shadow. */
static void run_stretch(struct stretch *stretch, const UChar *guest)
{
    tn_thread *thread = vg.current;
    const ULong *slots = (const ULong *)(guest + shadow_size) + 1;
    const ULong *at = stretch->list + stretch->counters, *end = at + stretch->words;

    count_all(thread, stretch);
    while (at < end)
        at = at[0] >> 32 != 0 ? do_access(thread, at, slots) : do_fetch(thread, at);
}

static void run_first_stretch(struct stretch *stretch, const UChar *guest)
{
    struct entry *block = stretch->block;

    if (++block->executions >= HOT && !block->queued && pendings < MAX_PENDING) {
        block->queued = True;
        pending[pendings++] = block;
    }
    run_stretch(stretch, guest);
}

/* ------------------------------------------------------------------------------------------ recording */

Bool vg_cold_begin(struct vg_builder *b, Addr address)
{
    struct entry *entry;

    if (!vg.options.cold_blocks)
        return False;
    if (entries == NULL)
        entries = VG_(HT_construct)("tenure.blocks");
    entry = VG_(HT_lookup)(entries, address);
    if (entry == NULL) {
        entry = VG_(calloc)("tenure.block", 1, sizeof *entry);
        entry->address = address;
        VG_(HT_add_node)(entries, entry);
    }
    if (entry->hot)
        return False;
    entry->translations++;
    record.block = entry;
    record.of = NULL;
    record.first = True;
    shadow_size = b->guest->total_sizeB;
    return True;
}

void vg_cold_stretch(struct vg_builder *b)
{
    vg_cold_flush(b);
    record.of = b->stretch;
    record.branches = 0;
    record.words = record.counters = record.slots = 0;
}

void vg_cold_counter(struct vg_builder *b, UInt counter)
{
    (void)b;
    tl_assert(record.counters < MAX_COUNTERS);
    record.counter[record.counters++] = vg.layout->counters + 8ull * counter;
}

void vg_cold_branches(ULong branches)
{
    record.branches = branches;
}

void vg_cold_fetch(struct vg_builder *b, const struct tn_fetch_info *run, UInt id)
{
    (void)b;
    put(id);
    put(tn_fetch_stamp_back(run));
    put(run->line);
    put(tn_fetch_use(run));
    put(run->mask);
}

UInt vg_cold_slots(const struct vg_builder *b)
{
    return 2 * b->guest->total_sizeB / 8 - 1;
}

void vg_cold_access(struct vg_builder *b, IRExpr *address, UInt size, UInt id, UInt back)
{
    Int offset = b->guest->total_sizeB + 8 * (1 + record.slots);

    tl_assert(record.slots < vg_cold_slots(b));
    addStmtToIRSB(b->block, IRStmt_Put(offset, address));
    put(id | (ULong)size << 32);
    put(back | (ULong)record.slots << 32);
    record.slots++;
}

static struct stretch *keep_record(void)
{
    SizeT words = record.counters + record.words;
    struct stretch *stretch = VG_(malloc)("tenure.stretch", sizeof *stretch + words * sizeof(ULong));

    stretch->block = record.block;
    stretch->next = record.block->stretches;
    record.block->stretches = stretch;
    stretch->clock = (ULong)record.of->count * TN_STEP;
    stretch->data = record.of->reads | (ULong)record.of->writes << 32;
    stretch->branches = record.branches;
    stretch->counters = record.counters;
    stretch->words = record.words;
    VG_(memcpy)(stretch->list, record.counter, record.counters * sizeof(ULong));
    VG_(memcpy)(stretch->list + record.counters, record.word, record.words * sizeof(ULong));
    return stretch;
}

void vg_cold_flush(struct vg_builder *b)
{
    void *helper = record.first ? (void *)run_first_stretch : (void *)run_stretch;
    IRDirty *call;

    if (record.of == NULL)
        return;
    call = unsafeIRDirty_0_N(0, record.first ? "run_first_stretch" : "run_stretch",
                             VG_(fnptr_to_fnentry)(helper),
                             mkIRExprVec_2(vg_u64((Addr)keep_record()), IRExpr_GSPTR()));
    call->nFxState = 1;
    VG_(memset)(&call->fxState, 0, sizeof call->fxState);
    call->fxState[0].fx = Ifx_Read;
    call->fxState[0].offset = b->guest->total_sizeB;
    call->fxState[0].size = 8;
    addStmtToIRSB(b->block, IRStmt_Dirty(call));
    record.of = NULL;
    record.first = False;
}

/* ------------------------------------------------------------------------------------------ getting hot */

static void free_stretches(struct entry *entry)
{
    while (entry->stretches != NULL) {
        struct stretch *stretch = entry->stretches;

        entry->stretches = stretch->next;
        VG_(free)(stretch);
    }
}

/* One address may have two translations for a while; their stretches go with the last. */
void vg_cold_discarded(Addr address, VexGuestExtents extents)
{
    struct entry *entry = entries != NULL ? VG_(HT_lookup)(entries, address) : NULL;

    (void)extents;
    if (entry == NULL || entry->translations == 0)
        return;
    if (--entry->translations == 0)
        free_stretches(entry);
}

void vg_cold_promote(void)
{
    UInt i;

    if (pendings == 0)
        return;
    for (i = 0; i < pendings; i++) {
        pending[i]->hot = True;
        VG_(discard_translations)(pending[i]->address, 1, "tenure");
    }
    pendings = 0;
}
