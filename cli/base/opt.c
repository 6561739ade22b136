/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opt.c: one parser for all option tables.
 *
 * Operands and options may be mixed (`tenure report FILE --limit=5`), except where the operands are another
 * program's command line. opt_parse collects operands by rotating them behind the options it has read, so
 * that a command sees argv[first..argc-1].
 */
#include "cli/base/opt.h"

#include "cli/base/term.h"
#include "cli/cli.h"
#include "engine/common/geometry.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool opt_number(const char *text, const char **end, uint64_t *out)
{
    if (!size_parse(&text, out))
        return false;
    if (end != NULL)
        *end = text;
    return end != NULL || *text == '\0';
}

bool opt_next_word(const char **list, char *out, size_t size)
{
    const char *word = *list + strspn(*list, ",");
    size_t length = strcspn(word, ",");

    snprintf(out, size, "%.*s", (int)length, word);
    *list = word + length;
    return length > 0;
}

/* ------------------------------------------------------------------------------------------ nearest name */

static size_t less(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edit distance of insertions, deletions, substitutions, and of two letters that have changed places. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][64], n = strlen(b), m = strlen(a);

    if (n >= 63 || m >= 63)
        return 64;
    for (size_t i = 0; i <= m; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3];

        for (size_t j = 0; j <= n; j++) {
            row[j] = i == 0 ? j : i;
            if (i == 0 || j == 0)
                continue;
            row[j] = less(above[j - 1] + (a[i - 1] != b[j - 1]), 1 + less(above[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = less(row[j], rows[(i + 1) % 3][j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

const char *opt_nearest(const char *word, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t best_distance = (strlen(word) + 1) / 3 + 1;

    for (size_t i = 0; i < count; i++) {
        size_t d = distance(word, names[i]);

        if (d < best_distance ||
            (strlen(word) >= 3 && strncmp(word, names[i], strlen(word)) == 0 && d <= 8)) {
            best = names[i];
            best_distance = d;
        }
    }
    return best;
}

const char *opt_nearest_command(const char *word)
{
    static const char *const names[] = {
#define CLI_COMMAND(name, about, reads) #name,
#include "cli/commands.inc"
#undef CLI_COMMAND
    };

    return opt_nearest(word, names, sizeof names / sizeof *names);
}

/* ------------------------------------------------------------------------------------------ help */

enum { HELP_COLUMN = 34 };

static void print_row(const struct opt *row)
{
    char left[128], letter[8] = "    "; /* "-o, --out=FILE" */
    const char *text = row->help;
    bool is_switch = row->kind == OPT_SWITCH, has_value = row->value != NULL && !is_switch;

    if (row->kind == OPT_HEADING) {
        printf("\n%s:\n", row->help);
        return;
    }
    if (row->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, row->name, is_switch ? "=yes|no" : has_value ? "=" : "",
             has_value ? row->value : "");
    printf("  %-*s", HELP_COLUMN - 3, left);
    if (strlen(left) > HELP_COLUMN - 4)
        printf("\n%*s", HELP_COLUMN - 1, "");
    for (; *text != '\0'; text++) {
        putchar(*text);
        if (*text == '\n')
            printf("%*s", HELP_COLUMN - 1, "");
    }
    putchar('\n');
}

static const char *take_color(void *into, const char *name, const char *value)
{
    (void)into;
    (void)name;
    return term_color(value) ? NULL : "the value must be auto, always or never";
}

/* Of every command. */
static const struct opt common[] = {
    {OPT_TAKE, "color", 0, "auto|always|never", "colours; auto: on a terminal [auto]", 0, take_color, false},
    {OPT_FLAG, "help", 'h', NULL, "this text", 0, NULL, false},
};
enum { COMMON = sizeof common / sizeof *common };

static void print_help(const struct opt_command *command)
{
    printf("usage: tenure %s %s\n%s\n", command->name, command->synopsis, command->about);
    if (command->count == 0 || command->rows[0].kind != OPT_HEADING)
        printf("\nOptions:\n");
    for (size_t i = 0; i < command->count; i++)
        print_row(&command->rows[i]);
    for (size_t i = 0; i < COMMON; i++)
        print_row(&common[i]);
}

int opt_misused(const struct opt_command *command, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    term_error("%s: %s (see `tenure %s --help`)", command->name, text, command->name);
    return command->runs_program ? CLI_OWN_FAILURE : CLI_USAGE;
}

/* ------------------------------------------------------------------------------------------ parsing */

static bool is_named(const struct opt *row, const char *name, size_t length)
{
    size_t n = strlen(row->name);

    if (length < n || strncmp(row->name, name, n) != 0)
        return false;
    return length == n || (row->kind == OPT_TAKE_COUNTED && strspn(name + n, "0123456789") == length - n);
}

static const struct opt *find(const struct opt_command *command, const char *name, size_t length, char letter)
{
    for (size_t i = 0; i < command->count + COMMON; i++) {
        const struct opt *row = i < command->count ? &command->rows[i] : &common[i - command->count];

        if (row->kind == OPT_HEADING)
            continue;
        if (letter != 0 ? row->letter == letter : is_named(row, name, length))
            return row;
    }
    return NULL;
}

/* NULL, or what is wrong. `value` is NULL when there is none. */
static const char *store(const struct opt *row, void *into, const char *value)
{
    char *at = (char *)into + row->offset, *end;
    const char *wrong;
    double number;

    switch (row->kind) {
    case OPT_HEADING:
        break;
    case OPT_FLAG:
        if (value != NULL)
            return "takes no value";
        *(bool *)at = true;
        break;
    case OPT_SWITCH:
        if (value != NULL && strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
            return "the value must be yes or no";
        *(bool *)at = value == NULL || *value == 'y';
        break;
    case OPT_TEXT:
        if (*value == '\0')
            return "the value is empty";
        if (row->take != NULL && (wrong = row->take(NULL, row->name, value)) != NULL)
            return wrong;
        *(const char **)at = value;
        break;
    case OPT_COUNT:
        return opt_number(value, NULL, (uint64_t *)at) ? NULL : "the value must be a whole number";
    case OPT_LIMIT:
        return opt_number(value, NULL, (uint64_t *)at) && *(uint64_t *)at > 0
                   ? NULL : "the value must be a whole number above 0";
    case OPT_NUMBER:
        number = strtod(value, &end);
        if (end == value || *end != '\0' || !isfinite(number) || number < 0)
            return "the value must be a number";
        *(double *)at = number;
        break;
    case OPT_TAKE:
    case OPT_TAKE_COUNTED:
        return row->take(at, row->name, value != NULL ? value : "yes");
    }
    return NULL;
}

/* Why this option of another tool is not one of ours; NULL if it is nobody's. */
static const char *foreign_reason(const struct opt_command *command, const char *name)
{
    for (const struct opt_foreign *f = command->foreign; f != NULL && f->name != NULL; f++) {
        size_t length = strlen(f->name);
        if (strncmp(name, f->name, length) == 0 && strspn(name + length, "0123456789") == strlen(name + length))
            return f->reason;
    }
    return NULL;
}

static int unknown_option(const struct opt_command *command, const char *word)
{
    const char *names[128];
    size_t count = 0;
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *reason = foreign_reason(command, name + strspn(name, "-"));
    if (reason != NULL)
        return opt_misused(command, "there is no option %s: %s", name, reason);
    for (size_t i = 0; i < command->count && count < 128 - COMMON; i++) {
        if (command->rows[i].name != NULL)
            names[count++] = command->rows[i].name;
    }
    for (size_t i = 0; i < COMMON; i++)
        names[count++] = common[i].name;
    const char *like = opt_nearest(name + strspn(name, "-"), names, count);
    if (like != NULL)
        return opt_misused(command, "unknown option %s; did you mean --%s?", name, like);
    return opt_misused(command, "unknown option %s", name);
}

/* Reads the option at argv[at]. Returns how many arguments it took, or -1 - status. */
static int take_option(const struct opt_command *command, void *into, int argc, char **argv, int at)
{
    const char *word = argv[at], *value = NULL, *digits = "";
    char *joined = NULL;
    bool is_long = word[1] == '-';
    const struct opt *row;
    int used = 1;

    if (is_long) {
        size_t length = strcspn(word + 2, "=");

        row = find(command, word + 2, length, 0);
        if (word[2 + length] == '=')
            value = word + 3 + length;
        if (row != NULL)
            digits = word + 2 + strlen(row->name);
    } else {
        row = find(command, NULL, 0, word[1]);
        if (word[2] != '\0')
            value = word + 2;
    }
    if (row == NULL)
        return -1 - unknown_option(command, word);
    if (value == NULL && row->kind != OPT_FLAG && row->kind != OPT_SWITCH && !row->may_be_alone) {
        if (at + 1 >= argc)
            return -1 - opt_misused(command, "option --%s needs a value: --%s=%s", row->name, row->name,
                                    row->value);
        value = argv[at + 1];
        used = 2;
    }
    if (isdigit((unsigned char)*digits)) {
        joined = term_text("%.*s=%s", (int)strspn(digits, "0123456789"), digits, value);
        value = joined;
    }
    const char *wrong = store(row, into, value);
    if (wrong != NULL && value != NULL)
        used = -1 - opt_misused(command, "--%s=%s: %s", row->name, value, wrong);
    else if (wrong != NULL)
        used = -1 - opt_misused(command, "--%s: %s", row->name, wrong);
    free(joined);
    return used;
}

/* Moves argv[from] behind argv[last], shifting what is between to the left. */
static void move_back(char **argv, int from, int last)
{
    char *word = argv[from];

    memmove(&argv[from], &argv[from + 1], (size_t)(last - from) * sizeof *argv);
    argv[last] = word;
}

int opt_parse(const struct opt_command *command, void *into, int argc, char **argv)
{
    int at = 1, limit = argc;

    while (at < limit) {
        const char *word = argv[at];

        if (strcmp(word, "--") == 0) {
            /* Operands met before it stand behind `limit`, but came first: turn the two groups around. */
            for (int i = 0; i < limit - at - 1; i++)
                move_back(argv, at + 1, argc - 1);
            return at + 1;
        }
        if (word[0] != '-' || word[1] == '\0') {
            if (command->runs_program)
                return at;
            move_back(argv, at, argc - 1);
            limit--;
            continue;
        }
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            print_help(command);
            return -1 - 0;
        }
        int used = take_option(command, into, limit, argv, at);
        if (used < 0)
            return used;
        at += used;
    }
    if (command->one_profile && argc - at > 1)
        return -1 - opt_misused(command, "one profile at a time, %s is one too many", argv[at + 1]);
    return at;
}
