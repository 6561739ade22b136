/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_control.c: see nt_control.h. */
#include "nt_control.h"

#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/mman.h>

#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/kernel/nt_region.h"
#include "engine/native/nt_dispatch.h"
#include "nt_output.h"
#include "nt_profile.h"
#include "nt_request.h"

struct control_page *nt_control_page;

static char name[CONTROL_PATH];
static const char *const *command;
static uint64_t place; /* of the page; the same in children */

static int process_id(void)
{
    return (int)nt_sys3(__NR_getpid, 0, 0, 0);
}

/* A file that is left from another process of this number is in the way. */
static long create(void)
{
    const int flags = O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW;
    long fd = nt_host_open(name, flags, 0600);

    if (fd != -EEXIST)
        return fd;
    nt_sys3(__NR_unlink, (long)name, 0, 0);
    return nt_host_open(name, flags, 0600);
}

static void *map(long fd)
{
    if (nt_sys3(__NR_ftruncate, fd, sizeof *nt_control_page, 0) != 0 ||
        nt_failed(nt_sys6(__NR_mmap, (long)place, (long)NT_UP(sizeof *nt_control_page, NT_PAGE),
                          PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0)))
        return NULL;
    return (void *)place;
}

static void make(void)
{
    long fd;

    nt_control_page = NULL;
    if (!nt_host_may_have(sizeof *nt_control_page))
        return;
    nt_format(name, sizeof name, "%s/%d", nt_profile.options.control_dir, process_id());
    fd = create();
    if (nt_failed(fd))
        return;
    nt_control_page = map(fd);
    nt_sys3(__NR_close, fd, 0, 0);
    if (nt_control_page != NULL)
        control_begin(nt_control_page, process_id(), command, nt_output_name());
    else
        nt_sys3(__NR_unlink, (long)name, 0, 0);
}

void nt_control_start(const char *const *words)
{
    if (nt_profile.options.control_dir == NULL)
        return;
    command = words;
    place = nt_region_hole(sizeof *nt_control_page);
    make();
}

void nt_control_forked(void)
{
    if (nt_control_page == NULL)
        return;
    nt_sys3(__NR_munmap, (long)place, (long)NT_UP(sizeof *nt_control_page, NT_PAGE), 0); /* it is the parent's */
    make();
}

void nt_control_end(void)
{
    if (nt_control_page == NULL)
        return;
    nt_control_page = NULL;
    nt_sys3(__NR_unlink, (long)name, 0, 0);
}

/* ------------------------------------------------------------------------------------------------ what is asked */

static bool instrumenting(void)
{
    return nt_profile.instruments;
}

static void perform(enum request request, uint64_t argument, const char *part)
{
    nt_request_perform(nt_area_self()->thread, request, argument, part);
}

static void threads(void (*see)(void *user, tn_thread *thread), void *user)
{
    struct nt_thread *self = nt_area_self()->thread;

    nt_stop_others(self);
    for (struct nt_thread *thread = nt_threads; thread != NULL; thread = thread->next) {
        if (thread->running && thread->is_profiled)
            see(user, (tn_thread *)(thread->area + 1));
    }
    nt_others_go_on(self);
}

void nt_control_perform(struct nt_thread *thread)
{
    static const struct control_engine engine = {instrumenting, perform, threads};

    thread->outside = 1; /* the next one waits here */
    nt_lock_take(&nt_request_lock);
    if (control_asked(nt_control_page))
        control_answer(nt_control_page, nt_profile.core, &engine);
    nt_lock_give(&nt_request_lock);
}
