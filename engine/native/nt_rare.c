/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_rare.c: instructions that are done in C, since they would take the engine's own segments or its way to the kernel:
 * far returns and `iret` to the code segment that the program has, selectors for FS and GS, and `int 0x80`.
 *
 * Generated code has read what they take from the stack, and so found out whether it can be read. What the CPU would
 * refuse is a general protection fault here, too. A far return to code of 32 bits ends the run.
 */
#include "nt_rare.h"

#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/profile/nt_profile.h"
#include "engine/native/signals/nt_signal.h"
#include "engine/native/syscalls/nt_syscall.h"
#include "engine/native/translate/nt_code.h"

enum {
    TRAP_PROTECTION = 13,
    USER_CODE = 0x33,
    USER_CODE_32 = 0x23,
    USER_STACK = 0x2b,
    PRIVILEGE = 3,
    ERROR_OF_INT80 = 0x80 << 3 | 2,
    STOPPED = 125
};
#define FLAGS_OF_IRET 0x244dd5UL /* ID AC NT OF DF TF SF ZF AF PF CF */
#define FLAG_TF 0x100UL
#define FLAG_NT 0x4000UL

static void refuse(const struct nt_exit *exit, const char *why, unsigned number)
{
    nt_finish();
    nt_die(STOPPED, "the native engine cannot run the instruction at %lx: %s %u\n", exit->pc, why, number);
}

static void protection(struct nt_thread *thread, const struct nt_exit *exit, uint64_t error)
{
    thread->area->rip = exit->pc;
    nt_signal_fault(thread, SIGSEGV, SI_KERNEL, 0);
    thread->trap = TRAP_PROTECTION;
    thread->error = error;
}

/* ------------------------------------------------------------------------------------------------ segments */

static bool is_readable(uint16_t selector)
{
    bool readable;

    __asm__("verr %1" : "=@ccz"(readable) : "r"(selector));
    return readable || selector <= PRIVILEGE; /* the null selector can be loaded, too */
}

static void load_selector(struct nt_thread *thread, const struct nt_exit *exit, uint16_t selector)
{
    bool pops = exit->rare == NT_RARE_POP_FS || exit->rare == NT_RARE_POP_GS;
    bool gs = exit->rare == NT_RARE_POP_GS || exit->rare == NT_RARE_MOV_GS;

    if (!is_readable(selector)) {
        protection(thread, exit, selector & ~PRIVILEGE);
        return;
    }
    if (!gs)
        nt_fs_load(thread, selector);
    else if (!nt_gs_load(thread, selector))
        refuse(exit, "without the instructions that set FS and GS (Linux 5.9), GS cannot have the selector", selector);
    if (pops)
        thread->area->gpr[NT_RSP] += sizeof(uint64_t);
}

/* ------------------------------------------------------------------------------------------------ far returns */

/* From the stack: rip, cs, and for iret flags, rsp, ss. */
static void return_far(struct nt_thread *thread, const struct nt_exit *exit)
{
    enum { RIP, CS, FLAGS, SP, SS, WORDS };
    struct nt_area *area = thread->area;
    bool is_iret = exit->rare == NT_RARE_IRET;
    unsigned size = exit->operand_bits / 8, words = is_iret ? WORDS : CS + 1;
    uint64_t sp = area->gpr[NT_RSP], word[WORDS] = {0};

    for (unsigned i = 0; i < words; i++)
        nt_copy(&word[i], (const void *)(sp + i * size), size);
    uint16_t code = (uint16_t)word[CS], stack = (uint16_t)word[SS];
    if (code == USER_CODE_32)
        refuse(exit, "a far return to the segment of code of 32 bits,", code);
    if (code != USER_CODE || (is_iret && (stack != USER_STACK || area->flags & FLAG_NT)) ||
        (int64_t)(word[RIP] << 16) >> 16 != (int64_t)word[RIP]) {
        protection(thread, exit,
                   (code != USER_CODE ? code : is_iret && stack != USER_STACK ? stack : 0) & ~PRIVILEGE);
        return;
    }
    area->rip = word[RIP];
    area->gpr[NT_RSP] = is_iret ? word[SP] : sp + words * size + (uint64_t)(int64_t)exit->rsp_taken;
    if (is_iret) {
        area->flags = (area->flags & ~FLAGS_OF_IRET) | (word[FLAGS] & FLAGS_OF_IRET);
        thread->traced = area->flags & FLAG_TF ? area->rip : 0;
    }
    nt_profile_jumped(thread);
}

/* ------------------------------------------------------------------------------------------------ system calls */

/* Those of 32 bits that are the same call as one of 64 bits: their arguments are numbers, texts and bytes. */
static const struct {
    uint16_t number, as;
} calls[] = {
    {1, __NR_exit},       {3, __NR_read},          {4, __NR_write},        {5, __NR_open},
    {6, __NR_close},      {10, __NR_unlink},       {12, __NR_chdir},       {15, __NR_chmod},
    {20, __NR_getpid},    {33, __NR_access},       {36, __NR_sync},        {37, __NR_kill},
    {38, __NR_rename},    {39, __NR_mkdir},        {40, __NR_rmdir},       {41, __NR_dup},
    {42, __NR_pipe},      {60, __NR_umask},        {63, __NR_dup2},        {64, __NR_getppid},
    {65, __NR_getpgrp},   {66, __NR_setsid},       {91, __NR_munmap},      {118, __NR_fsync},
    {125, __NR_mprotect}, {158, __NR_sched_yield}, {168, __NR_poll},       {183, __NR_getcwd},
    {199, __NR_getuid},   {200, __NR_getgid},      {201, __NR_geteuid},    {202, __NR_getegid},
    {224, __NR_gettid},   {238, __NR_tkill},       {252, __NR_exit_group}, {270, __NR_tgkill},
};

static void call_32(struct nt_thread *thread, const struct nt_exit *exit)
{
    uint32_t number = (uint32_t)thread->area->gpr[NT_RAX];

    if (nt_refuses_32()) {
        protection(thread, exit, ERROR_OF_INT80);
        return;
    }
    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (calls[i].number == number) {
            nt_system_call_32(thread, calls[i].as);
            return;
        }
    }
    refuse(exit, "int 0x80, with the system call of 32 bits number", number);
}

void nt_rare(struct nt_thread *thread, const struct nt_exit *exit)
{
    struct nt_area *area = thread->area;
    uint64_t selector = area->gpr[exit->operand];

    area->rip = exit->pc + exit->length;
    switch (exit->rare) {
    case NT_RARE_INT80:
        call_32(thread, exit);
        break;
    case NT_RARE_POP_FS:
    case NT_RARE_POP_GS:
        nt_copy(&selector, (const void *)area->gpr[NT_RSP], sizeof selector);
        /* fall through */
    case NT_RARE_MOV_FS:
    case NT_RARE_MOV_GS:
        load_selector(thread, exit, (uint16_t)selector);
        break;
    default:
        return_far(thread, exit);
        break;
    }
}
