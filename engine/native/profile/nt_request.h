/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_request.h: what is asked of the profiler between two blocks: by the program (engine/common/requests.h), by `tenure
 * control`, and by options that name a place or a number of instructions (engine/common/options.h).
 */
#ifndef TENURE_ENGINE_NATIVE_NT_REQUEST_H
#define TENURE_ENGINE_NATIVE_NT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/common/control.h"
#include "engine/native/threads/nt_thread.h"

/* Requests are done one at a time. */
extern struct nt_lock nt_request_lock;

/* The request in front of area->rip: rax has the address of its words, rdx becomes the answer. */
void nt_request(struct nt_thread *thread);
/* Does what options ask for after so many instructions. */
void nt_request_due(struct nt_thread *thread);
/* Does what is asked on nt_control_page, and answers. The thread is not in a block. */
void nt_request_answer(struct nt_thread *thread);
/* No code was made for `pc`, where the thread is, in the program: true if the recording begins (or caches are warmed)
 * there, and all code was forgotten. */
bool nt_request_begins_at(struct nt_thread *thread, uint64_t pc);

/* ---------------------------------------------------------------------- the page of `tenure control` (nt_control.c) */

extern struct control_page *nt_control_page; /* NULL: there is none */

/* Makes it in the folder `control_dir` (NULL: none is wanted); without one if it cannot be made there. Both arguments
 * are kept. */
void nt_control_start(const char *control_dir, const char *const *command);
/* In the child of a fork: a page of its own, if the parent had one. */
void nt_control_forked(void);
/* The process ends, or becomes another. */
void nt_control_end(void);

#endif
