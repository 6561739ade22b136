/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term.c: numbers, colours and names, as a terminal wants them.
 *
 * Nothing here knows what a profile is. Names of functions and files come from programs that may be hostile,
 * so whatever is printed goes through term_escape (or the error line, which escapes as a whole).
 */
#include "cli/base/term.h"

#include "cli/cli.h"
#include "profile/base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static bool progress_shown;
static const char *destination = "standard output"; /* what term_finish says it could not write to */
static FILE *shown;             /* what stdout was, while it is a file in memory; NULL: it is none */
static term_reason *reason_why; /* while output is held; NULL: it is not */
static bool reason_told;

void term_error(const char *format, ...)
{
    const char *reason = reason_why != NULL ? reason_why() : NULL;
    char text[2048], safe[4096];
    va_list args;

    if (reason != NULL && reason_told)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    reason_told = reason != NULL;
    term_escape(safe, sizeof safe, reason != NULL ? reason : text);
    term_progress_end();
    fflush(stdout);
    fprintf(stderr, "tenure: %s\n", safe);
}

static int descriptor(FILE *out)
{
    return fileno(out == stdout && shown != NULL ? shown : out);
}

void term_hold(term_reason *reason)
{
    struct rlimit files;
    bool limited = getrlimit(RLIMIT_FSIZE, &files) != 0 || files.rlim_cur != RLIM_INFINITY;
    int memory = limited ? -1 : memfd_create("tenure", MFD_CLOEXEC);
    FILE *kept = memory < 0 ? NULL : fdopen(memory, "w+");

    reason_why = reason;
    if (memory >= 0 && kept == NULL)
        term_no_memory();
    if (kept == NULL)
        return;
    shown = stdout;
    stdout = kept; /* the descriptor stays as it is: /dev/stdout leads to what it always did */
}

bool term_redirect(const char *path)
{
    destination = path;
    return freopen(path, "w", shown != NULL ? shown : stdout) != NULL;
}

/*
 * What has more lines than the screen is shown by a pager: PAGER, else less, which passes colours on and leaves the
 * screen as it is (LESS, where it is not set). NULL: none is wanted ("" or cat), or there is none.
 */
static FILE *open_pager(FILE *kept, FILE *screen)
{
    const char *pager = getenv("PAGER");
    struct winsize size;
    int lines = 0, c;

    if (!isatty(fileno(screen)) || ioctl(fileno(screen), TIOCGWINSZ, &size) != 0 || size.ws_row == 0 ||
        (pager != NULL && (*pager == '\0' || strcmp(pager, "cat") == 0)))
        return NULL;
    rewind(kept);
    while (lines < size.ws_row && (c = getc(kept)) != EOF)
        lines += c == '\n';
    if (lines < size.ws_row || setenv("LESS", "FRX", 0) != 0)
        return NULL;
    return popen(pager != NULL ? pager : "if command -v less >/dev/null; then exec less; fi; exec cat", "w");
}

bool term_release(bool good)
{
    char piece[65536];
    FILE *kept = stdout;
    size_t size;

    if (reason_why() != NULL) {
        term_error("%s", reason_why());
        good = false;
    }
    reason_why = NULL;
    if (shown == NULL)
        return good;
    if (good && (fflush(kept) != 0 || ferror(kept))) {
        term_error("cannot keep what is to be printed: %s", strerror(errno));
        good = false;
    }
    off_t left = ftello(kept);
    FILE *pager = good ? open_pager(kept, shown) : NULL, *to = pager != NULL ? pager : shown;
    stdout = shown;
    shown = NULL;
    if (pager != NULL) { /* who leaves it early has seen enough, and an interrupt is for it */
        signal(SIGPIPE, SIG_IGN);
        signal(SIGINT, SIG_IGN);
    }
    rewind(kept);
    for (; good && left > 0; left -= (off_t)size) {
        size = fread(piece, 1, left < (off_t)sizeof piece ? (size_t)left : sizeof piece, kept);
        if (size == 0) {
            term_error("cannot read what is to be printed again: %s", strerror(errno));
            good = false;
        }
        if (fwrite(piece, 1, size, to) < size && pager != NULL)
            break;
    }
    if (pager != NULL)
        pclose(pager);
    fclose(kept);
    return good;
}

static int own_failure = CLI_ERROR;

void term_own_failure(int status)
{
    own_failure = status;
}

void term_no_memory(void)
{
    term_error("out of memory");
    exit(own_failure);
}

static void aborted(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_pid != getpid()) { /* somebody else's wish */
        signal(signal_number, SIG_DFL);
        raise(signal_number);
        return;
    }
    term_error("a library of this program gave up: it had no memory, or met debug information that it cannot read");
    exit(own_failure);
}

void term_outlive_libraries(void)
{
    struct sigaction before, ours = {.sa_flags = SA_SIGINFO, .sa_sigaction = aborted};

    if (sigaction(SIGABRT, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGABRT, &ours, NULL);
}

void *term_have(void *memory)
{
    if (memory == NULL)
        term_no_memory();
    return memory;
}

char *term_text(const char *format, ...)
{
    char *text;
    va_list arguments;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        term_no_memory();
    va_end(arguments);
    return text;
}

int term_width(FILE *out)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    long width = 0;

    if (isatty(descriptor(out)) && ioctl(descriptor(out), TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width == 0 && columns != NULL)
        width = strtol(columns, NULL, 10);
    if (width == 0)
        width = 120;
    return (int)(width < 60 ? 60 : width > 400 ? 400 : width);
}

bool term_cuts(FILE *out)
{
    return isatty(descriptor(out)) || getenv("COLUMNS") != NULL;
}

static const char *color_when = "auto";

bool term_color(const char *when)
{
    color_when = when;
    return strcmp(when, "auto") == 0 || strcmp(when, "always") == 0 || strcmp(when, "never") == 0;
}

static bool is_set(const char *variable, const char *unless)
{
    const char *value = getenv(variable);

    return value != NULL && *value != '\0' && strcmp(value, unless) != 0;
}

static bool colourful(FILE *out)
{
    const char *kind = getenv("TERM"), *wanted = getenv("CLICOLOR");

    if (strcmp(color_when, "auto") != 0)
        return *color_when == 'a';
    if (is_set("NO_COLOR", "") || (wanted != NULL && strcmp(wanted, "0") == 0))
        return false;
    return is_set("CLICOLOR_FORCE", "0") || (isatty(descriptor(out)) && kind != NULL && strcmp(kind, "dumb") != 0);
}

const char *term_style(FILE *out, enum term_style style)
{
    static const char *const sequence[] = {"\33[0m", "\33[1m", "\33[2m", "\33[31m", "\33[33m", "\33[36m"};

    return colourful(out) ? sequence[style] : "";
}

char *term_number(char *out, int64_t value)
{
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char reversed[32];
    int count = 0, at = 0, digits = 0;

    do {
        if (digits > 0 && digits % 3 == 0)
            reversed[count++] = ',';
        reversed[count++] = (char)('0' + rest % 10);
        rest /= 10;
        digits++;
    } while (rest > 0);
    if (value < 0)
        out[at++] = '-';
    while (count > 0)
        out[at++] = reversed[--count];
    out[at] = '\0';
    return out;
}

char *term_tenths(char *out, double value)
{
    double tenths = value < 0 ? -10 * value : 10 * value;
    uint64_t rest = tenths < 1e9 ? (uint64_t)tenths : 0;
    double beyond = tenths - (double)rest;
    char reversed[32];
    int count = 0, at = 0;

    /* Which way a half goes printf knows, and it has very large numbers and -0, too. */
    if (!(tenths < 1e9 && (beyond < 0.499 || beyond > 0.501)) || tenths == 0) {
        snprintf(out, 32, "%.1f", value);
        return out;
    }
    rest += beyond > 0.5;
    reversed[count++] = (char)('0' + rest % 10);
    reversed[count++] = '.';
    do {
        rest /= 10;
        reversed[count++] = (char)('0' + rest % 10);
    } while (rest >= 10);
    if (value < 0)
        reversed[count++] = '-';
    while (count > 0)
        out[at++] = reversed[--count];
    out[at] = '\0';
    return out;
}

/* Rounded; the nearest there is, where it is too large. */
static int64_t whole(double value)
{
    return value >= 9.2e18 ? INT64_MAX : value <= -9.2e18 ? -INT64_MAX : (int64_t)(value + (value < 0 ? -0.5 : 0.5));
}

char *term_real(char *out, double value)
{
    if (value >= 1000 || value <= -1000 || value == 0)
        return term_number(out, whole(value));
    return term_tenths(out, value);
}

char *term_figure(char *out, double value)
{
    double size = value < 0 ? -value : value;

    if (size >= 1000 || value == 0)
        return term_number(out, whole(value));
    if (size < 0.001)
        snprintf(out, 32, "%.2e", value);
    else
        snprintf(out, 32, "%.*f", size >= 100 ? 1 : size >= 1 ? 2 : 4, value);
    return out;
}

void term_escape(char *out, size_t size, const char *text)
{
    size_t at = 0;

    while (*text != '\0' && at + 5 < size) {
        size_t length = tp_shown(text);

        if (length == 0) {
            at += (size_t)snprintf(out + at, size - at, "\\x%02x", (unsigned char)*text++);
            continue;
        }
        memcpy(out + at, text, length);
        at += length;
        text += length;
    }
    out[at] = '\0';
}

const char *term_quote(const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";

    return *text == '\0' || text[strspn(text, plain)] != '\0' ? "'" : "";
}

const char *term_word(char *out, const char *text)
{
    const char *quote = term_quote(text);
    char *at = stpcpy(stpcpy(out, *text == '-' ? "./" : ""), quote);

    for (; *text != '\0' && at < out + TERM_WORD - 8; text++)
        at = stpcpy(at, *text == '\'' ? TERM_QUOTE : (char[]){*text, '\0'});
    strcpy(at, quote);
    return out;
}

int term_columns(const char *text)
{
    int columns = 0;

    for (; *text != '\0'; text++)
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

/* Moves `text` forward by `columns` characters. */
static const char *skip_columns(const char *text, int columns)
{
    while (*text != '\0' && columns > 0) {
        text++;
        while (((unsigned char)*text & 0xC0) == 0x80)
            text++;
        columns--;
    }
    return text;
}

char *term_fit(char *out, size_t size, const char *text, int width, enum term_cut where)
{
    int columns = term_columns(text);

    if (width < 1)
        width = 1;
    int before = where == TERM_CUT_END ? width - 1 : where == TERM_CUT_BEGIN ? 0 : (width - 1) / 2;
    if (columns <= width)
        snprintf(out, size, "%s", text);
    else
        snprintf(out, size, "%.*s~%s", (int)(skip_columns(text, before) - text), text,
                 skip_columns(text, columns - (width - 1 - before)));
    return out;
}

/* Whether the bracket at `at` belongs to a name: operator<, operator(), (anonymous namespace). */
static bool is_part_of_name(const char *text, const char *at)
{
    while (at > text && at[-1] == *at)
        at--;
    return (at - text >= 8 && strncmp(at - 8, "operator", 8) == 0) || strncmp(at, "(anonymous", 10) == 0;
}

/* What follows the bracket that closes the one at `at`; NULL if none does. */
static const char *behind_bracket(const char *at, char open, char close)
{
    int depth = 0;

    for (; *at != '\0'; at++) {
        if (*at == open)
            depth++;
        else if (*at == close && at[-1] != '-' && --depth == 0)
            return at + 1;
    }
    return NULL;
}

/* Writes a tilde for what is inside of each outer pair of brackets; false, with `out` spoilt, if they do not pair. What
 * stands behind a space at the end stays: it is no arguments, but where a data structure is allocated, "(f.c:12)". */
static bool collapse(char *out, size_t size, const char *text, char open, char close)
{
    const char *from = text;
    size_t at = 0;

    while (*from != '\0' && at + 4 < size) {
        const char *end;

        if (*from != open || is_part_of_name(text, from) || from[1] == close) {
            out[at++] = *from++;
            continue;
        }
        end = behind_bracket(from, open, close);
        if (end == NULL)
            return false;
        if (*end == '\0' && from > text && from[-1] == ' ') {
            at += (size_t)snprintf(out + at, size - at, "%s", from);
            return at < size;
        }
        out[at++] = open;
        out[at++] = '~';
        out[at++] = close;
        from = end;
    }
    out[at] = '\0';
    return *from == '\0';
}

char *term_fit_name(char *out, size_t size, const char *name, int width)
{
    char first[4096], second[4096];

    if (term_columns(name) <= width || !collapse(first, sizeof first, name, '(', ')'))
        return term_fit(out, size, name, width, TERM_CUT_MIDDLE);
    if (term_columns(first) <= width || !collapse(second, sizeof second, first, '<', '>'))
        return term_fit(out, size, first, width, TERM_CUT_MIDDLE);
    return term_fit(out, size, second, width, TERM_CUT_MIDDLE);
}

double term_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void term_progress(const char *stage, uint64_t done, uint64_t total)
{
    const double patience = 0.4, step = 0.1;
    static double next;

    if (!isatty(STDERR_FILENO))
        return;
    if (next == 0)
        next = term_now() + patience;
    if (term_now() < next)
        return;
    next = term_now() + step;
    fprintf(stderr, "\r\33[Ktenure: %s", stage);
    if (total > 0)
        fprintf(stderr, " %3d %%", (int)(100.0 * (double)done / (double)total));
    fflush(stderr);
    progress_shown = true;
}

void term_progress_end(void)
{
    if (progress_shown)
        fputs("\r\33[K", stderr);
    progress_shown = false;
}

void term_labelled(const char *label, int width, const char *text)
{
    char safe[8192];

    term_escape(safe, sizeof safe, text);
    printf("%-*s%s\n", width, label, safe);
}

int term_finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno != EPIPE)
        term_error("cannot write to %s: %s", destination, strerror(errno));
    return CLI_ERROR;
}
