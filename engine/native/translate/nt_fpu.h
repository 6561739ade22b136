/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_fpu.h: the address of the last x87 instruction.
 *
 * The CPU keeps it, and shows it in stored environments and states: an address in generated code. Behind an
 * instruction that stores it, and in signal frames, it becomes the program's. What it was before code was forgotten
 * (nt_code_reclaim) is not known any more; nor is it in the format of 16 bits.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_FPU_H
#define TENURE_ENGINE_NATIVE_NT_FPU_H

#include <stdint.h>

struct nt_code;

/* The `bytes` bytes at `at` hold such an address. */
void nt_fpu_show(const struct nt_code *code, void *at, uint64_t bytes);

#endif
