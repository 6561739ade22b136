/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_call.c: a system call of the program's is handed to the kernel.
 *
 * The kernel fails with EFAULT where it cannot write to the program's memory. That may be because we guard a page
 * (nt_maps.h), so such a call is made again without guards, one page at a time.
 */
#include "nt_syscall.h"

#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_maps.h"
#include "engine/native/signals/nt_signal.h"
#include "engine/native/threads/nt_baton.h"
#include "engine/native/threads/nt_outside.h"

bool nt_call_fail(struct nt_call *call, int error)
{
    call->result = -error;
    return true;
}

bool nt_call_pass(struct nt_thread *thread, struct nt_call *call)
{
    for (;;) {
        nt_baton_give();
        nt_signal_to_kernel(thread);
        bool was_made = nt_gate_call(call->raw, &call->result);
        nt_signal_from_kernel(thread);
        nt_baton_take();
        if (!was_made)
            return false;
        uint64_t page = call->result == -EFAULT ? nt_maps_guarded(0, UINT64_MAX) : 0;
        if (page == 0)
            return true;
        nt_maps_unguard(page);
        nt_code_changed(page, NT_PAGE);
    }
}
