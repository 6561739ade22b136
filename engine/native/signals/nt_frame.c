/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_frame.c: signal frames on the program's stack, as the kernel builds and takes them.
 *
 * From high to low addresses: the extended state with the kernel's marks at its ends, then the frame, so that the stack
 * pointer at the handler's first instruction is 8 below a multiple of 16. The extended state is in the CPU all the
 * time, so it is saved and restored here and nowhere else.
 */
#include "nt_frame.h"

#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/profile/nt_profile.h"
#include "engine/native/threads/nt_state.h"
#include "engine/native/translate/nt_code.h"
#include "nt_signal.h"

enum {
    RED_ZONE = 128,
    MAGIC_1 = 0x46505853,
    MAGIC_2 = 0x46505845,
    CONTEXT_FLAGS = 7, /* extended state there; ss saved; ss to be restored */
    CODE_SEGMENT = 0x33, CODE_SEGMENT_32 = 0x23,
    LOCAL = 4, /* of a selector: what the program has defined, which may be code */
    TRAP_PROTECTION = 13,
    STACK_SEGMENT = 0x2b,
    PRIVILEGE = 3, /* of a selector; the kernel sets it */
    STOPPED = 125
};
/* What a program may change in the flags: AC RF OF DF TF SF ZF AF PF CF. */
#define FLAGS_OF_PROGRAM 0x50dd5UL
#define FLAG_TF 0x100UL
#define FLAGS_CLEAR (1UL << 8 | 1UL << 10 | 1UL << 16) /* TF DF RF */

struct software {
    uint32_t magic, extended;
    uint64_t features;
    uint32_t bytes, padding[7];
};

static bool is_on_altstack(const struct nt_thread *thread, uint64_t sp)
{
    uint64_t low = (uint64_t)thread->altstack.ss_sp;

    return sp > low && sp - low <= thread->altstack.ss_size;
}

bool nt_frame_on_altstack(const struct nt_thread *thread)
{
    return !(thread->altstack.ss_flags & (int)SS_AUTODISARM) && is_on_altstack(thread, thread->area->gpr[NT_RSP]);
}

/* Copy the extended state to `at`, with the kernel's marks. */
static bool push_state(struct nt_thread *thread, uint64_t at)
{
    uint8_t *image = thread->area->state;
    uint32_t bytes = (uint32_t)nt_state_bytes(), magic = MAGIC_2;
    struct software software = {MAGIC_1, bytes + sizeof magic, nt_state_features(), bytes, {0}};

    memset(image + NT_STATE_LEGACY, 0, NT_STATE_HEADER);
    nt_state_save(image, nt_state_features());
    nt_fpu_show(nt.code, image + NT_STATE_FPU, sizeof(uint64_t));
    memcpy(image + NT_STATE_SOFTWARE, &software, sizeof software);
    return nt_copy((void *)at, image, bytes) == 0 && nt_copy((void *)(at + bytes), &magic, sizeof magic) == 0;
}

static void frame_fill(struct nt_frame *frame, const struct nt_thread *thread, const struct nt_held *held,
                       const struct nt_action *action)
{
    const struct nt_area *area = thread->area;
    struct nt_context *context = &frame->context;

    frame->restorer = action->restorer;
    frame->info = held->info;
    context->flags = CONTEXT_FLAGS;
    context->stack = thread->altstack;
    for (int i = 0; i < NT_FRAME_REGISTERS; i++)
        context->gpr[i] = area->gpr[nt_frame_order[i]];
    context->rip = area->rip;
    context->eflags = area->flags;
    context->cs = CODE_SEGMENT;
    context->ss = STACK_SEGMENT;
    context->error = thread->error;
    context->trap = thread->trap;
    context->address = thread->address;
    context->old_mask = context->mask = thread->mask;
}

bool nt_frame_push(struct nt_thread *thread, const struct nt_held *held, const struct nt_action *action)
{
    struct nt_area *area = thread->area;
    bool was_on_altstack = nt_frame_on_altstack(thread);
    bool takes_altstack = action->flags & SA_ONSTACK && thread->altstack.ss_size != 0 && !was_on_altstack;
    uint64_t top = takes_altstack ? (uint64_t)thread->altstack.ss_sp + thread->altstack.ss_size
                              : area->gpr[NT_RSP] - RED_ZONE;
    uint64_t state = NT_DOWN(top - nt_state_bytes() - sizeof(uint32_t), 64UL);
    uint64_t at = NT_DOWN(state - sizeof(struct nt_frame), 16UL) - 8;
    struct nt_frame frame;

    if (!(action->flags & SA_RESTORER))
        return false; /* the kernel knows no other way back */
    if ((takes_altstack || was_on_altstack) && !is_on_altstack(thread, at))
        return false; /* it would not fit */
    memset(&frame, 0, sizeof frame);
    frame_fill(&frame, thread, held, action);
    frame.context.state = state;
    if (!push_state(thread, state) || nt_copy((void *)at, &frame, sizeof frame) != 0)
        return false;
    nt_state_fresh();
    if (thread->altstack.ss_flags & (int)SS_AUTODISARM)
        thread->altstack = (stack_t){.ss_flags = SS_DISABLE};
    area->gpr[NT_RSP] = at;
    area->gpr[NT_RDI] = (uint64_t)held->info.si_signo;
    area->gpr[NT_RSI] = at + offsetof(struct nt_frame, info);
    area->gpr[NT_RDX] = at + offsetof(struct nt_frame, context);
    area->gpr[NT_RAX] = 0;
    area->rip = action->handler;
    area->flags &= ~FLAGS_CLEAR;
    return true;
}

/* --------------------------------------------------------------------------------------------- and back */

static bool pop_state(struct nt_thread *thread, uint64_t at)
{
    uint8_t *image = thread->area->state;
    struct software software;
    uint32_t magic = 0;

    if (at == 0) {
        nt_state_fresh();
        return true;
    }
    if (at % 64 != 0 || nt_copy(image, (const void *)at, NT_STATE_LEGACY) != 0)
        return false;
    memcpy(&software, image + NT_STATE_SOFTWARE, sizeof software);
    if (software.magic == MAGIC_1 && software.bytes <= nt_state_bytes() &&
        software.bytes >= NT_STATE_LEGACY + NT_STATE_HEADER &&
        nt_copy(&magic, (const void *)(at + software.bytes), sizeof magic) == 0 && magic == MAGIC_2) {
        if (nt_copy(image, (const void *)at, software.bytes) != 0)
            return false;
    } else { /* x87 and SSE only */
        memset(image + NT_STATE_LEGACY, 0, NT_STATE_HEADER);
        image[NT_STATE_LEGACY] = 3;
    }
    if (!nt_state_valid(image, nt_state_features()))
        return false;
    nt_state_load(image, nt_state_features());
    return true;
}

bool nt_frame_pop(struct nt_thread *thread)
{
    struct nt_area *area = thread->area;
    uint64_t at = area->gpr[NT_RSP] - sizeof(uint64_t);
    struct nt_frame frame;

    if (nt_copy(&frame, (const void *)at, sizeof frame) != 0)
        return false;
    unsigned segment = frame.context.cs | PRIVILEGE;
    if (segment == CODE_SEGMENT_32 || (segment != CODE_SEGMENT && segment & LOCAL)) {
        nt_finish();
        nt_die(STOPPED, "the native engine cannot return from a signal to the code segment %u: it runs code of 64 "
               "bits\n", frame.context.cs);
    }
    for (int i = 0; i < NT_FRAME_REGISTERS; i++)
        area->gpr[nt_frame_order[i]] = frame.context.gpr[i];
    area->rip = frame.context.rip;
    area->flags = (area->flags & ~FLAGS_OF_PROGRAM) | (frame.context.eflags & FLAGS_OF_PROGRAM);
    thread->traced = area->flags & FLAG_TF ? area->rip : 0;
    thread->mask = frame.context.mask & ~(NT_BIT(SIGKILL) | NT_BIT(SIGSTOP));
    if (!pop_state(thread, frame.context.state)) {
        nt_state_fresh();
        return false; /* as with the kernel, the fault is where the frame leads to */
    }
    const stack_t *stack = &frame.context.stack;
    if (!nt_frame_on_altstack(thread) && (stack->ss_flags & SS_DISABLE || stack->ss_size >= 2048))
        thread->altstack = *stack;
    if (segment == CODE_SEGMENT)
        return true;
    thread->trap = TRAP_PROTECTION; /* no code */
    thread->error = segment & 0xfffc;
    return false;
}
