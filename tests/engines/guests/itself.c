/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * itself.c: a program that writes to its own file, or to its code where that is mapped a second time. It says how that
 * went, which is the same under every engine and on the bare CPU.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };

static void tell(const char *what, long result)
{
    printf("%s: %s\n", what, result < 0 ? strerror(errno) : "done");
    if (result > 2)
        close((int)result);
}

static void write_own_file(const char *name)
{
    int folder = open(".", O_RDONLY | O_DIRECTORY);

    link(name, "hard");
    symlink(name, "soft");
    tell("open", syscall(SYS_open, name, O_RDWR | O_TRUNC));
    tell("openat", openat(folder, "hard", O_WRONLY | O_TRUNC));
    tell("by a symbolic link", open("soft", O_WRONLY | O_TRUNC));
    tell("creat", syscall(SYS_creat, name, 0700));
    tell("truncate", truncate(name, 10));
    tell("exclusively", open(name, O_WRONLY | O_CREAT | O_EXCL, 0600));
    tell("not as a link", open("soft", O_WRONLY | O_NOFOLLOW));
    tell("to read", open(name, O_RDONLY));
    tell("another file", open("other", O_WRONLY | O_CREAT | O_TRUNC, 0600));
    unlink("hard");
    unlink("soft");
    unlink("other");
}

/* mov $number, %eax; ret */
static void write_and_run(const char *what, unsigned char *at, const void *code)
{
    int (*function)(void) = (int (*)(void))(unsigned long)code;

    printf("%s:", what);
    for (int i = 0; i < 5; i++) {
        at[0] = 0xb8;
        memcpy(at + 1, &i, sizeof i);
        at[5] = 0xc3;
        printf(" %d", function());
    }
    printf("\n");
}

static void write_own_code(void)
{
    const int writing = PROT_READ | PROT_WRITE, executing = PROT_READ | PROT_EXEC;
    int file = memfd_create("code", 0);
    unsigned char *at;
    void *code;

    if (ftruncate(file, 2 * PAGE) != 0)
        return;
    at = mmap(NULL, 2 * PAGE, writing, MAP_SHARED, file, 0);
    write_and_run("mapped twice", at, mmap(NULL, PAGE, executing, MAP_SHARED, file, 0));
    code = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, PAGE);
    mprotect(code, PAGE, executing);
    write_and_run("executable later", at + PAGE, code);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        write_own_code();
    else
        write_own_file(argv[0]);
    return 0;
}
