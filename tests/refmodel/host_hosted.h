/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_hosted.h: the hooks of core/host.h for tests that run as ordinary programs.
 *
 * Memory is mmap; a stream is a `struct host_stream`, bytes in memory; a panic prints and aborts. The
 * call-backs of core/host.h say nothing of who asks, so the count of bytes taken is for the whole process.
 */
#ifndef TENURE_TESTS_HOST_HOSTED_H
#define TENURE_TESTS_HOST_HOSTED_H

#include <stddef.h>
#include <stdint.h>

struct host_stream {
    uint8_t *data; /* owned: free() */
    size_t size, room;
    size_t limit; /* not 0: a disk that is full after so many bytes */
};

enum { HOST_DISK_FULL = 28 };

size_t host_bytes(void); /* taken and not given back */

#endif
