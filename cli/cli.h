/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli.h: the commands, and what their exit statuses mean.
 *
 * A command gets its own name as argv[0] and returns the exit status. To add one: a line in commands.inc,
 * cmd_<name>.c with an option table, a man page, a golden script.
 */
#ifndef TENURE_CLI_CLI_H
#define TENURE_CLI_CLI_H

enum {
    CLI_GOOD = 0,
    CLI_ERROR = 1,
    CLI_USAGE = 2,
    CLI_LIMIT = 3, /* a --fail-on limit was passed */
    /* record ends with the program's own status, or one of */
    CLI_OWN_FAILURE = 125,
    CLI_NOT_EXECUTABLE = 126,
    CLI_NOT_FOUND = 127,
};

#define CLI_COMMAND(name, about, reads) int cmd_##name(int argc, char **argv);
#include "cli/commands.inc"
#undef CLI_COMMAND

#endif
