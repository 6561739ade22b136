/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jump_table.h: where a switch jumps to.
 *
 * Compilers write a switch as a load of an entry and a jump: entries are addresses (`jmp [8 * i + table]`), or 4 bytes
 * that are added to the address of the table (`lea b, table; movsxd r, [b + 4 * i]; add r, b; jmp r`; without
 * optimisation, 4 * i is in a register of its own). The table is
 * found by these instructions and read from the object file as far as its entries lead into the function and
 * no other table begins. How long it is is not written anywhere: so there may be entries too many, which belong to
 * another switch of the function, but none too few.
 */
#ifndef TENURE_PROFILE_JUMP_TABLE_H
#define TENURE_PROFILE_JUMP_TABLE_H

#include "profile/code/flow.h"

/* graph->tables, of all indirect jumps that have one. -1: out of memory. */
int tp_jump_tables_make(struct tp_graph *graph);

/* Of the jump at a site; NULL: it has none. */
const struct tp_jump_table *tp_jump_table_of(const struct tp_graph *graph, uint32_t site);

/* Where entry number `i` leads; 0: the table has ended. */
uint64_t tp_jump_table_entry(const struct tp_graph *graph, const struct tp_jump_table *table, uint64_t i);

#endif
