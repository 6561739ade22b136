/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h: the raw profile's file, for every engine alike.
 *
 * It is made when the run begins and appended to afterwards. No file that exists is touched: if the name is taken (an
 * earlier run, a forked sibling, an image that replaced itself by exec), .2, .3 ... is put behind it. Where it is
 * something else, as /dev/null is, nothing is made beside it.
 *
 * A part that cannot be written whole is lost: its costs have left the core. The file is cut back to what it was, and
 * the next part begins a file, since the definitions that it builds on may have been lost with it.
 *
 * Defines tn_host_write (core/host.h). Freestanding; what needs the kernel is the engine's.
 */
#ifndef TENURE_ENGINE_OUTPUT_H
#define TENURE_ENGINE_OUTPUT_H

#include "core/tenure_core.h"

enum { OUTPUT_NAME = 4096 + 64 };

/* What an engine does for it. Errors are the kernel's numbers, below 0. */
struct output_host {
    void (*name)(char *to, size_t size); /* of this process's file, without a number */
    int (*open)(const char *name, bool is_new); /* to append; a new one is made and none that exists; a descriptor */
    long (*write)(int fd, const void *data, size_t bytes); /* how many bytes were written */
    bool (*is_file)(const char *name); /* what is there is an ordinary file */
    int64_t (*size)(int fd);
    void (*close)(int fd, int64_t cut_to); /* cut_to: the file's size is to be that; less than 0: as it is */
    void (*tell)(const char *format, ...) __attribute__((format(printf, 1, 2))); /* the user; ends with '\n' */
};

struct output {
    const struct output_host *host;
    char name[OUTPUT_NAME];
    bool is_there; /* the file was made; forked children begin without one */
    int fd, error; /* while a part is written; error: of the first failure, nothing is written after it */
    size_t used;
    uint8_t buffer[1 << 16]; /* bytes are gathered, and written in large pieces */
};

/* Makes the file and leaves it open: output->fd. NULL, or why it cannot be made (output->name). */
const char *output_begin(struct output *output);
/* The file; "" if there is none yet. */
const char *output_name(const struct output *output);
/* Appends a part, or the last one (`write`: tn_dump, tn_finish). If that fails the user is told. */
void output_write(struct output *output, tn_core *core, const char *why, int (*write)(tn_core *, void *, const char *));

#endif
