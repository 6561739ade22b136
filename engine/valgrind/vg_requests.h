/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_requests.h: what the program asks for while it runs.
 */
#ifndef TENURE_VG_REQUESTS_H
#define TENURE_VG_REQUESTS_H

#include "vg_tool.h"

/* Valgrind's hook: True if the request is one of ours. */
Bool vg_request(ThreadId tid, UWord *words, UWord *answer);

#endif
