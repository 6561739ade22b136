/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.h: starts an engine on a program, waits, and tells how it ended.
 *
 * The distribution's `valgrind` may be a shell wrapper that puts variables into the environment; the real
 * program lies beside it as valgrind.bin and is run instead. Our tool is found relative to this program, so
 * that a build tree and an installation anywhere work alike. VALGRIND_LIB, and TMPDIR where the program's cannot
 * be used, are set for Valgrind alone: the engine takes them out of the program's environment again.
 */
#ifndef TENURE_CLI_LAUNCH_H
#define TENURE_CLI_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct engine {
    bool native;
    char *program; /* what is executed: Valgrind's real program, or tenure-native */
    char *tools;   /* VALGRIND_LIB; NULL for the native engine */
    char version[32];
};

/* Finds an engine, and makes sure of Valgrind that it and our tool belong together. False with a line in `why`. ANY is
 * the native one if it is installed, else Valgrind's. */
enum engine_kind { ENGINE_ANY, ENGINE_VALGRIND, ENGINE_NATIVE };
bool engine_find(struct engine *engine, enum engine_kind kind, char *why, size_t size);
void engine_free(struct engine *engine);

/* The pieces of engine_find, for `tenure info`. */
char *engine_native(void);   /* path of tenure-native, or NULL; freed by the caller */
char *engine_valgrind(void); /* path of the real valgrind, or NULL; freed by the caller */
char *engine_tools(void);    /* folder of our tool, or NULL; freed by the caller */
bool engine_version(const char *valgrind, char *out, size_t size);

struct ending {
    pid_t pid;
    int status;  /* as waitpid says */
    bool failed; /* could not be started; a line has been printed */
    char refused[1024]; /* why the native engine did not start the program; "": it did */
};

/* Where the native engine says that the program is not one for it, before it starts it. */
struct refusals {
    int from, to; /* -1: it is not asked */
};
bool refusals_open(struct refusals *refusals);

/* Runs `argv` (argv[0] is the engine's program) and waits for its end. While it runs, SIGINT and SIGQUIT, which a
 * terminal sends to both, are left to the program, and SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are handed on. Of
 * `refusals` both ends are closed. `scratch`: a folder for Valgrind's temporary files, if there is none in TMPDIR or
 * /tmp. `progress`: as `folder` of progress_watch, which shows how far it is; NULL: nothing is shown. */
struct ending launch(const struct engine *engine, char **argv, const char *scratch, const struct refusals *refusals,
                     const char *progress);

/* Whether SIGINT, SIGQUIT or SIGTERM came during the last launch, whatever the program made of it. */
bool launch_was_interrupted(void);

/* The last signal that came between the end of the program and that of `launch`; 0: none. */
int launch_late_signal(void);

/* Whether files can be made in TMPDIR, or in /tmp without it. */
bool launch_has_scratch(void);

/* Ends this process as `status` says the program ended: with its exit status, or by its signal. */
_Noreturn void end_like(int status);

#endif
