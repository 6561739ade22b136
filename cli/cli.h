/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli.h: the commands, and what their exit statuses mean.
 *
 * A command gets its own name as argv[0] and returns the exit status. To add one: cmd_<name>.c with an option
 * table, a line in main.c's table, a man page, a golden script.
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

/* The command whose name is most like `word`, or NULL. */
const char *cli_nearest_command(const char *word);

int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_open(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_control(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_sql(int argc, char **argv);

#endif
