/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_simple.h: a second reader of the raw profile, deliberately simple.
 *
 * It keeps the whole file in memory, reads one value after the other as core/raw_format.h says, checks
 * everything it can check, and turns each part into a sheet. It is what the models are compared with, and
 * what the real reader (profile/) is compared with.
 */
#ifndef TENURE_REFMODEL_RAW_SIMPLE_H
#define TENURE_REFMODEL_RAW_SIMPLE_H

#include "sheet.h"

/* Ids of the nodes of the model's core are larger, and pass 2^32, as after many hours. */
static const uint64_t RAW_SIMPLE_NODES = UINT32_MAX - 20;

struct raw_simple;

struct raw_simple *raw_simple_open(const uint8_t *data, size_t size);
void raw_simple_close(struct raw_simple *raw);

/* The file has grown; it may lie elsewhere. */
void raw_simple_more(struct raw_simple *raw, const uint8_t *data, size_t size);

/* Read the next part into `sheet`. False at the end of the file and at the first fault. */
bool raw_simple_part(struct raw_simple *raw, struct sheet *sheet);
const char *raw_simple_fault(const struct raw_simple *raw);               /* NULL: none */
uint64_t raw_simple_stat(const struct raw_simple *raw, const char *name); /* latest value; ~0 if never seen */

#endif
