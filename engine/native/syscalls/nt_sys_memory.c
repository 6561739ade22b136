/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_sys_memory.c: system calls that change what is mapped.
 *
 * The engine's region is out of reach: calls that name addresses in it fail as if something else were there. What
 * becomes of executable memory is noted (nt_maps.h), and blocks made of code that has gone are forgotten before the
 * program goes on. One of these calls is made at a time, so that they are noted in the order in which they were made.
 */
#include <asm/shmbuf.h>
#include <linux/fcntl.h>
#include <linux/ipc.h>
#include <linux/mman.h>

#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/kernel/nt_limit.h"
#include "engine/native/kernel/nt_maps.h"
#include "engine/native/kernel/nt_region.h"
#include "engine/native/load/nt_stack.h"
#include "engine/native/profile/nt_profile.h"
#include "engine/native/threads/nt_outside.h"
#include "nt_syscall.h"

#ifndef SHM_EXEC
#define SHM_EXEC 0100000
#endif
#ifndef SHM_RDONLY
#define SHM_RDONLY 010000
#endif
#ifndef USERFAULTFD_IOC_NEW
#define USERFAULTFD_IOC_NEW 0xaa00
#endif
#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

struct nt_lock nt_memory_lock;

/* What mlockall asked for of memory that is mapped from then on, and of which process: a forked child has none. */
static struct {
    uint64_t mode; /* MCL_FUTURE, MCL_ONFAULT */
    int process;
} locks_future;

static bool locks_what_comes(void)
{
    return locks_future.mode != 0 && locks_future.process == nt_process_id();
}

/* MAP_LOCKED, where what is mapped now is to be locked. */
static uint64_t lock_flag(void)
{
    return locks_what_comes() && !(locks_future.mode & MCL_ONFAULT) ? MAP_LOCKED : 0;
}

/* Locks what has been mapped, where its pages are to come one by one. Where so much may not be locked, false: it is not
 * mapped any more. */
static bool lock_mapped(uint64_t start, uint64_t bytes)
{
    if (!locks_what_comes() || !(locks_future.mode & MCL_ONFAULT) ||
        nt_sys3(__NR_mlock2, (long)start, (long)bytes, MLOCK_ONFAULT) == 0)
        return true;
    nt_sys3(__NR_munmap, (long)start, (long)bytes, 0);
    return false;
}

/* [start, start + bytes) is another thing than before, with this protection. */
static void memory_changed(uint64_t start, uint64_t bytes, uint64_t protection)
{
    bool is_executable = (protection & PROT_EXEC) != 0;
    uint64_t end = NT_UP(start + bytes, NT_PAGE);
    bool had_code = start < end && nt_maps_meets(start, end);

    if (is_executable)
        nt_profile_mapped(start);
    else if (had_code)
        nt_profile_unmapped(start, end - start);
    if (had_code || is_executable)
        nt_maps_set(start, end, is_executable, (protection & PROT_WRITE) != 0);
    if (had_code || (is_executable && nt.saw_no_code))
        nt_code_changed(start, end - start);
}

static bool may_be_code(uint64_t start, uint64_t bytes, uint64_t protection)
{
    return protection & PROT_EXEC || nt_maps_meets(start, start + bytes);
}

static void memory_is(uint64_t start, uint64_t end, bool is_executable, bool is_writable)
{
    memory_changed(start, end - start, (is_executable ? PROT_EXEC : 0) | (is_writable ? PROT_WRITE : 0));
}

/* What [start, start + bytes) is is known to the kernel alone. Nothing of it is guarded. */
static void look_at_memory(uint64_t start, uint64_t bytes)
{
    nt_mapping_each(start, NT_UP(start + bytes, NT_PAGE), memory_is);
}

bool nt_memory_look(uint64_t at)
{
    nt_lock_take(&nt_memory_lock);
    look_at_memory(NT_DOWN(at, NT_PAGE), NT_PAGE);
    nt_lock_give(&nt_memory_lock);
    return nt_maps_reach(at, 1) > 0;
}

/* What is there now is mapped anew: whether others can change it. */
static void memory_mapped(uint64_t start, uint64_t bytes, bool is_shared)
{
    nt_maps_share(start, NT_UP(start + bytes, NT_PAGE), is_shared);
}

/* Whether others can change what these arguments of mmap map. A page of a private mapping, too, shows what is written
 * to the file, until the program itself writes to the page: so a file that is open for writing is taken for shared. */
static bool is_shared(uint64_t flags, uint64_t fd)
{
    if ((flags & MAP_TYPE) != MAP_PRIVATE)
        return true;
    if (flags & MAP_ANONYMOUS)
        return false;
    long mode = nt_sys3(__NR_fcntl, (int)fd, F_GETFL, 0);
    return !nt_failed(mode) && (mode & O_ACCMODE) != O_RDONLY;
}

/* Whether a call names anything of the engine's. What begins in the middle of a page the kernel refuses, unless it is
 * only a wish. */
static bool meets_engine(uint64_t start, uint64_t bytes)
{
    return start % NT_PAGE == 0 && nt_region_meets(start, bytes);
}

static bool pass_locked(struct nt_thread *thread, struct nt_call *call)
{
    bool was_made;

    (void)thread;
    nt_lock_take(&nt_memory_lock);
    do /* with the baton in hand: it does not block */
        was_made = nt_gate_call(call->raw, &call->result);
    while (was_made && call->result == -ENOMEM && nt_limit_make_room());
    if (!was_made)
        nt_lock_give(&nt_memory_lock);
    return was_made;
}

bool nt_sys_mmap(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t flags = NT_ARG(call, 3);
    bool is_fixed = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0;

    if (is_fixed && meets_engine(NT_ARG(call, 0), NT_ARG(call, 1)))
        return nt_call_fail(call, flags & MAP_FIXED_NOREPLACE ? EEXIST : ENOMEM);
    if (nt_region_meets(NT_ARG(call, 0), NT_ARG(call, 1)) && !is_fixed) {
        NT_ARG(call, 0) = 0; /* only a wish */
    }
    NT_ARG(call, 3) |= lock_flag();
    if (!pass_locked(thread, call))
        return false;
    if (!nt_failed(call->result) && !lock_mapped((uint64_t)call->result, NT_ARG(call, 1)))
        call->result = -EAGAIN;
    if (!nt_failed(call->result)) {
        nt_page_size_mapped(flags, NT_ARG(call, 4));
        memory_mapped((uint64_t)call->result, NT_ARG(call, 1), is_shared(flags, NT_ARG(call, 4)));
        memory_changed((uint64_t)call->result, NT_ARG(call, 1), NT_ARG(call, 2));
        nt_data_changed(thread, (uint64_t)call->result, NT_ARG(call, 1), (flags & MAP_ANONYMOUS) != 0);
    }
    nt_lock_give(&nt_memory_lock);
    return true;
}

bool nt_sys_munmap(struct nt_thread *thread, struct nt_call *call)
{
    if (meets_engine(NT_ARG(call, 0), NT_ARG(call, 1)))
        return nt_call_fail(call, EINVAL);
    if (!pass_locked(thread, call))
        return false;
    if (!nt_failed(call->result)) {
        memory_mapped(NT_ARG(call, 0), NT_ARG(call, 1), false);
        memory_changed(NT_ARG(call, 0), NT_ARG(call, 1), PROT_NONE);
        nt_data_changed(thread, NT_ARG(call, 0), NT_ARG(call, 1), false);
    }
    nt_lock_give(&nt_memory_lock);
    return true;
}

bool nt_sys_mprotect(struct nt_thread *thread, struct nt_call *call)
{
    if (meets_engine(NT_ARG(call, 0), NT_ARG(call, 1)))
        return nt_call_fail(call, ENOMEM);
    nt_call_give_back(NT_ARG(call, 0), NT_ARG(call, 1));
    if (!pass_locked(thread, call))
        return false;
    if (!nt_failed(call->result))
        memory_changed(NT_ARG(call, 0), NT_ARG(call, 1), NT_ARG(call, 2));
    else if (call->result != -EINVAL && may_be_code(NT_ARG(call, 0), NT_ARG(call, 1), NT_ARG(call, 2)))
        look_at_memory(NT_ARG(call, 0), NT_ARG(call, 1)); /* it has gone as far as it could */
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
    uint64_t from = old_bytes > 0 ? old_bytes : new_bytes; /* of a size of 0, memory is mapped a second time */
    uint64_t protection = PROT_NONE, code = nt_maps_reach(old, from), writable = 0;
    bool was_shared = nt_maps_shared(old, old + 1);
    bool is_mixed = code < from && nt_maps_meets(old, old + from);

    if (meets_engine(old, old_bytes) || (NT_ARG(call, 3) & MREMAP_FIXED && meets_engine(NT_ARG(call, 4), new_bytes)))
        return nt_call_fail(call, EFAULT);
    if (nt_maps_meets(old, old + 1))
        protection = PROT_EXEC;
    if (is_mixed)
        nt_call_give_back(old, from);
    for (uint64_t page = old; page < old + code; page += NT_PAGE) {
        if (nt_maps_unguard(page))
            writable += NT_PAGE;
    }
    is_mixed |= writable > 0 && writable < code;
    if (writable > 0) {
        protection |= PROT_WRITE;
        nt_code_changed(old, from); /* whether or not it moves, nobody sees stores to it any more */
    }
    if (!pass_locked(thread, call))
        return false;
    if (!nt_failed(call->result)) {
        if (NT_ARG(call, 3) & MREMAP_DONTUNMAP) {
            memory_changed(old, old_bytes, protection); /* with other contents */
        } else {
            memory_mapped(old, old_bytes, false);
            memory_changed(old, old_bytes, PROT_NONE);
        }
        memory_mapped((uint64_t)call->result, new_bytes, was_shared);
        memory_changed((uint64_t)call->result, new_bytes, protection);
        if (is_mixed) { /* there were several mappings: they have moved at once (Linux 6.17), or the first is left */
            look_at_memory(old, old_bytes);
            look_at_memory((uint64_t)call->result, new_bytes);
        }
        tell_moved(thread, call, old, old_bytes, new_bytes);
    } else if (is_mixed) { /* some of them may have moved */
        look_at_memory(old, old_bytes);
        if (NT_ARG(call, 3) & MREMAP_FIXED)
            look_at_memory(NT_ARG(call, 4), new_bytes);
    }
    nt_lock_give(&nt_memory_lock);
    return true;
}

/* Whether advice changes what memory holds; what may be executed stays. */
static bool drops_contents(uint64_t advice)
{
    return advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE || advice == MADV_DONTNEED_LOCKED ||
           advice == MADV_GUARD_INSTALL;
}

bool nt_sys_madvise(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t start = NT_ARG(call, 0), bytes = NT_ARG(call, 1), advice = (uint32_t)NT_ARG(call, 2);

    if (meets_engine(start, bytes))
        return nt_call_fail(call, ENOMEM);
    if (advice == MADV_POPULATE_WRITE)
        nt_call_give_back(start, bytes);
    if (!nt_call_pass(thread, call))
        return false;
    if (advice == MADV_HUGEPAGE || advice == MADV_COLLAPSE)
        nt_page_size_may_be_large();
    if (drops_contents(advice) && nt_maps_meets(start, start + bytes))
        nt_code_changed(start, bytes);
    if (advice == MADV_DONTFORK || advice == MADV_WIPEONFORK)
        nt.forks_change_code |= nt_maps_meets(start, start + bytes);
    return true;
}

bool nt_sys_process_madvise(struct nt_thread *thread, struct nt_call *call)
{
    if (!nt_call_pass(thread, call))
        return false;
    if (call->result > 0 && drops_contents((uint32_t)NT_ARG(call, 3)))
        nt_code_changed(0, UINT64_MAX);
    return true;
}

bool nt_sys_userfaultfd(struct nt_thread *thread, struct nt_call *call)
{
    if (!nt_call_pass(thread, call))
        return false;
    nt.saw_userfaults |= !nt_failed(call->result);
    return true;
}

/* /dev/userfaultfd makes them, too. */
bool nt_sys_ioctl(struct nt_thread *thread, struct nt_call *call)
{
    return (uint32_t)NT_ARG(call, 1) == USERFAULTFD_IOC_NEW ? nt_sys_userfaultfd(thread, call)
                                                            : nt_call_pass(thread, call);
}

bool nt_sys_shmat(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t flags = NT_ARG(call, 2);
    uint64_t protection = flags & SHM_EXEC ? PROT_EXEC | (flags & SHM_RDONLY ? 0 : PROT_WRITE) : PROT_NONE;
    struct shmid64_ds status;
    bool is_known = nt_sys3(__NR_shmctl, (int)NT_ARG(call, 0), IPC_STAT, (long)&status) == 0;
    uint64_t bytes = is_known ? status.shm_segsz : NT_PAGE; /* its size is not in the call */

    if (NT_ARG(call, 1) != 0 && nt_region_meets(NT_ARG(call, 1), 1))
        return nt_call_fail(call, EINVAL);
    if (!pass_locked(thread, call))
        return false;
    if (!nt_failed(call->result)) {
        nt_page_size_may_be_large(); /* SHM_HUGETLB was said when the segment was made, perhaps by another program */
        memory_mapped((uint64_t)call->result, bytes, true);
        memory_changed((uint64_t)call->result, bytes, protection);
        nt_data_changed(thread, (uint64_t)call->result, NT_PAGE, false);
    }
    nt_lock_give(&nt_memory_lock);
    return true;
}

/* The call does not say how long the segment is, so only its first page is forgotten. The rest stays noted until
 * something else is mapped there. That does no harm: a block made of shared memory reads its code each time that it is
 * entered, and faults where the code has gone. */
bool nt_sys_shmdt(struct nt_thread *thread, struct nt_call *call)
{
    if (!pass_locked(thread, call))
        return false;
    if (!nt_failed(call->result))
        memory_changed(NT_ARG(call, 0), NT_PAGE, PROT_NONE);
    if (!nt_failed(call->result))
        nt_data_changed(thread, NT_ARG(call, 0), NT_PAGE, false);
    nt_lock_give(&nt_memory_lock);
    return true;
}

/* ------------------------------------------------------------------------------------------ locked */

/* Calls `way` for each mapping of the program's, until one fails. */
static long each_mapping(long (*way)(uint64_t start, uint64_t bytes))
{
    static char text[NT_PAGE];
    char line[64];
    size_t length = 0;
    long maps = nt_file_seen("/proc/thread-self/maps", O_CLOEXEC), got, result = nt_failed(maps) ? -ENOMEM : 0;

    while (result == 0 && (got = nt_sys3(__NR_read, maps, (long)text, sizeof text)) > 0) {
        for (long i = 0; i < got && result == 0; i++) {
            const char *at = line;

            if (text[i] != '\n') {
                if (length < sizeof line - 1)
                    line[length++] = text[i];
                continue;
            }
            line[length] = '\0';
            length = 0;
            uint64_t start = nt_number(&at, 16);
            at++;
            uint64_t end = nt_number(&at, 16);
            if (end <= NT_USER_END)
                result = way(start, end - start);
        }
    }
    if (!nt_failed(maps))
        nt_sys3(__NR_close, maps, 0, 0);
    return result;
}

/* Fails only where more would be locked than may be: no page is asked for. */
static long lock_as_it_comes(uint64_t start, uint64_t bytes)
{
    return nt_sys3(__NR_mlock2, (long)start, (long)bytes, MLOCK_ONFAULT);
}

/* Brings the pages, too. As with mlockall, some cannot come: those that may not be read, for instance. */
static long lock_now(uint64_t start, uint64_t bytes)
{
    nt_sys3(__NR_mlock, (long)start, (long)bytes, 0);
    return 0;
}

/* The kernel would lock the engine's memory with the program's, and count it. */
bool nt_sys_mlockall(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t mode = (uint32_t)NT_ARG(call, 0);

    (void)thread;
    if (mode == 0 || mode == MCL_ONFAULT || mode & ~(uint64_t)(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT))
        return nt_call_fail(call, EINVAL);
    if (nt_sys3(__NR_mlock, 0, 0, 0) == -EPERM) /* it may lock nothing at all */
        return nt_call_fail(call, EPERM);
    nt_lock_take(&nt_memory_lock);
    call->result = 0;
    if (mode & MCL_CURRENT) {
        call->result = each_mapping(lock_as_it_comes);
        if (nt_failed(call->result))
            nt_sys3(__NR_munlockall, 0, 0, 0);
        else if (!(mode & MCL_ONFAULT))
            each_mapping(lock_now);
    }
    if (call->result == 0) {
        locks_future.mode = mode & MCL_FUTURE ? mode & (MCL_FUTURE | MCL_ONFAULT) : 0;
        locks_future.process = nt_process_id();
    }
    nt_lock_give(&nt_memory_lock);
    return true;
}

bool nt_sys_munlockall(struct nt_thread *thread, struct nt_call *call)
{
    if (!nt_call_pass(thread, call))
        return false;
    locks_future.mode = 0;
    return true;
}

/* ------------------------------------------------------------------------------------------ never to be changed */

void nt_memory_sealed(uint64_t start, uint64_t bytes)
{
    uint64_t end = start + bytes;

    nt_lock_take(&nt_memory_lock);
    if (nt_maps_meets(start, end)) {
        nt_maps_seal(start, end);
        nt_call_give_back(start, bytes);
        nt_code_changed(start, bytes);
    }
    nt_lock_give(&nt_memory_lock);
}

bool nt_sys_mseal(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t start = NT_ARG(call, 0), bytes = NT_ARG(call, 1);

    if (meets_engine(start, bytes))
        return nt_call_fail(call, ENOMEM);
    nt_memory_sealed(start, bytes);
    return nt_call_pass(thread, call);
}

/* ------------------------------------------------------------------------------------------ past all protection */

/* A write to any descriptor. It changes code only if the descriptor is that of /proc/self/mem. Whether it is, is looked
 * up only once the program has opened that file for writing. */
bool nt_sys_write(struct nt_thread *thread, struct nt_call *call)
{
    if (!nt_call_pass(thread, call))
        return false;
    if (!nt.opened_memory || call->result <= 0)
        return true;
    char path[64];
    nt_host_name_of((int)NT_ARG(call, 0), path, sizeof path);
    if (nt_after(path, "/proc/") != NULL && nt_same(nt_last_part(path), "mem"))
        nt_code_changed(0, UINT64_MAX);
    return true;
}

bool nt_sys_process_vm_writev(struct nt_thread *thread, struct nt_call *call)
{
    bool is_own = (int)NT_ARG(call, 0) == nt_process_id();

    for (const struct nt_thread *other = nt_threads; other != NULL; other = other->next)
        is_own |= other->running && other->tid == (int)NT_ARG(call, 0);
    if (is_own)
        nt_call_give_back_vector(NT_ARG(call, 3), NT_ARG(call, 4));
    if (!nt_call_pass(thread, call))
        return false;
    if (is_own && call->result > 0)
        nt_code_changed(0, UINT64_MAX);
    return true;
}

/* ------------------------------------------------------------------------------------------ the break */

/* The kernel's own break follows our image, which is no place for the program's: so it is made of mappings, behind
 * the program's image. As in the kernel, it ends where something else begins. */
static void set_break(struct nt_thread *thread, uint64_t wanted)
{
    uint64_t old_end = NT_UP(nt.break_now, NT_PAGE), end = NT_UP(wanted, NT_PAGE);

    if (end < old_end) {
        if (nt_failed(nt_sys3(__NR_munmap, (long)end, (long)(old_end - end), 0)))
            return;
        memory_changed(end, old_end - end, PROT_NONE);
        nt_data_changed(thread, end, old_end - end, false);
    } else if (end > old_end) {
        long got;

        do
            got = nt_sys6(__NR_mmap, (long)old_end, (long)(end - old_end), PROT_READ | PROT_WRITE,
                          (long)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | lock_flag()), -1, 0);
        while (got == -ENOMEM && nt_limit_make_room());
        if (got != (long)old_end || !lock_mapped(old_end, end - old_end))
            return;
    }
    nt.break_now = wanted;
    nt_stack_show_break(wanted);
}

bool nt_sys_brk(struct nt_thread *thread, struct nt_call *call)
{
    uint64_t wanted = NT_ARG(call, 0);

    nt_lock_take(&nt_memory_lock);
    if (wanted >= nt.break_start && wanted <= NT_USER_END)
        set_break(thread, wanted);
    call->result = (long)nt.break_now;
    nt_lock_give(&nt_memory_lock);
    return true;
}
