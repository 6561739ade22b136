/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_aslr.c: --aslr=yes, random addresses.
 *
 * Valgrind gives a program the same addresses each time: a position-independent one begins at 0x108000, everything
 * that is mapped goes to the lowest address that is free, from 0x4000000 on, and the stack ends at one place. To see
 * what of a profile is owed to these addresses, three distances are random:
 *
 *     the program, if it is position independent, and the heap behind it   up to 16 MiB higher
 *     what is mapped: the dynamic linker, libraries, large blocks          up to 16 MiB higher, behind an empty mapping
 *     the stack pointer                                                    up to 256 KiB lower
 *
 * in pages, the stack in steps of 16 bytes, as the kernel does it, only less far: what matters are the sets that an
 * address falls into. A program that is not position independent stays where it was linked, and so does its heap.
 *
 * The program is mapped before Valgrind asks its tool anything, so the function that does it is led here by the linker
 * (--wrap), and the option is looked for where Valgrind has put the arguments.
 */
#include "vg_program.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_xarray.h"

enum { PAGES = 4096, STACK_STEPS = 16384, LEAST = 0x108000 };

/* Not announced to tools; the second not by every version. */
extern SysRes VG_(am_mmap_anon_fixed_client)(Addr start, SizeT length, UInt protection);
extern Addr VG_(am_get_advisory_client_simple)(Addr start, SizeT length, Bool *good);

/* The beginning of Valgrind's ExeInfo. A position-independent program is put two thirds of the way from one to the
 * other (newer ones: to the first), at 0x108000 at least; both are 0. */
struct image {
    void *state;
    Addr base, end;
};
extern Int __real_vgPlain_load_ELF(Int fd, const HChar *name, struct image *image);
extern Int __wrap_vgPlain_load_ELF(Int fd, const HChar *name, struct image *image);

static UInt random_below(UInt limit)
{
    SysRes opened = VG_(open)("/dev/urandom", VKI_O_RDONLY, 0);
    UInt number = VG_(getpid)() * 2654435761u; /* where there is no such file */

    if (!sr_isError(opened)) {
        VG_(read)(sr_Res(opened), &number, sizeof number);
        VG_(close)(sr_Res(opened));
    }
    return number % limit;
}

Int __wrap_vgPlain_load_ELF(Int fd, const HChar *name, struct image *image)
{
    Bool wanted = False, good = False;

    for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); i++) { /* the last one says it, as with all options */
        const HChar *argument = *(const HChar **)VG_(indexXA)(VG_(args_for_valgrind), i);

        if (VG_(strncmp)(argument, "--aslr=", 7) == 0)
            wanted = VG_(strcmp)(argument, "--aslr=yes") == 0;
    }
    if (wanted) {
        image->base = image->end = LEAST + (Addr)random_below(PAGES) * VKI_PAGE_SIZE;
        SizeT bytes = (1 + (SizeT)random_below(PAGES)) * VKI_PAGE_SIZE;
        Addr at = VG_(am_get_advisory_client_simple)(0, bytes, &good);

        if (good) /* what is mapped from now on goes behind it */
            VG_(am_mmap_anon_fixed_client)(at, bytes, VKI_PROT_NONE);
    }
    return __real_vgPlain_load_ELF(fd, name, image);
}

SizeT vg_aslr_stack(void)
{
    return vg.options.aslr ? (SizeT)random_below(STACK_STEPS) * 16 : 0;
}
