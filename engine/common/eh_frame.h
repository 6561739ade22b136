/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eh_frame.h: the address ranges that unwind tables describe.
 *
 * Every function a compiler emits has an entry (FDE) in .eh_frame, stripped or not; only its first two fields are
 * of interest here: where the function begins and how long it is. The section is read from front to back, so a
 * missing or damaged .eh_frame_hdr does no harm.
 */
#ifndef TENURE_ENGINE_EH_FRAME_H
#define TENURE_ENGINE_EH_FRAME_H

#include "engine/common/elf_image.h"

/* Calls `found` for each entry with a size, in the order of the section. Entries in encodings that no linker
 * writes (indirect, relative to data or text) are passed over. */
void eh_frame_ranges(const struct elf_image *image, void (*found)(void *user, uint64_t start, uint64_t size),
                     void *user);

#endif
