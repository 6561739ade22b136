/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guest_locked.c: memory that is locked as a whole: what is there, what comes later, and not that of a forked child. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, BYTES = 64 * PAGE, MOST_KB = 16384 };

static long locked_kb(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kb = -1;

    while (fgets(line, sizeof line, file) != NULL)
        sscanf(line, "VmLck: %ld", &kb);
    fclose(file);
    return kb;
}

/* What a new mapping is, and a break that has grown. */
static void tell(const char *what)
{
    long before = locked_kb();
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long after = locked_kb();
    unsigned char mapped = 0, grown = 0;
    char *top = sbrk(BYTES);

    mincore(memory, PAGE, &mapped);
    mincore((char *)(((unsigned long)top + PAGE) & -(unsigned long)PAGE), PAGE, &grown);
    printf("%s: %s, %s; a mapping of %ld KB more locked, there %d, the break's %d\n", what,
           before > 0 ? "locked" : "not locked", before < MOST_KB ? "little" : "much", after - before, mapped & 1,
           grown & 1);
    fflush(stdout);
    munmap(memory, BYTES);
}

static void lock(const char *what, int mode)
{
    if (mlockall(mode) != 0)
        perror(what);
    tell(what);
    if (munlockall() != 0)
        perror("munlockall");
    tell("unlocked");
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, PAGE);
    tell("first");
    lock("current", MCL_CURRENT);
    lock("future", MCL_FUTURE);
    lock("both", MCL_CURRENT | MCL_FUTURE);
    lock("as they come", MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
    lock("nothing", 0);
    lock("something else", 8);
    mlockall(MCL_CURRENT | MCL_FUTURE);
    if (fork() == 0) {
        tell("child");
        _exit(0);
    }
    wait(NULL);
    munlockall();
    setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){BYTES, BYTES});
    if (setuid(65534) == 0) {
        mlockall(MCL_FUTURE | MCL_ONFAULT);
        bool failed = mmap(NULL, 2 * BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
        printf("too much: %d, %s\n", failed, failed ? strerror(errno) : "");
        munlockall();
        setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){0, 0});
        lock("nothing allowed", MCL_CURRENT);
    }
    return 0;
}
