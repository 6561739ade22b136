/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_limit.c: see nt_limit.h. */
#include "nt_limit.h"

#include <linux/capability.h>
#include <linux/resource.h>

#include "engine/native/base/nt_lib.h"
#include "nt_gate.h"
#include "nt_maps.h"

enum { LIMITS = 2 };

struct nt_lock nt_limit_lock;

static struct {
    int resource;
    bool is_set; /* by the program: */
    struct rlimit64 asked;
} limits[LIMITS] = {{.resource = RLIMIT_AS}, {.resource = RLIMIT_DATA}};

static long of_kernel(int resource, const struct rlimit64 *now, struct rlimit64 *before)
{
    return nt_sys6(__NR_prlimit64, 0, resource, (long)now, (long)before, 0, 0);
}

/* What was asked for, with `ours` on top as far as the kernel's hard limit goes. Whether that is more than before. */
static bool limit_apply(int i, uint64_t ours)
{
    const struct rlimit64 *asked = &limits[i].asked;
    struct rlimit64 before, now;

    if (of_kernel(limits[i].resource, NULL, &before) != 0)
        return false;
    now.rlim_max = asked->rlim_max > before.rlim_max ? asked->rlim_max : before.rlim_max;
    now.rlim_cur = asked->rlim_cur > RLIM64_INFINITY - ours ? RLIM64_INFINITY : asked->rlim_cur + ours;
    if (now.rlim_cur > now.rlim_max)
        now.rlim_cur = now.rlim_max;
    return of_kernel(limits[i].resource, &now, NULL) == 0 && now.rlim_cur > before.rlim_cur;
}

static bool apply_all(uint64_t more)
{
    uint64_t ours[LIMITS] = {0, 0};
    bool raised = false;

    nt_mapping_own_bytes(&ours[0], &ours[1]);
    for (int i = 0; i < LIMITS; i++)
        raised |= limits[i].is_set && limit_apply(i, ours[i] + more);
    return raised;
}

bool nt_limit_is_set(void)
{
    return limits[0].is_set || limits[1].is_set;
}

bool nt_limit_make_room(uint64_t more)
{
    if (!nt_limit_is_set())
        return false;
    nt_lock_take(&nt_limit_lock);
    bool raised = apply_all(more);
    nt_lock_give(&nt_limit_lock);
    return raised;
}

void nt_limit_leave(uint8_t but)
{
    for (int i = 0; i < LIMITS; i++) {
        if (limits[i].is_set && !(but & 1U << i))
            of_kernel(limits[i].resource, &limits[i].asked, NULL);
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
    limits[i].asked = *now;
    limits[i].is_set = true;
    apply_all(0);
    return 0;
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
    nt_lock_take(&nt_limit_lock);
    struct rlimit64 before = limits[i].asked;
    if (!limits[i].is_set)
        of_kernel(limits[i].resource, NULL, &before);
    if (now != 0)
        error = limit_change(i, &asked, &before);
    nt_lock_give(&nt_limit_lock);
    if (error == 0 && old != 0 && nt_copy((void *)old, &before, sizeof before) != 0)
        error = EFAULT;
    return error;
}
