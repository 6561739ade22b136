/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control_format.h: how `tenure control` talks to a program that is being profiled.
 *
 * The engine makes a file of this form for each process, named by its process id, in a folder that belongs to the user
 * alone, and maps it. A client that wants something locks the file (flock), fills in what it asks and its argument,
 * and then sets `asked` to the next even number; the engine sees that at its next safe point, adds 1 (it is taken),
 * does it, writes the answer, and then sets `answered` to the even number. A program that sleeps in a system call
 * answers when it wakes; until it has taken a request, the client may take it back: `asked` is then what it was before.
 *
 *     asked & ~1 == answered      nothing is asked
 *     asked even, and another     something is, and not taken yet
 *     text[text_bytes] == 0       the answer: lines, the last one with its newline
 *
 * Everything in the file is the other side's word: the client believes no length and no text.
 */
#ifndef TENURE_ENGINE_COMMON_CONTROL_FORMAT_H
#define TENURE_ENGINE_COMMON_CONTROL_FORMAT_H

#include <stdint.h>

#define CONTROL_MAGIC 0x31304c5254434e54ull /* "TNCTRL01" */

enum control_request {
    CONTROL_STATUS,     /* `state` and what follows is filled in, as after every request */
    CONTROL_STACK,      /* text: for each thread a line "thread ID", and functions, the one that runs first */
    CONTROL_DUMP,       /* write a part with this name */
    CONTROL_ZERO,       /* forget all costs */
    CONTROL_COLLECT,    /* argument: 1 on, 0 off, 2 the other way round */
    CONTROL_INSTRUMENT, /* argument: 1 on, 0 off */
};

enum { CONTROL_NAME = 256, CONTROL_PATH = 4096, CONTROL_TEXT = 55 << 10 };

struct control_page {
    uint64_t magic;
    int32_t pid;
    uint32_t asked;
    uint32_t answered; /* the engine's, as all below `name` */
    uint32_t request, argument;
    char name[CONTROL_NAME]; /* of the part; ends with 0 */

    uint32_t unknown;     /* not 0: the engine does not know such a request */
    uint32_t collecting, instrumenting;
    uint32_t threads, parts; /* that run; that have been written */
    uint64_t accesses;       /* instructions and data accesses so far, of threads that run */
    uint64_t misses;         /* of the last level, so far */
    char program[CONTROL_NAME]; /* its command line, from the beginning */
    char raw[CONTROL_PATH];     /* the raw profile */
    uint32_t text_bytes;
    char text[CONTROL_TEXT];
};

#endif
