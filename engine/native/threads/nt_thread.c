/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_thread.c: see nt_thread.h. */
#include "nt_thread.h"

#include <linux/mman.h>

#include "core/host.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/kernel/nt_region.h"
#include "nt_state.h"

#define ARCH_SET_GS 0x1001
#define ARCH_GET_FS 0x1003

enum {
    ENGINE_STACK = 256 << 10,
    SIGNAL_STACK = 64 << 10,
};

struct nt_thread *volatile nt_threads;

struct nt_lock nt_thread_lock;
static uint32_t threads_made;
static int children; /* threads of other processes that nobody waits for */
static struct nt_process first_process, *free_processes;

static struct nt_thread *make_record(void)
{
    size_t record = NT_UP(sizeof(struct nt_thread), 64), state = NT_UP(nt_state_room(), 64);
    uint8_t *memory = nt_region_pages(record + state, PROT_READ | PROT_WRITE);
    struct nt_thread *thread = (struct nt_thread *)memory;

    thread->engine_low = nt_region_pages(ENGINE_STACK, PROT_READ | PROT_WRITE);
    thread->signal_low = nt_region_pages(SIGNAL_STACK, PROT_READ | PROT_WRITE);
    thread->state = memory + record;
    thread->next = nt_threads;
    nt_threads = thread;
    return thread;
}

/* That which the core has made for a new thread; NULL: the record's own, which lasts as long as it. */
static void set_area(struct nt_thread *thread, struct nt_area *area)
{
    thread->is_profiled = area != NULL;
    if (area == NULL && thread->own_area == NULL)
        thread->own_area = nt_region_pages(sizeof *area, PROT_READ | PROT_WRITE);
    if (area == NULL)
        area = thread->own_area;
    thread->area = area;
    nt_area_place(area);
    area->thread = thread;
    area->leave = nt_leave;
    area->engine_sp = (uint64_t)(thread->engine_low + ENGINE_STACK);
    area->state = thread->state;
}

struct nt_thread *nt_thread_new(const struct nt_thread *parent, struct nt_area *area, int64_t countdown)
{
    nt_lock_take(&nt_thread_lock);
    struct nt_thread *thread = nt_threads;
    while (thread != NULL && thread->running)
        thread = thread->next;
    if (thread == NULL)
        thread = make_record();
    thread->outside = 1;
    thread->running = 1;
    nt_lock_give(&nt_thread_lock);
    set_area(thread, area);

    thread->held.is_held = thread->fault.is_held = thread->has_returned = thread->puts_off = thread->took_last = false;
    thread->returns = thread->handling_count = 0;
    thread->timed = thread->owed_until = thread->traced = 0;
    thread->tid = 0;
    thread->number = __atomic_fetch_add(&threads_made, 1, __ATOMIC_RELAXED);
    thread->parent = parent;
    thread->baton = thread->safe_points = 0;
    thread->kept.signals = thread->kept.claimed = thread->waits = 0;
    thread->error = thread->trap = thread->address = 0;
    thread->call_has_mask = thread->is_vfork = thread->has_left = thread->ends = false;
    thread->is_child = parent != NULL && parent->is_child;
    if (thread->is_child)
        __atomic_add_fetch(&children, 1, __ATOMIC_RELAXED);
    thread->died_of = 0;
    thread->own_limits = 0;
    thread->turn = NT_TURN_BEGINS;
    thread->altstack = (stack_t){.ss_flags = SS_DISABLE};
    thread->area->pending = 0;
    thread->area->countdown = countdown;
    thread->mask = parent == NULL ? 0 : parent->mask;
    thread->process = parent == NULL ? &first_process : parent->process;
    if (parent != NULL) {
        memcpy(thread->area->gpr, parent->area->gpr, sizeof thread->area->gpr);
        thread->area->rip = parent->area->rip;
        thread->area->flags = parent->area->flags;
        thread->area->gs_base = parent->area->gs_base;
    }
    __atomic_add_fetch(&thread->process->users, 1, __ATOMIC_RELAXED);
    return thread;
}

void nt_thread_become(struct nt_thread *thread)
{
    stack_t stack = {.ss_sp = thread->signal_low, .ss_size = SIGNAL_STACK};

    nt_sys3(__NR_arch_prctl, ARCH_SET_GS, (long)(thread->area + 1), 0);
    thread->tid = (int)nt_sys3(__NR_gettid, 0, 0, 0);
    nt_sys3(__NR_sigaltstack, (long)&stack, 0, 0);
    nt_thread_fs(thread);
}

void nt_thread_fs(struct nt_thread *thread)
{
    nt_sys3(__NR_arch_prctl, ARCH_GET_FS, (long)&thread->area->fs_base, 0);
}

/* ------------------------------------------------------------------------------------------------- ends */

void nt_thread_forget(struct nt_thread *thread)
{
    struct nt_process *process = thread->process;

    if (thread->is_child && !thread->is_vfork)
        __atomic_sub_fetch(&children, 1, __ATOMIC_RELAXED);
    if (__atomic_sub_fetch(&process->users, 1, __ATOMIC_RELAXED) > 0)
        return;
    nt_lock_take(&nt_thread_lock);
    process->next_free = free_processes;
    free_processes = process;
    nt_lock_give(&nt_thread_lock);
}

bool nt_thread_ends_last(struct nt_thread *thread)
{
    bool is_last = !thread->is_child;

    nt_lock_take(&nt_thread_lock);
    thread->ends = true;
    for (const struct nt_thread *other = nt_threads; other != NULL; other = other->next)
        is_last &= !other->running || other->is_child || other->ends;
    nt_lock_give(&nt_thread_lock);
    return is_last;
}

/* ------------------------------------------------------------------------------------------------- children */

bool nt_thread_is_gone(const struct nt_thread *thread)
{
    if (thread->tid == 0)
        return false;
    if (nt_sys3(__NR_tkill, thread->tid, 0, 0) == -ESRCH)
        return true;
    char state = nt_host_thread_state(thread->tid);
    return state == 'Z' || state == 'X';
}

static bool child_was_killed; /* perhaps in the middle of the engine */

void nt_thread_killed_inside(struct nt_thread *child)
{
    child->outside = 1;
    child_was_killed = true;
}

/* A child that has not left our memory in a way that it told us. */
static bool is_child_here(const struct nt_thread *thread)
{
    return thread->running && thread->is_child && !thread->has_left && thread->died_of == 0;
}

/* For nt_while_waiting: looks for killed children once a second. Where one was killed, a single wait of ten seconds
 * ends the run: the child may have held what is waited for, and other waits are shorter. */
static void look_for_killed(uint64_t *began)
{
    static const uint64_t second = 1000000000, too_long = 10 * second;
    static volatile uint64_t looked;
    uint64_t now = tn_host_time();

    if (*began == 0)
        *began = now;
    if (now - looked < second)
        return;
    looked = now;
    for (struct nt_thread *thread = nt_threads; thread != NULL; thread = thread->next) {
        if (is_child_here(thread) && nt_thread_is_gone(thread))
            nt_thread_killed_inside(thread);
    }
    if (child_was_killed && now - *began > too_long)
        nt_die(125, "a process that shares the program's memory was killed by another one while the engine worked for "
                    "it: the program cannot go on\n");
}

void nt_thread_is_child(struct nt_thread *child, bool is_vfork)
{
    if (child->is_child) /* as its parent is */
        __atomic_sub_fetch(&children, 1, __ATOMIC_RELAXED);
    child->is_child = true;
    child->is_vfork = is_vfork;
    if (!is_vfork)
        __atomic_add_fetch(&children, 1, __ATOMIC_RELAXED);
    nt_while_waiting = look_for_killed;
}

bool nt_thread_has_children(void)
{
    for (const struct nt_thread *thread = nt_threads; thread != NULL; thread = thread->next) {
        if (is_child_here(thread) && !nt_thread_is_gone(thread))
            return true;
    }
    return false;
}

struct nt_thread *nt_thread_take_gone(void)
{
    struct nt_thread *thread;

    if (__atomic_load_n(&children, __ATOMIC_RELAXED) == 0)
        return NULL;
    nt_lock_take(&nt_thread_lock);
    for (thread = nt_threads; thread != NULL; thread = thread->next) {
        /* `running` is read again: it may have ended by itself, and been forgotten, before the kernel was asked. */
        if (thread->running && thread->is_child && !thread->is_vfork && nt_thread_is_gone(thread) && thread->running) {
            child_was_killed |= is_child_here(thread);
            thread->tid = 0;
            break;
        }
    }
    nt_lock_give(&nt_thread_lock);
    return thread;
}

void nt_thread_alone(struct nt_thread *thread)
{
    for (struct nt_thread *other = nt_threads; other != NULL; other = other->next)
        other->running = other == thread;
    nt_thread_lock.state = 0;
    thread->is_child = thread->is_vfork = thread->ends = false;
    thread->held.is_held = thread->puts_off = false;
    thread->handling_count = 0; /* it has CPU time of its own */
    thread->owed_until = 0;
    children = 0;
    thread->process->users = 1;
    thread->process->lock.state = 0;
    thread->kept.signals = thread->kept.claimed = 0; /* a fork leaves what is pending behind */
    thread->process->kept.signals = thread->process->kept.claimed = 0;
    thread->tid = (int)nt_sys3(__NR_gettid, 0, 0, 0);
}

struct nt_process *nt_process_copy(struct nt_process *process)
{
    nt_lock_take(&nt_thread_lock);
    struct nt_process *copy = free_processes;
    if (copy != NULL)
        free_processes = copy->next_free;
    nt_lock_give(&nt_thread_lock);
    if (copy == NULL)
        copy = nt_region_pages(sizeof *copy, PROT_READ | PROT_WRITE);
    memset(copy, 0, sizeof *copy);
    memcpy(copy->action, process->action, sizeof copy->action);
    return copy;
}
