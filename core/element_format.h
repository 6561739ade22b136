/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * element_format.h: a file that says what the data of a program is made of, and which functions the user means;
 * `tenure record` writes it before the program runs, the engine reads it (engine/common/element_table.h).
 *
 *   struct element_head, `modules` struct element_module, `entries` struct element_entry, `names` bytes of paths,
 *   `meant` bytes of lines "SYMBOL\tPATTERN\n", which ascend byte by byte
 *
 * It is for one run, on one machine. Entries of a module ascend by key: an address in the file, of a symbol of data
 * (with ELEMENT_STATIC) or where an allocation returns to. A line says of a symbol that its readable name matches a
 * pattern of the options.
 */
#ifndef TENURE_CORE_ELEMENT_FORMAT_H
#define TENURE_CORE_ELEMENT_FORMAT_H

#include <stdint.h>

#define ELEMENT_MAGIC 0x32454e5545540a7full
#define ELEMENT_STATIC (1ull << 63) /* of a key: a symbol's address */

struct element_head {
    uint64_t magic, modules, entries, names, meant;
};
struct element_module {
    uint64_t path; /* in the names, ended by 0 */
    uint64_t first, count;
};
struct element_entry {
    uint64_t key, type;
    uint32_t size;
    uint16_t lead, above; /* above: who returns there hands the block on */
};

#endif
