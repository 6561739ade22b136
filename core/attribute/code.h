/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h: what was translated: objects, functions, instructions, segments, accesses.
 *
 * Everything is find-or-make and nothing is ever removed, so that code translated again goes on counting where
 * it stopped. Ids index arrays; equality is by content.
 *
 *   counter[c] counts executions of counters[c]: a segment (all instructions of run[first .. first + n)) or one
 *   guarded access of an instruction
 */
#ifndef TENURE_CORE_CODE_H
#define TENURE_CORE_CODE_H

#include "core/base/arena.h"
#include "core/base/table.h"
#include "core/tenure_core.h"

struct tn_function {
    uint32_t object, flags;
    uint64_t start, size;
    const char *name;
    uint16_t separate_callers, separate_recs; /* what its contexts keep apart */
    struct tn_allocation allocation;
    /* A context (context.h). A function is one of its own: base == its id, level 1, no callers. */
    uint32_t base, level, first_caller, callers;
};

struct tn_object_entry {
    struct tn_object_info info; /* strings owned by code.names */
};

enum tn_counter_kind { TN_COUNTER_SEGMENT, TN_COUNTER_READ, TN_COUNTER_WRITE };

struct tn_counter {
    uint32_t first, n; /* of runs; for a guarded access: first is the instruction */
    uint8_t kind;
};

/* Where the misses of an access or of a fetch run are charged, remembered for the thread and context it last missed
 * in; where threads are parallel, for the first thread that missed. Cost centres stay where they are. */
struct tn_payer {
    uint64_t key; /* thread | context << 32; 0: not known yet */
    uint32_t object; /* that was missed in; 0: data objects are not charged */
    struct tn_late *late;
};

/* One host line each: a miss of the program's is one of the host's here, too. */
struct tn_access_entry {
    _Alignas(64) struct tn_access_info info;
    uint32_t table;              /* offset of its way table from the thread base */
    uint32_t now;                /* the access it has become; 0: itself */
    uint32_t moves;              /* from table to table so far */
    uint32_t aliases, aliases_in; /* hits that the way table did not lead to, since which move (tn_core.moves) */
    struct tn_payer payer;
};

struct tn_fetch_entry {
    _Alignas(64) struct tn_fetch_info info;
    struct tn_payer payer;
};

struct tn_code {
    struct tn_array objects, functions, instrs, counters, accesses, fetches;
    struct tn_table instr_table, counter_table, access_table, fetch_table;
    struct tn_array runs; /* uint32_t instr ids, segment after segment; never across a gap */
    struct tn_bytes names;
};

void tn_code_init(struct tn_code *code);
void tn_code_free(struct tn_code *code);

uint32_t tn_code_object(struct tn_code *code, const struct tn_object_info *info);
uint32_t tn_code_function(struct tn_code *code, const struct tn_function_info *info);
uint32_t tn_code_instr(struct tn_code *code, const struct tn_instr_info *info);
uint32_t tn_code_segment(struct tn_code *code, const uint32_t *instrs, uint32_t n, uint32_t limit);
uint32_t tn_code_guarded(struct tn_code *code, uint32_t instr, bool write, uint32_t limit);
uint32_t tn_code_access(struct tn_code *code, const struct tn_access_info *info, uint32_t table);
/* A new access that is to be used instead of `id`, with another table. */
uint32_t tn_code_access_move(struct tn_code *code, uint32_t id, uint32_t table);
uint32_t tn_code_fetch(struct tn_code *code, const struct tn_fetch_info *info);

static inline struct tn_function *tn_code_get_function(const struct tn_code *code, uint32_t id)
{
    return tn_array_at(&code->functions, id);
}
static inline struct tn_instr_info *tn_code_get_instr(const struct tn_code *code, uint32_t id)
{
    return tn_array_at(&code->instrs, id);
}
static inline struct tn_access_entry *tn_code_get_access(const struct tn_code *code, uint32_t id)
{
    return TN_ARRAY_AT(struct tn_access_entry, &code->accesses, id);
}
static inline struct tn_fetch_entry *tn_code_get_fetch(const struct tn_code *code, uint32_t id)
{
    return TN_ARRAY_AT(struct tn_fetch_entry, &code->fetches, id);
}
static inline struct tn_counter *tn_code_get_counter(const struct tn_code *code, uint32_t id)
{
    return tn_array_at(&code->counters, id);
}
static inline uint32_t tn_code_run(const struct tn_code *code, uint32_t index)
{
    return *(uint32_t *)tn_array_at(&code->runs, index);
}

size_t tn_code_bytes(const struct tn_code *code);

#endif
