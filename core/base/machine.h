/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h: what core takes for granted of the machine, which is x86-64: of the program's, and of its own.
 *
 * A port begins here. Besides, tenure_core.h has words that no address equals (TN_NO_LINE, TN_FRESH, TN_PARKED,
 * TN_UNASKED, TN_APART), and vectors of SSE2 and its successors are used where the compiler says that there are any.
 */
#ifndef TENURE_CORE_MACHINE_H
#define TENURE_CORE_MACHINE_H

#include <stdint.h>

enum {
    TN_ADDRESS_BITS = 48, /* of an address of a program or of this one; those above are zero */
    TN_PAGE_BITS = 12,    /* of an offset in a page */
    TN_RETURN_BYTES = 8,  /* a call puts the return address on the stack, a return takes it from there */
};

/* How many bits of a word are set. */
static inline uint32_t tn_count_bits(uint64_t word)
{
#ifdef __POPCNT__
    return (uint32_t)__builtin_popcountll(word);
#else
    word -= word >> 1 & 0x5555555555555555ull;
    word = (word & 0x3333333333333333ull) + (word >> 2 & 0x3333333333333333ull);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (uint32_t)(word * 0x0101010101010101ull >> 56);
#endif
}

#endif
