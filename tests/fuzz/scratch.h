/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch.h: what fuzz targets share that need files: a name for them, on a memory file system if there is one, and a
 * check that ends the run.
 */
#ifndef TENURE_TESTS_FUZZ_SCRATCH_H
#define TENURE_TESTS_FUZZ_SCRATCH_H

#include <stdbool.h>
#include <stdio.h>
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

/* A folder of the target's own with the paths of two files; at exit all three are removed. */
static struct scratch {
    char folder[SCRATCH_NAME], file[2][SCRATCH_NAME + 16];
} scratch;

static inline void scratch_remove(void)
{
    unlink(scratch.file[0]);
    unlink(scratch.file[1]);
    rmdir(scratch.folder);
}

static inline void scratch_make(const char *first, const char *second)
{
    if (scratch.folder[0])
        return;
    scratch_name(scratch.folder);
    must(mkdtemp(scratch.folder) != NULL);
    snprintf(scratch.file[0], sizeof scratch.file[0], "%s/%s", scratch.folder, first);
    snprintf(scratch.file[1], sizeof scratch.file[1], "%s/%s", scratch.folder, second);
    atexit(scratch_remove);
}

#endif
