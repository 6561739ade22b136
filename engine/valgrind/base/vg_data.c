/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_data.c: what the core needs to know of data objects: allocation functions, what is mapped, static data.
 *
 * Arguments are read where a function's first instruction is, results when the core asks, at the end of the block that
 * returns: everything that the block did is in the guest state then. What is mapped Valgrind says itself; a system
 * call that maps does not block, so the thread that runs is the one that made it.
 */
#include "vg_code.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#include "libvex_guest_amd64.h"

#include "engine/common/data_map.h"

/* libcoregrind's, not announced to tools: where the break begins, and where it is. */
extern Addr VG_(brk_base);
extern Addr VG_(brk_limit);

static data_map *map;

/* ------------------------------------------------------------------------------------------ what holds an address */

enum { MOST_STACK = 1 << 30 };

static bool special(void *user, uint64_t address, struct tn_memory_info *out)
{
    Addr end = VG_PGROUNDUP(VG_(brk_limit));
    const NSegment *stack = VG_(am_find_nsegment)(VG_(thread_get_stack_max)(1));
    const NSegment *segment = VG_(am_find_nsegment)(address);
    Bool is_free = segment == NULL || segment->kind == SkFree || segment->kind == SkResvn;

    (void)user;
    if (address >= VG_(brk_base) && address < end) {
        *out = (struct tn_memory_info){.start = VG_(brk_base), .end = end, .kind = TN_DATA_REST};
        return true;
    }
    if (stack == NULL || address > stack->end)
        return false;
    /* Below the stack, what is not mapped yet is where it grows to. */
    if (segment != stack && !(is_free && address < stack->start && stack->start - address < MOST_STACK))
        return false;
    *out = (struct tn_memory_info){.start = segment == stack ? stack->start : address,
                                   .end = stack->end + 1,
                                   .kind = TN_DATA_STACK,
                                   .thread = 1};
    return true;
}

static void memory_at(void *user, uint64_t address, struct tn_memory_info *out)
{
    (void)user;
    data_map_at(map, address, out);
}

static enum tn_element_answer element_at(void *user, uint64_t address, struct tn_element *out)
{
    (void)user;
    return data_map_element(map, address, out);
}

static uint64_t result(void *user, tn_thread *thread, uint64_t at)
{
    ULong returned = 0;

    (void)user;
    (void)thread;
    VG_(get_shadow_regs_area)(VG_(get_running_tid)(), (UChar *)&returned, 0, offsetof(VexGuestAMD64State, guest_RAX),
                              sizeof returned);
    if (at == 0)
        return returned;
    if ((UInt)returned != 0 || !VG_(am_is_valid_for_client)(at, sizeof(ULong), VKI_PROT_READ))
        return 0;
    return *(const ULong *)at;
}

void vg_data_configure(struct tn_config *config)
{
    config->memory_at = memory_at;
    config->element_at = element_at;
    config->result = result;
}

void vg_data_begin(void)
{
    map = data_map_new(vg_code_host(), vg.options.elements, special);
    vg.options.told = data_map_told(map);
}

/* ------------------------------------------------------------------------------------------ what is mapped */

void vg_data_unmapped(Addr address, SizeT bytes)
{
    if (!vg.config.data || vg.current == NULL)
        return;
    tn_memory_changed(vg.current, address, bytes);
    data_map_changed(map, address, bytes);
}

void vg_data_mapped(Addr address, SizeT bytes)
{
    const NSegment *segment = VG_(am_find_nsegment)(address);

    vg_data_unmapped(address, bytes);
    if (vg.config.data && vg.current != NULL && segment != NULL && segment->kind == SkAnonC)
        tn_memory_mapped(vg.current, address, bytes);
}

void vg_data_moved(Addr from, Addr to, SizeT bytes)
{
    (void)from; /* told as unmapped */
    vg_data_mapped(to, bytes);
}
