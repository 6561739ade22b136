/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program, or its child, that gives up rights, or limits itself: confined WHO WHAT. It says which limits it sees. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int work(int n);

__asm__(".text; .type work, @function;"
        "work: mov $0, %eax; 1: add $2, %eax; dec %edi; jnz 1b; ret; .size work, . - work");

static volatile sig_atomic_t signals;

static void count(int signal)
{
    (void)signal;
    signals++;
}

static void other_root(void)
{
    mkdir("root", 0755);
    if (chroot("root") != 0 || chdir("/") != 0)
        perror("chroot");
}

static void limit(int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit limit = {soft, hard};

    if (setrlimit(resource, &limit) != 0)
        perror("setrlimit");
}

/* Files end at 1000 bytes, with a signal for each byte behind. */
static void limit_files(void)
{
    char byte = 1;
    int fd = open("file", O_WRONLY | O_CREAT | O_TRUNC, 0600), failed = 0;

    signal(SIGXFSZ, count);
    limit(RLIMIT_FSIZE, 1000, 2000);
    for (int i = 0; i < 1010; i++)
        failed += write(fd, &byte, 1) < 0 && errno == EFBIG;
    printf("%d failed, %d signals\n", failed, (int)signals);
    close(fd);
    unlink("file");
}

static void confine(const char *what)
{
    if (strcmp(what, "user") == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        perror("setuid");
    if (strcmp(what, "root") == 0)
        other_root();
    if (strcmp(what, "close") == 0)
        close_range(3, ~0U, 0);
    if (strcmp(what, "unshare") == 0)
        close_range(3, ~0U, CLOSE_RANGE_UNSHARE);
    if (strcmp(what, "folder") == 0 && (mkdir("gone", 0755) != 0 || chdir("gone") != 0 || rmdir("../gone") != 0))
        perror("gone");
    if (strcmp(what, "size") == 0)
        limit_files();
    if (strcmp(what, "files") == 0)
        limit(RLIMIT_NOFILE, 3, 4);
}

static void see(void)
{
    static const int resources[] = {RLIMIT_FSIZE, RLIMIT_NOFILE};
    struct rlimit limit;

    for (int i = 0; i < 2; i++) {
        getrlimit(resources[i], &limit);
        printf("%lld of %lld\n", (long long)limit.rlim_cur, (long long)limit.rlim_max);
        limit.rlim_max += limit.rlim_max != RLIM_INFINITY;
        if (getuid() != 0)
            printf("may have more: %d\n", prlimit(0, resources[i], &limit, NULL) == 0);
    }
    printf("opens: %d\n", open("/", O_RDONLY) >= 0);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int in_child = strcmp(argv[1], "child") == 0, status = 0;
    pid_t child = 0;

    if (!in_child)
        confine(argv[2]);
    if (argc > 3) { /* see it as another program */
        execv(argv[0], (char *[]){argv[0], "parent", "nothing", NULL});
        perror("exec");
    }
    if (strcmp(argv[1], "sharer") == 0) /* the descriptors are both's */
        child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, NULL, NULL, 0);
    else if (strcmp(argv[1], "alone") != 0)
        child = fork();
    if (child == 0) {
        if (in_child)
            confine(argv[2]);
        see();
        work(50);
        exit(3);
    }
    work(1000);
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
