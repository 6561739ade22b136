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
 * The list is a row of items of 8 or 16 bytes. It belongs to the block's entry in a table by guest address, which
 * also remembers that the block is hot, and is given back when the translation is discarded. Large programs have
 * hundreds of thousands of them: lists are packed, and live in a pool.
 *
 * The call stands before the statement by which the stretch may be left, behind all its accesses; only a fault
 * can come in between, and then the stretch has not been counted.
 */
#include "vg_cold.h"

#include "pub_tool_guest.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_machine.h"

#include "core/cache_hot.h"
#include "vg_pool.h"

/* What VG_(discard_translations_safely) calls once it has made sure that it is called from a client request. */
extern void VG_(discard_translations)(Addr start, ULong bytes, const HChar *who);

enum {
    HOT = 4000,         /* executions after which translating again pays */
    MAX_BYTES = 8192,   /* of one stretch's list while it is recorded */
    MAX_COUNTERS = 512, /* counters of one stretch */
    MAX_PENDING = 1024, /* blocks waiting to be translated again */
};

/* A data access. Its address is in the slot after that of the access before it. */
struct access {
    UInt id;
    UShort size;
    UShort back; /* accesses to the stretch's end: stamps are in steps of TN_STEP */
};

/* A fetch run. */
struct fetch {
    UInt id;
    UShort size; /* 0: that is how the two are told apart */
    UChar line;  /* lines behind the block's first */
    UChar touches;
    UInt back; /* of the stamp */
    UShort bytes;
    UChar first, last; /* granules */
};

/* A stretch, as its helper needs it. */
struct stretch {
    struct stretch *next; /* of the block */
    Addr line;            /* the block's first */
    UInt branches;        /* conditional | indirect << 16 */
    UShort count;         /* fetches and accesses */
    UShort reads, writes;
    UShort counters, bytes;
    UInt list[]; /* `counters` counters, then `bytes` bytes of items */
};

struct entry {
    struct entry *next; /* VgHashNode */
    UWord address;
    struct stretch *stretches;
    UInt executions;
    UShort translations; /* alive, by this table's knowledge */
    Bool queued, hot;
};

static VgHashTable *entries;
static struct entry *pending[MAX_PENDING];
static UInt pendings;

/* The stretch being recorded. */
static struct {
    struct entry *block;
    Addr line; /* its first; the entry's address is another where Valgrind redirects */
    const struct vg_stretch *of; /* NULL: none, or its call has been emitted */
    UInt branches;
    UChar item[MAX_BYTES];
    UInt counter[MAX_COUNTERS];
    UInt bytes, counters, slots;
    Bool first; /* of its block */
} record;

static UInt shadow_size; /* bytes of one shadow area */

/* ------------------------------------------------------------------------------------------ running */

static void do_fetch(tn_thread *thread, const struct stretch *stretch, const struct fetch *fetch)
{
    const struct tn_l1_layout *l1 = &vg.layout->i1;
    Addr line = stretch->line + ((Addr)fetch->line << l1->line_bits);
    struct tn_way *way = tn_hot_way(thread, l1, line);

    if (way->line != line) {
        tn_slow_fetch(thread, fetch->id);
        way = tn_hot_way(thread, l1, line);
    }
    if (vg.config.use) {
        way->use += fetch->touches | (ULong)fetch->bytes << TN_TOUCH_BITS;
        way->mask |= (~0ull >> (63 - (fetch->last - fetch->first))) << fetch->first;
    }
    way->stamp = thread->clock - fetch->back;
}

static void count_all(tn_thread *thread, const struct stretch *stretch)
{
    UInt i;

    thread->clock += (ULong)stretch->count * TN_STEP;
    thread->data += stretch->reads | (ULong)stretch->writes << 32;
    thread->branches += (stretch->branches & 0xffff) | (ULong)(stretch->branches >> 16) << 32;
    for (i = 0; i < stretch->counters; i++)
        vg_count(thread, stretch->list[i]);
}

/* The helper. `guest` is the guest state; the slots follow the thread base in its first shadow. */
static void run_stretch(const struct stretch *stretch, const UChar *guest)
{
    tn_thread *thread = vg.current;
    const ULong *slot = (const ULong *)(guest + shadow_size) + 1;
    const UChar *at = (const UChar *)(stretch->list + stretch->counters), *end = at + stretch->bytes;

    count_all(thread, stretch);
    while (at < end) {
        const struct access *access = (const struct access *)at;

        if (access->size != 0) {
            tn_hot_data(thread, vg.layout, *slot++, access->id, access->size, access->back * TN_STEP, vg.config.use);
            at += sizeof *access;
        } else {
            do_fetch(thread, stretch, (const struct fetch *)at);
            at += sizeof(struct fetch);
        }
    }
}

static void run_first_stretch(const struct stretch *stretch, const UChar *guest, struct entry *block)
{
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
        entry = vg_pool_get(sizeof *entry);
        VG_(memset)(entry, 0, sizeof *entry);
        entry->address = address;
        VG_(HT_add_node)(entries, entry);
    }
    if (entry->hot)
        return False;
    entry->translations++;
    record.block = entry;
    record.line = VG_ROUNDDN(b->plan->insn[0].address, 1ull << vg.layout->i1.line_bits);
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
    record.bytes = record.counters = record.slots = 0;
}

void vg_cold_counter(struct vg_builder *b, UInt counter)
{
    (void)b;
    tl_assert(record.counters < MAX_COUNTERS);
    record.counter[record.counters++] = counter;
}

void vg_cold_branches(ULong branches)
{
    record.branches = (branches & 0xffff) | branches >> 32 << 16;
}

static void *add_item(SizeT bytes)
{
    void *item = record.item + record.bytes;

    record.bytes += bytes;
    tl_assert(record.bytes <= MAX_BYTES);
    return item;
}

void vg_cold_fetch(struct vg_builder *b, const struct tn_fetch_info *run, UInt id)
{
    struct fetch *fetch = add_item(sizeof *fetch);
    ULong line = (run->line - record.line) >> vg.layout->i1.line_bits;

    (void)b;
    tl_assert(line <= 255 && run->touches <= 255 && run->bytes <= 0xffff);
    fetch->id = id;
    fetch->size = 0;
    fetch->line = line;
    fetch->touches = run->touches;
    fetch->back = tn_fetch_stamp_back(run);
    fetch->bytes = run->bytes;
    fetch->first = __builtin_ctzll(run->mask);
    fetch->last = 63 - __builtin_clzll(run->mask);
}

UInt vg_cold_slots(const struct vg_builder *b)
{
    return 2 * b->guest->total_sizeB / 8 - 1;
}

void vg_cold_access(struct vg_builder *b, IRExpr *address, UInt size, UInt id, UInt back)
{
    Int offset = b->guest->total_sizeB + 8 * (1 + record.slots);
    struct access *access = add_item(sizeof *access);

    tl_assert(record.slots < vg_cold_slots(b) && back / TN_STEP <= 0xffff);
    addStmtToIRSB(b->block, IRStmt_Put(offset, address));
    access->id = id;
    access->size = size;
    access->back = back / TN_STEP;
    record.slots++;
}

static SizeT size_of(const struct stretch *stretch)
{
    return sizeof *stretch + stretch->counters * sizeof stretch->list[0] + stretch->bytes;
}

static struct stretch *keep_record(void)
{
    struct stretch head = {.next = record.block->stretches,
                           .line = record.line,
                           .branches = record.branches,
                           .count = record.of->count,
                           .reads = record.of->reads,
                           .writes = record.of->writes,
                           .counters = record.counters,
                           .bytes = record.bytes};
    struct stretch *stretch = vg_pool_get(size_of(&head));

    *stretch = head;
    record.block->stretches = stretch;
    VG_(memcpy)(stretch->list, record.counter, record.counters * sizeof stretch->list[0]);
    VG_(memcpy)(stretch->list + record.counters, record.item, record.bytes);
    return stretch;
}

void vg_cold_flush(struct vg_builder *b)
{
    const HChar *name = record.first ? "run_first_stretch" : "run_stretch";
    void *helper = record.first ? (void *)run_first_stretch : (void *)run_stretch;
    IRExpr **arguments;
    IRDirty *call;

    if (record.of == NULL)
        return;
    arguments = record.first ? mkIRExprVec_3(vg_u64((Addr)keep_record()), IRExpr_GSPTR(),
                                             vg_u64((Addr)record.block))
                             : mkIRExprVec_2(vg_u64((Addr)keep_record()), IRExpr_GSPTR());
    call = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(helper), arguments);
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
        vg_pool_put(stretch, size_of(stretch));
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
