/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plt.c: calls through the procedure linkage table; built twice, with lazy and with immediate binding.
 *
 * `caller` calls plugin_work 1000 times. With the PLT skipped (the default) the arc is caller -> plugin_work with
 * 1000 calls, however the binding; the resolver's costs at the first lazy call belong to what it calls itself,
 * and what it jumps to was called by `caller`.
 */
#include <stdint.h>
#include <stdio.h>

uint64_t plugin_work(size_t n);

__attribute__((noinline, noclone)) static uint64_t caller(void)
{
    uint64_t total = 0;
    for (int i = 0; i < 1000; i++)
        total += plugin_work(3);
    return total;
}

int main(void)
{
    printf("reads: %lu\n", (unsigned long)caller());
    return 0;
}
