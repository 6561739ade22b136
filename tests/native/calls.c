/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.c: around the C that generated code calls: the extended state is kept.
 *
 * In the engine that C is compiled for general registers alone. Here it is not, and so the linker leads its calls to
 * this file (--wrap), which is. It may call itself: the outermost keeps the state.
 */
#include <stdint.h>

enum { COMPONENTS = 0xe7 };

static uint8_t state[16 << 10] __attribute__((aligned(64)));
static unsigned depth;

static void keep(void (*real)(uint64_t, uint64_t, uint64_t), uint64_t a, uint64_t b, uint64_t c)
{
    if (depth++ == 0)
        __builtin_ia32_xsave64(state, COMPONENTS);
    real(a, b, c);
    if (--depth == 0)
        __builtin_ia32_xrstor64(state, COMPONENTS);
}

#define WRAP(name)                                                                                                     \
    void __real_##name(uint64_t a, uint64_t b, uint64_t c);                                                            \
    void __wrap_##name(uint64_t a, uint64_t b, uint64_t c);                                                            \
    __attribute__((force_align_arg_pointer)) void __wrap_##name(uint64_t a, uint64_t b, uint64_t c)                    \
    {                                                                                                                  \
        keep(__real_##name, a, b, c);                                                                                  \
    }

WRAP(tn_slow_data)
WRAP(tn_slow_fetch)
WRAP(tn_whole_data)
WRAP(tn_count)
WRAP(nt_called)
WRAP(nt_called_last)
WRAP(nt_called_found)
WRAP(nt_called_found_last)
WRAP(nt_returned)
WRAP(nt_returned_more)
WRAP(nt_jumped)
WRAP(nt_jumped_found)
WRAP(nt_branched)
WRAP(nt_branched_to)
WRAP(nt_counted_single)
WRAP(nt_fpu_stored)
