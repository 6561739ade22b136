/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h: what core takes for granted of the machine, which is x86-64: of the program's, and of its own.
 *
 * A port begins here. Besides, tenure_core.h has two words that no address equals (TN_NO_LINE, TN_FRESH), and vectors
 * of SSE2 and its successors are used where the compiler says that there are any.
 */
#ifndef TENURE_CORE_MACHINE_H
#define TENURE_CORE_MACHINE_H

enum {
    TN_ADDRESS_BITS = 48, /* of an address of a program or of this one; those above are zero */
    TN_PAGE_BITS = 12,    /* of an offset in a page */
    TN_RETURN_BYTES = 8,  /* a call puts the return address on the stack, a return takes it from there */
};

#endif
