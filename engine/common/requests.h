/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * requests.h: what a program can ask of whoever profiles it: tenure.h's requests, and those of Callgrind's and
 * Cachegrind's headers, so that a program annotated for one of them works unchanged.
 *
 * An engine finds the sequence of instructions (include/tenure.h) and reads its six words; what the first two mean is
 * said here, once for all engines. Freestanding.
 */
#ifndef TENURE_ENGINE_REQUESTS_H
#define TENURE_ENGINE_REQUESTS_H

#include <stdint.h>

enum request {
    REQUEST_UNKNOWN, /* somebody else's: the answer stays as it is */
    REQUEST_RUNNING, /* whether a profiler is there: 1 */
    REQUEST_DUMP,    /* write a part; the argument is its name's address, or 0 */
    REQUEST_ZERO,
    REQUEST_TOGGLE_COLLECT,
    REQUEST_COLLECT, /* the argument: on or off */
    REQUEST_START,   /* instrumentation */
    REQUEST_STOP,
    REQUEST_NAME_REGION, /* the argument: its address; then its bytes, and its name's address */
    REQUEST_FORGET_REGION,
};

/* *argument becomes that of the request that is returned. */
enum request request_of(uint64_t number, uint64_t *argument);

#endif
