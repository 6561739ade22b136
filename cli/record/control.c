/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control.c: see control.h. */
#include "cli/record/control.h"

#include "cli/base/term.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const double LOOK_SECONDS = 0.002; /* between two looks for an answer */

/* ------------------------------------------------------------------------------------------ the folder */

bool control_folder(const char *command, char *out, size_t size)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
    struct stat status;

    if (runtime != NULL && *runtime == '/')
        snprintf(out, size, "%s/tenure", runtime);
    else
        snprintf(out, size, "%s/tenure-%ld", temporary != NULL && *temporary == '/' ? temporary : "/tmp",
                 (long)geteuid());
    if (mkdir(out, 0700) != 0 && errno != EEXIST) {
        if (command != NULL)
            term_error("%s: cannot make the folder %s: %s", command, out, strerror(errno));
        return false;
    }
    if (lstat(out, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
        (status.st_mode & 077) == 0)
        return true;
    if (command != NULL)
        term_error("%s: %s is not a folder of yours that nobody else may enter; remove it", command, out);
    return false;
}

static bool is_there(pid_t pid)
{
    return kill(pid, 0) == 0 || errno == EPERM;
}

static int by_number(const void *a, const void *b)
{
    return *(const pid_t *)a < *(const pid_t *)b ? -1 : *(const pid_t *)a > *(const pid_t *)b;
}

static pid_t number_of(const char *name)
{
    char *end;
    long number = isdigit((unsigned char)*name) ? strtol(name, &end, 10) : 0;

    return number > 0 && number <= INT_MAX && *end == '\0' ? (pid_t)number : 0;
}

size_t control_processes(const char *folder, pid_t **out)
{
    DIR *directory = opendir(folder);
    size_t count = 0, room = 0;

    *out = NULL;
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        pid_t pid = number_of(entry->d_name);

        if (pid == 0)
            continue;
        if (!is_there(pid)) {
            unlinkat(dirfd(directory), entry->d_name, 0);
            continue;
        }
        if (count == room) {
            room = room * 2 + 16;
            *out = term_have(realloc(*out, room * sizeof **out));
        }
        (*out)[count++] = pid;
    }
    if (directory != NULL)
        closedir(directory);
    if (count > 0)
        qsort(*out, count, sizeof **out, by_number);
    return count;
}

/* ------------------------------------------------------------------------------------------ one process */

bool control_open(const char *command, struct control *control, const char *folder, pid_t pid)
{
    char path[PATH_MAX + 32];
    struct stat status;

    *control = (struct control){.pid = pid, .fd = -1};
    snprintf(path, sizeof path, "%s/%ld", folder, (long)pid);
    control->fd = is_there(pid) ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (control->fd >= 0 && fstat(control->fd, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size >= (off_t)sizeof *control->page) {
        void *page = mmap(NULL, sizeof *control->page, PROT_READ | PROT_WRITE, MAP_SHARED, control->fd, 0);
        control->page = page == MAP_FAILED ? NULL : page;
    }
    if (control->page == NULL || __atomic_load_n(&control->page->magic, __ATOMIC_ACQUIRE) != CONTROL_MAGIC ||
        control->page->pid != pid) {
        if (command != NULL)
            term_error("%s: process %ld is not one that is being profiled; `tenure control` lists those that are",
                       command, (long)pid);
        control_close(control);
        return false;
    }
    return true;
}

void control_close(struct control *control)
{
    if (control->page != NULL)
        munmap(control->page, sizeof *control->page);
    if (control->fd >= 0)
        close(control->fd);
    *control = (struct control){.fd = -1};
}

enum { STAT_BYTES = 1024 };

/* What /proc/PID/stat or /proc/PID/task/TID/stat has behind the name: " S 1 ...", with the state as field 3. NULL:
 * there is no such file. */
static const char *read_stat(const char *path, char text[STAT_BYTES])
{
    FILE *file = fopen(path, "re");
    size_t length = file != NULL ? fread(text, 1, STAT_BYTES - 1, file) : 0;

    if (file != NULL)
        fclose(file);
    text[length] = '\0';
    const char *end = strrchr(text, ')');
    return end != NULL ? end + 1 : NULL;
}

/* The state's letter; 0: there is none. */
static char state_of(const char *path)
{
    char text[STAT_BYTES];
    const char *stat = read_stat(path, text);

    return stat != NULL && stat[0] == ' ' ? stat[1] : 0;
}

/* When a process was started, in ticks; 0: /proc does not say. */
static unsigned long long start_of(pid_t pid)
{
    unsigned long long ticks = 0;
    char path[64], text[STAT_BYTES];

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    const char *at = read_stat(path, text);
    for (int field = 3; at != NULL && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at != NULL && sscanf(at, " %llu", &ticks) == 1 ? ticks : 0;
}

/* /proc is that of this process's PID namespace, and not of another one. */
static bool proc_is_ours(void)
{
    char own[16] = "";

    return readlink("/proc/self", own, sizeof own - 1) >= 0 && number_of(own) == getpid();
}

void control_leave_tick(void)
{
    const unsigned long long tick_ns = 1000000000ull / (unsigned long long)sysconf(_SC_CLK_TCK);
    struct timespec now;

    if (!proc_is_ours())
        return;
    for (unsigned long long ours = start_of(getpid()); clock_gettime(CLOCK_BOOTTIME, &now) == 0;) {
        unsigned long long ns = (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;

        if (ns / tick_ns != ours)
            break;
        control_pause((double)(tick_ns - ns % tick_ns) / 1e9);
    }
}

/* A process that was there before this one, as the first of all is: who began later and has its number has it in a PID
 * namespace within. None of these began in our tick (control_leave_tick). */
static bool was_before_us(pid_t pid)
{
    unsigned long long theirs = proc_is_ours() ? start_of(pid) : 0;

    return theirs != 0 && theirs <= start_of(getpid());
}

bool control_lives(pid_t pid)
{
    char path[64];

    if (was_before_us(pid))
        return false;
    int process = (int)syscall(SYS_pidfd_open, pid, 0);

    if (process >= 0) { /* whatever /proc is */
        struct pollfd ended = {.fd = process, .events = POLLIN};
        bool lives = poll(&ended, 1, 0) == 0;
        close(process);
        return lives;
    }
    if (errno == ESRCH || errno == EINVAL || errno == ENOENT) /* there is none; a thread has this number */
        return false;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid); /* the kernel is too old, or a filter does not let us */
    char state = state_of(path);
    return state != 0 && state != 'Z' && state != 'X';
}

bool control_is_awake(const struct control *control)
{
    char path[PATH_MAX];
    bool awake = false;

    snprintf(path, sizeof path, "/proc/%ld/task", (long)control->pid);
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory != NULL && !awake && (entry = readdir(directory)) != NULL;) {
        if (number_of(entry->d_name) == 0)
            continue;
        snprintf(path, sizeof path, "/proc/%ld/task/%s/stat", (long)control->pid, entry->d_name);
        awake = state_of(path) == 'R';
    }
    if (directory != NULL)
        closedir(directory);
    return awake;
}

const char *control_text(char *out, size_t size, const char *text, size_t room)
{
    size_t length = strnlen(text, room);

    if (length >= size)
        length = size - 1;
    memcpy(out, text, length);
    out[length] = '\0';
    return out;
}

/* ------------------------------------------------------------------------------------------ asking */

void control_pause(double seconds)
{
    time_t whole = (time_t)seconds;

    nanosleep(&(struct timespec){whole, (long)((seconds - (double)whole) * 1e9)}, NULL);
}

static enum control_outcome wait_for_answer(const struct control *control, double until)
{
    const struct control_page *page = control->page;

    while (__atomic_load_n(&page->answered, __ATOMIC_ACQUIRE) !=
           (__atomic_load_n(&page->asked, __ATOMIC_ACQUIRE) & ~1u)) {
        if (!is_there(control->pid))
            return CONTROL_GONE;
        if (term_now() > until)
            return CONTROL_LATER;
        control_pause(LOOK_SECONDS);
    }
    return CONTROL_DONE;
}

static enum control_outcome ask_locked(struct control *control, enum control_request request, uint32_t argument,
                                       const char *name, double until)
{
    struct control_page *page = control->page;
    enum control_outcome outcome = wait_for_answer(control, until);

    if (outcome != CONTROL_DONE)
        return outcome == CONTROL_LATER ? CONTROL_BUSY : outcome;
    uint32_t before = page->asked;
    uint32_t asked = (before & ~1u) + 2;
    page->request = request;
    page->argument = argument;
    snprintf(page->name, sizeof page->name, "%s", name != NULL ? name : "");
    __atomic_store_n(&page->asked, asked, __ATOMIC_RELEASE);
    outcome = wait_for_answer(control, until);
    if (outcome == CONTROL_LATER && (request == CONTROL_STATUS || request == CONTROL_STACK) &&
        __atomic_compare_exchange_n(&page->asked, &asked, before, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return CONTROL_NOT;
    return outcome;
}

enum control_outcome control_ask(struct control *control, enum control_request request, uint32_t argument,
                                 const char *name, double seconds)
{
    if (flock(control->fd, LOCK_EX) != 0)
        return CONTROL_BUSY;
    enum control_outcome outcome = ask_locked(control, request, argument, name, term_now() + seconds);
    flock(control->fd, LOCK_UN);
    return outcome;
}
