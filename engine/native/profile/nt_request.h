/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_request.h: what the program asks of its profiler. */
#ifndef TENURE_ENGINE_NATIVE_NT_REQUEST_H
#define TENURE_ENGINE_NATIVE_NT_REQUEST_H

#include "engine/common/requests.h"
#include "engine/native/threads/nt_thread.h"

/* Requests are done one at a time. */
extern struct nt_lock nt_request_lock;

/* Does one, with the lock in hand; `part`: its name, for REQUEST_DUMP. */
void nt_request_perform(struct nt_thread *thread, enum request request, uint64_t argument, const char *part);
/* The thread is outside. Does what is due after so many instructions. */
void nt_request_due(struct nt_thread *thread);
/* The request in front of area->rip: rax has the address of its words, rdx becomes the answer. */
void nt_request(struct nt_thread *thread);

#endif
