/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bare.h: the core alone, for tests that are too large for the models: one thread, functions of
 * one-instruction segments, results read back with tests/refmodel/raw_simple.h.
 */
#ifndef TENURE_UNIT_BARE_H
#define TENURE_UNIT_BARE_H

#include "../refmodel/host_hosted.h"
#include "../refmodel/raw_simple.h"
#include "core/cache_hot.h"

#include <stdlib.h>
#include <string.h>

struct bare {
    tn_core *core;
    tn_thread *thread;
    const struct tn_layout *layout;
    struct host_stream stream;
    struct raw_simple *raw;
    struct sheet sheet;
    uint32_t object;
    uint64_t next_address;
};

static inline void bare_open(struct bare *b, const struct tn_config *config)
{
    struct tn_object_info object = {.path = "/bare", .start = 0x400000, .size = 0x100000};

    memset(b, 0, sizeof *b);
    b->core = tn_core_new(config);
    b->layout = tn_layout(b->core);
    b->object = tn_object(b->core, &object);
    b->next_address = 0x400000;
    b->thread = tn_thread_new(b->core, NULL, 0);
    tn_thread_switch(b->core, b->thread);
}

static inline uint32_t bare_function(struct bare *b, const char *name)
{
    struct tn_function_info info = {b->object, b->next_address, 1024, name, 0, 0, 0, {0}};

    b->next_address += 1024;
    return tn_function(b->core, &info);
}

struct bare_instr {
    uint32_t id, counter, fetch;
    struct tn_fetch_info info;
};

/* An instruction of 4 bytes, number `number` of the function that starts at `start`. */
static inline struct bare_instr bare_instr(struct bare *b, uint32_t function, uint64_t start, uint32_t number,
                                           uint32_t reads)
{
    struct tn_instr_info info = {start + number * 4, function, 4, 0, (uint16_t)reads, 0};
    struct bare_instr i;

    memset(&i, 0, sizeof i);
    i.id = tn_instr(b->core, &info);
    i.counter = tn_segment(b->core, &i.id, 1);
    i.info.instr = i.id;
    i.info.line = info.address & ~63ull;
    i.info.back_first = i.info.back_last = (1 + reads) * TN_STEP;
    i.info.touches = 1;
    i.info.bytes = 4;
    i.info.mask = 15ull << (info.address & 63);
    i.fetch = tn_fetch(b->core, &i.info);
    return i;
}

static inline void bare_execute(struct bare *b, const struct bare_instr *i, uint32_t reads)
{
    uint64_t *counter = (uint64_t *)((char *)b->thread + b->layout->counters);

    b->thread->clock += (1 + reads) * TN_STEP;
    b->thread->data += reads;
    counter[i->counter] += b->thread->collecting;
    tn_hot_fetch(b->thread, b->layout, i->fetch, &i->info, true);
}

/* The next part; the core's `why` is what was given to tn_dump. */
static inline bool bare_part(struct bare *b)
{
    if (!b->raw)
        b->raw = raw_simple_open(b->stream.data, b->stream.size);
    raw_simple_more(b->raw, b->stream.data, b->stream.size);
    return raw_simple_part(b->raw, &b->sheet);
}

static inline uint64_t bare_value(struct bare *b, const char *key, int column)
{
    return sheet_row(&b->sheet, key)[column];
}

static inline void bare_close(struct bare *b)
{
    tn_core_free(b->core);
    if (b->raw)
        raw_simple_close(b->raw);
    sheet_clear(&b->sheet);
    free(b->sheet.row), free(b->sheet.slot);
    free(b->stream.data);
}

#endif
