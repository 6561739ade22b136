/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inputs.c: see inputs.h. A name is a line without its newline, whatever else is in it; empty lines are nothing. A list
 * names no further lists: @ has no meaning in it.
 */
#include "cli/base/inputs.h"

#include "cli/base/term.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void add(struct inputs *inputs, const char *name)
{
    inputs->name = term_have(realloc(inputs->name, (inputs->count + 1) * sizeof *inputs->name));
    inputs->name[inputs->count++] = term_have(strdup(name));
}

static void add_list(struct inputs *inputs, const char *file)
{
    bool standard = strcmp(file, "-") == 0;
    FILE *stream = standard ? stdin : fopen(file, "re");
    const char *wrong = NULL;
    char line[PATH_MAX];
    size_t length = 0, number = 1;
    int byte;

    while (stream != NULL && wrong == NULL && (byte = getc(stream)) != EOF) {
        if (byte == '\0')
            wrong = "a name with a NUL byte";
        else if (length == sizeof line - 1 && byte != '\n')
            wrong = "a name that is longer than that of any file";
        line[length++] = (char)byte;
        if (byte != '\n')
            continue;
        line[length - 1] = '\0';
        if (length > 1)
            add(inputs, line);
        length = 0;
        number++;
    }
    inputs->failed = wrong != NULL || stream == NULL || ferror(stream);
    if (wrong != NULL) {
        term_error("%s:%zu: %s; a list has one name a line", file, number, wrong);
    } else if (inputs->failed) {
        term_error("%s: cannot read the list of profiles: %s", file, strerror(errno));
    } else if (length > 0) {
        line[length] = '\0';
        add(inputs, line);
    }
    if (stream != NULL && !standard)
        fclose(stream);
}

void inputs_add(struct inputs *inputs, const char *word)
{
    if (!inputs->failed && word[0] == '@')
        add_list(inputs, word + 1);
    else if (!inputs->failed)
        add(inputs, word);
}

const char *inputs_take(void *inputs, const char *name, const char *word)
{
    (void)name;
    inputs_add(inputs, word);
    return NULL;
}

const char *inputs_take_list(void *inputs, const char *name, const char *file)
{
    struct inputs *to = inputs;

    (void)name;
    if (!to->failed)
        add_list(to, file);
    return NULL;
}

bool inputs_same_file(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool inputs_have(const struct inputs *inputs, const char *path)
{
    size_t i = 0;

    while (i < inputs->count && !inputs_same_file(inputs->name[i], path))
        i++;
    return i < inputs->count;
}

void inputs_free(struct inputs *inputs)
{
    while (inputs->count > 0)
        free(inputs->name[--inputs->count]);
    free(inputs->name);
}
