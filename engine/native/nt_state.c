/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_state.c: see nt_state.h. */
#include "nt_state.h"

#include "nt_gate.h"
#include "nt_lib.h"

enum { LEAF_FEATURES = 7, LEAF_STATE = 13, LEAF_TILES = 0x1d, LEAF_TILE_PRODUCT = 0x1e };
#define TILE_DATA (1UL << 18)
#define PROTECTION_KEYS (1UL << 9)

static uint64_t features;
static size_t bytes, room;
static uint8_t fresh[NT_STATE_LEGACY + NT_STATE_HEADER] __attribute__((aligned(64)));

struct nt_cpuid nt_cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct nt_cpuid id;

    __asm__ volatile("cpuid" : "=a"(id.a), "=b"(id.b), "=c"(id.c), "=d"(id.d) : "0"(leaf), "2"(subleaf));
    return id;
}

/* Transactions, shadow stacks and branch tracking, AMX, and what the decoder does not know yet (docs list them). */
struct nt_cpuid nt_cpuid_shown(uint32_t leaf, uint32_t subleaf)
{
    struct nt_cpuid id = nt_cpuid(leaf, subleaf);

    if (leaf == LEAF_FEATURES && subleaf == 0) {
        id.b &= ~(1U << 4 | 1U << 11);                                      /* HLE RTM */
        id.c &= ~(1U << 5 | 1U << 7 | 1U << 29);                            /* WAITPKG SHSTK ENQCMD */
        id.d &= ~(1U << 5 | 1U << 16 | 1U << 20 | 1U << 22 | 1U << 24 | 1U << 25); /* UINTR TSXLDTRK IBT AMX */
    } else if (leaf == LEAF_FEATURES && subleaf == 1) {
        /* SHA512 SM3 SM4 RAO-INT CMPCCXADD FRED AMX-FP16 AVX-IFMA ... */
        id.a &= ~(1U << 0 | 1U << 1 | 1U << 2 | 1U << 3 | 1U << 7 | 1U << 17 | 1U << 18 | 1U << 21 | 1U << 23);
        /* AVX-VNNI-INT8 AVX-NE-CONVERT AMX-COMPLEX AVX-VNNI-INT16 USER_MSR AVX10 APX */
        id.d &= ~(1U << 4 | 1U << 5 | 1U << 8 | 1U << 10 | 1U << 15 | 1U << 19 | 1U << 21);
    } else if (leaf == LEAF_STATE && subleaf == 0) {
        id.a &= ~(3U << 17);
    } else if (leaf == LEAF_TILES || leaf == LEAF_TILE_PRODUCT ||
               (leaf == LEAF_STATE && (subleaf == 17 || subleaf == 18))) {
        id = (struct nt_cpuid){0};
    }
    return id;
}

void nt_state_start(void)
{
    uint32_t low, high;
    struct nt_cpuid id = nt_cpuid(LEAF_STATE, 0);
    uint32_t mxcsr = 0x1f80;
    uint16_t control = 0x37f;

    room = id.b;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    features = ((uint64_t)high << 32 | low) & ~TILE_DATA;
    bytes = NT_STATE_LEGACY + NT_STATE_HEADER;
    for (uint32_t i = 2; i < 63; i++) {
        if (features >> i & 1) {
            id = nt_cpuid(LEAF_STATE, i);
            if (id.a + id.b > bytes)
                bytes = id.a + id.b;
        }
    }
    memcpy(fresh, &control, sizeof control);
    memcpy(fresh + NT_STATE_MXCSR, &mxcsr, sizeof mxcsr);
}

size_t nt_state_room(void)
{
    return room;
}

uint64_t nt_state_features(void)
{
    return features;
}

size_t nt_state_bytes(void)
{
    return bytes;
}

void nt_state_fresh(void)
{
    nt_state_load(fresh, features & ~PROTECTION_KEYS);
}

bool nt_state_valid(const uint8_t *image, uint64_t shown)
{
    uint64_t header[8];
    uint32_t mxcsr;

    memcpy(header, image + NT_STATE_LEGACY, sizeof header);
    memcpy(&mxcsr, image + NT_STATE_MXCSR, sizeof mxcsr);
    for (int i = 1; i < 8; i++) {
        if (header[i] != 0)
            return false;
    }
    return (header[0] & ~(shown & features)) == 0 && mxcsr >> 16 == 0;
}
