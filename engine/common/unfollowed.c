/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unfollowed.c: see unfollowed.h. */
#include "engine/common/unfollowed.h"

#include "engine/common/options.h"

void unfollowed_begins(struct unfollowed *all, const char *path)
{
    const char *name = path;
    size_t length = 0;

    if (__atomic_fetch_add(&all->count, 1, __ATOMIC_RELAXED) != 0)
        return;
    for (; *path != '\0'; path++) {
        if (*path == '/')
            name = path + 1;
    }
    for (; name[length] != '\0' && length < sizeof all->first - 1; length++)
        all->first[length] = name[length];
}

void unfollowed_failed(struct unfollowed *all)
{
    __atomic_fetch_sub(&all->count, 1, __ATOMIC_RELAXED);
}

void unfollowed_meta(const struct unfollowed *all, tn_core *core)
{
    uint32_t count = __atomic_load_n(&all->count, __ATOMIC_RELAXED);

    if (count == 0)
        return;
    options_meta_number(core, "unfollowed", count);
    tn_meta(core, "unfollowed.first", all->first);
}
