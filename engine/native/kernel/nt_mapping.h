/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_mapping.h: what is mapped where, as the kernel tells it.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_MAPPING_H
#define TENURE_ENGINE_NATIVE_NT_MAPPING_H

#include "engine/common/code_map.h"

/* code_map_host.mapping_at: reads /proc/self/maps. */
bool nt_mapping_at(void *user, uint64_t address, struct code_mapping *out);

/* Of what is mapped, how many bytes are the engine's, and how many of them the kernel counts as data: private ones that
 * may be written. Both stay as they are if the kernel does not tell. */
void nt_mapping_own_bytes(uint64_t *bytes, uint64_t *data);

#endif
