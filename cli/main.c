/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c: finds the command and hands over.
 *
 * `tenure program args...` is `tenure record program args...`: a first word that is no command is a program, unless it
 * is most likely a mistake (short_form.h). A program that happens to have a command's name is reached with
 * `tenure record report`, `tenure -- report` or `tenure ./report`.
 */
#include "cli/base/given.h"
#include "cli/base/opt.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "cli/record/short_form.h"
#include "profile/base/sound.h"
#include "tenure_config.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *about;
    bool reads;
} commands[] = {
#define CLI_COMMAND(name, about, reads) {#name, cmd_##name, about, reads},
#include "cli/commands.inc"
#undef CLI_COMMAND
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_usage(FILE *out)
{
    size_t i;

    fputs("usage: tenure COMMAND [options] ...\n"
          "       tenure PROGRAM ARGS...     the same as `tenure record PROGRAM ARGS...`\n\n"
          "Tenure shows how a program uses the caches: what is loaded, how much of it is ever touched,\n"
          "and which line, function and call path it is owed to.\n\n"
          "Commands:\n",
          out);
    for (i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].about);
    fputs("\n`tenure COMMAND --help` lists a command's options.\n", out);
}

static int wrong_option(const char *word)
{
    static const char *const names[] = {"help", "version"};
    const char *like = opt_nearest(word + strspn(word, "-"), names, 2);

    if (like != NULL)
        term_error("unknown option %s; did you mean --%s?", word, like);
    else
        term_error("unknown option %s; a command comes first, as in `tenure record %s PROGRAM`", word, word);
    return CLI_USAGE;
}

static bool is_command(const char *name)
{
    size_t i = 0;

    while (i < COMMANDS && strcmp(commands[i].name, name) != 0)
        i++;
    return i < COMMANDS;
}

/* argv[0] is a command's name. */
static int run_command(int argc, char **argv)
{
    size_t i = 0;
    int status;

    while (strcmp(commands[i].name, argv[0]) != 0)
        i++;
    if (!commands[i].reads)
        return commands[i].run(argc, argv);
    term_hold(given_unsound);
    status = commands[i].run(argc, argv);
    if (!term_release(status != CLI_ERROR))
        return CLI_ERROR;
    return term_finish(status);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    tp_sound_begin();
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    if (is_command(argv[1]))
        return run_command(argc - 1, argv + 1);
    if (strcmp(argv[1], "help") == 0 && argc == 3 && is_command(argv[2])) {
        char option[] = "--help", *of_command[] = {argv[2], option, NULL};

        return run_command(2, of_command);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return term_finish(CLI_GOOD);
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("tenure " TENURE_VERSION);
        return term_finish(CLI_GOOD);
    }
    if (argv[1][0] == '-' && strcmp(argv[1], "--") != 0)
        return wrong_option(argv[1]);
    if (strcmp(argv[1], "--") != 0 && short_form_is_mistake(argv + 1))
        return CLI_USAGE;
    return cmd_record(argc, argv);
}
