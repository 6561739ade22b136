/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_output.c: where the raw profile goes (engine/common/output.h).
 *
 * The file is open only while a part is written, so that the program never meets a descriptor that is not its own,
 * closes it or inherits it. In its name `%p`, `%q{VARIABLE}` and `%%` are Valgrind's, `%h` is the host's name.
 */
#include "vg_output.h"

#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_vkiscnums.h"

#include "engine/common/output.h"
#include "vg_code.h"
#include "vg_host.h"

/* The pattern with %h replaced; Valgrind does the rest. */
static HChar *with_host_name(const HChar *pattern)
{
    HChar host[256], *out, *to;
    SizeT hosts = 0;

    for (const HChar *at = pattern; *at != '\0'; at++)
        hosts += at[0] == '%' && at[1] == 'h';
    if (!vg_read_text("/proc/sys/kernel/hostname", host, sizeof host))
        VG_(strcpy)(host, "localhost");
    to = out = VG_(malloc)("tenure.name", VG_(strlen)(pattern) + hosts * VG_(strlen)(host) + 1);
    for (const HChar *at = pattern; *at != '\0'; at++) {
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

static void expand(char *to, size_t size)
{
    HChar *pattern = with_host_name(vg.options.out_file);
    HChar *name = VG_(expand_file_name)("--tenure-out-file", pattern);

    VG_(free)(pattern);
    VG_(snprintf)(to, size, "%s", name);
    VG_(free)(name);
}

static int open_file(const char *name, bool is_new)
{
    SysRes opened = VG_(open)(name, VKI_O_WRONLY | (is_new ? VKI_O_CREAT | VKI_O_EXCL : VKI_O_APPEND), 0666);

    return sr_isError(opened) ? -(int)sr_Err(opened) : (int)sr_Res(opened);
}

static long write_file(int fd, const void *data, size_t bytes)
{
    return VG_(write)(fd, data, bytes > (1 << 30) ? (1 << 30) : (Int)bytes);
}

static bool is_file(const char *name)
{
    struct vg_stat status;

    return !sr_isError(VG_(stat)(name, &status)) && VKI_S_ISREG(status.mode);
}

static int64_t file_size(int fd)
{
    return VG_(lseek)(fd, 0, VKI_SEEK_END);
}

static void close_file(int fd, int64_t cut_to)
{
    if (cut_to >= 0)
        VG_(do_syscall)(__NR_ftruncate, fd, cut_to, 0, 0, 0, 0, 0, 0);
    VG_(close)(fd);
}

static const struct output_host host = {expand, open_file, write_file, is_file, file_size, close_file, vg_tell};
static struct output output = {.host = &host};

void vg_output_begin(void)
{
    const char *wrong = output_begin(&output);

    if (wrong != NULL)
        vg_refuse("cannot write the raw profile %s: %s; choose another with --tenure-out-file=", output.name, wrong);
    VG_(close)(output.fd);
}

const HChar *vg_output_name(void)
{
    return output_name(&output);
}

void vg_output_part(const HChar *why)
{
    vg_code_name_late();
    output_write(&output, vg.core, why, tn_dump);
    control_part(vg.control_page, vg_output_name());
}

void vg_output_finish(const HChar *why)
{
    vg_code_name_late();
    options_unmatched(&vg.options, vg.core);
    output_write(&output, vg.core, why, tn_finish);
}

void vg_output_forked(void)
{
    output.is_there = false;
}
