/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_alone.c: a process that has one thread sees one thread, and the kernel grants it what only such a process may
 * have, also while it misses the caches as fast as it can; so do its children.
 */
#include <dirent.h>
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

static int listed(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;

    for (struct dirent *task; (task = readdir(tasks)) != NULL;)
        count += task->d_name[0] != '.';
    closedir(tasks);
    return count;
}

static int counted(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    int count = 0;

    while (fgets(line, sizeof line, status))
        sscanf(line, "Threads: %d", &count);
    fclose(status);
    return count;
}

static void look(const char *who)
{
    miss();
    printf("%s: %d listed", who, listed());
    miss();
    printf(", %d counted", counted());
    miss();
    printf(", unshare %d\n", unshare(CLONE_FILES | CLONE_FS));
    fflush(stdout);
}

int main(void)
{
    int status;

    look("parent");
    miss();
    if (fork() == 0) {
        look("child");
        _exit(memory[LINE] == 28 ? 3 : 4);
    }
    wait(&status);
    miss();
    printf("child's status %d\n", WEXITSTATUS(status));
    return 0;
}
