/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.c: patterns to names, and raw files back to patterns.
 */
#include "cli/base/names.h"

#include "cli/base/term.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM_BEHIND = 40 }; /* bytes that a temporary name needs behind a profile's: process, token, ".raw", number */

static char wrong[PATH_MAX + 128];

/* Appends to a growing text of at most PATH_MAX. */
static bool append(char *out, const char *text)
{
    size_t length = strlen(out);

    if (length + strlen(text) >= PATH_MAX)
        return false;
    strcpy(out + length, text);
    return true;
}

/* The text that %q{VAR} at `at` stands for; *at moves to the closing brace. */
static const char *variable(const char **at)
{
    char name[256];
    const char *close = strchr(*at, '}'), *value;

    if ((*at)[1] != '{' || close == NULL || (size_t)(close - *at) >= sizeof name) {
        snprintf(wrong, sizeof wrong, "%%q is followed by a variable's name in braces, as in %%q{HOME}");
        return NULL;
    }
    snprintf(name, sizeof name, "%.*s", (int)(close - *at - 2), *at + 2);
    value = getenv(name);
    if (value == NULL)
        snprintf(wrong, sizeof wrong, "%%q{%s}: there is no such environment variable", name);
    *at = close;
    return value;
}

/* What the character behind a percent sign stands for; NULL with `wrong` set. %p, %n and %% stay. */
static const char *piece(struct names *names, const char **at)
{
    static char host[HOST_NAME_MAX + 1];

    switch (**at) {
    case 'p':
        names->has_pid = true;
        return "%p";
    case 'n':
        names->has_count = true;
        return "%n";
    case '%':
        return "%%";
    case 'h':
        if (gethostname(host, sizeof host) != 0)
            strcpy(host, "localhost");
        host[HOST_NAME_MAX] = '\0';
        return host;
    case 'q':
        return variable(at);
    default:
        snprintf(wrong, sizeof wrong, "%%%.1s is not known; there are %%p, %%n, %%h, %%q{VAR} and %%%%", *at);
        return NULL;
    }
}

/* Expands what does not depend on the process into `out`. */
static bool expand(struct names *names, const char *pattern, char *out)
{
    char one[2] = "";

    out[0] = '\0';
    for (; *pattern != '\0'; pattern++) {
        const char *text = one;

        one[0] = *pattern;
        if (*pattern == '%') {
            pattern++;
            text = piece(names, &pattern);
            if (text == NULL)
                return false;
        }
        if (!append(out, text)) {
            snprintf(wrong, sizeof wrong, "the name is longer than a file's name can be");
            return false;
        }
    }
    return true;
}

const char *names_make(struct names *names, const char *pattern)
{
    static const char digit[] = "abcdefghijklmnopqrstuvwxyz234567";
    char text[PATH_MAX], directory[PATH_MAX];
    unsigned char bytes[6];
    struct stat status;

    memset(names, 0, sizeof *names);
    if (!expand(names, pattern, text))
        return wrong;
    char *slash = strrchr(text, '/');
    snprintf(directory, sizeof directory, "%.*s", slash == NULL ? 1 : (int)(slash - text) + 1,
             slash ? text : ".");
    if (strchr(directory, '%') != NULL)
        return "%p, %n and %% can stand in the file's name only, not in a directory's";
    if ((slash ? slash[1] : text[0]) == '\0')
        return "the file has no name";
    if (stat(text, &status) == 0 && S_ISDIR(status.st_mode)) {
        snprintf(wrong, sizeof wrong, "%s is a directory; add a file name, such as tenure.out.%%p", text);
        return wrong;
    }
    if (stat(text, &status) == 0 && !S_ISREG(status.st_mode)) { /* a profile is renamed into its place */
        snprintf(wrong, sizeof wrong, "%s is no ordinary file, and would become one; name another", text);
        return wrong;
    }
    /* The directory must be there and take new files: better to hear it now than after an hour's run. */
    if (stat(directory, &status) == 0 && !S_ISDIR(status.st_mode)) {
        snprintf(wrong, sizeof wrong, "%s is not a directory", directory);
        return wrong;
    }
    if (stat(directory, &status) == 0 && access(directory, W_OK | X_OK) != 0) {
        snprintf(wrong, sizeof wrong, "directory %s: %s; name another file with --out", directory, strerror(errno));
        return wrong;
    }
    names->directory = realpath(directory, NULL);
    if (names->directory == NULL) {
        snprintf(wrong, sizeof wrong, "directory %s: %s", directory, strerror(errno));
        return wrong;
    }
    if (strlen(slash ? slash + 1 : text) > NAME_MAX - ROOM_BEHIND) {
        snprintf(wrong, sizeof wrong, "the file's name may have %d bytes at most", NAME_MAX - ROOM_BEHIND);
        return wrong;
    }
    names->shown = term_text("%s", slash ? directory : "");
    names->pattern = term_text("%s", slash ? slash + 1 : text);
    bool random = getrandom(bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes;
    if (!random)
        snprintf(names->token, sizeof names->token, "%ld", (long)getpid());
    for (size_t i = 0; random && i < sizeof bytes; i++)
        names->token[i] = digit[bytes[i] % 32];
    return NULL;
}

void names_free(struct names *names)
{
    free(names->directory);
    free(names->pattern);
    free(names->shown);
}

/* The pattern for one process; pid 0 leaves %p for the engine. Doubled percent signs stay doubled then. */
static void fill_in(const struct names *names, pid_t pid, unsigned count, char *out)
{
    const char *at = names->pattern;
    char one[24];

    for (out[0] = '\0'; *at != '\0'; at++) {
        snprintf(one, sizeof one, "%c", *at);
        if (*at == '%') {
            at++;
            if (*at == 'p' && pid != 0)
                snprintf(one, sizeof one, "%ld", (long)pid);
            else if (*at == 'n')
                snprintf(one, sizeof one, "%u", count);
            else if (*at == '%' && pid != 0)
                strcpy(one, "%");
            else
                snprintf(one, sizeof one, "%%%c", *at);
        }
        append(out, one);
    }
}

char *names_raw_pattern(const struct names *names)
{
    char file[PATH_MAX], directory[PATH_MAX * 2];
    size_t length = 0;

    for (const char *at = names->directory; *at != '\0'; at++) {
        if (*at == '%')
            directory[length++] = '%';
        directory[length++] = *at;
    }
    directory[length] = '\0';
    fill_in(names, 0, 1, file);
    return term_text("%s/%s%s.%s.raw", directory, file, names->has_pid ? "" : ".%p", names->token);
}

void names_raw(const struct names *names, pid_t pid, char *out)
{
    char file[PATH_MAX], behind[24] = "";

    fill_in(names, pid, 1, file);
    if (!names->has_pid)
        snprintf(behind, sizeof behind, ".%ld", (long)pid);
    if (snprintf(out, PATH_MAX, "%s/%s%s.%s.raw", names->directory, file, behind, names->token) >= PATH_MAX)
        out[0] = '\0'; /* nor can the engine write it */
}

/* The file's name without `.token.raw` is the pattern, filled in with some run of digits in it: tries them
 * all. */
static pid_t find_pid(const struct names *names, const char *name, size_t length)
{
    char expected[PATH_MAX];

    for (size_t from = 0; from < length; from++) {
        pid_t pid = 0;

        for (size_t digits = 0; from + digits < length && digits < 9 && isdigit((unsigned char)name[from + digits]);
             digits++) {
            pid = pid * 10 + (name[from + digits] - '0');
            if (pid == 0)
                break;
            fill_in(names, pid, 1, expected);
            if (!names->has_pid)
                snprintf(expected + strlen(expected), sizeof expected - strlen(expected), ".%ld", (long)pid);
            if (strlen(expected) == length && strncmp(expected, name, length) == 0)
                return pid;
        }
    }
    return 0;
}

static bool parse_raw(const struct names *names, const char *file, struct names_raw *out)
{
    char end[64];

    snprintf(end, sizeof end, ".%s.raw", names->token);
    const char *mark = strstr(file, end);
    out->count = 1;
    if (mark == NULL || (mark[strlen(end)] != '\0' && sscanf(mark + strlen(end), ".%u", &out->count) != 1))
        return false;
    out->pid = find_pid(names, file, (size_t)(mark - file));
    return out->pid != 0;
}

static int by_process(const void *a, const void *b)
{
    const struct names_raw *x = a, *y = b;

    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return (x->count > y->count) - (x->count < y->count);
}

bool names_each(const struct names *names, void (*take)(void *into, const struct names_raw *raw), void *into)
{
    _Alignas(struct dirent64) char entries[4096];
    char path[2 * PATH_MAX];
    struct names_raw found = {.path = path};
    int directory = open(names->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ssize_t got = directory < 0 ? -1 : 1;

    while (got > 0 && (got = getdents64(directory, entries, sizeof entries)) > 0) {
        const struct dirent64 *entry;
        for (const char *at = entries; at < entries + got; at += entry->d_reclen) {
            entry = (const struct dirent64 *)at;
            if (!parse_raw(names, entry->d_name, &found))
                continue;
            snprintf(path, sizeof path, "%s/%s", names->directory, entry->d_name);
            take(into, &found);
        }
    }
    int why = got < 0 ? errno : 0;
    if (directory >= 0)
        close(directory);
    errno = why;
    return why == 0;
}

struct raw_list {
    struct names_raw *raw;
    size_t count;
};

static void add_raw(void *into, const struct names_raw *raw)
{
    struct raw_list *list = into;

    list->raw = term_have(realloc(list->raw, (list->count + 1) * sizeof *list->raw));
    list->raw[list->count] = *raw;
    list->raw[list->count++].path = term_text("%s", raw->path);
}

bool names_list(const struct names *names, struct names_raw **out, size_t *count)
{
    struct raw_list list = {NULL, 0};
    bool is_read = names_each(names, add_raw, &list);

    if (is_read && list.count > 1)
        qsort(list.raw, list.count, sizeof *list.raw, by_process);
    *out = list.raw;
    *count = list.count;
    return is_read;
}

void names_list_free(struct names_raw *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i].path);
    free(list);
}

char *names_profile(const struct names *names, const struct names_raw *raw, pid_t main_pid)
{
    char file[PATH_MAX], child[32] = "", more[32] = "";

    fill_in(names, raw->pid, raw->count, file);
    if (!names->has_pid && raw->pid != main_pid)
        snprintf(child, sizeof child, ".%ld", (long)raw->pid);
    if (!names->has_count && raw->count > 1)
        snprintf(more, sizeof more, ".%u", raw->count);
    return term_text("%s%s%s%s", names->shown, file, child, more);
}

char *names_own(const struct names *names)
{
    const struct names_raw own = {.pid = 1, .count = 1};

    return names->has_pid ? NULL : names_profile(names, &own, own.pid);
}
