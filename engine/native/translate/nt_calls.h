/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_calls.h: the C that generated code calls in the middle of a block, through nt_thunk.S.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_CALLS_H
#define TENURE_ENGINE_NATIVE_NT_CALLS_H

#include "engine/native/base/nt_area.h"

/* In the order of nt_thunks. */
enum nt_call {
    NT_CALL_SLOW_DATA,  /* args: address, id */
    NT_CALL_SLOW_FETCH, /* args: id */
    NT_CALL_WHOLE_DATA, /* args: address, id */
    NT_CALL_COUNT,      /* args: counter */
    NT_CALL_CALLED,     /* the functions of nt_calls.h and below */
    NT_CALL_CALLED_SKIPPED,
    NT_CALL_CALLED_LAST,
    NT_CALL_CALLED_FOUND,
    NT_CALL_CALLED_FOUND_LAST,
    NT_CALL_RETURNED,
    NT_CALL_RETURNED_MORE,
    NT_CALL_JUMPED,
    NT_CALL_JUMPED_FOUND,
    NT_CALL_ALLOCATES,
    NT_CALL_BRANCHED, /* from here on they keep flags */
    NT_CALL_BRANCHED_TO,
    NT_CALL_SINGLE,
    NT_CALL_FPU,
    NT_CALLS_COUNT
};
extern const void *const nt_thunks[NT_CALLS_COUNT];
_Static_assert(NT_CALLS_COUNT <= NT_CALLS_ROOM, "the area has room for them");

void nt_called(struct nt_area *area);
void nt_called_last(struct nt_area *area);
void nt_called_found(struct nt_area *area);
void nt_called_found_last(struct nt_area *area);
void nt_returned(struct nt_area *area);
void nt_returned_more(struct nt_area *area);
void nt_jumped(struct nt_area *area);
void nt_jumped_found(struct nt_area *area);
void nt_allocates(struct nt_area *area);
void nt_branched(struct nt_area *area);
void nt_branched_to(struct nt_area *area);
void nt_counted_single(struct nt_area *area);
void nt_fpu_stored(struct nt_area *area);

/* ---------------------------------------------------------------------------------------- the usual ones (nt_hot.c) */

#define NT_KEEPS_REGISTERS __attribute__((no_caller_saved_registers))

NT_KEEPS_REGISTERS void nt_hot_called(void);
/* The function is skipped. */
NT_KEEPS_REGISTERS void nt_hot_called_skipped(void);
/* These and nt_hot_jumped_found also say where generated code goes on then, in area->go. */
NT_KEEPS_REGISTERS void nt_hot_called_found(void);
NT_KEEPS_REGISTERS void nt_hot_called_found_last(void);
NT_KEEPS_REGISTERS void nt_hot_returned(void);
NT_KEEPS_REGISTERS void nt_hot_jumped(void);
NT_KEEPS_REGISTERS void nt_hot_jumped_found(void);

/* nt_thunk.S. */
NT_KEEPS_REGISTERS void nt_slowly_called(void);
NT_KEEPS_REGISTERS void nt_slowly_called_found(void);
NT_KEEPS_REGISTERS void nt_slowly_called_found_last(void);
NT_KEEPS_REGISTERS void nt_slowly_returned(void);
NT_KEEPS_REGISTERS void nt_slowly_jumped(void);
NT_KEEPS_REGISTERS void nt_slowly_jumped_found(void);

#endif
