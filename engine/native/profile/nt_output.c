/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_output.c: where the raw profile goes, and when.
 *
 * The file is made when the run or a forked child begins, before the program may give up the right to make it, and
 * stays open at a number that the program does not meet (nt_file_guard), so that it can be written even if the
 * program uses up all that it may have. Where there is no room for that, and in a child that has its parent's
 * descriptors (CLONE_FILES), it is open only while a part is written. Its folder stays open likewise, for forked
 * children of a program that has changed its root. In names `%p` is the process's id, `%q{NAME}` a variable, `%h` the
 * host and `%%` a percent sign. The rest is engine/common/output.h.
 */
#include "nt_profile.h"

#include <asm/stat.h>
#include <linux/fcntl.h>
#include <linux/resource.h>
#include <linux/utsname.h>

#include "engine/common/output.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/kernel/nt_limit.h"
#include "engine/native/load/nt_exec.h"

enum { SEEK_TO_END = 2, TYPE_MASK = 0170000, TYPE_REGULAR = 0100000 };

static char wanted[OUTPUT_NAME]; /* the pattern: absolute, only %p and %% are left */
static int held_folder = -1; /* that all files lie in, likewise */
static int held = -1; /* the file, where there is room for a descriptor that the program does not meet */

/* ------------------------------------------------------------------------------------------------ names */

static char *output_put(char *to, const char *end, const char *text)
{
    while (*text != '\0' && to < end)
        *to++ = *text++;
    return to;
}

/* A text that stands for itself in a pattern. */
static char *put_plain(char *to, const char *end, const char *text)
{
    for (; *text != '\0' && to < end; text++) {
        if (*text == '%')
            *to++ = '%';
        *to++ = *text;
    }
    return to;
}

/* The value of %q{NAME} at *from, which moves to the brace. */
static const char *variable(const char **from, const struct nt_vector *vector)
{
    const char *at = *from + 2, *value = NULL;
    char variable_name[256];
    size_t length = 0;

    while (at[length] != '\0' && at[length] != '}')
        length++;
    if ((*from)[1] == '{' && at[length] == '}' && length < sizeof variable_name) {
        memcpy(variable_name, at, length);
        variable_name[length] = '\0';
        value = nt_vector_variable(vector, variable_name);
    }
    if (value == NULL)
        nt_die(NT_REJECTED, "--tenure-out-file=: %%q is followed by the name of a variable in braces, as in %%q{HOME}, "
                            "that is set\n");
    *from = at + length;
    return value;
}

/* What does not change, since the program may change where it is and what is around it. */
static void output_prepare(const char *pattern, const struct nt_vector *vector)
{
    const char *end = wanted + sizeof wanted - 1;
    static struct new_utsname system;
    char *to = wanted, folder[4096];

    if (*pattern != '/' && nt_sys3(__NR_getcwd, (long)folder, sizeof folder, 0) > 0 && folder[0] == '/') {
        to = put_plain(to, end, folder);
        to = output_put(to, end, "/");
    }
    for (; *pattern != '\0' && to < end; pattern++) {
        if (pattern[0] != '%' || pattern[1] == '\0') {
            *to++ = *pattern;
            continue;
        }
        pattern++;
        if (*pattern == 'q') {
            to = put_plain(to, end, variable(&pattern, vector));
        } else if (*pattern == 'h') {
            nt_sys3(__NR_uname, (long)&system, 0, 0);
            to = put_plain(to, end, system.nodename);
        } else {
            const char both[] = {'%', *pattern, '\0'};

            to = output_put(to, end, both);
        }
    }
    *to = '\0';
}

static void output_expand(char *to, size_t size)
{
    const char *end = to + size;

    for (const char *from = wanted; *from != '\0' && to < end - 24; from++) {
        if (from[0] == '%' && from[1] == 'p') {
            to += nt_format(to, 24, "%d", nt_process_id());
            from++;
        } else {
            if (from[0] == '%' && from[1] == '%')
                from++;
            *to++ = *from;
        }
    }
    *to = '\0';
}

/* ------------------------------------------------------------------------------------------------ files */

/* If it is the same for all processes: no %p in it. */
static void hold_folder(void)
{
    char *part = wanted + (nt_last_part(wanted) - wanted), first = *part;
    bool is_same = true;

    *part = '\0';
    for (const char *at = wanted; *at != '\0'; at++)
        is_same &= *at != '%';
    long fd = is_same ? nt_host_open(wanted, O_PATH | O_DIRECTORY, 0) : -1;
    *part = first;
    if (nt_failed(fd))
        return;
    held_folder = nt_file_guard((int)fd);
    nt_sys3(__NR_close, fd, 0, 0);
}

static int open_file(const char *name, bool is_new)
{
    if (!is_new && held >= 0)
        return held;
    return (int)nt_host_open_at(held_folder, held_folder >= 0 ? nt_last_part(name) : name,
                                (is_new ? O_CREAT | O_EXCL : 0) | O_APPEND | O_WRONLY | O_NOFOLLOW, 0666);
}

static bool is_file(const char *name)
{
    struct stat status;

    return nt_sys6(__NR_newfstatat, held_folder, (long)(held_folder >= 0 ? nt_last_part(name) : name), (long)&status, 0,
                   0, 0) == 0 && (status.st_mode & TYPE_MASK) == TYPE_REGULAR;
}

static int64_t file_size(int fd)
{
    return nt_sys3(__NR_lseek, fd, 0, SEEK_TO_END);
}

/* How much of it may be written: behind the hard limit for files the program would get a signal. */
static size_t output_allowed(int fd, size_t bytes)
{
    struct rlimit64 limit;

    if (nt_sys6(__NR_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0) != 0 || limit.rlim_cur == RLIM64_INFINITY)
        return bytes;
    long size = file_size(fd);
    if (nt_failed(size))
        return bytes;
    if ((uint64_t)size >= limit.rlim_cur)
        return 0;
    return bytes < limit.rlim_cur - (uint64_t)size ? bytes : limit.rlim_cur - (uint64_t)size;
}

static long write_file(int fd, const void *data, size_t bytes)
{
    size_t now = output_allowed(fd, bytes);

    return now == 0 ? -EFBIG : nt_sys3(__NR_write, fd, (long)data, (long)now);
}

static void let_go(void)
{
    if (held >= 0)
        nt_file_release(held);
    held = -1;
}

static void close_file(int fd, int64_t cut_to)
{
    if (cut_to >= 0)
        nt_sys3(__NR_ftruncate, fd, cut_to, 0);
    if (fd != held)
        nt_sys3(__NR_close, fd, 0, 0);
    else if (cut_to > 0)
        let_go(); /* the next part begins another */
}

static const struct output_host host = {output_expand, open_file, write_file, is_file, file_size, close_file, nt_say};
static struct output output = {.host = &host};

/* The file; if it `stays` open, and there is room for its descriptor, it does. NULL, or why it cannot be made. */
static const char *begin_file(bool stays)
{
    const char *wrong = output_begin(&output);

    if (wrong == NULL) {
        held = stays ? nt_file_guard(output.fd) : -1;
        nt_sys3(__NR_close, output.fd, 0, 0);
    }
    return wrong;
}

void nt_output_begin(const char *pattern, const struct nt_vector *vector)
{
    char option[sizeof wanted + 32];

    output_prepare(pattern, vector);
    nt_format(option, sizeof option, "--tenure-out-file=%s", wanted);
    nt_exec_hand_on(option); /* programs that this one executes write to the same pattern */
    const char *wrong = begin_file(true);
    if (wrong != NULL)
        nt_die(NT_REJECTED, "cannot write the raw profile %s: %s; choose another with --tenure-out-file=\n",
               output.name, wrong);
    hold_folder();
}

const char *nt_output_name(void)
{
    return output_name(&output);
}

void nt_output_write(tn_core *core, const char *why, int (*write)(tn_core *, void *, const char *))
{
    const struct nt_lifted lifted = nt_limit_lift(RLIMIT_FSIZE);

    output_write(&output, core, why, write);
    nt_limit_lower(&lifted);
}

void nt_output_forked(bool shares_files)
{
    output.is_there = false;
    if (!shares_files)
        let_go();
    held = -1;
    begin_file(!shares_files);
}

void nt_output_leave(void)
{
    if (!output.is_there)
        return;
    int fd = open_file(output.name, false);
    if (file_size(fd) == 0)
        nt_sys3(__NR_unlinkat, held_folder, (long)(held_folder >= 0 ? nt_last_part(output.name) : output.name), 0);
    close_file(fd, -1);
    let_go();
    output.is_there = false; /* if the exec fails, there is another */
}
