/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * given.h: the profile that a reading command was given.
 *
 * A profile is opened as it is. A raw profile is imported to a temporary profile first, which is gone again
 * when the command ends. Without a name it is the newest tenure.out.* in the working directory.
 */
#ifndef TENURE_CLI_GIVEN_H
#define TENURE_CLI_GIVEN_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "profile/profile.h"

/* Help of --source-anywhere (profile/objects/source.h). */
#define SOURCE_ANYWHERE "source text also of files that not everybody may read"
/* Help of --keep-all (profile/store/store_fold.c, store_paths.c). */
#define KEEP_ALL "all call paths, data structures, instructions and costs, however small"

/* NULL with a line on stderr. `path` NULL: the newest. */
tp_profile *given_open(const char *path);
/* The same with other weights in CEst, as --weights says; NULL: its own. */
tp_profile *given_open_weighed(const char *path, const char *weights);
/* The same of another machine of the same run; NULL: the one that was recorded. */
tp_profile *given_open_machine(const char *path, const char *weights, const char *machine);
/* Its row of options (opt.h), and what is wrong with the form of weights. */
#define GIVEN_WEIGHTS(more, offset) \
    {OPT_TEXT, "weights", 0, "EVENT=N,...", "other weights in CEst, as in L1m=12,LLm=180" more, offset, \
     given_check_weights}
const char *given_check_weights(void *unused, const char *name, const char *weights);
/* A raw profile that a program which runs is still writing: its end may be missing. Lines and inlined functions are not
 * looked up. NULL with a line on stderr. */
tp_profile *given_open_growing(const char *raw);
void given_close(tp_profile *profile);

/* Why nothing made of the profiles that have been read is true, in one line; NULL: they could be read. */
const char *given_unsound(void);

/* The name to show: what the user gave, or what was found. */
const char *given_name(void);

/* Whether `a` was changed later than `b`. */
bool given_later(const struct stat *a, const struct stat *b);

/* Says what an import found that the user should know: damage, objects without lines. */
void given_tell(const char *raw, const struct tp_import_result *result);

/* tp_import, of several files tp_import_text, with progress on a terminal. A signal that asks to end (SIGINT, SIGTERM,
 * SIGHUP) makes it give up and leave nothing half done; given_stopped is that signal then, else 0. */
int given_import(const char *const *files, size_t count, const char *out, const struct tp_import_options *options,
                 struct tp_import_result *result, struct tp_error *err);
/* The same of the further machines that are in the raw profile (docs/model.md, 23), once that itself is imported: each
 * in a file of its own, `out` with its name behind. False: not all could be; it was told why. */
struct given_machines {
    const struct tp_import_options *options;
    const struct tp_import_result *found; /* by the import of the recorded machine */
    const char *const *(*meta)(void *user, uint32_t machine); /* options->meta of each; NULL: those of `options` */
    void *user;
};
bool given_import_machines(const char *raw, const char *out, const struct given_machines *how);
/* That the profile of this machine was written beside the recorded one's, and what its time is of that. */
void given_tell_machine(tp_profile *recorded, const char *name);
int given_stopped(void);
/* The same for other work that has something to tidy: between these, such a signal only sets given_stopped. */
void given_hold_signals(void);
void given_release_signals(void);
/* Those that a process sends are sent on to this child (0: none), which has them twice if they are for the group; what
 * a terminal sends reaches it anyway. */
void given_pass_signals(pid_t child);
/* Ends as that signal ends a program, once there is nothing left to tidy; returns if there was none. */
void given_end_if_stopped(void);

/* What the debug information lacks, if that can be helped; nothing if not. */
void given_tell_missing(const struct tp_import_result *result);

#endif
