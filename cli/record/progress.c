/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress.c: see progress.h. */
#include "cli/record/progress.h"

#include "cli/base/term.h"
#include "cli/record/control.h"
#include "cli/record/hint.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { LEAST_ROWS = 5 };
static const double ANSWER_SECONDS = 0.1; /* for the engine to say how far it is */

static volatile sig_atomic_t taken; /* the number of the row that is ours; 0: none is */

/* ------------------------------------------------------------------------------------------ the terminal */

/* In one call, so that nothing of the program's comes between. */
static void send(const char *text, size_t length)
{
    ssize_t written = write(STDERR_FILENO, text, length);

    (void)written;
}

/* The cursor goes one row down and back up, which scrolls if it was in the last row, and is saved while the region that
 * scrolls is set: that moves it. */
static void take_row(int rows)
{
    char text[64];

    send(text, (size_t)snprintf(text, sizeof text, "\33D\33[A\0337\33[1;%dr\0338", rows - 1));
    taken = rows;
}

/* Whoever has taken the terminal over has written on our row: it is left as it is then. */
static void give_row_back(bool clear)
{
    static const char region[] = "\0337\33[r\0338";
    char whole[64];

    if (taken && clear)
        send(whole, (size_t)snprintf(whole, sizeof whole, "\0337\33[m\33[r\33[%d;1H\33[K\0338", (int)taken));
    else if (taken)
        send(region, sizeof region - 1);
    taken = 0;
}

static bool reads_lines(void)
{
    struct termios mode;

    return tcgetattr(STDERR_FILENO, &mode) == 0 && (mode.c_lflag & ICANON);
}

/* How many rows the terminal has, if we may take the last one; else 0. */
static int rows_free(int *columns)
{
    struct winsize size;

    if (tcgetpgrp(STDERR_FILENO) != getpgrp() || !reads_lines() || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 ||
        size.ws_row < LEAST_ROWS)
        return 0;
    *columns = size.ws_col;
    return size.ws_row;
}

/* The same. The row is given back if that has changed since it was taken. */
static int look(int *columns)
{
    int rows = rows_free(columns);

    if (taken && rows != taken)
        give_row_back(reads_lines());
    return rows;
}

static void show(const char *text)
{
    int columns, rows = look(&columns);
    char line[512], all[600];

    if (rows == 0)
        return;
    if (!taken)
        take_row(rows);
    term_fit(line, sizeof line, text, columns - 1, TERM_CUT_END);
    send(all, (size_t)snprintf(all, sizeof all, "\0337\33[m\33[%d;1H\33[K%s\0338", rows, line));
}

/* Ctrl-Z, while we wait: the shell gets the whole terminal, and we the row when we go on. */
static void stop(int number)
{
    struct sigaction ours;
    sigset_t one;

    give_row_back(true);
    sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, &ours);
    sigemptyset(&one);
    sigaddset(&one, number);
    kill(getpid(), number);
    sigprocmask(SIG_UNBLOCK, &one, NULL); /* here it stops */
    sigprocmask(SIG_BLOCK, &one, NULL);
    sigaction(number, &ours, NULL);
}

/* ------------------------------------------------------------------------------------------ the text */

/* 1234567890: "1.2 G". */
static const char *rough(char *out, size_t size, double value)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    size_t unit = 0;

    for (; value >= 1000 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        value /= 1000;
    snprintf(out, size, "%.*f%s", unit > 0 && value < 10 ? 1 : 0, value, units[unit]);
    return out;
}

/* What was seen of it: `accesses` are instructions and data accesses, at least. */
struct so_far {
    double seconds, used; /* since the beginning; of CPU time */
    double accesses, misses;
    bool waits;
};

/* Fits into 80 columns. */
static void tell(const struct so_far *so_far)
{
    char counted[64] = "", slower[64] = "", count[32];
    double times = hint_slower(fmin(so_far->seconds, so_far->used), so_far->accesses, so_far->misses);

    if (so_far->accesses > 0)
        snprintf(counted, sizeof counted, ", %s accesses", rough(count, sizeof count, so_far->accesses));
    if (times > 0)
        snprintf(slower, sizeof slower, ", about %.0f times slower", times < 10 ? times : round(times / 10) * 10);
    char *line = term_text("tenure: %.0f s%s%s; Ctrl-C keeps what is there", so_far->seconds, counted,
                           so_far->waits ? ", it waits" : slower);
    show(line);
    free(line);
}

/* Seconds of CPU time of a process; infinite: not known. */
static double used_by(pid_t pid)
{
    struct timespec used;
    clockid_t clock;

    return clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &used) == 0
               ? (double)used.tv_sec + 1e-9 * (double)used.tv_nsec
               : INFINITY;
}

/* What it has counted since it was asked last: less than then if a thread, or the program before an exec, has ended. */
static double more(uint64_t counted, double *before)
{
    double added = fmax(0, (double)counted - *before);

    *before = (double)counted;
    return added;
}

void progress_watch(pid_t pid, const char *folder)
{
    /* A program that takes the terminal over has all of it after this time. */
    const struct timespec tick = {0, 100000000};
    const double step = 1;
    const char *kind = getenv("TERM");
    struct sigaction before, stops = {.sa_handler = stop};
    struct control control = {.fd = -1};
    struct so_far so_far = {0};
    double start = term_now(), accesses = 0, misses = 0;
    sigset_t from_terminal, mask, waiting;
    int columns;

    if (!isatty(STDERR_FILENO) || kind == NULL || *kind == '\0' || strcmp(kind, "dumb") == 0 ||
        rows_free(&columns) == 0)
        return;
    struct pollfd child = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    if (child.fd < 0)
        return;
    sigemptyset(&from_terminal);
    sigaddset(&from_terminal, SIGTTOU); /* the row is given back in the background, too */
    sigprocmask(SIG_BLOCK, &from_terminal, &mask);
    waiting = mask;
    sigaddset(&waiting, SIGTTOU);
    sigaddset(&from_terminal, SIGTSTP);
    sigprocmask(SIG_BLOCK, &from_terminal, NULL);
    sigaction(SIGTSTP, NULL, &before);
    if (before.sa_handler == SIG_DFL)
        sigaction(SIGTSTP, &stops, NULL);
    for (double last = start; ppoll(&child, 1, &tick, &waiting) <= 0;) {
        look(&columns);
        if (term_now() < last + step)
            continue;
        last = term_now();
        if (*folder != '\0')
            control_open(NULL, &control, folder, pid); /* after an exec it is another page */
        bool awake = control.page != NULL && control_is_awake(&control);
        if (awake) {
            control_ask(&control, CONTROL_STATUS, 0, NULL, ANSWER_SECONDS);
            so_far.accesses += more(control.page->accesses, &accesses);
            so_far.misses += more(control.page->misses, &misses);
        }
        so_far.seconds = last - start;
        so_far.used = used_by(pid);
        so_far.waits = control.page != NULL && !awake;
        tell(&so_far);
        control_close(&control);
    }
    give_row_back(true);
    sigaction(SIGTSTP, &before, NULL);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(child.fd);
}
