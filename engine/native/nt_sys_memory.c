/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_sys_memory.c: system calls that change what is mapped.
 *
 * The engine's region is out of reach: to a program it is an address that cannot be had. What becomes of executable
 * memory is noted (nt_maps), and blocks made of code that has gone are forgotten before the program goes on. One of
 * these calls is made at a time, so that what is noted is in the order of what was done.
 */
#include <linux/mman.h>

#include "nt_data.h"
#include "nt_dispatch.h"
#include "nt_engine.h"
#include "nt_gate.h"
#include "nt_lib.h"
#include "nt_limit.h"
#include "nt_maps.h"
#include "nt_region.h"
#include "nt_syscall.h"

#ifndef SHM_EXEC
#define SHM_EXEC 0100000
#endif

struct nt_lock nt_memory_lock;

static uint64_t break_start, break_now; /* the program break */

/* [start, start + bytes) is another thing than before, with this protection. */
static void changed(uint64_t start, uint64_t bytes, uint64_t protection)
{
    bool is_executable = (protection & PROT_EXEC) != 0;
    uint64_t end = NT_UP(start + bytes, NT_PAGE);
    bool had_code = nt_maps_meets(start, end);

    if (had_code || is_executable)
        nt_maps_set(start, end, is_executable, (protection & PROT_WRITE) != 0);
    if (had_code || (is_executable && nt.saw_no_code))
        nt_code_changed(start, end - start);
}

static bool pass_locked(struct nt_thread *thread, struct nt_call *call)
{
    bool was_made;

    (void)thread;
    nt_lock_take(&nt_memory_lock);
    do /* with the baton in hand: it does not block */
        was_made = nt_gate_call(call->raw, &call->result);
    while (was_made && call->result == -NT_ENOMEM && nt_limit_make_room(0));
    if (!was_made)
        nt_lock_give(&nt_memory_lock);
    return was_made;
}

static bool fail(struct nt_call *call, int error)
{
    call->result = -error;
    return true;
}

bool nt_sys_mmap(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t flags = NT_ARG(call, 3);
    bool is_fixed = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0;

    if (nt_region_meets(NT_ARG(call, 0), NT_ARG(call, 1))) {
        if (is_fixed)
            return fail(call, flags & MAP_FIXED_NOREPLACE ? NT_EEXIST : NT_ENOMEM);
        NT_ARG(call, 0) = 0; /* only a wish */
    }
    if (!pass_locked(thread, call))
        return false;
    if (!nt_failed(call->result)) {
        changed((uint64_t)call->result, NT_ARG(call, 1), NT_ARG(call, 2));
        nt_data_changed(thread, (uint64_t)call->result, NT_ARG(call, 1), (flags & MAP_ANONYMOUS) != 0);
    }
    nt_lock_give(&nt_memory_lock);
    return true;
}

bool nt_sys_munmap(struct nt_thread *thread, struct nt_call *call)
{
    if (nt_region_meets(NT_ARG(call, 0), NT_ARG(call, 1)))
        return fail(call, NT_EINVAL);
    if (!pass_locked(thread, call))
        return false;
    if (!nt_failed(call->result)) {
        changed(NT_ARG(call, 0), NT_ARG(call, 1), PROT_NONE);
        nt_data_changed(thread, NT_ARG(call, 0), NT_ARG(call, 1), false);
    }
    nt_lock_give(&nt_memory_lock);
    return true;
}

bool nt_sys_mprotect(struct nt_thread *thread, struct nt_call *call)
{
    if (nt_region_meets(NT_ARG(call, 0), NT_ARG(call, 1)))
        return fail(call, NT_ENOMEM);
    if (!pass_locked(thread, call))
        return false;
    if (!nt_failed(call->result))
        changed(NT_ARG(call, 0), NT_ARG(call, 1), NT_ARG(call, 2));
    nt_lock_give(&nt_memory_lock);
    return true;
}

/* What has grown where it was has only grown. */
static void tell_moved(struct nt_thread *thread, const struct nt_call *call, uint64_t old, uint64_t old_bytes,
                       uint64_t new_bytes)
{
    uint64_t now = (uint64_t)call->result, kept = NT_UP(old_bytes, NT_PAGE), wanted = NT_UP(new_bytes, NT_PAGE);

    if (now != old) {
        if (!(NT_ARG(call, 3) & MREMAP_DONTUNMAP))
            nt_data_changed(thread, old, kept, false);
        nt_data_changed(thread, now, wanted, true);
    } else if (wanted > kept) {
        nt_data_changed(thread, now + kept, wanted - kept, true);
    } else if (wanted < kept) {
        nt_data_changed(thread, now + wanted, kept - wanted, false);
    }
}

bool nt_sys_mremap(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t old = NT_ARG(call, 0), old_bytes = NT_ARG(call, 1), new_bytes = NT_ARG(call, 2);
    uint64_t protection = PROT_NONE;

    if (nt_region_meets(old, old_bytes) ||
        (NT_ARG(call, 3) & MREMAP_FIXED && nt_region_meets(NT_ARG(call, 4), new_bytes)))
        return fail(call, NT_EFAULT);
    if (nt_maps_meets(old, old + 1))
        protection = PROT_EXEC;
    for (uint64_t page = old; protection != PROT_NONE && page < old + old_bytes; page += NT_PAGE) {
        if (nt_maps_unguard(page))
            protection |= PROT_WRITE;
    }
    if (!pass_locked(thread, call))
        return false;
    if (!nt_failed(call->result)) {
        if (!(NT_ARG(call, 3) & MREMAP_DONTUNMAP))
            changed(old, old_bytes, PROT_NONE);
        changed((uint64_t)call->result, new_bytes, protection);
        tell_moved(thread, call, old, old_bytes, new_bytes);
    }
    nt_lock_give(&nt_memory_lock);
    return true;
}

/* Advice that changes what memory holds; what may be executed stays. */
bool nt_sys_madvise(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t start = NT_ARG(call, 0), bytes = NT_ARG(call, 1), advice = NT_ARG(call, 2);

    if (nt_region_meets(start, bytes))
        return fail(call, NT_ENOMEM);
    if (!nt_call_pass(thread, call))
        return false;
    if ((advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE) &&
        nt_maps_meets(start, start + bytes))
        nt_code_changed(start, bytes);
    return true;
}

/* Its size is not in the call: of a segment that may be executed, the first page is. */
bool nt_sys_shmat(struct nt_thread *thread, struct nt_call *call)
{
    if (NT_ARG(call, 1) != 0 && nt_region_meets(NT_ARG(call, 1), 1))
        return fail(call, NT_EINVAL);
    if (!pass_locked(thread, call))
        return false;
    if (!nt_failed(call->result))
        changed((uint64_t)call->result, NT_PAGE, NT_ARG(call, 2) & SHM_EXEC ? PROT_WRITE | PROT_EXEC : PROT_NONE);
    if (!nt_failed(call->result))
        nt_data_changed(thread, (uint64_t)call->result, NT_PAGE, false);
    nt_lock_give(&nt_memory_lock);
    return true;
}

bool nt_sys_shmdt(struct nt_thread *thread, struct nt_call *call)
{
    if (!pass_locked(thread, call))
        return false;
    if (!nt_failed(call->result))
        changed(NT_ARG(call, 0), NT_PAGE, PROT_NONE);
    if (!nt_failed(call->result))
        nt_data_changed(thread, NT_ARG(call, 0), NT_PAGE, false);
    nt_lock_give(&nt_memory_lock);
    return true;
}

/* ------------------------------------------------------------------------------------------ the break */

void nt_memory_start(uint64_t start)
{
    break_start = break_now = start;
}

void nt_memory_break(uint64_t *start, uint64_t *end)
{
    *start = break_start;
    *end = NT_UP(break_now, NT_PAGE);
}

/* The kernel's own break follows our image, which is no place for the program's: so it is made of mappings, behind
 * the program's image. As in the kernel, it ends where something else begins. */
static void set_break(struct nt_thread *thread, uint64_t wanted)
{
    uint64_t old_end = NT_UP(break_now, NT_PAGE), end = NT_UP(wanted, NT_PAGE);

    if (end < old_end) {
        nt_sys3(__NR_munmap, (long)end, (long)(old_end - end), 0);
        changed(end, old_end - end, PROT_NONE);
        nt_data_changed(thread, end, old_end - end, false);
    } else if (end > old_end) {
        long got;

        do
            got = nt_sys6(__NR_mmap, (long)old_end, (long)(end - old_end), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        while (got == -NT_ENOMEM && nt_limit_make_room(0));
        if (got != (long)old_end)
            return;
    }
    break_now = wanted;
}

bool nt_sys_brk(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t wanted = NT_ARG(call, 0);

    nt_lock_take(&nt_memory_lock);
    if (wanted >= break_start)
        set_break(thread, wanted);
    call->result = (long)break_now;
    nt_lock_give(&nt_memory_lock);
    return true;
}
