/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * objects.h: data objects, and who pays for the misses in them (docs/attribution.md, section 11).
 *
 * The late costs of data accesses are kept for each pair of instruction and object: this is a *share* of the
 * instruction's cost centre. A miss is counted in one share only, and the costs of a centre are the sum of its shares.
 * A share belongs to one thread, as a centre does.
 *
 * An allocation path is an *origin*: the origin of its caller, a call site and a function. A node of the tree remembers
 * its origin and the object of the blocks that it allocates. So each node looks these up once, at its first allocation.
 * Origins and objects stay when the node is gone.
 *
 * Where in an object the misses are, and which bytes of it are used, is kept by slices (slice.h).
 *
 * The lock tn_core.memory protects objects, origins, and the map of memory (memory.h).
 */
#ifndef TENURE_CORE_OBJECTS_H
#define TENURE_CORE_OBJECTS_H

#include "backdate.h"
#include "cell.h"
#include "core/base/arena.h"
#include "core/base/table.h"
#include "core/tenure_core.h"
#include "cost.h"
#include "memory.h"
#include "slice.h"

#include <stdbool.h>
#include <stdint.h>

struct tn_data_object {
    uint8_t kind; /* enum tn_data_kind */
    bool defined;
    uint32_t origin, thread;
    uint32_t element, lead; /* bytes of an element of its blocks, 0: not known; bytes in front of the first element */
    uint64_t type;          /* the engine's number for the type of an element */
    uint32_t typed_by;      /* of a heap object: the instruction whose call tells the type */
    uint32_t slices;        /* the slice made last, first in the list of its slices; the consumer's */
    uint64_t address, size; /* of a static one: in its file; bytes */
    const char *name, *file;
    uint64_t began, ended, bytes, largest; /* blocks, while collection was on */
    uint64_t pages;         /* of 4 kB, that were touched for the first time when an access missed in the object */
    uint32_t number;                       /* of blocks so far; its low bits are in the blocks' entries (memory.h) */
    uint32_t relocation;                   /* 0: it is simulated where it is (remap.h) */
};

struct tn_origin {
    uint32_t caller; /* origin; 0: the root */
    uint32_t site, function;
};

enum { TN_NODE_ORIGINS = 1 << 11 }; /* a power of two; 32 kB of them */

struct tn_data {
    struct tn_array objects, origins; /* by id */
    struct tn_node_origin {
        uint64_t node;
        uint32_t origin;
    } node_origins[TN_NODE_ORIGINS]; /* by the node's id: of the paths of nodes lately asked for */
    uint32_t raised;                 /* the sums', when they were asked for */
    struct tn_array path;            /* const struct tn_node *: those whose origins are to be found */
    struct tn_table object_table, origin_table;
    struct tn_memory memory;
    struct tn_slices slices; /* the consumer's */
    struct tn_cells cells;   /* the same */
    struct tn_bytes names;
    uint32_t rest; /* the object of the heap's memory that is in no block */
    struct tn_remapping *remapping; /* NULL: nothing is simulated elsewhere */
};

struct tn_share {
    uint32_t instr, object;
    struct tn_late late;
    struct tn_cell *cell; /* the cell of the node that missed last; the consumer's; NULL: no node has missed */
    struct tn_inside inside; /* the consumer's */
};

/* The shares of one thread. */
struct tn_shares {
    struct tn_array list; /* struct tn_share, from 1 */
    struct tn_table table;
};

/* Data objects, of which none is known yet. The caller frees them. */
struct tn_data *tn_data_new(const struct tn_config *config, struct tn_cost_pools *pools);
/* NULL is allowed. */
void tn_data_free(struct tn_data *data);
size_t tn_data_bytes(const struct tn_data *data);

void tn_shares_init(struct tn_shares *shares);
void tn_shares_free(struct tn_shares *shares);

static inline struct tn_data_object *tn_data_object_of(const struct tn_data *data, uint32_t id)
{
    return tn_array_at(&data->objects, id);
}
static inline struct tn_origin *tn_origin_of(const struct tn_data *data, uint32_t id)
{
    return tn_array_at(&data->origins, id);
}
static inline struct tn_share *tn_share_at(const struct tn_shares *shares, uint32_t i)
{
    return TN_ARRAY_AT(struct tn_share, &shares->list, i);
}

/* The share that has these late costs. */
static inline struct tn_share *tn_share_with(struct tn_late *late)
{
    return (struct tn_share *)((char *)late - offsetof(struct tn_share, late));
}

/* The late costs of the share of `instr` and `object`, which is made if there is none. */
struct tn_late *tn_share_of(struct tn_shares *shares, uint32_t instr, uint32_t object);

/* The late costs of `node` in the object of the share that has `payer`. Without data objects: those of all the node's
 * data accesses. */
TN_ALWAYS_INLINE struct tn_late *tn_late_of_node(struct tn_data *data, struct tn_node *node, struct tn_late *payer)
{
    struct tn_share *share = data ? tn_share_with(payer) : NULL;
    if (!data)
        return &node->late[TN_DATA];
    if (!share->cell || share->cell->owner != (uintptr_t)node || share->cell->object != share->object)
        share->cell = tn_node_cell(&data->cells, node, share->object);
    return &share->cell->late;
}

/* Whether offsets in it mean anything. */
static inline bool tn_has_offsets(const struct tn_data_object *object)
{
    return object->kind == TN_DATA_HEAP || object->kind == TN_DATA_NAMED ||
           (object->kind == TN_DATA_STATIC && object->size);
}

/* What holds an address: the object, the number of the address's unit in its block or symbol, and how many of the units
 * after it belong to the same block, counted up to the first unit behind the line. */
struct tn_held {
    uint32_t object, unit, reach;
};

/* Find out what holds an address that the map of memory does not know yet, and enter it there. */
struct tn_held tn_data_find(tn_core *core, uint64_t address);
/* The same, for a miss there: its page is touched. */
struct tn_held tn_data_ask(tn_core *core, uint64_t address);

/* Count the page of an address that `object` holds, if it is touched for the first time. */
void tn_page_touched(tn_core *core, uint64_t address, uint32_t object);

/* What holds an address. `line`: the size of lines. Always inlined, since the structure would be returned through
 * memory, written in halves and read as a whole, for which the CPU has to wait. */
TN_ALWAYS_INLINE struct tn_held tn_data_at(tn_core *core, const struct tn_data *data, uint64_t address, uint32_t line)
{
    const struct tn_page *page = tn_memory_page(&data->memory, address);
    uint64_t entry = page ? tn_page_entry(&data->memory, page, address) : 0;
    if (page && !__atomic_load_n(&page->touched, __ATOMIC_RELAXED))
        tn_page_touched(core, address, entry ? tn_entry_object(entry) : page->rest);
    if (entry) {
        uint32_t rest = (line - (uint32_t)(address & (line - 1)) + (1 << TN_UNIT_BITS) - 1) >> TN_UNIT_BITS;
        return (struct tn_held){tn_entry_object(entry), (uint32_t)entry,
                                tn_memory_reach(&data->memory, page, address, entry, rest)};
    }
    uint32_t object = page ? __atomic_load_n(&page->rest, __ATOMIC_RELAXED) : 0;
    return object ? (struct tn_held){.object = object} : tn_data_ask(core, address);
}

/* The object of the blocks that are allocated in `node`. If `skipped` is not 0, that function, which has no node of its
 * own, allocates them, called from `site` in the node's function. */
uint32_t tn_data_allocated(tn_core *core, struct tn_node *node, uint32_t site, uint32_t skipped);
struct tn_block {
    uint64_t address, bytes, each; /* each: bytes of an element as the program asked for it; 0: it gave a sum only */
};
/* A block of the object begins. */
void tn_block_begins(tn_core *core, uint32_t object, const struct tn_block *block, bool collecting);
/* The block, or named region, at the address ends. Nothing happens if there is none. */
void tn_block_ends(tn_core *core, uint64_t address, bool named, bool collecting);

/* The thread begins with this stack pointer: the memory around it becomes the thread's stack. */
void tn_data_stack_begins(struct tn_thread *thread, uint64_t sp);
void tn_data_stack_ends(struct tn_thread *thread);

/* Set all counts to zero. The map of memory stays. */
void tn_data_clear(struct tn_data *data);
/* Forget that definitions were written to the raw profile. */
void tn_data_undefine(struct tn_data *data);

#endif
