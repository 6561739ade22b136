/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_alias.c: code in memory that is mapped twice.
 *
 * Valgrind does not see that code changes where it is mapped from a file, since it seldom does. A compiler that writes
 * through one mapping of a file and executes through another would run old code for ever. From the first time on that
 * shared memory may be executed, each translation checks the code that it was made of.
 */
#include "vg_program.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum { SHARED = 1 }; /* MAP_SHARED; MAP_SHARED_VALIDATE has this bit, too */

/* Not announced to tools. */
enum check { CHECK_ALL = 2 }; /* --smc-check=all */
extern enum check VG_(clo_smc_check);

void vg_alias_call(UInt number, const UWord *arguments, SysRes result)
{
    const NSegment *segment;
    Bool executable = False;

    if (sr_isError(result))
        return;
    if (number == __NR_mmap)
        executable = (arguments[3] & SHARED) != 0 && (arguments[2] & VKI_PROT_EXEC) != 0;
    if (number == __NR_mprotect && (arguments[2] & VKI_PROT_EXEC) != 0) {
        /* Valgrind does not keep whether a mapping is shared: any of a file may be. */
        segment = VG_(am_find_nsegment)(arguments[0]);
        executable = segment != NULL && segment->kind == SkFileC;
    }
    if (executable)
        VG_(clo_smc_check) = CHECK_ALL;
}
