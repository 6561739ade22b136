/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_limit.c: see nt_limit.h. */
#include "nt_limit.h"

#include <linux/capability.h>
#include <linux/resource.h>

#include "engine/native/base/nt_lib.h"
#include "nt_gate.h"
#include "nt_maps.h"

enum { OF_MEMORY = 2, LIMITS = 4 };

struct nt_lock nt_limit_sizes, nt_limit_lock, nt_limit_descriptors;

static struct {
    int resource;
    bool is_set; /* by the program: */
    struct rlimit64 asked;
} limits[LIMITS] = {
    {.resource = RLIMIT_AS}, {.resource = RLIMIT_DATA}, {.resource = RLIMIT_FSIZE}, {.resource = RLIMIT_NOFILE}};

static long of_kernel(int resource, const struct rlimit64 *now, struct rlimit64 *before)
{
    return nt_sys6(__NR_prlimit64, 0, resource, (long)now, (long)before, 0, 0);
}

/* What was asked for, with `ours` on top as far as the kernel's hard limit goes. Returns 0 or an error number; *raised
 * if that is more than before. */
static int limit_apply(int i, uint64_t ours, bool *raised)
{
    const struct rlimit64 *asked = &limits[i].asked;
    struct rlimit64 before, now;

    of_kernel(limits[i].resource, NULL, &before);
    now.rlim_max = asked->rlim_max > before.rlim_max ? asked->rlim_max : before.rlim_max;
    now.rlim_cur = asked->rlim_cur > RLIM64_INFINITY - ours ? RLIM64_INFINITY : asked->rlim_cur + ours;
    if (now.rlim_cur > now.rlim_max)
        now.rlim_cur = now.rlim_max;
    long error = of_kernel(limits[i].resource, &now, NULL);
    *raised |= error == 0 && now.rlim_cur > before.rlim_cur;
    return (int)-error;
}

/* How much memory the engine has, as limits on it count; if the kernel does not tell, what it told last. Whoever asks
 * holds nt_limit_lock. */
static void own_bytes(uint64_t ours[OF_MEMORY])
{
    static uint64_t last[OF_MEMORY];

    if (!nt_mapping_own_bytes(&last[0], &last[1])) { /* the program may have all descriptors */
        const struct nt_lifted lifted = nt_limit_lift(RLIMIT_NOFILE);
        nt_mapping_own_bytes(&last[0], &last[1]);
        nt_limit_lower(&lifted);
    }
    for (int i = 0; i < OF_MEMORY; i++)
        ours[i] = last[i];
}

static bool apply_to_memory(void)
{
    uint64_t ours[OF_MEMORY] = {0};
    bool raised = false;

    own_bytes(ours);
    for (int i = 0; i < OF_MEMORY; i++) {
        if (limits[i].is_set)
            limit_apply(i, ours[i], &raised);
    }
    return raised;
}

bool nt_limit_make_room(void)
{
    if (!limits[0].is_set && !limits[1].is_set)
        return false;
    nt_lock_take(&nt_limit_lock);
    bool raised = apply_to_memory();
    nt_lock_give(&nt_limit_lock);
    return raised;
}

bool nt_limit_lift_memory(void)
{
    if (!limits[0].is_set && !limits[1].is_set)
        return false;
    nt_lock_take(&nt_limit_lock);
    for (int i = 0; i < OF_MEMORY; i++) {
        struct rlimit64 before;

        if (!limits[i].is_set)
            continue;
        of_kernel(limits[i].resource, NULL, &before);
        of_kernel(limits[i].resource, &(struct rlimit64){before.rlim_max, before.rlim_max}, NULL);
    }
    return true;
}

void nt_limit_lower_memory(void)
{
    apply_to_memory();
    nt_lock_give(&nt_limit_lock);
}

static struct nt_lock *lifting(int resource)
{
    return resource == RLIMIT_NOFILE ? &nt_limit_descriptors : &nt_limit_sizes;
}

struct nt_lifted nt_limit_lift(int resource)
{
    struct nt_lifted lifted = {resource, {0, 0}};

    nt_lock_take(lifting(resource));
    of_kernel(resource, NULL, &lifted.before);
    const struct rlimit64 most = {lifted.before.rlim_max, lifted.before.rlim_max};
    of_kernel(resource, &most, NULL);
    return lifted;
}

void nt_limit_lower(const struct nt_lifted *lifted)
{
    of_kernel(lifted->resource, &lifted->before, NULL);
    nt_lock_give(lifting(lifted->resource));
}

void nt_limit_leave(uint8_t but)
{
    for (int i = 0; i < LIMITS; i++) {
        if (limits[i].is_set && !(but & 1U << i))
            of_kernel(limits[i].resource, &limits[i].asked, NULL);
    }
}

void nt_limit_hand_on(char *text, size_t size, uint8_t but)
{
    size_t length = nt_format(text, size, NT_LIMIT_OPTION);

    for (int i = 0; i < LIMITS; i++) {
        if (limits[i].is_set && !(but & 1U << i))
            length += nt_format(text + length, size - length, "%d:%lu:%lu,", i, (uint64_t)limits[i].asked.rlim_cur,
                                (uint64_t)limits[i].asked.rlim_max);
    }
}

void nt_limit_begin(const char *text)
{
    for (uint64_t i; *text != '\0' && (i = nt_number(&text, 10)) < LIMITS && *text == ':'; text++) {
        text++;
        limits[i].asked.rlim_cur = nt_number(&text, 10);
        limits[i].asked.rlim_max = *text == ':' ? (text++, nt_number(&text, 10)) : 0;
        limits[i].is_set = true;
    }
}

static bool may_raise(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

    return nt_sys3(__NR_capget, (long)&header, (long)data, 0) == 0 && data[0].effective & 1U << CAP_SYS_RESOURCE;
}

/* As the kernel does it. */
static int limit_change(int i, const struct rlimit64 *now, const struct rlimit64 *before)
{
    if (now->rlim_cur > now->rlim_max)
        return EINVAL;
    if (now->rlim_max > before->rlim_max && !may_raise())
        return EPERM;
    const struct rlimit64 was = limits[i].asked;
    uint64_t ours[LIMITS] = {0};
    bool raised = false;
    limits[i].asked = *now;
    if (i < OF_MEMORY)
        own_bytes(ours);
    int error = limit_apply(i, ours[i], &raised);
    if (error != 0)
        limits[i].asked = was;
    limits[i].is_set |= error == 0;
    return error;
}

int nt_limit_number(uint64_t resource)
{
    int i = 0;

    while (i < LIMITS && resource != (uint64_t)limits[i].resource)
        i++;
    return i == LIMITS ? -1 : i;
}

int nt_limit_get_and_set(int i, uint64_t now, uint64_t old)
{
    struct rlimit64 asked;
    int error = 0;

    if (now != 0 && nt_copy(&asked, (const void *)now, sizeof asked) != 0)
        return EFAULT;
    const bool of_sizes = limits[i].resource == RLIMIT_FSIZE, of_descriptors = limits[i].resource == RLIMIT_NOFILE;
    if (of_sizes)
        nt_lock_take(&nt_limit_sizes);
    nt_lock_take(&nt_limit_lock);
    if (of_descriptors)
        nt_lock_take(&nt_limit_descriptors);
    struct rlimit64 before = limits[i].asked;
    if (!limits[i].is_set)
        of_kernel(limits[i].resource, NULL, &before);
    if (now != 0)
        error = limit_change(i, &asked, &before);
    if (of_descriptors)
        nt_lock_give(&nt_limit_descriptors);
    nt_lock_give(&nt_limit_lock);
    if (of_sizes)
        nt_lock_give(&nt_limit_sizes);
    if (error == 0 && old != 0 && nt_copy((void *)old, &before, sizeof before) != 0)
        error = EFAULT;
    return error;
}
