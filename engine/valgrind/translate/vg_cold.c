/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_cold.c: blocks that have not run often yet.
 *
 * Large programs run most of their blocks a few times only, and translating a block with all tests in line costs
 * Valgrind four times what it costs without. So a block begins cold: its accesses only put their addresses into
 * the spare words of the guest state's shadow (one host instruction each), and one helper call at the end of each
 * stretch does in C, from a list made at translation, what hot code does in line: the same counts, the same tests,
 * the same stamps, in the same order. A block that has been executed HOT times is discarded when a thread's turn ends
 * (no translation runs then, nor has the next one been chosen) and translated again, hot. Discarding makes Valgrind
 * forget where it found all others; so such blocks wait until there are some of them, or one has run as often again.
 *
 * The list is a row of items of 8 or 16 bytes. It belongs to the block's entry in a table by guest address, which
 * also remembers that the block is hot, and is given back when the translation is discarded. Large programs have
 * hundreds of thousands of them: lists are packed, and live in a pool.
 *
 * The call stands before the statement by which the stretch may be left, behind all its accesses. Only a fault can
 * come in between. The word in front of the spare ones says then which stretch it was (see vg_emit.h), and what it
 * did up to the fault is done late. Where an instruction has several accesses, an address of 0 says that the fault came
 * before the next one.
 */
#include "vg_emit.h"

#include "pub_tool_guest.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_machine.h"

#include "core/cache_hot.h"
#include "engine/valgrind/base/vg_host.h"

enum {
    HOT = 4000,         /* executions after which translating again pays */
    MAX_BYTES = 8192,   /* of one stretch's list while it is recorded */
    MAX_COUNTERS = 512, /* counters of one stretch */
    MAX_PENDING = 1024, /* blocks waiting to be translated again */
    COMPANY = 256,      /* so many wait for one another */
    SHADOW_WORDS = 2,   /* of the first shadow, before the slots */
    MAX_SLOTS = 256,    /* more than there are, and than an access's place needs */
};

/* A data access. Its address is in the slot after that of the access before it. */
struct access {
    UInt id;
    UShort size : 15, written : 1; /* written: its granules are kept apart too */
    UShort back; /* accesses to the stretch's end: stamps are in steps of TN_STEP */
};

/* A fetch run. */
struct fetch {
    UInt id;
    UShort size; /* 0: that is how the two are told apart */
    UChar line;  /* lines behind the block's first */
    UChar touches;
    UChar back;     /* of its last fetch, in accesses ... */
    UChar second;   /* ... less this: 1 if it is nothing but the second half of an instruction */
    UShort bytes;
    UChar first, last; /* granules */
    UShort order;      /* of its first fetch */
};

/* A stretch, as its helper needs it. */
struct stretch {
    Addr line;     /* the block's first */
    UInt next;     /* of the block, by its id */
    UInt block;    /* its entry's id */
    UInt executions; /* of the block, if this is its first stretch; since it was last found hot */
    UInt segment;  /* 0: the stretch has no instructions */
    UInt branches; /* conditional | indirect << 16 */
    UShort count;  /* fetches and accesses */
    UShort reads, writes;
    UShort counters, bytes;
    UInt list[]; /* `counters` counters, then `bytes` bytes of items */
};

struct entry {
    struct entry *next; /* VgHashNode */
    UWord address;
    UInt id;        /* its own */
    UInt stretches; /* the last one's id */
    UShort translations; /* alive, by this table's knowledge */
    Bool queued, hot;
};

static VgHashTable *entries;
static struct entry *pending[MAX_PENDING];
static UInt pendings;
static Bool urgent; /* one of them has run HOT times more */

/* The stretch being recorded. */
static struct {
    struct entry *block;
    Addr line; /* its first; the entry's address is another where Valgrind redirects */
    const struct vg_stretch *of; /* NULL: none, or its call has been emitted */
    IRConst *running; /* what its code says it is, if it says so */
    UInt branches;
    UChar item[MAX_BYTES];
    UInt counter[MAX_COUNTERS];
    UInt bytes, counters, slots;
    Bool first; /* of its block */
} record;

static UInt shadow_size; /* bytes of one shadow area */

/* ------------------------------------------------------------------------------------------ running */

static inline void do_fetch(tn_thread *thread, const struct tn_l1_layout *l1, const struct stretch *stretch,
                            const struct fetch *fetch, Bool use)
{
    Addr line = stretch->line + ((Addr)fetch->line << l1->line_bits);
    struct tn_way *way = tn_hot_way(thread, l1, line);

    if (way->line != line) {
        tn_slow_fetch(thread, fetch->id);
        way = tn_hot_way(thread, l1, line);
    }
    if (use) {
        way->use += fetch->touches | (ULong)fetch->bytes << TN_TOUCH_BITS;
        way->mask |= (~0ull >> (63 - (fetch->last - fetch->first))) << fetch->first;
    }
    way->stamp = thread->clock - (fetch->back * TN_STEP - fetch->second);
}

static const UChar *first_item(const struct stretch *stretch)
{
    return (const UChar *)(stretch->list + stretch->counters);
}

static inline void do_items(tn_thread *thread, const struct tn_layout *layout, const struct stretch *stretch,
                            const UChar *end, const ULong *slot, Bool use)
{
    const UChar *at = first_item(stretch);

    while (at < end) {
        const struct access *access = (const struct access *)at;

        if (access->size != 0) {
            Addr address = *slot++;

            tn_hot_data(thread, layout, address, access->id, access->size, access->back * TN_STEP, access->written,
                        use);
            if (access->written)
                tn_hot_written_in(thread, layout, layout->d1.table, address, access->size);
            at += sizeof *access;
        } else {
            do_fetch(thread, &layout->i1, stretch, (const struct fetch *)at, use);
            at += sizeof(struct fetch);
        }
    }
}

/* A copy of the layout, since nothing can change that; and for the usual one a copy of the code that knows it. */
static void run_items(tn_thread *thread, const struct stretch *stretch, const UChar *end, const ULong *slot)
{
    struct tn_layout layout = *vg.layout;

    if (layout.d1.line_bits == 6 && layout.i1.line_bits == 6 && vg.config.use) {
        layout.d1.line_bits = layout.i1.line_bits = 6;
        layout.d1.granule_bits = layout.i1.granule_bits = 0;
        do_items(thread, &layout, stretch, end, slot, True);
    } else {
        do_items(thread, &layout, stretch, end, slot, vg.config.use);
    }
}

static inline void count_all(tn_thread *thread, const struct stretch *stretch)
{
    thread->clock += (ULong)stretch->count * TN_STEP;
    thread->data += stretch->reads | (ULong)stretch->writes << 32;
    thread->branches += (stretch->branches & 0xffff) | (ULong)(stretch->branches >> 16) << 32;
    for (UInt i = 0; i < stretch->counters; i++)
        vg_count(thread, stretch->list[i]);
}

/* The helper. `guest` is the guest state; the first two words of its first shadow are the thread base and the
 * running stretch, the slots follow. */
static void run_stretch(const struct stretch *stretch, UChar *guest)
{
    ULong *shadow = (ULong *)(guest + shadow_size);

    count_all(vg.current, stretch);
    run_items(vg.current, stretch, first_item(stretch) + stretch->bytes, shadow + SHADOW_WORDS);
    shadow[1] = 0;
}

void vg_cold_again(UInt id)
{
    struct entry *block = vg_pool_at(id);

    if (block->queued) {
        urgent = True;
    } else if (pendings < MAX_PENDING) {
        block->queued = True;
        pending[pendings++] = block;
    }
}

static __attribute__((noinline)) void found_hot(struct stretch *stretch)
{
    stretch->executions = 0;
    vg_cold_again(stretch->block);
}

static void run_first_stretch(struct stretch *stretch, UChar *guest)
{
    if (++stretch->executions == HOT)
        found_hot(stretch);
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
        UInt id = vg_pool_get(sizeof *entry);

        entry = vg_pool_at(id);
        VG_(memset)(entry, 0, sizeof *entry);
        entry->id = id;
        entry->address = address;
        VG_(HT_add_node)(entries, entry);
    }
    b->entry = entry->id;
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

void vg_cold_stretch(struct vg_builder *b, ULong branches)
{
    vg_cold_flush(b);
    record.of = b->stretch;
    record.running = vg_emit_running(b, 0);
    record.branches = (branches & 0xffff) | branches >> 32 << 16;
    record.bytes = record.counters = record.slots = 0;
}

void vg_cold_counter(UInt counter)
{
    tl_assert(record.counters < MAX_COUNTERS);
    record.counter[record.counters++] = counter;
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

    tl_assert(line <= 255 && run->touches <= 255 && run->bytes <= 0xffff && run->back_last / TN_STEP <= 255);
    fetch->id = id;
    fetch->size = 0;
    fetch->line = line;
    fetch->touches = run->touches;
    fetch->back = run->back_last / TN_STEP;
    fetch->second = run->last_second;
    fetch->order = b->stretch->count - run->back_first / TN_STEP;
    fetch->bytes = run->bytes;
    fetch->first = __builtin_ctzll(run->mask);
    fetch->last = 63 - __builtin_clzll(run->mask);
}

static void put_slot(struct vg_builder *b, UInt slot, IRExpr *value)
{
    addStmtToIRSB(b->block, IRStmt_Put(b->guest->total_sizeB + 8 * (SHADOW_WORDS + slot), value));
}

UInt vg_cold_slots(const struct vg_builder *b)
{
    UInt slots = 2 * b->guest->total_sizeB / 8 - SHADOW_WORDS;

    return slots < MAX_SLOTS ? slots : MAX_SLOTS - 1;
}

void vg_cold_access(struct vg_builder *b, const struct vg_access *of, UInt id, UInt back, Bool more)
{
    struct access *access = add_item(sizeof *access);

    tl_assert(record.slots + more < vg_cold_slots(b) && back / TN_STEP <= 0xffff);
    if (more)
        put_slot(b, record.slots + 1, vg_u64(0));
    put_slot(b, record.slots, of->address);
    access->id = id;
    access->size = of->size;
    access->written = vg.layout->d1.written != 0 && of->kind != TN_READ;
    access->back = back / TN_STEP;
    record.slots++;
}

static SizeT size_of(const struct stretch *stretch)
{
    return sizeof *stretch + stretch->counters * sizeof stretch->list[0] + stretch->bytes;
}

static struct stretch *keep_record(void)
{
    struct stretch head = {.line = record.line,
                           .next = record.block->stretches,
                           .block = record.block->id,
                           .segment = record.of->segment,
                           .branches = record.branches,
                           .count = record.of->count,
                           .reads = record.of->reads,
                           .writes = record.of->writes,
                           .counters = record.counters,
                           .bytes = record.bytes};
    UInt id = vg_pool_get(size_of(&head));
    struct stretch *stretch = vg_pool_at(id);

    *stretch = head;
    record.block->stretches = id;
    if (record.running != NULL)
        record.running->Ico.U64 = id << 1;
    VG_(memcpy)(stretch->list, record.counter, record.counters * sizeof stretch->list[0]);
    VG_(memcpy)(stretch->list + record.counters, record.item, record.bytes);
    return stretch;
}

void vg_cold_flush(struct vg_builder *b)
{
    const HChar *name = record.first ? "run_first_stretch" : "run_stretch";
    void *helper = record.first ? (void *)run_first_stretch : (void *)run_stretch;
    IRDirty *call;

    if (record.of == NULL)
        return;
    call = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(helper),
                             mkIRExprVec_2(vg_u64((Addr)keep_record()), IRExpr_GSPTR()));
    call->nFxState = 1;
    VG_(memset)(&call->fxState, 0, sizeof call->fxState);
    call->fxState[0].fx = Ifx_Modify;
    call->fxState[0].offset = b->guest->total_sizeB;
    call->fxState[0].size = 8 * SHADOW_WORDS;
    addStmtToIRSB(b->block, IRStmt_Dirty(call));
    record.of = NULL;
    record.first = False;
}

/* ------------------------------------------------------------------------------------------ getting hot */

/* One address may have two translations for a while; their stretches go with the last. */
void vg_cold_discarded(Addr address, VexGuestExtents extents)
{
    struct entry *entry = entries != NULL ? VG_(HT_lookup)(entries, address) : NULL;

    (void)extents;
    if (entry == NULL || entry->translations == 0)
        return;
    if (--entry->translations > 0)
        return;
    while (entry->stretches != 0) {
        UInt id = entry->stretches;
        const struct stretch *stretch = vg_pool_at(id);

        entry->stretches = stretch->next;
        vg_pool_put(id, size_of(stretch));
    }
}

void vg_cold_promote(void)
{
    Addr moved;

    if (tn_access_moved(vg.core, &moved)) /* only hot code can be better for it */
        VG_(discard_translations)(moved, 1, "tenure");
    if (pendings < COMPANY && !urgent)
        return;
    for (UInt i = 0; i < pendings; i++) {
        pending[i]->queued = False;
        pending[i]->hot = True;
        VG_(discard_translations)(pending[i]->address, 1, "tenure");
    }
    pendings = 0;
    urgent = False;
}

/* ------------------------------------------------------------------------------------------ faults */

/* Where the items end that were reached before the fault: all up to access `limit` of the stretch, but for those of
 * the last instruction whose address was not yet known. Fills in the slots of the others. */
static const UChar *reached(ThreadId tid, const struct stretch *stretch, UInt limit, ULong *slot)
{
    const UChar *at = first_item(stretch), *end = at + stretch->bytes;
    UInt slots = 0;

    while (at < end) {
        const struct access *access = (const struct access *)at;
        UInt order = access->size != 0 ? stretch->count - access->back : ((const struct fetch *)at)->order;

        if (order >= limit)
            break;
        if (access->size != 0) {
            UInt offset = 8 * (SHADOW_WORDS + slots);

            VG_(get_shadow_regs_area)(tid, (UChar *)&slot[slots], 1 + offset / shadow_size, offset % shadow_size,
                                      sizeof slot[0]);
            if (slot[slots++] == 0)
                break;
            at += sizeof *access;
        } else {
            at += sizeof(struct fetch);
        }
    }
    return at;
}

void vg_cold_fault(ThreadId tid, UInt id, Addr address)
{
    const struct stretch *stretch = vg_pool_at(id);
    ULong slot[MAX_SLOTS];
    UInt limit = stretch->segment != 0 ? tn_accesses_to(vg.core, stretch->segment, address) : stretch->count;
    const UChar *end = reached(tid, stretch, limit, slot);

    count_all(vg.current, stretch);
    run_items(vg.current, stretch, end, slot);
    if (stretch->segment != 0)
        tn_take_back(vg.current, stretch->segment, address);
}
