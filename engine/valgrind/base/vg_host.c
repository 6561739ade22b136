/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_host.c: the ground the engine and the core stand on.
 *
 * Memory comes from Valgrind's address space manager as anonymous mappings, so that a large reservation costs nothing
 * until it is touched. The function that maps is not among those Valgrind declares for tools (what it does declare
 * changed its type between 3.19 and 3.24), but its core exports it, and the tool is linked with exactly one version of
 * that core; hence the declaration here.
 *
 * memcpy, memmove and memset, which the core and the compiler ask for, are in libcoregrind.
 */
#include "vg_host.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"

#include "core/host.h"

struct vg_engine vg;

extern SysRes VG_(am_mmap_anon_float_valgrind)(SizeT length);
extern SysRes VG_(am_do_mmap_NO_NOTIFY)(Addr start, SizeT length, UInt prot, UInt flags, Int fd, Off64T offset);
extern void VG_(exit)(Int status) __attribute__((noreturn));

void vg_tell(const HChar *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    VG_(vmessage)(Vg_UserMsg, format, arguments);
    va_end(arguments);
}

void vg_refuse(const HChar *format, ...)
{
    HChar line[1024];
    va_list arguments;

    va_start(arguments, format);
    VG_(vsnprintf)(line, sizeof line, format, arguments);
    va_end(arguments);
    VG_(fmsg)("%s\n", line);
    VG_(exit)(VG_REFUSED);
}

void *vg_reserve(SizeT bytes)
{
    SysRes mapped = VG_(am_mmap_anon_float_valgrind)(VG_PGROUNDUP(bytes));

    if (sr_isError(mapped))
        vg_refuse("out of memory: the system gives no more %lu bytes (ulimit -v, or a limit of the container)", bytes);
    return (void *)sr_Res(mapped);
}

void *vg_shared_page(void)
{
    void *page = vg_reserve(VKI_PAGE_SIZE);
    SysRes mapped = VG_(am_do_mmap_NO_NOTIFY)((Addr)page, VKI_PAGE_SIZE, VKI_PROT_READ | VKI_PROT_WRITE,
                                              VKI_MAP_SHARED | VKI_MAP_ANONYMOUS | VKI_MAP_FIXED, -1, 0);

    if (sr_isError(mapped))
        vg_refuse("out of memory");
    return page;
}

void vg_release(void *memory, SizeT bytes)
{
    if (memory != NULL)
        VG_(am_munmap_valgrind)((Addr)memory, VG_PGROUNDUP(bytes));
}

bool vg_read_text(const char *path, char *text, size_t size)
{
    Int fd = VG_(fd_open)(path, VKI_O_RDONLY, 0);
    Int got;

    if (fd < 0)
        return false;
    got = VG_(read)(fd, text, size - 1);
    VG_(close)(fd);
    if (got <= 0)
        return false;
    if (text[got - 1] == '\n')
        got--;
    text[got] = '\0';
    return true;
}

void *tn_host_alloc(size_t bytes)
{
    return vg_reserve(bytes);
}

void *tn_host_alloc_sparse(size_t bytes)
{
    return vg_reserve(bytes);
}

void tn_host_free(void *memory, size_t bytes)
{
    vg_release(memory, bytes);
}

void tn_host_yield(uint32_t times) /* this engine is serial */
{
    (void)times;
}

uint64_t tn_host_time(void)
{
    struct vki_timespec now;

    VG_(clock_gettime)(&now, VKI_CLOCK_MONOTONIC);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}

void tn_host_panic(const char *what)
{
    VG_(tool_panic)(what);
}
