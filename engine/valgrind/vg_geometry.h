/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_geometry.h: this machine's caches, as the kernel tells them.
 */
#ifndef TENURE_VG_GEOMETRY_H
#define TENURE_VG_GEOMETRY_H

#include "vg_tool.h"

/* Fills in I1, D1 and LL (the highest level that holds data) where sysfs knows them, and says so in
 * vg.options.geometry_source. L2 is simulated only when asked for. */
void vg_geometry_detect(struct tn_config *config);

/* "size,associativity,line" in bytes; False if `text` is anything else. */
Bool vg_geometry_parse(const HChar *text, struct tn_geometry *out);

#endif
