/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_map.h: what holds an address that is in no block of the heap: tn_config.memory_at, for every engine. And what
 * data is made of, as far as a table says so.
 *
 * Asked once for each symbol, section or mapping that something misses in; the core remembers the answer. An ELF file
 * is taken for loaded where a mapping of it is no longer than one of its segments; what lies behind it in memory up to
 * the end of its last segment (.bss) is its too. Freestanding.
 */
#ifndef TENURE_ENGINE_DATA_MAP_H
#define TENURE_ENGINE_DATA_MAP_H

#include "core/tenure_core.h"
#include "engine/common/code_map.h"

typedef struct data_map data_map;

/* `host` as for the code map. `elements`: a file (element_table.h), or NULL. `special` may say what the engine knows
 * better: the main thread's stack, the break. It fills in kind, thread and the range, and says true. */
data_map *data_map_new(const struct code_map_host *host, const char *elements,
                       bool (*special)(void *user, uint64_t address, struct tn_memory_info *out));

/* Fills in *out, which says OTHER of one byte. */
void data_map_at(data_map *map, uint64_t address, struct tn_memory_info *out);

/* What `elements` holds; it lives as long as the map. */
const struct element_table *data_map_told(const data_map *map);

/* tn_config.element_at: what is allocated by a call that returns to `address`. */
enum tn_element_answer data_map_element(data_map *map, uint64_t address, struct tn_element *out);

/* Memory was unmapped or mapped anew: files that were loaded there are not any more. */
void data_map_changed(data_map *map, uint64_t address, uint64_t bytes);

#endif
