/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topic.h: texts that are part of the program.
 *
 * Topics, which `tenure help TOPIC` prints, are documents of docs/; machines are those of cli/record/machines
 * (cli/record/machines.h). The build makes them part of the program (cli/topics.py), so that they are where it is, and
 * of its version.
 */
#ifndef TENURE_CLI_TOPIC_H
#define TENURE_CLI_TOPIC_H

#include <stddef.h>

struct topic {
    const char *name; /* the file's, without .md; NULL: there are no more */
    const char *about;
    const unsigned char *text;
    size_t size; /* bytes of it */
};

extern const struct topic topics[], machine_texts[];

#endif
