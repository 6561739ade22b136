/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vector.c: see vector.h. */
#include "vector.h"

#include <string.h>

/* The legacy part, which is the same everywhere. */
enum { X87_CONTROL = 0, X87_LAST = 6, MXCSR = 24, X87_REGISTERS = 32, XMM = 160, RESERVED = 416, HEADER = 512 };
enum { X87_LAST_BYTES = 18, X87_BYTES = 128, RESERVED_BYTES = 160, USUAL_CONTROL = 0x37f };

uint64_t vector_components(const struct nt_xstate *layout)
{
    return layout->enabled & VECTOR_COMPONENTS;
}

uint32_t vector_bytes(const struct nt_xstate *layout)
{
    return nt_xstate_bytes(layout, vector_components(layout));
}

unsigned vector_next(uint64_t *components)
{
    unsigned lowest = (unsigned)__builtin_ctzll(*components);

    *components &= *components - 1;
    return lowest;
}

static bool has(const struct nt_xstate *layout, unsigned component)
{
    return vector_components(layout) >> component & 1;
}

static void fill_x87(uint8_t *state)
{
    static const uint16_t control = USUAL_CONTROL;

    memset(state, 0, MXCSR);
    memset(state + X87_REGISTERS, 0, X87_BYTES);
    memcpy(state + X87_CONTROL, &control, sizeof control);
}

void vector_complete(const struct nt_xstate *layout, uint8_t *state)
{
    uint64_t present, absent;

    memcpy(&present, state + HEADER, sizeof present);
    absent = vector_components(layout) & ~present;
    while (absent) {
        unsigned component = vector_next(&absent);
        if (component == NT_XSTATE_X87)
            fill_x87(state);
        else
            vector_fill(layout, state, component, 0);
    }
    memset(state + X87_LAST, 0, X87_LAST_BYTES);
    memset(state + RESERVED, 0, RESERVED_BYTES);
}

void vector_fill(const struct nt_xstate *layout, uint8_t *state, unsigned component, int byte)
{
    if (has(layout, component))
        memset(state + layout->offset[component], byte, layout->size[component]);
}

/* The `number`th of the registers in a component, `bytes` each. */
static void take(const struct nt_xstate *layout, const uint8_t *state, unsigned component, unsigned number,
                 void *to, size_t bytes)
{
    if (has(layout, component))
        memcpy(to, state + layout->offset[component] + number * bytes, bytes);
}

void vector_register(const struct nt_xstate *layout, const uint8_t *state, unsigned number, uint8_t to[64])
{
    memset(to, 0, 64);
    if (number >= 16) {
        take(layout, state, NT_XSTATE_ZMM_MORE, number - 16, to, 64);
        return;
    }
    take(layout, state, NT_XSTATE_SSE, number, to, 16);
    take(layout, state, NT_XSTATE_AVX, number, to + 16, 16);
    take(layout, state, NT_XSTATE_ZMM_UPPER, number, to + 32, 32);
}

void vector_opmask(const struct nt_xstate *layout, const uint8_t *state, unsigned number, uint64_t *to)
{
    *to = 0;
    take(layout, state, NT_XSTATE_OPMASK, number, to, sizeof *to);
}
