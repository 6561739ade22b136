/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_control.c: the page on which another terminal asks for something (engine/common/control_format.h).
 *
 * There is one page for this process, shared with whoever opens its file. A child of fork gets one of its own, at the
 * same address.
 */
#include "nt_request.h"

#include <linux/fcntl.h>
#include <linux/mman.h>

#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/kernel/nt_region.h"
#include "nt_profile.h"

struct control_page *nt_control_page;

static char name[CONTROL_PATH];
static const char *folder;
static const char *const *command;
static uint64_t place; /* of the page; the same in children */

/* A file that is left from another process of this number is in the way. */
static long control_create(void)
{
    const int flags = O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW;
    long fd = nt_host_open(name, flags, 0600);

    if (fd != -EEXIST)
        return fd;
    nt_sys3(__NR_unlink, (long)name, 0, 0);
    return nt_host_open(name, flags, 0600);
}

static void control_make(void)
{
    nt_control_page = NULL;
    if (!nt_host_may_have(sizeof *nt_control_page))
        return;
    nt_format(name, sizeof name, "%s/%d", folder, nt_process_id());
    long fd = control_create();
    if (nt_failed(fd))
        return;
    if (nt_sys3(__NR_ftruncate, fd, sizeof *nt_control_page, 0) == 0 &&
        !nt_failed(nt_sys6(__NR_mmap, (long)place, (long)NT_UP(sizeof *nt_control_page, NT_PAGE),
                           PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0)))
        nt_control_page = (struct control_page *)place;
    nt_sys3(__NR_close, fd, 0, 0);
    if (nt_control_page != NULL)
        control_begin(nt_control_page, nt_process_id(), command, nt_output_name());
    else
        nt_sys3(__NR_unlink, (long)name, 0, 0);
}

void nt_control_start(const char *control_dir, const char *const *words)
{
    if (control_dir == NULL)
        return;
    folder = control_dir;
    command = words;
    place = nt_region_hole(sizeof *nt_control_page);
    control_make();
}

void nt_control_forked(void)
{
    if (nt_control_page == NULL)
        return;
    nt_sys3(__NR_munmap, (long)place, (long)NT_UP(sizeof *nt_control_page, NT_PAGE), 0); /* it is the parent's */
    control_make();
}

void nt_control_end(void)
{
    if (nt_control_page == NULL)
        return;
    nt_control_page = NULL;
    nt_sys3(__NR_unlink, (long)name, 0, 0);
}
