/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_host.h: files and memory for the engine, and the core's hooks (core/host.h).
 */
#ifndef TENURE_VG_HOST_H
#define TENURE_VG_HOST_H

#include "vg_tool.h"

/* What tn_host_write gets as its stream: bytes are gathered and written in large pieces. */
struct vg_stream {
    Int fd;
    Int error; /* errno of the first failure; nothing is written after it */
    UInt used;
    UChar buffer[1 << 16];
};

/* Writes what is gathered; returns the stream's error. */
Int vg_stream_flush(struct vg_stream *stream);

/* Memory in whole pages, backed as it is touched. Never NULL. */
void *vg_reserve(SizeT bytes);
void vg_release(void *memory, SizeT bytes);

/* The whole regular file read-only, or NULL. */
const void *vg_map_file(const HChar *path, SizeT *bytes);
void vg_unmap_file(const void *memory, SizeT bytes);

/* The beginning of a small file (sysfs, proc) as a zero-ended text without its last newline; False if it
 * cannot be read. */
Bool vg_read_text(const HChar *path, HChar *text, SizeT size);

#endif
