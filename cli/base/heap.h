/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.h: how this program gets its memory. All else that heap.c does is done behind the back of who calls: no
 * allocation fails unnoticed.
 */
#ifndef TENURE_CLI_HEAP_H
#define TENURE_CLI_HEAP_H

/* Before much is allocated: large pages for the heap. Without memory for that it stays as it is. */
void heap_begin(void);

#endif
