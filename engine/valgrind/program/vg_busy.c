/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_busy.c: nobody writes to the program's file while it runs.
 *
 * The kernel keeps the file of a running program from being opened for writing or truncated: ETXTBSY. But what runs
 * here is Valgrind's file, so a program could destroy its own. A tool cannot refuse a system call. Therefore the linker
 * leads the functions with which Valgrind begins these calls here (--wrap), and those that the kernel would refuse are
 * refused. This holds for the program itself and for children that are profiled; other programs may still write to it.
 */
#include "pub_tool_libcfile.h"
#include "pub_tool_vkiscnums.h"

#include "engine/valgrind/base/vg_host.h"

/* The kernel's; Valgrind's copies of its headers leave them out. */
enum { NO_FOLLOW = 0400000, PATH_ONLY = 010000000, CURRENT_FOLDER = -100, NO_FOLLOW_AT = 0x100, TEXT_BUSY = 26 };

/* Not announced to tools. */
extern Int VG_(cl_exec_fd); /* the program's file */
extern Bool VG_(am_is_valid_for_client)(Addr start, SizeT length, UInt protection);
extern SysRes VG_(mk_SysRes_Error)(UWord error);

/* How Valgrind keeps a system call. */
struct call {
    Word number;
    RegWord argument[8];
};
struct call_status {
    enum { COMPLETE = 1, FOR_THE_KERNEL } what;
    SysRes result;
};
typedef void begin_call(ThreadId tid, void *layout, struct call *call, struct call_status *status, UWord *flags);

#define CALLS(name) begin_call __real_vgSysWrap_##name##_before, __wrap_vgSysWrap_##name##_before
CALLS(generic_sys_open);
CALLS(linux_sys_openat);
CALLS(generic_sys_creat);
CALLS(generic_sys_truncate);
CALLS(linux_sys_openat2);
#pragma weak __real_vgSysWrap_linux_sys_openat2_before /* older versions of Valgrind do not have this call */

static void refuse_writing(struct call_status *status, Word folder, RegWord path, UWord flags)
{
    UWord mode = flags & VKI_O_ACCMODE;
    struct vki_stat file;
    struct vg_stat program;
    SysRes result;

    if (status->what != FOR_THE_KERNEL || (flags & PATH_ONLY) ||
        !(mode == VKI_O_WRONLY || mode == VKI_O_RDWR || flags & VKI_O_TRUNC))
        return;
    result = VG_(do_syscall)(__NR_newfstatat, (RegWord)folder, path, (RegWord)(Addr)&file,
                             flags & NO_FOLLOW ? NO_FOLLOW_AT : 0, 0, 0, 0, 0);
    if (sr_isError(result) || VG_(cl_exec_fd) < 0 || VG_(fstat)(VG_(cl_exec_fd), &program) != 0 ||
        file.st_dev != program.dev || file.st_ino != program.ino)
        return;
    /* An error that the kernel finds earlier is told first: for that the file is opened without a change to it. */
    result = VG_(do_syscall)(__NR_openat, (RegWord)folder, path, flags & ~(UWord)VKI_O_TRUNC, 0, 0, 0, 0, 0);
    if (!sr_isError(result))
        VG_(close)((Int)sr_Res(result));
    status->what = COMPLETE;
    status->result = sr_isError(result) ? result : VG_(mk_SysRes_Error)(TEXT_BUSY);
}

void __wrap_vgSysWrap_generic_sys_open_before(ThreadId tid, void *layout, struct call *call, struct call_status *status,
                                              UWord *flags)
{
    __real_vgSysWrap_generic_sys_open_before(tid, layout, call, status, flags);
    refuse_writing(status, CURRENT_FOLDER, call->argument[0], call->argument[1]);
}

void __wrap_vgSysWrap_linux_sys_openat_before(ThreadId tid, void *layout, struct call *call, struct call_status *status,
                                              UWord *flags)
{
    __real_vgSysWrap_linux_sys_openat_before(tid, layout, call, status, flags);
    refuse_writing(status, (Int)call->argument[0], call->argument[1], call->argument[2]);
}

void __wrap_vgSysWrap_linux_sys_openat2_before(ThreadId tid, void *layout, struct call *call,
                                               struct call_status *status, UWord *flags)
{
    const ULong *how = (const ULong *)call->argument[2]; /* a structure that begins with the flags */

    __real_vgSysWrap_linux_sys_openat2_before(tid, layout, call, status, flags);
    if (VG_(am_is_valid_for_client)((Addr)how, sizeof *how, VKI_PROT_READ))
        refuse_writing(status, (Int)call->argument[0], call->argument[1], *how);
}

void __wrap_vgSysWrap_generic_sys_creat_before(ThreadId tid, void *layout, struct call *call,
                                               struct call_status *status, UWord *flags)
{
    __real_vgSysWrap_generic_sys_creat_before(tid, layout, call, status, flags);
    refuse_writing(status, CURRENT_FOLDER, call->argument[0], VKI_O_CREAT | VKI_O_WRONLY | VKI_O_TRUNC);
}

void __wrap_vgSysWrap_generic_sys_truncate_before(ThreadId tid, void *layout, struct call *call,
                                                  struct call_status *status, UWord *flags)
{
    __real_vgSysWrap_generic_sys_truncate_before(tid, layout, call, status, flags);
    if ((Word)call->argument[1] >= 0)
        refuse_writing(status, CURRENT_FOLDER, call->argument[0], VKI_O_WRONLY);
}
