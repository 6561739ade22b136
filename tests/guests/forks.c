/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forks.c: fork, vfork and exec. Argument 1 says which; without one, all of them in turn.
 *
 *   parent    works on 7 lines before and 7 after: 14 in all, whatever the children do
 *   forked    runs in the child only: 100 lines; the child's profile has those and starts from zero
 *   vfork     the child leaves with _exit(3) at once
 *   exec      the child runs this program with the argument "child": works on 1000 lines, exit status 4
 */
#include "work.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile uint64_t total;

OUT static void parent(void)
{
    total += work(take_lines(7), 7);
}

OUT static int forked(void)
{
    return work(take_lines(100), 100) == 100 ? 2 : 1;
}

static int status_of(pid_t pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int do_fork(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(forked());
    return status_of(pid);
}

static int do_vfork(void)
{
    pid_t pid = vfork();
    if (pid == 0)
        _exit(3);
    return status_of(pid);
}

static int do_exec(char *self)
{
    pid_t pid = fork();
    if (pid == 0) {
        execl(self, self, "child", (char *)NULL);
        _exit(127);
    }
    return status_of(pid);
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "all";
    if (strcmp(which, "child") == 0)
        return work(take_lines(1000), 1000) == 1000 ? 4 : 1;
    parent();
    if (strcmp(which, "fork") == 0 || strcmp(which, "all") == 0)
        printf("fork: %d\n", do_fork());
    if (strcmp(which, "vfork") == 0 || strcmp(which, "all") == 0)
        printf("vfork: %d\n", do_vfork());
    if (strcmp(which, "exec") == 0 || strcmp(which, "all") == 0)
        printf("exec: %d\n", do_exec(argv[0]));
    parent();
    printf("lines: %lu\n", (unsigned long)total);
    return 0;
}
