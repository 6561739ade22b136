/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_hot.h: the usual call, return and jump between functions, told by generated code.
 *
 * Called by generated code as everything in nt_calls.h is; they keep every register but not the flags. They are
 * compiled to save no more registers than they use, and that only works while they call nothing: what is not usual is
 * told by functions of nt_calls.c, through thunks that keep every register too.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_HOT_H
#define TENURE_ENGINE_NATIVE_NT_HOT_H

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
