/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_dispatch.h: what a thread runs next. */
#ifndef TENURE_ENGINE_NATIVE_NT_DISPATCH_H
#define TENURE_ENGINE_NATIVE_NT_DISPATCH_H

struct nt_area;

/* nt_gate_to.dispatch. */
const void *nt_dispatch(struct nt_area *area);

#endif
