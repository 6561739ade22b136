/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_output.c: where the raw profile goes, and when.
 *
 * The file is open only while a part is written, so that the program never meets a descriptor that is not its
 * own, closes it or inherits it. It is made when the run begins and appended to afterwards.
 *
 * Names. `%p`, `%q{VARIABLE}` and `%%` are Valgrind's, `%h` is the host's name. No file that exists is touched: if
 * the name is taken (an earlier run, a forked sibling, an image that replaced itself by exec), .2, .3 ... is put
 * behind it.
 *
 * A part that cannot be written whole is lost: its costs have left the core. The file is cut back to what it was, and
 * the next part begins a file, since the definitions that it builds on may have been lost with it.
 */
#include "vg_output.h"

#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"

#include "pub_tool_vkiscnums.h"

#include "vg_host.h"

/* Not announced to tools. */
extern SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord);

static HChar *file_name;
static Bool created;
static struct vg_stream stream;

/* The pattern with %h replaced; Valgrind does the rest. */
static HChar *with_host_name(const HChar *pattern)
{
    HChar host[256], *out, *to;
    SizeT hosts = 0;
    const HChar *at;

    for (at = pattern; *at != '\0'; at++)
        hosts += at[0] == '%' && at[1] == 'h';
    if (!vg_read_text("/proc/sys/kernel/hostname", host, sizeof host))
        VG_(strcpy)(host, "localhost");
    to = out = VG_(malloc)("tenure.name", VG_(strlen)(pattern) + hosts * VG_(strlen)(host) + 1);
    for (at = pattern; *at != '\0'; at++) {
        if (at[0] == '%' && at[1] == 'h') {
            VG_(strcpy)(to, host);
            to += VG_(strlen)(host);
            at++;
        } else if (at[0] == '%' && at[1] == '%') {
            *to++ = *at++;
            *to++ = *at;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
    return out;
}

static HChar *expand(void)
{
    HChar *pattern = with_host_name(vg.options.out_file);
    HChar *name = VG_(expand_file_name)("--tenure-out-file", pattern);

    VG_(free)(pattern);
    return name;
}

static Int take_opened(SysRes opened)
{
    if (sr_isError(opened))
        return sr_Err(opened);
    stream.fd = sr_Res(opened);
    stream.error = 0;
    stream.used = 0;
    return 0;
}

/* Opens a file of its own for this process. Returns 0 or an error number. */
static Int create(void)
{
    HChar *wanted = expand();
    UInt number = 1;
    Int error;

    file_name = wanted;
    while ((error = take_opened(VG_(open)(file_name, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_EXCL, 0666))) ==
           VKI_EEXIST) {
        file_name = VG_(malloc)("tenure.name", VG_(strlen)(wanted) + 16);
        VG_(sprintf)(file_name, "%s.%u", wanted, ++number);
    }
    created = error == 0;
    return error;
}

static Int open_again(void)
{
    return take_opened(VG_(open)(file_name, VKI_O_WRONLY | VKI_O_APPEND, 0));
}

static const HChar *reason(Int error)
{
    static HChar other[32];

    switch (error) {
    case VKI_ENOSPC:
        return "the disk is full";
    case VKI_EACCES:
    case VKI_EPERM:
        return "permission denied";
    case VKI_EROFS:
        return "the file system is read-only";
    case VKI_ENOENT:
        return "there is no such directory";
    case VKI_ENOTDIR:
    case VKI_EISDIR:
        return "the name is a directory, or goes through something that is none";
    case VKI_EFBIG:
        return "the file would be larger than the limit";
    default:
        VG_(snprintf)(other, sizeof other, "error %d", error);
        return other;
    }
}

void vg_output_begin(void)
{
    Int error = create();

    if (error != 0)
        vg_refuse("cannot write the raw profile %s: %s; choose another with --tenure-out-file=", file_name,
                  reason(error));
    VG_(close)(stream.fd);
}

const HChar *vg_output_name(void)
{
    return created ? file_name : "";
}

static void cut_back(Off64T size)
{
    VG_(do_syscall)(__NR_ftruncate, stream.fd, size, 0, 0, 0, 0, 0, 0);
    tn_restart_output(vg.core);
    created = size == 0; /* an empty file is as good as a new one */
}

static Int write_to_stream(const HChar *why, int (*write)(tn_core *, void *, const char *))
{
    Off64T before = VG_(lseek)(stream.fd, 0, VKI_SEEK_END);
    Int error = write(vg.core, &stream, why);

    if (error == 0)
        error = vg_stream_flush(&stream);
    if (error != 0)
        cut_back(before);
    VG_(close)(stream.fd);
    return error;
}

static void write_part(const HChar *why, int (*write)(tn_core *, void *, const char *))
{
    Int error = created ? open_again() : create();

    if (error == 0)
        error = write_to_stream(why, write);
    if (error != 0)
        vg_tell("cannot write the raw profile %s: %s; this part (%s) is lost; choose another place for it (--out, or "
                "--tenure-out-file)\n", file_name, reason(error), why);
}

void vg_output_part(const HChar *why)
{
    write_part(why, tn_dump);
    control_part(vg.control_page, vg_output_name());
}

void vg_output_finish(const HChar *why)
{
    write_part(why, tn_finish);
}

void vg_output_forked(void)
{
    created = False;
}
