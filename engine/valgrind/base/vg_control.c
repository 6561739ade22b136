/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_control.c: the page on which another terminal asks for something (engine/common/control_format.h), as
 * vg.control_page. Each process has one of its own: a forked child gives its parent's up and makes another. What is
 * asked there is done by vg_requests.c.
 */
#include "vg_output.h"

#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_vkiscnums.h"

#include "vg_host.h"

/* Not announced to tools. */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd, Off64T offset);

enum { LIMIT_FSIZE = 1 }; /* RLIMIT_FSIZE, which Valgrind's copies of the kernel's headers leave out */

static HChar name[CONTROL_PATH];

void vg_control_start(void)
{
    static HChar command[CONTROL_NAME * 4];
    const HChar *words[] = {command, NULL};
    const Int flags = VKI_O_CREAT | VKI_O_EXCL | VKI_O_RDWR;
    struct vki_rlimit limit;
    SysRes result;
    Int fd;

    if (vg.options.control_dir == NULL)
        return;
    /* The program gets a signal where a file becomes larger than it may have. */
    if (VG_(getrlimit)(LIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < sizeof *vg.control_page)
        return;
    VG_(snprintf)(name, sizeof name, "%s/%d", vg.options.control_dir, VG_(getpid)());
    fd = VG_(fd_open)(name, flags, 0600);
    if (fd < 0) { /* a file that is left from another process of this number is in the way */
        VG_(unlink)(name);
        fd = VG_(fd_open)(name, flags, 0600);
    }
    if (fd < 0)
        return;
    result = VG_(do_syscall)(__NR_ftruncate, fd, sizeof *vg.control_page, 0, 0, 0, 0, 0, 0);
    if (!sr_isError(result))
        result = VG_(am_shared_mmap_file_float_valgrind)(sizeof *vg.control_page, VKI_PROT_READ | VKI_PROT_WRITE, fd,
                                                         0);
    VG_(close)(fd);
    if (sr_isError(result)) {
        VG_(unlink)(name);
        return;
    }
    vg.control_page = (struct control_page *)sr_Res(result);
    VG_(client_cmd_and_args)(command, sizeof command - 1);
    control_begin(vg.control_page, VG_(getpid)(), words, vg_output_name());
}

void vg_control_forked(void)
{
    if (vg.control_page == NULL)
        return;
    vg_release(vg.control_page, sizeof *vg.control_page); /* it is the parent's */
    vg.control_page = NULL;
    vg_control_start();
}

void vg_control_end(void)
{
    if (vg.control_page == NULL)
        return;
    vg.control_page = NULL;
    VG_(unlink)(name);
}
