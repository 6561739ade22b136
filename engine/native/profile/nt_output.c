/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_output.c: see nt_output.h. */
#include "nt_output.h"

#include <linux/fcntl.h>
#include <linux/utsname.h>

#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "engine/native/kernel/nt_file.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/load/nt_exec.h"

enum { PATH_ROOM = 4096 + 64, SEEK_TO_END = 2 };

static char wanted[PATH_ROOM]; /* the pattern: absolute, only %p and %% are left */
static char name[PATH_ROOM];
static bool created;
static int held_folder = -1; /* that all files lie in, likewise */
static int held = -1; /* the file, where there is room for a descriptor that the program does not meet */
static struct nt_stream stream;

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

static void output_expand(char *to, const char *end)
{
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

/* Programs that this one executes write to the same pattern. */
static void hand_on(void)
{
    char option[sizeof wanted + 32];

    nt_format(option, sizeof option, "--tenure-out-file=%s", wanted);
    nt_exec_hand_on(option);
}

const char *nt_output_name(void)
{
    return created ? name : "";
}

/* ------------------------------------------------------------------------------------------------ files */

/* If it is the same for all processes: no %p in it. */
static void hold_folder(void)
{
    char *part = wanted + (nt_last_part(wanted) - wanted), first = *part;
    bool is_same = true;
    long fd;

    *part = '\0';
    for (const char *at = wanted; *at != '\0'; at++)
        is_same &= *at != '%';
    fd = is_same ? nt_host_open(wanted, O_PATH | O_DIRECTORY, 0) : -1;
    *part = first;
    if (nt_failed(fd))
        return;
    held_folder = nt_file_guard((int)fd);
    nt_sys3(__NR_close, fd, 0, 0);
}

/* Returns 0 or an error number. */
static int open_stream(int flags)
{
    long fd = nt_host_open_at(held_folder, held_folder >= 0 ? nt_last_part(name) : name,
                              flags | O_APPEND | O_WRONLY | O_NOFOLLOW, 0666);

    if (nt_failed(fd))
        return (int)-fd;
    stream.fd = (int)fd;
    return 0;
}

/* A file of its own for this process. */
static int output_create(void)
{
    size_t length;
    unsigned number = 1;
    int error;

    output_expand(name, name + sizeof name);
    length = strlen(name);
    while ((error = open_stream(O_CREAT | O_EXCL)) == EEXIST)
        nt_format(name + length, sizeof name - length, ".%u", ++number);
    created = error == 0;
    return error;
}

static const char *output_reason(int error)
{
    static char other[32];

    switch (error) {
    case ENOSPC:
        return "the disk is full";
    case EACCES:
    case EPERM:
        return "permission denied";
    case EROFS:
        return "the file system is read-only";
    case ENOENT:
        return "there is no such directory";
    case ENOTDIR:
    case EISDIR:
        return "the name is a directory, or goes through something that is none";
    case EFBIG:
        return "the file would be larger than the limit";
    default:
        nt_format(other, sizeof other, "error %d", error);
        return other;
    }
}

void nt_output_begin(const char *pattern, const struct nt_vector *vector)
{
    int error;

    output_prepare(pattern, vector);
    hand_on();
    error = output_create();
    if (error != 0)
        nt_die(NT_REJECTED, "cannot write the raw profile %s: %s; choose another with --tenure-out-file=\n",
               name, output_reason(error));
    held = nt_file_guard(stream.fd);
    nt_sys3(__NR_close, stream.fd, 0, 0);
    hold_folder();
}

static void let_go(void)
{
    if (held >= 0)
        nt_file_release(held);
    held = -1;
}

/* A part that could not be written whole is lost, and what the next one builds on may be lost with it: that begins a
 * file of its own, unless this one is empty. */
static void cut_back(tn_core *core, long size)
{
    nt_sys3(__NR_ftruncate, stream.fd, size, 0);
    tn_restart_output(core);
    created = size == 0;
    if (!created)
        let_go();
}

static int write_to_stream(tn_core *core, const char *why, int (*write)(tn_core *, void *, const char *))
{
    long before = nt_sys3(__NR_lseek, stream.fd, 0, SEEK_TO_END);
    bool is_held = stream.fd == held;
    int error;

    stream.error = 0;
    stream.used = 0;
    error = write(core, &stream, why);
    if (error == 0)
        error = nt_stream_flush(&stream);
    if (error != 0)
        cut_back(core, before);
    if (!is_held)
        nt_sys3(__NR_close, stream.fd, 0, 0);
    return error;
}

void nt_output_write(tn_core *core, const char *why, int (*write)(tn_core *, void *, const char *))
{
    int error = 0;

    if (held >= 0)
        stream.fd = held;
    else
        error = created ? open_stream(0) : output_create();
    if (error == 0)
        error = write_to_stream(core, why, write);
    if (error != 0)
        nt_say("cannot write the raw profile %s: %s; this part (%s) is lost; choose another place for it (--out, or "
               "--tenure-out-file)\n", name, output_reason(error), why);
}

void nt_output_forked(void)
{
    created = false;
    let_go();
}
