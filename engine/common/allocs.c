/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * allocs.c: which functions allocate and free memory, by name (docs/attribution.md, section 11).
 *
 * Those of C and C++ are known, wherever they are defined: in a libc, in another allocator that is preloaded or linked,
 * in a static program. A name that ends with * stands for all that begin so: C++'s operators have a mangled name for
 * each form, and what tells the forms apart (alignment, nothrow, the size to be freed) is behind what matters here. The
 * forms that construct in memory that is there already allocate nothing, and are none of these: _ZnwmPv, _ZdlPvS_.
 */
#include "engine/common/options.h"

static const struct {
    const char *name;
    struct tn_allocation does;
} known[] = {
    {"malloc", {.bytes = 1}},
    {"calloc", {.bytes = 2, .count = 1}},
    {"realloc", {.bytes = 2, .old = 1}},
    {"reallocarray", {.bytes = 3, .count = 2, .old = 1}},
    {"memalign", {.bytes = 2}},
    {"aligned_alloc", {.bytes = 2}},
    {"posix_memalign", {.bytes = 3, .at = 1}},
    {"valloc", {.bytes = 1}},
    {"pvalloc", {.bytes = 1}},
    {"free", {.old = 1}},
    {"cfree", {.old = 1}},
    {"free_sized", {.old = 1}},
    {"free_aligned_sized", {.old = 1}},
    {"_Znwm", {.bytes = 1}}, /* operator new(unsigned long) */
    {"_ZnwmR*", {.bytes = 1}},
    {"_ZnwmSt*", {.bytes = 1}},
    {"_Znam", {.bytes = 1}}, /* operator new[] */
    {"_ZnamR*", {.bytes = 1}},
    {"_ZnamSt*", {.bytes = 1}},
    {"_ZdlPv", {.old = 1}}, /* operator delete(void*) */
    {"_ZdlPvm*", {.old = 1}},
    {"_ZdlPvR*", {.old = 1}},
    {"_ZdlPvSt*", {.old = 1}},
    {"_ZdaPv", {.old = 1}}, /* operator delete[] */
    {"_ZdaPvm*", {.old = 1}},
    {"_ZdaPvR*", {.old = 1}},
    {"_ZdaPvSt*", {.old = 1}},
};

static bool is_name(const char *name, const char *wanted)
{
    while (*wanted && *wanted != '*' && *name == *wanted)
        name++, wanted++;
    return *wanted == '*' || *name == *wanted;
}

struct tn_allocation allocs_of(const char *name)
{
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        if (is_name(name, known[i].name))
            return known[i].does;
    }
    return (struct tn_allocation){0};
}
