/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h: the names of a recording's files.
 *
 * A pattern names the profiles: %p is the process's id, %n the number of the file among those of one process
 * (an exec that is followed makes a second one), %h the host's name, %q{VAR} an environment variable, %% a
 * percent sign. One process is the program; others are its forked children. Whatever the pattern, two
 * processes never get one name: without %p a child's id is put behind.
 *
 * The engine writes raw profiles beside them, as <pattern>.<token>.raw with %p left for the engine to fill
 * in; the token is new in each recording, so that a directory can be searched for exactly its files.
 */
#ifndef TENURE_CLI_NAMES_H
#define TENURE_CLI_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct names {
    char *directory; /* absolute */
    char *pattern;   /* the file's name, with %p, %n and %% left */
    char *shown;     /* directory as the user wrote it, with its slash; "" for the working directory */
    char token[16];
    bool has_pid, has_count;
};

/* NULL, or what is wrong, in static memory. */
const char *names_make(struct names *names, const char *pattern);
void names_free(struct names *names);

/* What the engine gets: absolute, other percent signs doubled. Freed by the caller. */
char *names_raw_pattern(const struct names *names);

/* The path of a process's first raw file, if it has one, into PATH_MAX bytes. */
void names_raw(const struct names *names, pid_t pid, char *out);

/* The raw files of this recording that exist now: false, with errno: the folder cannot be read. */
struct names_raw {
    char *path;
    pid_t pid;
    unsigned count; /* 1, 2, ... of this process */
};
/* One after the other, without allocating; the path lasts until `take` returns. */
bool names_each(const struct names *names, void (*take)(void *into, const struct names_raw *raw), void *into);
/* All, sorted by process and number; freed with names_list_free. */
bool names_list(const struct names *names, struct names_raw **out, size_t *count);
void names_list_free(struct names_raw *list, size_t count);

/* The name of the program's own profile; NULL: it depends on its process. Freed by the caller. */
char *names_own(const struct names *names);

/* The profile's name for a raw file; `main_pid` is the program. Freed by the caller. */
char *names_profile(const struct names *names, const struct names_raw *raw, pid_t main_pid);

#endif
