/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_thread.c: see nt_thread.h. */
#include "nt_thread.h"

#include <linux/mman.h>

#include "nt_baton.h"
#include "nt_engine.h"
#include "nt_gate.h"
#include "nt_lib.h"
#include "nt_profile.h"
#include "nt_region.h"
#include "nt_signal.h"
#include "nt_state.h"

#define ARCH_SET_GS 0x1001

enum {
    ENGINE_STACK = 256 << 10,
    SIGNAL_STACK = 64 << 10,
};

struct nt_thread *volatile nt_threads;

struct nt_lock nt_thread_lock;
static uint32_t threads_made;
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

static struct nt_thread *free_record(void)
{
    for (struct nt_thread *thread = nt_threads; thread != NULL; thread = thread->next) {
        if (!thread->running)
            return thread;
    }
    return NULL;
}

/* An area of its own that lasts as long as the record; where the core has memory behind it, a new one each time. */
static void set_area(struct nt_thread *thread, const struct nt_thread *parent)
{
    struct nt_area *area = nt_profile_area(parent);

    thread->is_profiled = area != NULL;
    if (area == NULL)
        area = thread->area;
    if (area == NULL)
        area = nt_region_pages(sizeof *area, PROT_READ | PROT_WRITE);
    thread->area = area;
    area->self = area;
    area->thread = thread;
    area->leave = nt_leave;
    area->engine_sp = (uint64_t)(thread->engine_low + ENGINE_STACK);
    area->state = thread->state;
}

struct nt_thread *nt_thread_new(const struct nt_thread *parent)
{
    struct nt_thread *thread;

    nt_lock_take(&nt_thread_lock);
    thread = free_record();
    if (thread == NULL)
        thread = make_record();
    thread->outside = 1;
    thread->running = 1;
    nt_lock_give(&nt_thread_lock);
    set_area(thread, parent);

    thread->held.is_held = thread->fault.is_held = false;
    thread->tid = 0;
    thread->number = __atomic_fetch_add(&threads_made, 1, __ATOMIC_RELAXED);
    thread->parent = parent;
    thread->baton = thread->safe_points = 0;
    thread->kept = 0;
    thread->error = thread->trap = thread->address = 0;
    thread->call_has_mask = thread->is_vfork = false;
    thread->own_limits = 0;
    thread->turn = NT_TURN_BEGINS;
    thread->altstack = (stack_t){.ss_flags = SS_DISABLE};
    thread->area->pending = 0;
    thread->area->countdown = options_wait(&nt_profile.options) ? 0 : nt.countdown; /* then see how far that is */
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
    nt_signal_apply_mask(thread);
}

void nt_thread_started(void)
{
    nt_thread_become(nt_area_self()->thread);
    nt_baton_take();
}

/* ------------------------------------------------------------------------------------------------- ends */

static void leave_process(struct nt_process *process)
{
    if (__atomic_sub_fetch(&process->users, 1, __ATOMIC_RELAXED) > 0)
        return;
    nt_lock_take(&nt_thread_lock);
    process->next_free = free_processes;
    free_processes = process;
    nt_lock_give(&nt_thread_lock);
}

void nt_thread_exit(struct nt_thread *thread, int status)
{
    nt_signal_block_all();
    leave_process(thread->process);
    nt_profile_thread_ends(thread);
    nt_baton_leave();
    nt_gate_exit(&thread->running, status);
}

void nt_thread_left(struct nt_thread *thread)
{
    leave_process(thread->process);
    nt_profile_thread_ends(thread);
    thread->running = 0;
}

void nt_thread_alone(struct nt_thread *thread)
{
    for (struct nt_thread *other = nt_threads; other != NULL; other = other->next)
        other->running = other == thread;
    nt_thread_lock.state = 0;
    thread->process->users = 1;
    thread->process->lock.state = 0;
    thread->tid = (int)nt_sys3(__NR_gettid, 0, 0, 0);
}

struct nt_process *nt_process_copy(struct nt_process *process)
{
    struct nt_process *copy;

    nt_lock_take(&nt_thread_lock);
    copy = free_processes;
    if (copy != NULL)
        free_processes = copy->next_free;
    nt_lock_give(&nt_thread_lock);
    if (copy == NULL)
        copy = nt_region_pages(sizeof *copy, PROT_READ | PROT_WRITE);
    memset(copy, 0, sizeof *copy);
    memcpy(copy->action, process->action, sizeof copy->action);
    return copy;
}
