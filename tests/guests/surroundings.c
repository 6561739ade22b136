/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * surroundings.c: prints what a program can see of how it is run: arguments, environment (sorted), directory,
 * open descriptors and what they are, signal mask and dispositions, limits. The same under every engine as without one.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_environment(void)
{
    size_t n = 0;
    while (environ[n])
        n++;
    qsort(environ, n, sizeof *environ, compare);
    for (size_t i = 0; i < n; i++)
        printf("env %s\n", environ[i]);
}

static void print_descriptors(void)
{
    struct stat st;
    for (int fd = 0; fd < 4096; fd++)
        if (fstat(fd, &st) == 0)
            printf("fd %d %s\n", fd,
                   S_ISREG(st.st_mode)    ? "file"
                   : S_ISCHR(st.st_mode)  ? "device"
                   : S_ISFIFO(st.st_mode) ? "pipe"
                   : S_ISSOCK(st.st_mode) ? "socket"
                                          : "other");
}

static void print_signals(void)
{
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int i = 1; i < 32; i++) {
        struct sigaction action;
        if (sigaction(i, NULL, &action) == 0 && (action.sa_handler != SIG_DFL || sigismember(&mask, i)))
            printf("signal %d %s%s\n", i, action.sa_handler == SIG_IGN ? "ignored" : "default",
                   sigismember(&mask, i) ? " blocked" : "");
    }
}

int main(int argc, char **argv)
{
    char directory[4096];
    struct rlimit limit;
    for (int i = 0; i < argc; i++)
        printf("arg %s\n", argv[i]);
    print_environment();
    print_descriptors();
    print_signals();
    if (getcwd(directory, sizeof directory))
        printf("directory %s\n", directory);
    getrlimit(RLIMIT_STACK, &limit);
    printf("stack %ld\n", (long)limit.rlim_cur);
    return 0;
}
