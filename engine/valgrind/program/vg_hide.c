/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_hide.c: a program that lists its open descriptors (to close them, or to say how many it has) must see the
 * ones it opened.
 *
 * Valgrind keeps its descriptors above the program's limit and lets no system call of the program use them, but a
 * listing of the directory shows them. So the entries that getdents and getdents64 return for such a directory are
 * closed up over them, and the returned size corrected. They are the highest numbers and listed last: a buffer
 * with nothing else in it means the end, as it should.
 */
#include "vg_program.h"

#include "pub_tool_guest.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_machine.h"
#include "pub_tool_vkiscnums.h"

extern Int VG_(fd_hard_limit); /* Valgrind's own descriptors begin here */
extern Int VG_(log_output_sink)[]; /* a structure whose first member is the log's descriptor */
extern Int VG_(fcntl)(Int fd, Int command, Addr argument);
extern const HChar *VG_(clo_log_fname_unexpanded); /* NULL: the log is standard error */

/* Where the kernel puts an entry's size and name; the same for both calls up to the size. */
enum { SIZE_AT = 16, NAME_AT = 18, NAME_AT_64 = 19 };

static Bool is_descriptor_folder(Int fd)
{
    HChar link[64], path[64];
    SSizeT length;

    VG_(snprintf)(link, sizeof link, "/proc/self/fd/%d", fd);
    length = VG_(readlink)(link, path, sizeof path - 1);
    if (length < 10)
        return False;
    path[length] = '\0';
    return VG_(strncmp)(path, "/proc/", 6) == 0 && VG_(isdigit)(path[6]) &&
           (VG_(strcmp)(path + length - 3, "/fd") == 0 ||
            (length > 7 && VG_(strcmp)(path + length - 7, "/fdinfo") == 0));
}

void vg_hide(ThreadId tid, UInt number, const UWord *arguments, SysRes result)
{
    UInt name_at = number == __NR_getdents64 ? NAME_AT_64 : NAME_AT;
    UChar *buffer = (UChar *)arguments[1], *from = buffer, *to = buffer;
    UWord before, after;

    if ((number != __NR_getdents && number != __NR_getdents64) || sr_isError(result))
        return;
    before = sr_Res(result);
    if (before == 0 || !is_descriptor_folder(arguments[0]))
        return;
    while (from + name_at < buffer + before) {
        const HChar *name = (const HChar *)from + name_at;
        UShort size = *(UShort *)(from + SIZE_AT);
        HChar *end;

        if (!VG_(isdigit)(*name) || VG_(strtoll10)(name, &end) < VG_(fd_hard_limit) || *end != '\0') {
            VG_(memmove)(to, from, size);
            to += size;
        }
        from += size;
    }
    after = to - buffer;
    if (after != before)
        VG_(set_shadow_regs_area)
        (tid, 0, offsetof(VexGuestArchState, guest_RAX), sizeof after, (const UChar *)&after);
}

/* Valgrind duplicates the descriptor, to a number of its own, and forgets the first, which is the lowest that was free:
 * the one that shares its flags. */
void vg_hide_log(void)
{
    Int log = VG_(log_output_sink)[0], flags, fd;

    if (VG_(clo_log_fname_unexpanded) == NULL || log < 0)
        return;
    flags = VG_(fcntl)(log, VKI_F_GETFL, 0);
    for (fd = 0; fd < VG_(fd_hard_limit); fd++) {
        Int before = VG_(fcntl)(fd, VKI_F_GETFL, 0), after;

        if (before != flags)
            continue;
        VG_(fcntl)(log, VKI_F_SETFL, flags ^ VKI_O_NONBLOCK);
        after = VG_(fcntl)(fd, VKI_F_GETFL, 0);
        VG_(fcntl)(log, VKI_F_SETFL, flags);
        if (after != before) {
            VG_(close)(fd);
            return;
        }
    }
}
