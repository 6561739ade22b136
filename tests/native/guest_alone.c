/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_alone.c: a process that has one thread sees one thread, and the kernel grants it what only such a process may
 * have, also while it misses the caches as fast as it can; so do its children. It looks in more than one way: by
 * absolute and relative paths, and in a folder that has been open for some time.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 64, BYTES = 16 << 20 };

static volatile char memory[BYTES];

static void miss(void)
{
    for (int round = 0; round < 4; round++) {
        for (long i = 0; i < BYTES; i += LINE)
            memory[i]++;
    }
}

static int listed(const char *path)
{
    DIR *tasks = opendir(path);
    int count = 0;

    miss();
    for (struct dirent *task; (task = readdir(tasks)) != NULL;)
        count += task->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* In the file of this name in that folder. */
static int counted(int folder, const char *name)
{
    FILE *status = fdopen(openat(folder, name, O_RDONLY), "r");
    char line[256];
    int count = 0;

    while (fgets(line, sizeof line, status))
        sscanf(line, "Threads: %d", &count);
    fclose(status);
    return count;
}

static void look(const char *who)
{
    int own = open("/proc/self", O_RDONLY | O_DIRECTORY);

    miss();
    printf("%s: %d listed", who, listed("/proc/self/task"));
    miss();
    printf(", %d counted", counted(AT_FDCWD, "/proc/self/status"));
    miss();
    printf(", %d from its folder", counted(own, "status"));
    if (fchdir(own) != 0)
        perror("fchdir");
    miss();
    printf(", %d in it, %d listed", counted(AT_FDCWD, "status"), listed("task"));
    miss();
    printf(", unshare %d\n", unshare(CLONE_FILES | CLONE_FS));
    close(own);
    fflush(stdout);
}

int main(void)
{
    int status;

    look("parent");
    miss();
    if (fork() == 0) {
        look("child");
        _exit(memory[LINE] == 60 ? 3 : 4);
    }
    wait(&status);
    miss();
    printf("child's status %d\n", WEXITSTATUS(status));
    return 0;
}
