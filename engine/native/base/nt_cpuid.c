/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_cpuid.c: see nt_cpuid.h. */
#include "nt_cpuid.h"

enum { LEAF_VENDOR = 0, LEAF_FEATURES = 1, LEAF_MORE = 7, LEAF_STATE = 13, LEAF_TILES = 0x1d,
       LEAF_TILE_PRODUCT = 0x1e };

enum feature { AVX512, AVX2, AVX, SSE4, XSAVEC, XSAVE, BMI2, ERMS, FSGSBASE, NOT_RUN };
#define SET(feature) (1U << (feature))

static const struct {
    const char *name;
    uint32_t with; /* what is hidden with it, since it needs it */
} features[] = {
    [AVX512] = {"avx512", SET(AVX512)},
    [AVX2] = {"avx2", SET(AVX2) | SET(AVX512)},
    [AVX] = {"avx", SET(AVX) | SET(AVX2) | SET(AVX512)},
    [SSE4] = {"sse4", SET(SSE4) | SET(AVX) | SET(AVX2) | SET(AVX512)},
    [XSAVEC] = {"xsavec", SET(XSAVEC)},
    [XSAVE] = {"xsave", SET(XSAVE) | SET(XSAVEC) | SET(AVX) | SET(AVX2) | SET(AVX512)},
    [BMI2] = {"bmi2", SET(BMI2)},
    [ERMS] = {"erms", SET(ERMS)},
    [FSGSBASE] = {"fsgsbase", SET(FSGSBASE)},
};

/* NOT_RUN: what the engine cannot run, or the decoder does not know yet (docs list them). */
static const struct {
    enum feature feature;
    uint32_t leaf, subleaf;
    struct nt_cpuid bits;
} hides[] = {
    {NOT_RUN, LEAF_MORE, 0, {
        .b = 1U << 4 | 1U << 11,                                      /* HLE RTM */
        .c = 1U << 5 | 1U << 7 | 1U << 29,                            /* WAITPKG SHSTK ENQCMD */
        .d = 1U << 5 | 1U << 16 | 1U << 20 | 1U << 22 | 1U << 24 | 1U << 25, /* UINTR TSXLDTRK IBT AMX */
    }},
    {NOT_RUN, LEAF_MORE, 1, {
        /* SHA512 SM3 SM4 RAO-INT CMPCCXADD FRED AMX-FP16 AVX-IFMA ... */
        .a = 1U << 0 | 1U << 1 | 1U << 2 | 1U << 3 | 1U << 7 | 1U << 17 | 1U << 18 | 1U << 21 | 1U << 23,
        /* AVX-VNNI-INT8 AVX-NE-CONVERT AMX-COMPLEX AVX-VNNI-INT16 USER_MSR AVX10 APX */
        .d = 1U << 4 | 1U << 5 | 1U << 8 | 1U << 10 | 1U << 15 | 1U << 19 | 1U << 21,
    }},
    {NOT_RUN, LEAF_STATE, 0, {.a = 3U << 17}},
    {NOT_RUN, LEAF_STATE, 17, {~0U, ~0U, ~0U, ~0U}},
    {NOT_RUN, LEAF_STATE, 18, {~0U, ~0U, ~0U, ~0U}},
    {AVX512, LEAF_MORE, 0, {
        .b = 1U << 16 | 1U << 17 | 1U << 21 | 1U << 26 | 1U << 27 | 1U << 28 | 1U << 30 | 1U << 31, /* F DQ ... VL */
        .c = 1U << 1 | 1U << 6 | 1U << 11 | 1U << 12 | 1U << 14,
        .d = 1U << 2 | 1U << 3 | 1U << 8 | 1U << 23,
    }},
    {AVX512, LEAF_MORE, 1, {.a = 1U << 5}}, /* BF16 */
    {AVX2, LEAF_MORE, 0, {.b = 1U << NT_CPUID_AVX2}},
    {AVX2, LEAF_MORE, 1, {.a = 1U << 4}},                              /* AVX-VNNI */
    {AVX, LEAF_FEATURES, 0, {.c = 1U << 12 | 1U << 28 | 1U << 29}},    /* FMA AVX F16C */
    {AVX, LEAF_MORE, 0, {.c = 1U << 9 | 1U << 10}},                    /* VAES VPCLMULQDQ */
    {AVX, 0x80000001, 0, {.c = 1U << 11 | 1U << 16}},                  /* XOP FMA4 */
    {SSE4, LEAF_FEATURES, 0, {.c = 1U << 19 | 1U << 20}},              /* SSE4.1 SSE4.2 */
    {XSAVEC, LEAF_STATE, 1, {.a = 1U << 1 | 1U << 3}},                 /* XSAVEC XSAVES */
    {XSAVE, LEAF_FEATURES, 0, {.c = 1U << 26 | 1U << 27}},             /* XSAVE OSXSAVE */
    {BMI2, LEAF_MORE, 0, {.b = 1U << NT_CPUID_BMI2}},
    {ERMS, LEAF_MORE, 0, {.b = 1U << 9, .d = 1U << 4}},                /* ERMS FSRM */
    {ERMS, LEAF_MORE, 1, {.a = 7U << 10}},                             /* FZRM FSRS FSRC */
    {FSGSBASE, LEAF_MORE, 0, {.b = 1U << NT_CPUID_FSGSBASE}},
};

static uint32_t hidden = SET(NOT_RUN);

struct nt_cpuid nt_cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct nt_cpuid id;

    __asm__ volatile("cpuid" : "=a"(id.a), "=b"(id.b), "=c"(id.c), "=d"(id.d) : "0"(leaf), "2"(subleaf));
    return id;
}

struct nt_cpuid nt_cpuid_shown(uint32_t leaf, uint32_t subleaf)
{
    /* Whether what CPUID says of this leaf depends on the subleaf. For other leaves ecx may hold anything. */
    bool has_subleaves = leaf == LEAF_MORE || leaf == LEAF_STATE;
    struct nt_cpuid id = nt_cpuid(leaf, subleaf);

    if (leaf == LEAF_TILES || leaf == LEAF_TILE_PRODUCT || (leaf == LEAF_STATE && hidden & SET(XSAVE)))
        return (struct nt_cpuid){0};
    for (unsigned i = 0; i < sizeof hides / sizeof hides[0]; i++) {
        if (!(hidden & SET(hides[i].feature)) || hides[i].leaf != leaf ||
            (has_subleaves && hides[i].subleaf != subleaf))
            continue;
        id.a &= ~hides[i].bits.a;
        id.b &= ~hides[i].bits.b;
        id.c &= ~hides[i].bits.c;
        id.d &= ~hides[i].bits.d;
    }
    return id;
}

/* Whether `names` begins with `name`, and a comma or the end is behind it. */
static bool is_next(const char *names, const char *name)
{
    while (*name != '\0' && *names == *name)
        names++, name++;
    return *name == '\0' && (*names == ',' || *names == '\0');
}

bool nt_cpuid_hide(const char *names)
{
    for (;; names++) {
        unsigned i = 0;
        while (i < sizeof features / sizeof features[0] && !is_next(names, features[i].name))
            i++;
        if (i == sizeof features / sizeof features[0])
            return false;
        hidden |= features[i].with;
        while (*names != '\0' && *names != ',')
            names++;
        if (*names == '\0')
            return true;
    }
}

bool nt_cpuid_has(enum nt_cpuid_feature feature)
{
    return nt_cpuid(LEAF_VENDOR, 0).a >= LEAF_MORE && nt_cpuid_shown(LEAF_MORE, 0).b >> feature & 1;
}

/* It is always hidden. */
bool nt_cpuid_has_rtm(void)
{
    return nt_cpuid(LEAF_VENDOR, 0).a >= LEAF_MORE && nt_cpuid(LEAF_MORE, 0).b >> 11 & 1;
}

/* The last letters of AuthenticAMD and HygonGenuine. */
bool nt_cpuid_is_amd(void)
{
    uint32_t letters = nt_cpuid(LEAF_VENDOR, 0).c;

    return letters == 0x444d4163 || letters == 0x656e6975;
}
