/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_code.c: from addresses to the core's objects and functions.
 *
 * engine/common/code_map.h knows how; here is what it asks: Valgrind's address space manager knows which file is mapped
 * where, and the options say what is done with a function of some name. Valgrind's own symbol reader is not asked:
 * both engines must draw the same bounds.
 */
#include "vg_code.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"

#include "vg_host.h"

/* Not announced to tools: vg_host.c. */
extern SysRes VG_(am_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd, Off64T offset);

static code_map *map;

/* ------------------------------------------------------------------------------------------ memory and files */

static void *fb_reserve(void *user, size_t bytes)
{
    (void)user;
    return vg_reserve(bytes);
}

static void fb_release(void *user, void *memory, size_t bytes)
{
    (void)user;
    vg_release(memory, bytes);
}

/* Files are mapped, not read: cc1 alone has 30 MB. */
static const void *fb_map(void *user, const char *path, size_t *bytes)
{
    struct vg_stat status;
    Int fd = VG_(fd_open)(path, VKI_O_RDONLY | VKI_O_NONBLOCK, 0); /* of a pipe, nobody is waited for */
    const void *memory = NULL;

    (void)user;
    if (fd < 0)
        return NULL;
    if (VG_(fstat)(fd, &status) == 0 && VKI_S_ISREG(status.mode) && status.size > 0) {
        SysRes mapped = VG_(am_mmap_file_float_valgrind)(status.size, VKI_PROT_READ, fd, 0);

        if (!sr_isError(mapped)) {
            memory = (const void *)sr_Res(mapped);
            *bytes = status.size;
        }
    }
    VG_(close)(fd);
    return memory;
}

static void fb_unmap(void *user, const void *memory, size_t bytes)
{
    (void)user;
    VG_(am_munmap_valgrind)((Addr)memory, VG_PGROUNDUP(bytes));
}

static const struct fb_host memory = {NULL, fb_reserve, fb_release, fb_map, fb_unmap};

static bool mapping_at(void *user, uint64_t address, struct code_mapping *out)
{
    const NSegment *segment = VG_(am_find_nsegment)(address);

    (void)user;
    if (segment == NULL)
        return false;
    out->start = segment->start;
    out->end = segment->end + 1;
    if (segment->kind == SkFileC) {
        out->path = VG_(am_get_filename)(segment);
        out->offset = segment->offset;
        out->dev = segment->dev;
        out->ino = segment->ino;
    }
    return true;
}

static uint64_t process_id(void *user)
{
    (void)user;
    return VG_(getpid)();
}

static void describe(void *user, uint32_t fb_flags, struct tn_function_info *info)
{
    (void)user;
    options_describe(&vg.options, fb_flags, info);
}

/* ------------------------------------------------------------------------------------------ questions */

static const struct code_map_host host = {&memory, NULL, mapping_at, describe, process_id};

const struct code_map_host *vg_code_host(void)
{
    return &host;
}

void vg_code_begin(void)
{
    map = code_map_new(&host, vg.core);
}

void vg_function_at(Addr address, struct code_function *out)
{
    code_map_function(map, address, out);
}

UInt vg_function_id(Addr address)
{
    return code_map_function_id(map, address);
}

UInt vg_callee_id(Addr address)
{
    return code_map_callee_id(map, address);
}

void vg_code_name_late(void)
{
    code_map_name_late(map);
}

uint32_t vg_core_function_at(void *user, uint64_t address)
{
    (void)user;
    return vg_function_id(address);
}

void vg_code_called(void)
{
    code_map_written(map);
}

void vg_code_mapped(Addr address)
{
    code_map_mapped(map, address);
}

void vg_code_unmapped(Addr address, SizeT bytes)
{
    code_map_unmapped(map, address, bytes);
}
