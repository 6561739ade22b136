/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topic.h: what `tenure help TOPIC` prints.
 *
 * Topics are documents of docs/. The build makes them part of the program (cli/topics.py), so that they are where it
 * is, and of its version.
 */
#ifndef TENURE_CLI_TOPIC_H
#define TENURE_CLI_TOPIC_H

#include <stddef.h>

struct topic {
    const char *name; /* the document's, without .md; NULL: there are no more */
    const char *about;
    const unsigned char *text;
    size_t size; /* bytes of it */
};

extern const struct topic topics[];

#endif
