/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fb_host.h: what engine/common needs, from libc. For tests.
 *
 * Counts what is reserved, so that a test can see whether all of it came back, and can be told to run out of
 * memory after a number of reservations.
 */
#ifndef TENURE_TESTS_FB_HOST_H
#define TENURE_TESTS_FB_HOST_H

#include "engine/common/functions.h"

struct fb_test_host {
    struct fb_host host; /* host.user is this struct */
    long balance;        /* bytes reserved and mapped, not given back */
    long limit;          /* reservations left; negative: no limit */
};

void fb_test_host(struct fb_test_host *out);

#endif
