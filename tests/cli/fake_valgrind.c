/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_valgrind.c: stands in for valgrind and the engine, so that `tenure record` can be tested without
 * either.
 *
 * It answers --version with FAKE_VERSION (else the version the build knows), and otherwise does what the
 * engine owes record: runs the program, writes a raw profile to the name that --tenure-out-file's pattern
 * gives, and ends as the program did. What is written is a copy of FAKE_RAW; FAKE_CHILD=yes writes one for a
 * forked child too; FAKE_ARGV=yes prints the options it got; FAKE_REFUSE refuses with that status, as
 * the engine does.
 */
#include "tenure_config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_raw(const char *pattern, long pid, const char *from)
{
    char name[4096], digits[24], byte[4096];
    size_t at = 0, length;
    FILE *in = fopen(from, "r"), *out;

    for (; *pattern != '\0' && at + 32 < sizeof name; pattern++) {
        snprintf(digits, sizeof digits, "%c", *pattern);
        if (*pattern == '%' && *++pattern == 'p')
            snprintf(digits, sizeof digits, "%ld", pid);
        at += (size_t)sprintf(name + at, "%s", digits);
    }
    out = fopen(name, "wx");
    if (in == NULL || out == NULL) {
        perror(name);
        exit(125);
    }
    while ((length = fread(byte, 1, sizeof byte, in)) > 0)
        fwrite(byte, 1, length, out);
    fclose(in);
    fclose(out);
}

static int run(char **program)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        unsetenv("VALGRIND_LIB");
        execvp(program[0], program);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return status;
}

int main(int argc, char **argv)
{
    const char *version = getenv("FAKE_VERSION"), *raw = getenv("FAKE_RAW"), *pattern = NULL;
    int i, status;

    if (argc > 1 && strcmp(argv[argc - 1], "--version") == 0)
        return printf("valgrind-%s\n", version != NULL ? version : TENURE_VALGRIND_VERSION) < 0;
    for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--tenure-out-file=", 18) == 0)
            pattern = argv[i] + 18;
        else if (getenv("FAKE_ARGV") != NULL)
            printf("%s\n", argv[i]);
    }
    if (getenv("FAKE_REFUSE") != NULL) {
        fprintf(stderr, "tenure: refused by the engine\n");
        return atoi(getenv("FAKE_REFUSE"));
    }
    fflush(stdout);
    status = run(argv + i + 1);
    if (raw != NULL && pattern != NULL)
        write_raw(pattern, getpid(), raw);
    if (raw != NULL && pattern != NULL && getenv("FAKE_CHILD") != NULL)
        write_raw(pattern, 999999, raw);
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}
