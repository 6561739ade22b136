/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_damaged.c: programs that the kernel does not execute: ELF files with something wrong, whose caller goes on;
 * scripts by their descriptor; and a program without arguments. In the end the program executes itself.
 *
 * Prints why, the same as on the bare CPU.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODYS = 0x7777 }; /* machine */

extern char **environ;
static union {
    Elf64_Ehdr elf;
    char bytes[4 << 20];
} file;
static size_t size;
static char folder[] = "/tmp/damagedXXXXXX", path[64], linker[64];

static Elf64_Phdr *interpreter(void)
{
    Elf64_Phdr *header = (Elf64_Phdr *)(file.bytes + file.elf.e_phoff);

    while (header->p_type != PT_INTERP)
        header++;
    return header;
}

static void put(const char *name, const void *bytes, size_t count, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0700);

    if (write(fd, bytes, count) != (ssize_t)count || fchmod(fd, mode) != 0)
        puts("not written");
    close(fd);
}

/* Executes the file as it is now, and reads it again. */
static void try(const char *what)
{
    char *arguments[] = {path, NULL};
    int fd;

    put(path, file.bytes, size, 0700);
    fflush(stdout);
    execv(path, arguments);
    printf("%s: %s\n", what, strerror(errno));
    fd = open("/proc/self/exe", O_RDONLY);
    size = (size_t)read(fd, file.bytes, sizeof file.bytes);
    close(fd);
}

static void try_linker(const char *what, const char *name)
{
    Elf64_Phdr *header = interpreter();

    strcpy(file.bytes + header->p_offset, name);
    header->p_filesz = strlen(name) + 1;
    try(what);
}

/* In a child. */
static void execute(int fd, char **arguments)
{
    int status;

    fflush(stdout);
    if (fork() == 0) {
        syscall(SYS_execveat, fd, "", arguments, environ, AT_EMPTY_PATH);
        printf("%s\n", strerror(errno));
        fflush(stdout);
        _exit(1);
    }
    wait(&status);
    printf("status %d\n", WEXITSTATUS(status));
}

static void by_descriptor(void)
{
    static const char script[] = "#!/bin/sh\ncase $0 in /dev/fd/*) echo by descriptor $1;; *) echo $0;; esac\nexit 3\n";
    char *arguments[] = {path, (char *)"one", NULL}, *none[] = {NULL};

    put(path, script, sizeof script - 1, 0700);
    execute(open(path, O_RDONLY), arguments);
    execute(open(path, O_RDONLY | O_CLOEXEC), arguments);
    setenv("NO_ARGUMENTS", "", 1);
    execute(open("/proc/self/exe", O_RDONLY), none);
    unsetenv("NO_ARGUMENTS");
}

int main(int argc, char **argv)
{
    char *again[] = {(char *)"damaged", (char *)"again", NULL};
    Elf64_Ehdr elf;

    if (getenv("NO_ARGUMENTS")) {
        printf("%d arguments, '%s'\n", argc, argc > 0 ? argv[0] : "none");
        return 6;
    }
    if (argc > 1) {
        puts(argv[1]);
        return 7;
    }
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/program", folder);
    snprintf(linker, sizeof linker, "%s/linker", folder);
    size = 3;
    memcpy(file.bytes, "no\n", size);
    try("neither script nor program");
    file.elf.e_machine = NOBODYS;
    try("another machine's");
    file.elf.e_machine = EM_386;
    try("of 32 bits, with headers of 64");
    file.elf.e_type = ET_REL;
    try("an object file");
    file.elf.e_phnum = 0;
    try("no headers");
    file.elf.e_phnum = 2000;
    try("too many headers");
    file.elf.e_phentsize = 57;
    try("large headers");
    size = sizeof file.elf + 100;
    try("cut off in its headers");
    interpreter()->p_filesz = 1;
    try("no name of a linker");
    interpreter()->p_filesz--;
    try("a linker's name without its end");
    interpreter()->p_filesz = 5000;
    try("a linker's name that is too long");
    try_linker("no linker", "/tmp/none");
    try_linker("a folder for a linker", "/tmp");
    try_linker("a device for a linker", "/dev/null");
    put(linker, "#!/bin/sh\n", 10, 0700);
    try_linker("a short linker", linker);
    put(linker, file.bytes, 100, 0600);
    try_linker("a linker that may not be executed", linker);
    memset(&elf, '#', sizeof elf);
    put(linker, &elf, sizeof elf, 0700);
    try_linker("a linker that is no program", linker);
    elf = file.elf;
    elf.e_machine = NOBODYS;
    put(linker, &elf, sizeof elf, 0700);
    try_linker("another machine's linker", linker);
    by_descriptor();
    unlink(linker);
    unlink(path);
    rmdir(folder);
    syscall(SYS_execveat, AT_FDCWD, "/proc/self/exe", again, environ, AT_SYMLINK_NOFOLLOW);
    printf("a link: %s\n", strerror(errno));
    fflush(stdout);
    execve("/proc/self/exe", again, environ);
    return 1;
}
