/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vg_control.c: see vg_control.h. */
#include "vg_control.h"

#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_vkiscnums.h"

#include "vg_host.h"
#include "vg_output.h"
#include "vg_requests.h"
#include "vg_threads.h"

/* Not announced to tools. */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd, Off64T offset);
extern SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord);

struct control_page *vg_control_page;

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
    SysRes result = VG_(do_syscall)(__NR_ftruncate, fd, sizeof *vg_control_page, 0, 0, 0, 0, 0, 0);

    if (!sr_isError(result))
        result = VG_(am_shared_mmap_file_float_valgrind)(sizeof *vg_control_page, VKI_PROT_READ | VKI_PROT_WRITE, fd,
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

    if (vg.options.control_dir == NULL || !may_have(sizeof *vg_control_page))
        return;
    VG_(snprintf)(name, sizeof name, "%s/%d", vg.options.control_dir, VG_(getpid)());
    fd = create();
    if (fd < 0)
        return;
    vg_control_page = map(fd);
    VG_(close)(fd);
    VG_(client_cmd_and_args)(command, sizeof command - 1);
    if (vg_control_page != NULL)
        control_begin(vg_control_page, VG_(getpid)(), words, vg_output_name());
    else
        VG_(unlink)(name);
}

void vg_control_forked(void)
{
    if (vg_control_page == NULL)
        return;
    vg_release(vg_control_page, sizeof *vg_control_page); /* it is the parent's */
    vg_control_page = NULL;
    vg_control_start();
}

void vg_control_end(void)
{
    if (vg_control_page == NULL)
        return;
    vg_control_page = NULL;
    VG_(unlink)(name);
}

/* ------------------------------------------------------------------------------------------ what is asked */

static bool instrumenting(void)
{
    return vg.instrumenting;
}

static void perform(enum request request, uint64_t argument, const char *part)
{
    vg_request_perform(request, argument, part);
}

static void threads(void (*see)(void *user, tn_thread *thread), void *user)
{
    vg_threads_see(see, user);
}

static Bool needs_new_code(void)
{
    return vg_control_page->request == CONTROL_INSTRUMENT ||
           (vg_control_page->request == CONTROL_COLLECT && !vg.by_collecting);
}

void vg_control_perform(Bool behind_call)
{
    static const struct control_engine engine = {instrumenting, perform, threads};

    if (behind_call || !needs_new_code())
        control_answer(vg_control_page, vg.core, &engine);
}
