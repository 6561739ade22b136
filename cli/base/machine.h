/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h: what `tenure calibrate` has measured of this machine, kept for the estimate of time.
 *
 * It is kept in $XDG_CACHE_HOME/tenure, usually ~/.cache/tenure, in a file for each model of processor, since homes
 * may be shared by machines: a line "key number" for each row of profile/code/machine.inc. What is not there, or is no
 * number that can be, is the usual one.
 */
#ifndef TENURE_CLI_MACHINE_H
#define TENURE_CLI_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#define TP_MACHINE(...) +1
enum { MACHINE_FACTS = 0
#include "profile/code/machine.inc"
};

struct machine {
    double value[MACHINE_FACTS]; /* in the order of machine.inc */
    bool measured;               /* on this machine; else they are the usual ones */
};

extern const struct machine_fact {
    const char *key, *unit, *words;
    double usual;
} machine_fact[MACHINE_FACTS];

/* "AMD EPYC 7763 64-Core Processor", or "unknown". */
void machine_processor(char *out, size_t size);
/* The file, whether or not it is there. False: there is no home. */
bool machine_path(char *out, size_t size);
void machine_read(struct machine *machine);
/* False: it could not be written; errno says why. */
bool machine_write(const struct machine *machine);
/* That of a key of machine.inc. */
double *machine_value(struct machine *machine, const char *key);
/* "50.0 cycles" */
void machine_text(const struct machine *machine, int fact, char *out, size_t size);
/* The rows of meta data in `before` (NULL: none), and those of this machine: key, value, ..., NULL. The texts are kept
 * until the next call. */
const char *const *machine_meta(const char *const *before);

#endif
