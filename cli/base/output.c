/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.c: see output.h. A pipe that nobody reads any more is the reader's own choice, and ends the command without a
 * word.
 */
#include "cli/base/output.h"

#include "cli/base/term.h"
#include "cli/cli.h"
#include "profile/base/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot_write(const char *path)
{
    term_error("cannot write %s: %s", path, strerror(errno));
    return CLI_ERROR;
}

/* What was read is to blame, or the place that was written to. */
static void tell(const char *path, FILE *file, const struct tp_error *err)
{
    if (ferror(file))
        term_error("cannot write %s: %s", path, err->message);
    else
        term_error("%s", err->message);
}

static int to_stdout(const char *path, output_writer *write, void *user)
{
    struct tp_error err = {0};

    if (write(stdout, user, &err) == 0)
        return term_finish(CLI_GOOD);
    if (!ferror(stdout) || errno != EPIPE)
        tell(path, stdout, &err);
    return CLI_ERROR;
}

/* ------------------------------------------------------------------------------------------ what is there */

const struct output_kind output_profile = {"a profile of Tenure", tp_kind_is_profile, NULL};
const struct output_kind output_raw = {"a raw profile of Tenure", tp_kind_is_raw, NULL};

static bool is_of_kind(const char *path, const struct output_kind *kind)
{
    struct tp_error ignored;
    char head[512];

    if (kind->is != NULL)
        return kind->is(tp_kind(path, &ignored));
    FILE *file = kind->mark != NULL ? fopen(path, "re") : NULL;
    if (file == NULL)
        return false;
    size_t got = fread(head, 1, sizeof head, file);
    fclose(file);
    return got >= strlen(kind->mark) && memcmp(head, kind->mark, strlen(kind->mark)) == 0;
}

/* The descriptor of this process that `path` leads to, as /dev/stdout does; -1: none. */
static int descriptor_of(const char *path)
{
    char own[64], at[PATH_MAX], folder[PATH_MAX], next[PATH_MAX];

    snprintf(own, sizeof own, "/proc/%ld/fd", (long)getpid());
    snprintf(at, sizeof at, "%s", path);
    for (int links = 0; links < 16; links++) {
        char *slash = strrchr(at, '/'), name[PATH_MAX];
        ssize_t length;

        snprintf(name, sizeof name, "%s", slash != NULL ? slash + 1 : at);
        if (slash != NULL)
            slash[slash == at] = '\0';
        if (realpath(slash != NULL ? at : ".", folder) == NULL)
            return -1;
        if (strcmp(folder, own) == 0)
            return atoi(name);
        if (snprintf(at, sizeof at, "%s/%s", folder, name) >= (int)sizeof at ||
            (length = readlink(at, next, sizeof next - 1)) <= 0)
            return -1;
        next[length] = '\0';
        if (snprintf(at, sizeof at, "%s%s%s", *next == '/' ? "" : folder, *next == '/' ? "" : "/", next) >=
            (int)sizeof at)
            return -1;
    }
    return -1;
}

bool output_allowed(const char *path, const struct output_kind *kind)
{
    struct stat status;

    if (lstat(path, &status) == 0 && stat(path, &status) != 0) {
        term_error("%s is a symbolic link that leads nowhere: remove it first, or name another file", path);
        return false;
    }
    if (kind->is != NULL && descriptor_of(path) >= 0) {
        term_error("%s is an open file, and %s is always a new one: name a file", path, kind->name);
        return false;
    }
    if (kind->is != NULL && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        term_error("%s is a directory: name a file", path);
        return false;
    }
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0 || is_of_kind(path, kind))
        return true;
    if (kind->is != NULL || kind->mark != NULL)
        term_error("%s is not %s: it is not written over; remove it first, or name another file", path, kind->name);
    else
        term_error("%s is there already, and %s looks like any other file: it is not written over; remove it first, or "
                   "redirect standard output", path, kind->name);
    return false;
}

/* ------------------------------------------------------------------------------------------ to a file */

static char temporary[PATH_MAX];
static const int ends[OUTPUT_SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};

void output_catch_signals(void (*handler)(int, siginfo_t *, void *), struct sigaction *before)
{
    struct sigaction ours = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

    for (int i = 0; i < OUTPUT_SIGNALS; i++) {
        sigaction(ends[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(ends[i], &ours, NULL);
    }
}

void output_release_signals(const struct sigaction *before)
{
    for (int i = 0; i < OUTPUT_SIGNALS; i++)
        sigaction(ends[i], &before[i], NULL);
}

/* A signal that ends the command ends the file that is not whole. */
static void give_up(int signal_number, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    unlink(temporary);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static int write_whole(const char *path, unsigned mode, output_writer *write, void *user)
{
    struct tp_error err = {0};
    struct stat before;
    int descriptor = mkostemp(temporary, O_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");

    if (file == NULL) {
        cannot_write(path);
        if (descriptor >= 0) {
            close(descriptor);
            unlink(temporary);
        }
        return CLI_ERROR;
    }
    /* Where there are no modes, as on a memory stick, none is refused. */
    bool mine = fchmod(descriptor, stat(path, &before) == 0 ? before.st_mode & 0777 : mode) == 0 || errno == EPERM;
    if (!mine || write(file, user, &err) != 0) {
        if (mine)
            tell(path, file, &err);
        else
            cannot_write(path);
        fclose(file);
        unlink(temporary);
        return CLI_ERROR;
    }
    if (fclose(file) != 0 || tp_whole_rename(temporary, path) != 0) {
        cannot_write(path);
        unlink(temporary);
        return CLI_ERROR;
    }
    return CLI_GOOD;
}

static int to_file(const char *path, unsigned mode, output_writer *write, void *user)
{
    struct sigaction before[OUTPUT_SIGNALS];
    mode_t mask = umask(0);

    umask(mask);
    if (strlen(path) + 8 > sizeof temporary) {
        errno = ENAMETOOLONG;
        return cannot_write(path);
    }
    snprintf(temporary, sizeof temporary, "%.*s.XXXXXX", (int)(sizeof temporary - 8), path);
    output_catch_signals(give_up, before);
    int status = write_whole(path, mode & ~mask, write, user);
    output_release_signals(before);
    return status;
}

int output_write(const char *path, unsigned mode, const struct output_kind *kind, output_writer *write, void *user)
{
    char real[PATH_MAX];
    struct stat status;

    if (path == NULL || strcmp(path, "-") == 0 || descriptor_of(path) == STDOUT_FILENO)
        return to_stdout("standard output", write, user);
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return term_redirect(path) ? to_stdout(path, write, user) : cannot_write(path);
    if (!output_allowed(path, kind))
        return CLI_ERROR;
    return to_file(realpath(path, real) != NULL ? real : path, mode, write, user);
}

static bool own_folder(char *out, size_t size, const char *variable, const char *usual)
{
    const char *said = getenv(variable), *home = getenv("HOME");

    if (said != NULL && *said == '/')
        return snprintf(out, size, "%s", said) < (int)size;
    return home != NULL && *home == '/' && snprintf(out, size, "%s/%s", home, usual) < (int)size;
}

bool output_cache(char *out, size_t size)
{
    return own_folder(out, size, "XDG_CACHE_HOME", ".cache");
}

bool output_config(char *out, size_t size)
{
    return own_folder(out, size, "XDG_CONFIG_HOME", ".config");
}
