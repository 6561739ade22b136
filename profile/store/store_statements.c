/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_statements.c: what statements cost: in all, by kind of access, and by data object.
 *
 * One statement at a time: its instructions, from a counting sort. An instruction that loads belongs to the statement's
 * loads and one that stores to its stores, integer or floating point by what it has in memory. One that does both is
 * in both rows: reads and their misses are the loads', writes and theirs the stores'. What is not of one kind (the
 * instruction itself, the use of the lines it loaded) goes with its loads.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/store/store.h"

enum { LOAD, STORE, ACCESSES, TYPES = 3 /* enum tp_type */ };

struct kind {
    uint64_t cost[TP_MAX_EVENTS];
    uint8_t can;
    bool any;
};

struct statements {
    struct tp_store *store;
    uint32_t *order, *first; /* instructions by statement; those of statement s (+ 1): first[s - 1] to first[s] */
    struct tp_insert statement, access, data;
    struct kind all, kind[ACCESSES][TYPES];
    struct tp_cost_rows data_rows; /* of the statement at hand, by data object + 1 */
};

static int sort_instructions(struct statements *s)
{
    const struct tp_recording *rec = s->store->rec;
    size_t count = rec->statements.count;

    s->first = calloc(count + 2, sizeof *s->first);
    s->order = calloc(rec->instrs.count + 1, sizeof *s->order);
    if (!s->first || !s->order)
        return TP_NO_MEMORY(s->store->err);
    for (size_t i = 0; i < rec->instrs.count; i++)
        s->first[rec->instrs.at[i].statement + 1]++;
    s->first[1] = 0; /* those of no statement */
    for (size_t i = 1; i < count + 2; i++)
        s->first[i] += s->first[i - 1];
    for (size_t i = 0; i < rec->instrs.count; i++) {
        if (rec->instrs.at[i].statement)
            s->order[s->first[rec->instrs.at[i].statement]++] = (uint32_t)i;
    }
    return 0; /* each first[statement] has gone to where the next one's begin */
}

/* ------------------------------------------------------------------------------------------ one instruction */

/* The part of an instruction's costs that is of one kind of access. `only`: it does nothing else. */
static void statements_add_kind(const struct tp_events *events, struct kind *kind, const uint64_t *row, uint8_t can,
                                int access, bool only)
{
    uint8_t mine = access == LOAD ? TP_CAN_READ : TP_CAN_WRITE, other = TP_CAN_READ + TP_CAN_WRITE - mine;

    for (size_t i = 0; i < events->count; i++) {
        uint8_t needs = events->column[i].needs & (TP_CAN_READ | TP_CAN_WRITE);
        if (needs == mine || (needs != other && (only || access == LOAD)))
            kind->cost[i] = tp_sum(kind->cost[i], row[i]);
    }
    kind->can |= (uint8_t)(can & ~other);
    kind->any = true;
}

static int add_instruction(struct statements *s, const struct tp_instr *instr)
{
    const struct tp_events *events = &s->store->rec->events;
    uint64_t row[TP_MAX_EVENTS];

    tp_clear_row(events, row);
    tp_blobs_add(events, instr->costs, row, NULL);
    uint8_t does = tp_does(events, row, instr->can);
    bool loads = does & TP_CAN_READ, stores = does & TP_CAN_WRITE;
    tp_add_row(events, s->all.cost, row);
    s->all.can |= instr->can;
    if (loads)
        statements_add_kind(events, &s->kind[LOAD][instr->type], row, does, LOAD, !stores);
    if (stores)
        statements_add_kind(events, &s->kind[STORE][instr->type], row, does, STORE, !loads);
    return tp_cost_rows_add_data(&s->data_rows, events, instr) ? TP_NO_MEMORY(s->store->err) : 0;
}

/* ------------------------------------------------------------------------------------------ one statement */

/* Its instructions added up, then its rows: itself, its kinds of access, its data objects. */
static int write_statement(struct statements *s, uint32_t id)
{
    static const char *const access_names[] = {"load", "store"};
    static const char *const type_names[] = {NULL, "integer", "floating"};
    struct tp_store *store = s->store;
    const struct tp_events *events = &store->rec->events;
    const struct tp_statement *statement = &store->rec->statements.at[id - 1];

    for (uint32_t i = s->first[id - 1]; i < s->first[id]; i++) {
        if (add_instruction(s, &store->rec->instrs.at[s->order[i]]))
            return -1;
    }
    TP_PUT(&s->statement, TP_ID(id), TP_ID(statement->object), TP_ID(statement->file), TP_ID(statement->line),
           TP_ID(statement->first_line), TP_TEXT(statement->function));
    tp_put_row(&s->statement, events, s->all.cost, s->all.can);
    if (tp_insert_row(store, &s->statement))
        return -1;
    s->all = (struct kind){0};

    for (int access = 0; access < ACCESSES; access++) {
        for (int type = 0; type < TYPES; type++) {
            struct kind *kind = &s->kind[access][type];
            if (!kind->any)
                continue;
            TP_PUT(&s->access, TP_ID(id), TP_TEXT(access_names[access]), TP_TEXT(type_names[type]));
            tp_put_row(&s->access, events, kind->cost, kind->can);
            if (tp_insert_row(store, &s->access))
                return -1;
            *kind = (struct kind){0};
        }
    }

    tp_cost_rows_sort(&s->data_rows);
    s->data_rows.list.count = tp_fold_rows(store, &s->data_rows, s->data_rows.list.at, s->data_rows.list.count);
    for (size_t i = 0; i < s->data_rows.list.count; i++) {
        const struct tp_cost_row *row = &s->data_rows.list.at[i];
        TP_PUT(&s->data, TP_ID(id), TP_ID(row->key));
        tp_put_row(&s->data, events, row->cost, row->can);
        if (tp_insert_row(store, &s->data))
            return -1;
    }
    tp_cost_rows_clear(&s->data_rows);
    return 0;
}

/* ------------------------------------------------------------------------------------------ all */

int tp_store_statements(struct tp_store *store)
{
    struct statements *s = calloc(1, sizeof *s);

    if (!s)
        return TP_NO_MEMORY(store->err);
    s->store = store;
    s->data_rows.width = store->rec->events.count;
    int failed = sort_instructions(s) || tp_insert_open(store, &s->statement, "t_statements") ||
                 tp_insert_open(store, &s->access, "t_statement_accesses") ||
                 tp_insert_open(store, &s->data, "t_statement_data");
    for (uint32_t id = 1; !failed && id <= store->rec->statements.count; id++)
        failed = write_statement(s, id);
    failed = tp_insert_close(store, &s->statement, failed);
    failed = tp_insert_close(store, &s->access, failed);
    failed = tp_insert_close(store, &s->data, failed);
    tp_cost_rows_free(&s->data_rows);
    free(s->order);
    free(s->first);
    free(s);
    return failed;
}
