/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_busy.c: nobody writes to the file of a program that runs, under any of its names, in no way; and nobody
 * executes a file that is open for writing. To be run as a copy, which is lost where that does not hold.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *name, *folder;

static void tell(const char *what, long result)
{
    int error = errno;

    printf(" %s %s", what, result < 0 ? strerror(error) : "good");
    if (result > 2)
        close((int)result);
}

static long by_openat2(const char *path, int flags, int resolve)
{
    struct open_how how = {.flags = (unsigned)flags, .resolve = (unsigned)resolve};

    return syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

/* All ways to open it, those that must fail for another reason, and those that are none of writing. */
static void ways(const char *path)
{
    printf("%s:", path[0] == '/' && strncmp(path, "/proc", 5) != 0 ? strrchr(path, '/') + 1 : path);
    tell("write", open(path, O_WRONLY));
    tell("both", open(path, O_RDWR | O_APPEND));
    tell("truncating", open(path, O_WRONLY | O_TRUNC));
    tell("reading and truncating", open(path, O_RDONLY | O_TRUNC));
    tell("creating", open(path, O_WRONLY | O_CREAT, 0600));
    tell("creat", creat(path, 0600));
    tell("syscall creat", syscall(SYS_creat, path, 0600));
    tell("syscall open", syscall(SYS_open, path, O_RDWR | O_TRUNC));
    tell("openat2", by_openat2(path, O_RDWR | O_TRUNC, 0));
    tell("truncate", truncate(path, 10));
    tell("to less than nothing", truncate(path, -1));
    tell("exclusive", open(path, O_WRONLY | O_CREAT | O_EXCL, 0600));
    tell("folder", open(path, O_WRONLY | O_DIRECTORY));
    tell("no link", open(path, O_WRONLY | O_NOFOLLOW));
    tell("openat2 without links", by_openat2(path, O_RDWR, RESOLVE_NO_SYMLINKS));
    tell("place", open(path, O_PATH | O_WRONLY));
    tell("read", open(path, O_RDONLY));
    printf("\n");
}

static char *path_of(const char *file)
{
    char *path = NULL;

    if (asprintf(&path, "%s/%s", folder, file) < 0)
        exit(2);
    return path;
}

static void others(void)
{
    char *hard = path_of("hard"), *soft = path_of("soft"), by_descriptor[64];
    int fd = open(name, O_RDONLY), here = open(folder, O_RDONLY | O_DIRECTORY);

    tell("link", link(name, hard));
    tell("symlink", symlink(name, soft));
    printf("\n");
    ways(hard);
    ways(soft);
    ways("/proc/self/exe");
    snprintf(by_descriptor, sizeof by_descriptor, "/proc/self/fd/%d", fd);
    printf("descriptor");
    tell("write", open(by_descriptor, O_RDWR));
    tell("openat", openat(here, "hard", O_RDWR | O_TRUNC));
    tell("ftruncate", ftruncate(fd, 0));
    printf("\n");
    if (fork() == 0) {
        ways(hard);
        exit(0);
    }
    wait(NULL);
    unlink(hard);
    unlink(soft);
    close(here);
    close(fd);
}

/* Nothing of that holds for other files, nor for one that has got the program's name. */
static void another(char *path)
{
    char *old = path_of("old");
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);
    char *argv[] = {path, NULL};

    ways(path);
    dprintf(fd, "#!/bin/sh\necho executed\n");
    tell("execv", execv(path, argv));
    tell("execveat", syscall(SYS_execveat, fd, "", argv, NULL, AT_EMPTY_PATH));
    close(fd);
    tell("rename", rename(name, old));
    tell("rename", rename(path, name));
    tell("write", open(name, O_RDWR));
    tell("write to the old one", open(old, O_RDWR));
    tell("rename", rename(name, path));
    tell("rename", rename(old, name));
    printf("\n");
    execv(path, argv);
}

int main(int argc, char **argv)
{
    (void)argc;
    setvbuf(stdout, NULL, _IONBF, 0);
    name = argv[0];
    folder = strdup(name);
    *strrchr(folder, '/') = '\0';
    ways(name);
    others();
    another(path_of("another"));
    return 1;
}
