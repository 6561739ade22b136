/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch.h: what fuzz targets share that need files: a name for them, on a memory file system if there is one, and a
 * check that ends the run.
 */
#ifndef TENURE_TESTS_FUZZ_SCRATCH_H
#define TENURE_TESTS_FUZZ_SCRATCH_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCRATCH_NAME = 64 };

static inline void must(bool holds)
{
    if (!holds)
        abort();
}

/* For mkdtemp or mkstemp. */
static inline void scratch_name(char out[SCRATCH_NAME])
{
    strcpy(out, access("/dev/shm", W_OK) == 0 ? "/dev/shm/tenure-fuzz-XXXXXX" : "/tmp/tenure-fuzz-XXXXXX");
}

#endif
