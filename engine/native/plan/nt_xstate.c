/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_xstate.c: see nt_xstate.h. */
#include "nt_xstate.h"

#include "engine/native/base/nt_cpuid.h"

enum { X87_BYTES = 160, MXCSR_AT = 24, XMM_AT = 160, XMM_BYTES = 256, HEADER_AT = 512, FIRST_AT = 576 };
enum { LEAF_FEATURES = 1, LEAF_STATE = 13, OSXSAVE = 27 };
#define BIT(component) (1ull << (component))
#define COMPACT BIT(63)

struct making {
    struct nt_piece *pieces;
    unsigned count;
    uint64_t address;
    uint8_t how;
};

void nt_xstate_start(struct nt_xstate *xstate)
{
    uint32_t low, high;

    *xstate = (struct nt_xstate){.size = {X87_BYTES, XMM_BYTES}, .offset = {0, XMM_AT}};
    if (!(nt_cpuid(LEAF_FEATURES, 0).c >> OSXSAVE & 1))
        return;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    xstate->enabled = (uint64_t)high << 32 | low;
    for (uint32_t i = NT_XSTATE_AVX; i < NT_XSTATE_COMPONENTS; i++) {
        struct nt_cpuid id = nt_cpuid(LEAF_STATE, i);
        xstate->size[i] = id.a;
        xstate->offset[i] = id.b;
        xstate->aligned[i] = id.c >> 1 & 1;
    }
}

uint32_t nt_xstate_bytes(const struct nt_xstate *xstate, uint64_t components)
{
    uint32_t bytes = FIRST_AT;

    for (unsigned i = NT_XSTATE_AVX; i < NT_XSTATE_COMPONENTS; i++) {
        if (components & BIT(i) && xstate->offset[i] + xstate->size[i] > bytes)
            bytes = xstate->offset[i] + xstate->size[i];
    }
    return bytes;
}

static uint32_t register_bytes(const struct nt_xstate *xstate, unsigned component)
{
    switch (component) {
    case NT_XSTATE_AVX:
        return 16;
    case NT_XSTATE_OPMASK:
        return 8;
    case NT_XSTATE_ZMM_UPPER:
        return 32;
    case NT_XSTATE_ZMM_MORE:
        return 64;
    case NT_XSTATE_TILES:
        return 1024;
    default:
        return xstate->size[component];
    }
}

static void xstate_add(struct making *m, uint64_t off, uint32_t size, uint8_t how)
{
    if (m->count < NT_XSTATE_PIECES)
        m->pieces[m->count++] = (struct nt_piece){m->address + off, (uint16_t)size, how};
}

static void add_row(struct making *m, uint64_t off, uint32_t bytes, uint32_t each)
{
    for (uint32_t at = 0; at < bytes; at += each)
        xstate_add(m, off + at, each, m->how);
}

/* MXCSR belongs to SSE and to AVX. */
static void add_legacy(struct making *m, uint64_t components, bool mxcsr)
{
    if (components & BIT(NT_XSTATE_X87))
        xstate_add(m, 0, X87_BYTES, m->how);
    if (mxcsr)
        xstate_add(m, MXCSR_AT, 8, m->how);
    if (components & BIT(NT_XSTATE_SSE))
        add_row(m, XMM_AT, XMM_BYTES, 16);
}

/* `format`: the components for which the compact format has room; 0: the other. */
static void add_extended(struct making *m, const struct nt_xstate *xstate, uint64_t components, uint64_t format)
{
    uint64_t at = FIRST_AT;

    for (unsigned i = NT_XSTATE_AVX; i < NT_XSTATE_COMPONENTS; i++) {
        if (format && !(format & BIT(i)))
            continue;
        if (format && xstate->aligned[i])
            at = (at + 63) & ~63ull;
        if (components & BIT(i))
            add_row(m, format ? at : xstate->offset[i], xstate->size[i], register_bytes(xstate, i));
        at += xstate->size[i];
    }
}

static uint64_t xstate_header(uint64_t address, unsigned word)
{
    return *(const volatile uint64_t *)(address + HEADER_AT + 8ul * word);
}

static unsigned xstate_find(const struct nt_xstate *xstate, const struct nt_access *where, uint64_t asked,
                            uint64_t there, uint64_t format, struct making *m)
{
    if (where->form == NT_FXSAVE) {
        add_legacy(m, BIT(NT_XSTATE_X87) | BIT(NT_XSTATE_SSE), true);
        return m->count;
    }
    if (where->form == NT_XRSTOR)
        add_row(m, HEADER_AT, 24, 8);
    add_legacy(m, there, asked & (BIT(NT_XSTATE_SSE) | BIT(NT_XSTATE_AVX)));
    add_extended(m, xstate, there, format);
    if (where->form == NT_XSAVEC)
        xstate_add(m, HEADER_AT, 16, NT_WRITE);
    else if (where->form != NT_XRSTOR)
        xstate_add(m, HEADER_AT, 8, NT_MODIFY);
    return m->count;
}

unsigned nt_xstate_all(const struct nt_xstate *xstate, const struct nt_access *where,
                       struct nt_piece pieces[NT_XSTATE_PIECES])
{
    struct making m = {pieces, 0, 0, where->how};

    return xstate_find(xstate, where, xstate->enabled, xstate->enabled, 0, &m);
}

unsigned nt_xstate_find(const struct nt_xstate *xstate, const struct nt_access *where, const struct nt_area *area,
                        uint64_t address, struct nt_piece pieces[NT_XSTATE_PIECES])
{
    uint64_t asked = xstate->enabled & ((area->gpr[NT_RDX] << 32) | (uint32_t)area->gpr[NT_RAX]), there = asked;
    struct making m = {pieces, 0, address, where->how};
    uint64_t format = 0;

    if (where->form != NT_XSAVE && where->form != NT_FXSAVE)
        there &= xstate_header(address, 0);
    if (where->form == NT_XSAVEC || where->form == NT_XRSTOR)
        format = xstate_header(address, 1) & COMPACT ? xstate_header(address, 1) & ~COMPACT : 0;
    return xstate_find(xstate, where, asked, there, format, &m);
}
