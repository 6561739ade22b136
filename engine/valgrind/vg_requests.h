/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_requests.h: what the program asks for while it runs.
 */
#ifndef TENURE_VG_REQUESTS_H
#define TENURE_VG_REQUESTS_H

#include "engine/common/requests.h"
#include "vg_tool.h"

/* Valgrind's hook: True if the request is one of ours. */
Bool vg_request(ThreadId tid, UWord *words, UWord *answer);

/* Does what is due after so many instructions, at the beginning of a turn. */
void vg_request_due(tn_thread *thread);
/* Behind a system call: what could not be done then, since it forgets translations. */
void vg_request_late(void);
/* Does one; `part`: its name, for REQUEST_DUMP. */
void vg_request_perform(enum request request, uint64_t argument, const HChar *part);

#endif
