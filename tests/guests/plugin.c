/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin.c: the shared object that plt.c is linked with and dlopen.c loads: works on its own lines. */
#include "work.h"

uint64_t plugin_work(size_t n);
uint64_t plugin_work(size_t n)
{
    return work(work_lines[0], n);
}

uint64_t plugin_twice(size_t n);
uint64_t plugin_twice(size_t n)
{
    return plugin_work(n) + plugin_work(n);
}
