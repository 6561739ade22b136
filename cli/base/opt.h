/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opt.h: options from tables.
 *
 * Each command has one table: a row per option with its name, what its value is, where the value goes in the
 * command's own struct, and its help. Parsing, `--help` and the suggestion for a misspelt name are all made
 * from the table, so they cannot disagree.
 *
 *   --name=value and --name value are the same; so are -o value and -ovalue. `--` ends the options.
 *   OPT_SWITCH takes yes or no after `=`; alone it means yes. It never takes the next argument.
 *   A row without a name is a heading of the help.
 */
#ifndef TENURE_CLI_OPT_H
#define TENURE_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_kind {
    OPT_HEADING,
    OPT_FLAG,   /* bool: true when given */
    OPT_SWITCH, /* bool: yes or no */
    OPT_TEXT,   /* const char *: the value, which lives in argv */
    OPT_COUNT,  /* uint64_t: a whole number, perhaps with K, M or G behind it */
    OPT_LIMIT,  /* uint64_t: the same, but not 0 */
    OPT_NUMBER, /* double, not negative */
    OPT_TAKE,   /* `take` gets the value */
    OPT_TAKE_COUNTED, /* the same; --nameN=value is --name=N=value */
};

/* `into` is the row's place in the command's struct. NULL, or a few words about what is wrong with `value`. */
typedef const char *opt_take(void *into, const char *name, const char *value);

struct opt {
    enum opt_kind kind;
    const char *name;  /* without the dashes */
    char letter;       /* short form, or 0 */
    const char *value; /* what help calls the value */
    const char *help;  /* '\n' breaks the line */
    size_t offset;     /* into the command's struct */
    opt_take *take;    /* of OPT_TEXT, if there is one: only says what is wrong with the value; `into` is NULL */
    bool may_be_alone; /* OPT_TAKE: `--name` without a value is "yes" */
};

/* An option of a related tool that users may try: why there is none, and what to use instead. Digits may follow
 * the name. */
struct opt_foreign {
    const char *name, *reason;
};

struct opt_command {
    const char *name;     /* "report" */
    const char *synopsis; /* behind "tenure report " */
    const char *about;    /* what it does, one or a few lines */
    const struct opt *rows;
    size_t count;
    const struct opt_foreign *foreign; /* may be NULL; ends with a name that is NULL */
    bool one_profile;  /* there is one operand at most */
    bool runs_program; /* record: the first operand ends the options, and statuses are a program's but for ours */
};
/* For `rows` and `count`. */
#define OPT_ROWS(rows) (rows), sizeof(rows) / sizeof(rows)[0]

/* Parse argv[1..]. Operands are moved to the end of argv, in order. Returns the index of the first operand;
 * or -1 - status when the command is to end with `status` at once: help has been printed, or one line that
 * says what is wrong. */
int opt_parse(const struct opt_command *command, void *into, int argc, char **argv);

/* What to say of `-o -` where a profile is to be written. */
#define OPT_NO_STREAM "a profile is a database, which needs a file of its own: -o FILE"

/* The line about what is wrong with the command line, with where to read more; returns the usage status. */
int opt_misused(const struct opt_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Of `count` names the one most like `word`; NULL if none is like it. Name i is names + i * stride. */
const char *opt_nearest(const char *word, const char *const *names, size_t count);

/* The command whose name is most like `word`, or NULL. */
const char *opt_nearest_command(const char *word);

/* Copies the next of the words of `list` that stand between ',', as far as there is room, and moves `list` behind it.
 * Empty ones are passed over. False: there is none. */
bool opt_next_word(const char **list, char *out, size_t size);

/* A whole number with an optional K, M or G (powers of 1024); false if `text` is anything else. `end` gets
 * the first character behind it; NULL: there must be none. */
bool opt_number(const char *text, const char **end, uint64_t *out);

#endif
