/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.h: how this program gets its memory. All else that heap.c does is done behind the back of who calls: no
 * allocation fails unnoticed.
 */
#ifndef TENURE_CLI_HEAP_H
#define TENURE_CLI_HEAP_H

/* To be called before anything else is allocated: asks for large pages for the heap. Where that fails, or addresses are
 * limited (ulimit -v, -d), small ones are used. */
void heap_begin(void);

#endif
