/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program may ask for, by argument: see test_life.py. `work` executes the same instructions each time. */
#include <string.h>
#include <valgrind/callgrind.h>

#include "tenure.h"

int work(int n);

__asm__(".text; .type work, @function;"
        "work: mov $0, %eax; 1: add $2, %eax; dec %edi; jnz 1b; ret; .size work, . - work");

/* START (0) and STOP (1) of Cachegrind's header, which older Valgrinds have without them. */
static void cachegrind_request(unsigned which)
{
    VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ_TOOL_BASE('C', 'G') + which, 0, 0, 0, 0, 0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    work(10);
    if (!strcmp(what, "running"))
        return TENURE_RUNNING ? 7 : 8;
    if (!strcmp(what, "dump"))
        TENURE_DUMP("middle");
    if (!strcmp(what, "callgrind-dump"))
        CALLGRIND_DUMP_STATS_AT("middle");
    if (!strcmp(what, "zero"))
        TENURE_ZERO();
    if (!strcmp(what, "off"))
        TENURE_COLLECT(0);
    if (!strcmp(what, "toggle"))
        CALLGRIND_TOGGLE_COLLECT;
    if (!strcmp(what, "start"))
        TENURE_START_INSTRUMENTATION();
    if (!strcmp(what, "callgrind-stop"))
        CALLGRIND_STOP_INSTRUMENTATION;
    if (!strcmp(what, "cachegrind-stop"))
        cachegrind_request(1);
    work(100);
    if (!strcmp(what, "off"))
        TENURE_COLLECT(1);
    if (!strcmp(what, "toggle"))
        CALLGRIND_TOGGLE_COLLECT;
    if (!strcmp(what, "start"))
        TENURE_STOP_INSTRUMENTATION();
    if (!strcmp(what, "callgrind-stop"))
        CALLGRIND_START_INSTRUMENTATION;
    if (!strcmp(what, "cachegrind-stop"))
        cachegrind_request(0);
    work(1000);
    return 0;
}
