/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_region.h: the 2 GB of address space that are the engine's.
 *
 * tenure-native is linked at its beginning. What lies in it is reached from generated code, and from each other, with
 * 32-bit displacements; nothing of the program ever lies there, and system calls of the program that name it are
 * refused. Memory is handed out in pages, from the bottom up, each piece with an inaccessible page behind it.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_REGION_H
#define TENURE_ENGINE_NATIVE_NT_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NT_REGION_START 0x110000000000UL
#define NT_REGION_END 0x110080000000UL
/* Up to here lies what else is the engine's (nt_host.h): below 0x155555554000, from where on the kernel maps downwards
 * for a program whose stack is unlimited. */
#define NT_REGION_OURS_END 0x140000000000UL
/* From here on the kernel's. */
#define NT_USER_END 0x7ffffffff000UL

void nt_region_take(void);
/* Zeroed pages; `protection` is PROT_*. Never NULL. */
void *nt_region_pages(size_t bytes, int protection);
/* Address space with nothing in it, for files to be mapped there. */
uint64_t nt_region_hole(size_t bytes);
/* No memory, since the process has as many mappings as it may: gives up two that are kept for that. False: none is
 * left. */
bool nt_region_give_up_mappings(void);
/* Whether [start, start + bytes) has any byte of ours, or lies around it. */
static inline bool nt_region_meets(uint64_t start, uint64_t bytes)
{
    return start < NT_REGION_OURS_END && start + bytes > NT_REGION_START;
}

#endif
