/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_data.h: what the core needs to know of data objects: allocation functions, what is mapped, static data.
 */
#ifndef TENURE_VG_DATA_H
#define TENURE_VG_DATA_H

#include "vg_tool.h"

/* Before the core is made, and behind it. */
void vg_data_configure(struct tn_config *config);
void vg_data_begin(void);

/* The program's system calls: memory was mapped, unmapped, moved. */
void vg_data_mapped(Addr address, SizeT bytes);
void vg_data_unmapped(Addr address, SizeT bytes);
void vg_data_moved(Addr from, Addr to, SizeT bytes);

#endif
