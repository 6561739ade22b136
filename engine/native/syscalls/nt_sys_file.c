/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_sys_file.c: system calls about files and descriptors that would show the engine, or take its descriptors away.
 *
 * The program can neither close nor replace the engine's descriptors (nt_file.c): to it they do not exist. The
 * executable's links in /proc mean the program's file, and what is mapped is listed without us.
 *
 * The file of a program that runs is busy: nobody may open it for writing. The kernel knows that of our file only, so
 * it is refused here, to this process and its children.
 */
#include <asm/stat.h>
#include <linux/fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>

#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/profile/nt_consumer.h"
#include "nt_syscall.h"

enum { PATH_HEAD = 64, PATH_ROOM = 2 * PATH_HEAD + 2 };

/* -------------------------------------------------------------------------------------------- descriptors */

/* Any call whose first argument alone is a descriptor. */
bool nt_sys_fcntl(struct nt_thread *thread, struct nt_call *call)
{
    return nt_file_is_guarded(NT_ARG(call, 0)) ? nt_call_fail(call, EBADF) : nt_call_pass(thread, call);
}

bool nt_sys_dup2(struct nt_thread *thread, struct nt_call *call)
{
    if (nt_file_is_guarded(NT_ARG(call, 0)) || nt_file_is_guarded(NT_ARG(call, 1)))
        return nt_call_fail(call, EBADF);
    return nt_call_pass(thread, call);
}

/* In pieces, around ours. */
bool nt_sys_close_range(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t first = (uint32_t)NT_ARG(call, 0), last = (uint32_t)NT_ARG(call, 1);

    if (first > last)
        return nt_call_pass(thread, call);
    for (;;) {
        int64_t own = nt_file_next_guarded(first);
        uint64_t end = own < 0 || (uint64_t)own > last ? last : (uint64_t)own - 1;

        NT_ARG(call, 0) = first;
        NT_ARG(call, 1) = end;
        if (first <= end && !nt_call_pass(thread, call))
            return false;
        if (end == last || nt_failed(call->result))
            return true;
        first = (uint64_t)own + 1;
        if (first > last)
            return true;
    }
}

/* -------------------------------------------------------------------------------------------- /proc */

/* Of the process, or of one of its threads: the kernel has a folder for each. */
static bool is_own_number(uint64_t number)
{
    bool is_own = number == (uint64_t)nt_process_id();

    for (const struct nt_thread *thread = nt_threads; thread != NULL && !is_own; thread = thread->next)
        is_own = thread->running && !thread->is_child && (uint64_t)thread->tid == number;
    return is_own;
}

/* What follows /proc/self/ and its other names in `path`, or /proc/self/task/TID/; NULL if it is no such path. */
static const char *in_own_proc(const char *path)
{
    const char *rest = nt_after(path, "/proc/"), *of_thread;

    if (rest == NULL)
        return NULL;
    if (*rest >= '0' && *rest <= '9') {
        rest = is_own_number(nt_number(&rest, 10)) && *rest == '/' ? rest + 1 : NULL;
    } else {
        path = nt_after(rest, "self/");
        rest = path != NULL ? path : nt_after(rest, "thread-self/");
    }
    of_thread = rest != NULL ? nt_after(rest, "task/") : NULL;
    if (of_thread != NULL)
        nt_number(&of_thread, 10);
    return of_thread != NULL && *of_thread == '/' ? of_thread + 1 : rest;
}

/* What of a process's folder in /proc we have to do with; "task" and "stat" are what names begin with. */
static bool is_of_interest(const char *name)
{
    return nt_same(name, "exe") || nt_same(name, "maps") || nt_same(name, "smaps") || nt_same(name, "numa_maps") ||
           nt_same(name, "mem") || nt_after(name, "task") != NULL || nt_after(name, "stat") != NULL;
}

/* Whether it takes the kernel to say where a path leads: from a folder, or on a way that is not straight. */
static bool is_winding(const char *path)
{
    bool is_odd = *path != '/';

    for (; *path != '\0' && !is_odd; path++)
        is_odd = nt_after(path, "//") != NULL || nt_after(path, "/.") != NULL;
    return is_odd;
}

/* The file in its own folder of /proc that a path of the program's names, if it is of interest; else NULL. `whole` is
 * then that path with the folder that it begins in, which the kernel names where it is not written plainly. */
static const char *own_file(long folder, uint64_t path, char whole[PATH_ROOM])
{
    char head[PATH_HEAD], in[PATH_HEAD];

    if (!nt_host_program_text(path, head, sizeof head))
        return NULL;
    nt_format(whole, PATH_ROOM, "%s", head);
    const char *rest = in_own_proc(whole), *name = nt_last_part(head);
    if (is_of_interest(name) && (rest == NULL ? is_winding(head) : rest - whole != name - head)) {
        nt_format(in, (size_t)(name - head) + 1, "%s", head);
        long opened = nt_sys6(__NR_openat, folder, (long)(name == head ? "." : in), O_PATH | O_CLOEXEC, 0, 0, 0);
        if (nt_failed(opened))
            return NULL;
        long length = nt_host_name_of((int)opened, whole, PATH_HEAD);
        nt_sys3(__NR_close, opened, 0, 0);
        if (nt_failed(length))
            return NULL;
        nt_format(whole + length, PATH_ROOM - (size_t)length, "/%s", name);
        rest = in_own_proc(whole);
    }
    return rest != NULL && is_of_interest(rest) ? rest : NULL;
}

const char *nt_file_own(long folder, uint64_t path)
{
    char whole[PATH_ROOM];
    const char *file = own_file(folder, path, whole);

    return file != NULL && nt_same(file, "exe") ? nt.program : NULL;
}

/* If the path in this argument is the executable's link, the call is made for the program's file. What says how many
 * threads the process has is to show the program's alone. */
static bool pass_path(struct nt_thread *thread, struct nt_call *call, long folder, int argument, bool follows)
{
    char whole[PATH_ROOM];
    const char *file = own_file(folder, NT_ARG(call, argument), whole);

    if (file != NULL && nt_same(file, "exe")) {
        if (follows)
            NT_ARG(call, argument) = (uint64_t)nt.program;
    } else if (file != NULL && (nt_after(file, "task") != NULL || nt_after(file, "stat") != NULL)) {
        nt_consumer_stop(false);
    }
    return nt_call_pass(thread, call);
}

bool nt_sys_path(struct nt_thread *thread, struct nt_call *call)
{
    return pass_path(thread, call, AT_FDCWD, 0, true);
}

/* newfstatat and faccessat2 have their flags in the fourth argument, statx in the third; faccessat has none. */
bool nt_sys_path_at(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t number = call->raw[0];
    uint64_t flags = number == __NR_newfstatat || number == __NR_faccessat2 ? NT_ARG(call, 3)
                     : number == __NR_statx                                 ? NT_ARG(call, 2)
                                                                            : 0;

    return pass_path(thread, call, (long)NT_ARG(call, 0), 1, !(flags & AT_SYMLINK_NOFOLLOW));
}

bool nt_sys_linkat(struct nt_thread *thread, struct nt_call *call)
{
    return pass_path(thread, call, (long)NT_ARG(call, 0), 1, NT_ARG(call, 4) & AT_SYMLINK_FOLLOW);
}

/* -------------------------------------------------------------------------------------------- opening */

/* An open call: where its flags are, and which argument is the path. */
struct opening {
    uint64_t *flags;
    long folder;
    int path;
    bool no_links; /* it must not lead through any */
};

static bool writes(uint64_t flags)
{
    uint64_t mode = flags & O_ACCMODE;

    return !(flags & O_PATH) && (mode == O_WRONLY || mode == O_RDWR || flags & O_TRUNC);
}

static bool is_program(long folder, uint64_t path, int flags)
{
    struct stat status;

    return nt_sys6(__NR_newfstatat, folder, (long)path, (long)&status, flags, 0, 0) == 0 &&
           status.st_dev == nt.program_device && status.st_ino == nt.program_inode;
}

/* The program's file is opened for nothing but the errors that come first, without any change to it. */
static bool refuse_busy(struct nt_thread *thread, struct nt_call *call, uint64_t *flags)
{
    *flags &= ~(uint64_t)O_TRUNC;
    if (!nt_call_pass(thread, call))
        return false;
    if (nt_failed(call->result))
        return true;
    nt_sys3(__NR_close, call->result, 0, 0);
    return nt_call_fail(call, ETXTBSY);
}

static bool open_path(struct nt_thread *thread, struct nt_call *call, const struct opening *opening)
{
    char whole[PATH_ROOM];
    uint64_t *path = &NT_ARG(call, opening->path), flags = *opening->flags;
    const char *file = opening->no_links ? NULL : own_file(opening->folder, *path, whole);

    bool is_status = file != NULL && !(flags & O_PATH) && nt_same(file, "status");
    if (is_status)
        nt_consumer_stop(false);
    if (is_status ||
        (file != NULL && !(flags & O_PATH) &&
         (nt_same(file, "maps") || nt_same(file, "smaps") || nt_same(file, "numa_maps")))) {
        call->result = nt_file_seen(whole, flags);
        return true;
    }
    if (file != NULL && nt_same(file, "mem"))
        nt.opened_memory |= writes(flags);
    if (file != NULL && nt_same(file, "exe") && !(flags & O_NOFOLLOW))
        *path = (uint64_t)nt.program;
    if (writes(flags) && is_program(opening->folder, *path, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0))
        return refuse_busy(thread, call, opening->flags);
    return pass_path(thread, call, opening->folder, opening->path, false);
}

bool nt_sys_open(struct nt_thread *thread, struct nt_call *call)
{
    return open_path(thread, call, &(struct opening){&NT_ARG(call, 1), AT_FDCWD, 0, false});
}

bool nt_sys_openat(struct nt_thread *thread, struct nt_call *call)
{
    return open_path(thread, call, &(struct opening){&NT_ARG(call, 2), (long)NT_ARG(call, 0), 1, false});
}

bool nt_sys_openat2(struct nt_thread *thread, struct nt_call *call)
{
    struct opening opening = {.folder = (long)NT_ARG(call, 0), .path = 1};
    struct open_how how;

    if (NT_ARG(call, 3) != sizeof how || nt_copy(&how, (const void *)NT_ARG(call, 2), sizeof how) != 0)
        return nt_call_pass(thread, call);
    NT_ARG(call, 2) = (uint64_t)&how;
    opening.flags = (uint64_t *)&how.flags;
    opening.no_links = (how.resolve & (RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS)) != 0;
    return open_path(thread, call, &opening);
}

bool nt_sys_creat(struct nt_thread *thread, struct nt_call *call)
{
    NT_ARG(call, 2) = NT_ARG(call, 1);
    NT_ARG(call, 1) = O_CREAT | O_WRONLY | O_TRUNC;
    call->raw[0] = __NR_open;
    return nt_sys_open(thread, call);
}

bool nt_sys_truncate(struct nt_thread *thread, struct nt_call *call)
{
    const char *own = nt_file_own(AT_FDCWD, NT_ARG(call, 0));

    if (own != NULL)
        NT_ARG(call, 0) = (uint64_t)own;
    if ((int64_t)NT_ARG(call, 1) < 0 || !is_program(AT_FDCWD, NT_ARG(call, 0), 0))
        return nt_call_pass(thread, call);
    NT_ARG(call, 1) = O_WRONLY;
    call->raw[0] = __NR_open;
    return refuse_busy(thread, call, &NT_ARG(call, 1));
}

/* -------------------------------------------------------------------------------------------- links */

/* Whether the path is empty and the descriptor the executable's link itself. */
static bool is_own_link(long fd, uint64_t path)
{
    char text[2], name[PATH_HEAD];

    if (!nt_host_program_text(path, text, sizeof text) || text[0] != '\0' ||
        nt_failed(nt_host_name_of((int)fd, name, sizeof name)))
        return false;
    const char *file = in_own_proc(name);
    return file != NULL && nt_same(file, "exe");
}

static bool read_link(struct nt_thread *thread, struct nt_call *call, long folder, int argument)
{
    const char *own = is_own_link(folder, NT_ARG(call, argument)) ? nt.program
                                                                  : nt_file_own(folder, NT_ARG(call, argument));
    uint64_t room = (uint32_t)NT_ARG(call, argument + 2);

    if (own == NULL)
        return nt_call_pass(thread, call);
    if ((int)room <= 0)
        return nt_call_fail(call, EINVAL);
    size_t length = strlen(own);
    if (length > room)
        length = room;
    call->result = nt_copy((void *)NT_ARG(call, argument + 1), own, length) == 0 ? (long)length : -EFAULT;
    return true;
}

bool nt_sys_readlink(struct nt_thread *thread, struct nt_call *call)
{
    return read_link(thread, call, AT_FDCWD, 0);
}

bool nt_sys_readlinkat(struct nt_thread *thread, struct nt_call *call)
{
    return read_link(thread, call, (long)NT_ARG(call, 0), 1);
}
