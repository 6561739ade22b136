/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_limits.c: a program that asks how many descriptors it may have must hear what it would hear without Valgrind, and
 * may change it as it could without.
 *
 * Valgrind wants twelve descriptors above the program's. It raises the limit by so many, up to the hard one; shows the
 * program a soft and a hard limit that are both what is left below its own descriptors, refuses a change of the
 * hard one, and lets programs that are executed inherit its own. Here the program's two limits are kept, told, changed
 * as the kernel would change them, and set before an exec.
 *
 * What cannot be had: if soft and hard limit are equal the last twelve descriptors are Valgrind's, and no program gets
 * more than the soft limit it began with.
 *
 * The declarations below are of libcoregrind variables that Valgrind does not announce to tools.
 */
#include "vg_program.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_guest.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_vkiscnums.h"

extern Int VG_(fd_soft_limit), VG_(fd_hard_limit); /* the program's last descriptor is below both */

static struct vki_rlimit program; /* what it believes; the same layout as struct rlimit64 */

void vg_limits_begin(void)
{
    VG_(getrlimit)(VKI_RLIMIT_NOFILE, &program);
    if (program.rlim_cur < program.rlim_max) /* else it has been raised by less than twelve: it was the hard one */
        program.rlim_cur = VG_(fd_soft_limit);
}

void vg_limits_hand_on(void)
{
    VG_(setrlimit)(VKI_RLIMIT_NOFILE, &program);
}

/* What Valgrind let pass, or refused because it was not its own hard limit: the kernel's rules instead. Privileges
 * to raise the hard limit are not looked for. */
static void change(ThreadId tid, const struct vki_rlimit *to, SysRes result)
{
    const UWord good = 0;

    if (sr_isError(result)) {
        if (sr_Err(result) != VKI_EPERM || to->rlim_cur > to->rlim_max || to->rlim_max > program.rlim_max)
            return;
        VG_(set_shadow_regs_area)(tid, 0, offsetof(VexGuestArchState, guest_RAX), sizeof good, (const UChar *)&good);
    }
    program = *to;
    VG_(fd_soft_limit) = to->rlim_cur < (UWord)VG_(fd_hard_limit) ? (Int)to->rlim_cur : VG_(fd_hard_limit);
}

/* A change or a question or, in this order, the answer to a question and a change. */
static void both(ThreadId tid, UWord change_to, UWord answer_at, SysRes result)
{
    struct vki_rlimit to;
    Bool changes = change_to != 0 && VG_(am_is_valid_for_client)(change_to, sizeof to, VKI_PROT_READ);

    if (changes)
        to = *(const struct vki_rlimit *)change_to; /* the answer may go to the same place */
    if ((!sr_isError(result) || (changes && sr_Err(result) == VKI_EPERM)) && answer_at != 0 &&
        VG_(am_is_valid_for_client)(answer_at, sizeof program, VKI_PROT_WRITE))
        *(struct vki_rlimit *)answer_at = program;
    if (changes)
        change(tid, &to, result);
}

void vg_limits(ThreadId tid, UInt number, const UWord *arguments, SysRes result)
{
    if (number == __NR_prlimit64 && arguments[1] == VKI_RLIMIT_NOFILE &&
        (arguments[0] == 0 || arguments[0] == (UWord)VG_(getpid)()))
        both(tid, arguments[2], arguments[3], result);
    else if (number == __NR_getrlimit && arguments[0] == VKI_RLIMIT_NOFILE)
        both(tid, 0, arguments[1], result);
    else if (number == __NR_setrlimit && arguments[0] == VKI_RLIMIT_NOFILE)
        both(tid, arguments[1], 0, result);
}
