/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h: the client's side of engine/common/control_format.h: who is being profiled, and what it is asked.
 *
 * Files lie in one folder per user, `tenure` in XDG_RUNTIME_DIR, else `tenure-UID` in TMPDIR or /tmp, that nobody else
 * may enter. A file whose process is gone is removed when it is met.
 */
#ifndef TENURE_CLI_CONTROL_H
#define TENURE_CLI_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "engine/common/control_format.h"

/* The folder's name; it is made if need be. False if there is none that can be trusted, with a line on standard error
 * that begins with the name of `command`; NULL: without. */
bool control_folder(const char *command, char *out, size_t size);

/* The processes that are there, by number; freed by the caller. */
size_t control_processes(const char *folder, pid_t **out);

struct control {
    pid_t pid;
    int fd;
    struct control_page *page; /* NULL: not open */
};

/* False, with such a line, if there is no such process that is being profiled. */
bool control_open(const char *command, struct control *control, const char *folder, pid_t pid);
void control_close(struct control *control);

/* Waits for the end of the clock tick (of 10 ms) in which this process began: /proc then gives a later start time to
 * every process that is started afterwards. */
void control_leave_tick(void);

/* Whether a process that was started after control_leave_tick is there and has not ended; one that nobody has waited
 * for has. */
bool control_lives(pid_t pid);

/* A text of the page with room for `room` bytes, which need not end there. */
const char *control_text(char *out, size_t size, const char *text, size_t room);

void control_pause(double seconds);

/* Whether one of its threads runs: else it answers when it wakes. */
bool control_is_awake(const struct control *control);

enum control_outcome {
    CONTROL_DONE,
    CONTROL_LATER, /* it sleeps, or takes long: it will be done, and nothing else can be asked before */
    CONTROL_NOT,   /* the same, and the request, which was for an answer alone, was taken back */
    CONTROL_BUSY,  /* nothing was asked: an earlier request has not been answered */
    CONTROL_GONE,  /* it has ended */
};
/* Asks, and waits for the answer `seconds` long. `name`: of a part; NULL: none. */
enum control_outcome control_ask(struct control *control, enum control_request request, uint32_t argument,
                                 const char *name, double seconds);

#endif
