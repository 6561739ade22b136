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
extern SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord);

enum { LIMIT_FSIZE = 1 }; /* RLIMIT_FSIZE, which Valgrind's copies of the kernel's headers leave out */

static HChar name[CONTROL_PATH];

/* A file that is left from another process of this number is in the way. */
static Int create(void)
{
    const Int flags = VKI_O_CREAT | VKI_O_EXCL | VKI_O_RDWR;
    Int fd = VG_(fd_open)(name, flags, 0600);

    if (fd >= 0)
        return fd;
    VG_(unlink)(name);
    return VG_(fd_open)(name, flags, 0600);
}

static struct control_page *map(Int fd)
{
    SysRes result = VG_(do_syscall)(__NR_ftruncate, fd, sizeof *vg.control_page, 0, 0, 0, 0, 0, 0);

    if (!sr_isError(result))
        result = VG_(am_shared_mmap_file_float_valgrind)(sizeof *vg.control_page, VKI_PROT_READ | VKI_PROT_WRITE, fd,
                                                         0);
    return sr_isError(result) ? NULL : (struct control_page *)sr_Res(result);
}

/* Whether the program may have files of this size: it gets a signal where one would become larger. */
static Bool may_have(ULong bytes)
{
    struct vki_rlimit limit;

    return VG_(getrlimit)(LIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= bytes;
}

void vg_control_start(void)
{
    static HChar command[CONTROL_NAME * 4];
    const HChar *words[] = {command, NULL};
    Int fd;

    if (vg.options.control_dir == NULL || !may_have(sizeof *vg.control_page))
        return;
    VG_(snprintf)(name, sizeof name, "%s/%d", vg.options.control_dir, VG_(getpid)());
    fd = create();
    if (fd < 0)
        return;
    vg.control_page = map(fd);
    VG_(close)(fd);
    VG_(client_cmd_and_args)(command, sizeof command - 1);
    if (vg.control_page != NULL)
        control_begin(vg.control_page, VG_(getpid)(), words, vg_output_name());
    else
        VG_(unlink)(name);
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
