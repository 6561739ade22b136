/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_exec.c: see nt_exec.h.
 *
 * The file must be there, regular and executable, and begin as a program for this machine or as a script whose
 * interpreter is as good. The vectors must be there. What is left is what nobody can foresee: no memory, limits, a file
 * that is being written.
 */
#include "nt_exec.h"

#include <asm/stat.h>
#include <linux/fcntl.h>

#include "nt_gate.h"
#include "nt_lib.h"
#include "nt_sys.h"

enum { HEAD = 256, SCRIPTS = 5, MACHINE = 18, TYPE_MASK = 0170000, TYPE_REGULAR = 0100000, EXECUTE = 1 };

/* Copies the program's string; false if it is not there, or longer than a path can be. */
static bool take_path(uint64_t from, char to[4096])
{
    for (size_t i = 0; i < 4096; i++) {
        if (nt_copy(&to[i], (const void *)(from + i), 1) != 0)
            return false;
        if (to[i] == '\0')
            return true;
    }
    return false;
}

/* A vector of strings, up to its NULL; none at all is good for the kernel. */
static bool is_vector(uint64_t at)
{
    uint64_t string;
    char byte;

    if (at == 0)
        return true;
    for (;; at += sizeof string) {
        if (nt_copy(&string, (const void *)at, sizeof string) != 0)
            return false;
        if (string == 0)
            return true;
        if (nt_copy(&byte, (const void *)string, 1) != 0)
            return false;
    }
}

static bool is_machine(const uint8_t *head)
{
    enum { X86 = 3, X86_64 = 62 };
    unsigned machine = head[MACHINE] | (unsigned)head[MACHINE + 1] << 8;

    return memcmp(head, "\177ELF", 4) == 0 && (machine == X86_64 || machine == X86);
}

/* The file's head; false if it is not a file that could be executed at all. */
static bool read_head(long folder, const char *path, long flags, uint8_t head[HEAD])
{
    long fd, got;
    struct stat status;
    bool good;

    if (nt_failed(nt_sys6(__NR_faccessat2, folder, (long)path, EXECUTE, AT_EACCESS | flags, 0, 0)))
        return false;
    if (flags & AT_EMPTY_PATH && path[0] == '\0')
        fd = nt_sys6(__NR_dup, folder, 0, 0, 0, 0, 0);
    else
        fd = nt_sys6(__NR_openat, folder, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (nt_failed(fd))
        return false;
    good = nt_sys3(__NR_fstat, fd, (long)&status, 0) == 0 && (status.st_mode & TYPE_MASK) == TYPE_REGULAR;
    memset(head, 0, HEAD);
    got = good ? nt_sys6(__NR_pread64, fd, (long)head, HEAD - 1, 0, 0, 0) : 0;
    nt_sys3(__NR_close, fd, 0, 0);
    return got > 0;
}

/* "#! INTERPRETER ARGUMENT": the interpreter's path, ended in place; NULL: this is no script. */
static const char *interpreter_of(uint8_t *head)
{
    char *at = (char *)head + 2, *path;

    if (head[0] != '#' || head[1] != '!')
        return NULL;
    while (*at == ' ' || *at == '\t')
        at++;
    path = at;
    while (*at != '\0' && *at != '\n' && *at != ' ' && *at != '\t')
        at++;
    *at = '\0';
    return *path == '\0' ? NULL : path;
}

bool nt_exec_succeeds(long folder, uint64_t path, uint64_t argv, uint64_t envp, long flags)
{
    static char name[4096];
    static uint8_t head[HEAD];
    const char *interpreter;

    if (!take_path(path, name) || !is_vector(argv) || !is_vector(envp) || !read_head(folder, name, flags, head))
        return false;
    for (int depth = 0; depth < SCRIPTS && (interpreter = interpreter_of(head)) != NULL; depth++) {
        size_t length = 0;

        while (interpreter[length] != '\0')
            length++;
        memmove(name, interpreter, length + 1);
        if (!read_head(AT_FDCWD, name, 0, head))
            return false;
    }
    return is_machine(head);
}
