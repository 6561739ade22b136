/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_fpu.c: the address of the last x87 instruction.
 *
 * The CPU keeps it, and shows it in stored environments and states: an address in generated code. Behind an
 * instruction that stores it, and in signal frames, it becomes the program's. What it was before code was forgotten
 * (nt_code_reclaim) is not known any more; nor is it in the format of 16 bits.
 */
#include "nt_code.h"

#include "nt_calls.h"

/* Of 32 bits the upper half is that of all generated code. */
void nt_fpu_show(const struct nt_code *code, void *at, uint64_t bytes)
{
    uint64_t address = 0;
    struct nt_place place;

    __builtin_memcpy(&address, at, bytes == 8 ? 8 : 4);
    if (bytes != 8)
        address |= (uintptr_t)code >> 32 << 32;
    if (nt_code_place(code, address, &place))
        __builtin_memcpy(at, &place.pc, bytes == 8 ? 8 : 4);
}

void nt_fpu_stored(struct nt_area *area)
{
    nt_fpu_show((const struct nt_code *)area->args[2], (void *)area->args[0], area->args[1]);
}
