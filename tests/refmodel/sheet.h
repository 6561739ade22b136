/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sheet.h: a profile as plain text keys with numbers, in the form in which the models and the core are
 * compared.
 *
 *   total                   everything
 *   self t<thread> i<instr> self cost of an instruction in a thread; behind it the context, if not the function
 *   data t<thread> i<instr> [<context>] <data object>   self cost of an instruction in a data object
 *   blocks <data object>    blocks that began; as the first events those that ended, bytes that began, the largest
 *   pages <data object>     pages of 4 KB that places of its blocks came into first, if it is simulated elsewhere
 *   at <data object> <place> what is charged there (raw_format.h, DATA_AT)
 *   again <level> <fetch or data> <loader> <evictor> [in <data object>] <instr> [in <data object>]
 *                           lines loaded again; -: not known. As the first events misses, those timed, accesses since
 *                           the last use, and these by power of two
 *   reuse <level> <fetch or data> <loader> <instr> [in <data object>]
 *                           lines used first since they were loaded; the same events, those timed being all
 *   func f<function> self   self cost of a function, all threads
 *   func f<function>        calls, inclusive cost
 *   arc i<site> f<caller> f<callee>
 *   path t<thread>[h]/f<root>/i<site>.f<function>...        self cost of a call path; h: in a handler
 *   incl ...                the same, inclusive
 *   cell <path> <data object>                               self cost of a call path in a data object
 *   under f<function> <data object>                         inclusive cost of a function in a data object
 *   alias <path>/i<site>.f<function>                        calls that went to an existing path
 *
 * A data object is "heap <path>", "mapping <path>" (without thread), "static <name> <file>", "stack t<thread>",
 * "file <file>", "rest", "other" or "named <name>".
 *
 * With contexts (attribution.md, 10) f<function> is the name of one: f3'2'f1'f4, level 2 of f3, called by f1 and f4.
 *
 * Column 0 is the number of calls, the others are the events of model.h.
 */
#ifndef TENURE_REFMODEL_SHEET_H
#define TENURE_REFMODEL_SHEET_H

#include "model.h"

#include <stddef.h>
#include <stdio.h>

enum { SHEET_CALLS, SHEET_EVENTS, SHEET_COLUMNS = SHEET_EVENTS + M_EVENTS };

struct sheet_row {
    char *key;
    uint64_t value[SHEET_COLUMNS];
};
struct sheet {
    struct sheet_row *row;
    uint32_t *slot; /* hash table: row + 1 */
    size_t rows, room, slots;
};

void sheet_clear(struct sheet *sheet); /* also makes a zeroed one usable, and frees what it held */
bool sheet_has(const struct sheet *sheet, const char *key);
uint64_t *sheet_row(struct sheet *sheet, const char *key); /* found, or made with zeroes */
void sheet_add(struct sheet *sheet, const char *key, const uint64_t *cost, uint64_t calls);
void sheet_sum(struct sheet *into, const struct sheet *from);

/* Rows that differ (a missing row is zero), at most `limit` of them printed. `skip`: ignore keys that begin
 * so. */
unsigned sheet_compare(const struct sheet *expected, const struct sheet *got, const char *skip, FILE *out,
                       unsigned limit);

#endif
