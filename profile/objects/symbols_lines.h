/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_lines.h: how much memory a table of lines takes before it is read.
 *
 * libdw keeps the path of each file of a table in full. A table may give one long folder to very many files, in a few
 * bytes each: an object of a megabyte then takes a hundred gigabytes. So the head of a table is looked at first.
 */
#ifndef TENURE_PROFILE_SYMBOLS_LINES_H
#define TENURE_PROFILE_SYMBOLS_LINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Adds to *bytes what the names of the unit's table take. False: it makes no sense, or *bytes is now more than tables
 * of this file can honestly need; it is not to be read. A unit that names no table is fine, unless its file has some as
 * those of split units are: which of them libdw takes is not asked, and one answer holds for the file. */
bool tp_lines_fit(Dwarf_Die *unit, uint64_t *bytes);

#endif
