/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_stack.c: see nt_stack.h. */
#include "nt_stack.h"

#include <linux/auxvec.h>
#include <asm/auxvec.h>
#include <linux/prctl.h>
#include <asm/resource.h>

#include "engine/native/base/nt_cpuid.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"

enum { AREA = 256 << 10, STRINGS = 128 << 10, LEFT_BELOW = 128 << 10 };
enum { RANDOM_BYTES = 16, NAMES = 4096, LONGEST_NAME = 1024 };
#ifndef AT_RSEQ_FEATURE_SIZE
#define AT_RSEQ_FEATURE_SIZE 27
#define AT_RSEQ_ALIGN 28
#endif

/* For AT_RANDOM, where addresses are not random either. It lies behind the arguments, where masked instructions of
 * string functions read it: what they count depends on how many of its bytes are 0. */
static const char same_each_run[RANDOM_BYTES + 1] = "random, but once";

void nt_vector_parse(uint64_t *sp, struct nt_vector *vector)
{
    vector->argc = sp[0];
    vector->argv = (char **)(sp + 1);
    vector->envp = vector->argv + vector->argc + 1;
    for (vector->variables = 0; vector->envp[vector->variables] != NULL; vector->variables++)
        ;
    vector->auxv = (uint64_t *)(vector->envp + vector->variables + 1);
    for (vector->pairs = 1; vector->auxv[2 * (vector->pairs - 1)] != AT_NULL; vector->pairs++)
        ;
}

uint64_t nt_vector_auxiliary(const struct nt_vector *vector, uint64_t type)
{
    for (uint64_t i = 0; i < vector->pairs; i++) {
        if (vector->auxv[2 * i] == type)
            return vector->auxv[2 * i + 1];
    }
    return 0;
}

const char *nt_vector_variable(const struct nt_vector *vector, const char *name)
{
    for (uint64_t i = 0; i < vector->variables; i++) {
        const char *value = nt_after(vector->envp[i], name);

        if (value != NULL && *value == '=')
            return value + 1;
    }
    return NULL;
}

/* The kernel begins at the top with 8 bytes of zeros and the name of the file. */
uint64_t nt_vector_top(const struct nt_vector *vector)
{
    const char *name = (const char *)nt_vector_auxiliary(vector, AT_EXECFN);

    return NT_UP((uint64_t)name + strlen(name) + 1, NT_PAGE);
}

/* ------------------------------------------------------------------------------------------ the new one */

/* The program's arguments: what scripts put in front, and the rest. */
struct arguments {
    const char *const *before;
    char *const *rest;
    uint64_t before_count, rest_count;
};

static const char *stack_argument(const struct arguments *arguments, uint64_t i)
{
    return i < arguments->before_count ? arguments->before[i] : arguments->rest[i - arguments->before_count];
}

static uint64_t copy_bytes(uint64_t *to, const void *from, size_t bytes)
{
    uint64_t at = *to;

    memcpy((void *)at, from, bytes);
    *to += bytes;
    return at;
}

static uint64_t copy_string(uint64_t *to, const char *from)
{
    return copy_bytes(to, from, strlen(from) + 1);
}

/* The auxiliary vector of the program instead of ours. Restartable sequences are refused (nt_sys_process.c). */
static uint64_t stack_auxiliary(uint64_t type, uint64_t value, const struct nt_program *program,
                                uint64_t *strings)
{
    switch (type) {
    case AT_PHDR:
        return program->image.headers;
    case AT_PHENT:
        return program->image.header_bytes;
    case AT_PHNUM:
        return program->image.header_count;
    case AT_ENTRY:
        return program->image.entry;
    case AT_BASE:
        return program->interpreter.base;
    case AT_EXECFN:
        return copy_string(strings, program->name);
    case AT_RANDOM:
        return copy_bytes(strings, program->aslr ? (const void *)value : same_each_run, RANDOM_BYTES);
    case AT_HWCAP2:
        return nt_cpuid_has(NT_CPUID_FSGSBASE) ? value : value & ~(uint64_t)NT_HWCAP2_FSGSBASE;
    case AT_PLATFORM:
    case AT_BASE_PLATFORM:
        if (value == 0 || strlen((const char *)value) >= LONGEST_NAME)
            return value;
        return copy_string(strings, (const char *)value);
    default:
        return value;
    }
}

/* Returns where the auxiliary vector is. */
static uint64_t *lay_out(uint64_t *to, uint64_t strings, const struct nt_vector *vector,
                         const struct arguments *arguments, const struct nt_program *program)
{
    uint64_t count = arguments->before_count + arguments->rest_count, *auxv;

    *to++ = count;
    for (uint64_t i = 0; i < count; i++)
        *to++ = copy_string(&strings, stack_argument(arguments, i));
    *to++ = 0;
    for (uint64_t i = 0; i < vector->variables; i++)
        *to++ = (uint64_t)vector->envp[i];
    *to++ = 0;
    strings = NT_UP(strings, 16UL);
    auxv = to;
    for (uint64_t i = 0; i < vector->pairs; i++) {
        uint64_t type = vector->auxv[2 * i];

        if (type == AT_RSEQ_FEATURE_SIZE || type == AT_RSEQ_ALIGN)
            continue;
        *to++ = type;
        *to++ = stack_auxiliary(type, vector->auxv[2 * i + 1], program, &strings);
    }
    return auxv;
}

static struct prctl_mm_map shown; /* what the kernel was told of the program's memory */

static void show(void)
{
    nt_sys6(__NR_prctl, PR_SET_MM, PR_SET_MM_MAP, (long)&shown, sizeof shown, 0, 0);
}

/* What /proc shows of the command line and the auxiliary vector, where the kernel lets us say so. */
static void tell_kernel(const struct nt_program *program, uint64_t sp, uint64_t strings, uint64_t strings_end,
                        uint64_t *auxv, const struct nt_vector *vector)
{
    uint32_t pairs = 1;
    const char *first = vector->envp[0], *last = vector->variables > 0 ? vector->envp[vector->variables - 1] : NULL;
    while (auxv[2 * (pairs - 1)] != AT_NULL)
        pairs++;
    shown = (struct prctl_mm_map){
        .start_code = program->image.start,
        .end_code = program->image.end,
        .start_data = program->image.start,
        .end_data = program->image.end,
        .start_brk = program->break_start,
        .brk = program->break_start,
        .start_stack = sp,
        .arg_start = strings,
        .arg_end = strings_end,
        .env_start = last == NULL ? strings_end : (uint64_t)first,
        .env_end = last == NULL ? strings_end : (uint64_t)last + strlen(last) + 1,
        .auxv = (__u64 *)auxv,
        .auxv_size = pairs * 16,
        .exe_fd = (uint32_t)-1,
    };

    show();
    shown.auxv = NULL; /* the kernel keeps what it has been told */
    shown.auxv_size = 0;
}

void nt_stack_show_break(uint64_t end)
{
    shown.brk = end;
    show();
}

uint64_t nt_stack_make(const struct nt_vector *vector, uint64_t first, const struct nt_program *program)
{
    uint64_t before = (uint64_t)program->before_count;
    uint64_t replaced = before > 0 && vector->argc > first; /* the name of a script */
    struct arguments arguments = {program->before, vector->argv + first + replaced, before,
                                  vector->argc - first - replaced};
    uint64_t bytes = (1 + before + arguments.rest_count + 1 + vector->variables + 1 + 2 * vector->pairs) * 8;
    uint64_t above = bytes > STRINGS ? NT_UP(bytes, NT_PAGE) : STRINGS, string_bytes = 0;
    uint64_t top = nt_vector_top(vector), sp = top - AREA, limit[2], *auxv;

    for (uint64_t i = 0; i < before + arguments.rest_count; i++)
        string_bytes += strlen(stack_argument(&arguments, i)) + 1;
    while (sp + above + string_bytes + NAMES + strlen(program->name) > (uint64_t)(vector->argv - 1))
        sp -= AREA;
    if (!nt_failed(nt_sys3(__NR_getrlimit, RLIMIT_STACK, (long)limit, 0)) && limit[0] < top - sp + AREA)
        nt_die(125, "the native engine needs a limit of %lu kB or more for the stack (ulimit -s)\n",
               (top - sp + AREA) >> 10);
    /* As much as the kernel leaves below: a program may map memory where its stack ends so far, and go on. */
    (void)*(volatile const char *)(sp - LEFT_BELOW);
    auxv = lay_out((uint64_t *)sp, sp + above, vector, &arguments, program);
    tell_kernel(program, sp, sp + above, sp + above + string_bytes, auxv, vector);
    return sp;
}
