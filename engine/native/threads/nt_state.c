/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_state.c: see nt_state.h. */
#include "nt_state.h"

#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/plan/nt_xstate.h"

enum { USUAL_MXCSR_BITS = 0xffbf };
#define TILE_DATA (1UL << NT_XSTATE_TILES)
#define PROTECTION_KEYS (1UL << 9)

static struct nt_xstate layout;
static uint64_t features;
static uint32_t mxcsr_bits; /* that may be set: AMD's processors have one more */
static uint8_t fresh[NT_STATE_LEGACY + NT_STATE_HEADER] __attribute__((aligned(64)));

bool nt_state_start(void)
{
    static uint8_t image[NT_STATE_LEGACY] __attribute__((aligned(16)));
    uint32_t mxcsr = 0x1f80;
    uint16_t control = 0x37f;

    nt_xstate_start(&layout);
    features = layout.enabled & ~TILE_DATA;
    __asm__ volatile("fxsave64 %0" : "=m"(image));
    memcpy(&mxcsr_bits, image + NT_STATE_MXCSR_BITS, sizeof mxcsr_bits);
    if (mxcsr_bits == 0)
        mxcsr_bits = USUAL_MXCSR_BITS;
    memcpy(fresh, &control, sizeof control);
    memcpy(fresh + NT_STATE_MXCSR, &mxcsr, sizeof mxcsr);
    return layout.enabled != 0;
}

size_t nt_state_room(void)
{
    return nt_xstate_bytes(&layout, layout.enabled);
}

uint64_t nt_state_features(void)
{
    return features;
}

size_t nt_state_bytes(void)
{
    return nt_xstate_bytes(&layout, features);
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
    return (header[0] & ~(shown & features)) == 0 && (mxcsr & ~mxcsr_bits) == 0;
}
