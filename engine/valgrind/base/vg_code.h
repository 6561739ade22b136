/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_code.h: which object and function a run-time address belongs to.
 */
#ifndef TENURE_VG_CODE_H
#define TENURE_VG_CODE_H

#include "engine/common/code_map.h"
#include "vg_tool.h"

/* Once, when there is a core, before anything below. */
void vg_code_begin(void);

/* Which files are mapped where, for others who ask. */
const struct code_map_host *vg_code_host(void);

/* Finds or makes the object and the function at `address`. */
void vg_function_at(Addr address, struct code_function *out);

/* The same, the id alone, through a cache: for indirect jumps. */
UInt vg_function_id(Addr address);
/* The same, of an address that is called. */
UInt vg_callee_id(Addr address);

/* Before a part or the profile is written. */
void vg_code_name_late(void);

/* tn_config.function_at. */
uint32_t vg_core_function_at(void *user, uint64_t address);

/* The program has made a system call: names of code may have been written down. */
void vg_code_called(void);

/* Executable memory was mapped. */
void vg_code_mapped(Addr address);

/* Memory was unmapped: what was known about it no longer holds. */
void vg_code_unmapped(Addr address, SizeT bytes);

/* ----------------------------------------------------------------------------------------- data objects (vg_data.c) */

/* Before the core is made, and behind it. */
void vg_data_configure(struct tn_config *config);
void vg_data_begin(void);

/* The program's system calls: memory was mapped, unmapped, moved. */
void vg_data_mapped(Addr address, SizeT bytes);
void vg_data_unmapped(Addr address, SizeT bytes);
void vg_data_moved(Addr from, Addr to, SizeT bytes);

#endif
