/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_rare.h: instructions that are done in C (NT_IS_RARE). */
#ifndef TENURE_ENGINE_NATIVE_NT_RARE_H
#define TENURE_ENGINE_NATIVE_NT_RARE_H

struct nt_exit;
struct nt_thread;

/* Does the one that `exit` stands in front of. area->rip is then what follows, or it has faulted. */
void nt_rare(struct nt_thread *thread, const struct nt_exit *exit);

#endif
