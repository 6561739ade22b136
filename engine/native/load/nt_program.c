/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_program.c: from a name to a program in memory: PATH, #!, the interpreter of a dynamic program.
 *
 * Statuses are a shell's: 127 for what is not found, 126 for what cannot be executed. A program that would gain
 * privileges cannot be run by a profiler; it is refused, not run without them.
 */
#include "engine/native/kernel/nt_host.h"
#include "nt_load.h"

#include <linux/fcntl.h>
#include <linux/stat.h>
#include <asm/stat.h>

#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "engine/native/kernel/nt_maps.h"
#include "engine/native/kernel/nt_region.h"
#include "nt_exec.h"

enum { SCRIPT_HEAD = 256, DEEPEST = 4 };

/* Where the kernel puts a program that can lie anywhere, and with randomisation up to how many pages behind. */
#define PIE_START 0x555555554000UL
#define PIE_PAGES (1UL << 28)

uint64_t nt_random_pages(uint64_t pages)
{
    uint64_t number = 0;

    if (nt_sys3(__NR_getrandom, (long)&number, sizeof number, 0) != sizeof number)
        number = (uint64_t)nt_process_id() * 0x9e3779b97f4a7c15UL >> 20;
    return number % pages * NT_PAGE;
}

static bool is_executable(const char *name)
{
    struct stat status;

    return nt_sys3(__NR_stat, (long)name, (long)&status, 0) == 0 && (status.st_mode & S_IFMT) == S_IFREG &&
           nt_sys3(__NR_access, (long)name, 1, 0) == 0;
}

/* The first executable file of this name in the folders of `path`; `to` has room for 4096. */
static bool program_search(const char *name, const char *path, char *to)
{
    for (;;) {
        size_t length = 0;

        while (path[length] != '\0' && path[length] != ':')
            length++;
        if (length + strlen(name) + 2 < 4096) {
            memcpy(to, path, length);
            nt_format(to + length, 4096 - length, "%s%s", length == 0 ? "" : "/", name);
            if (is_executable(to))
                return true;
        }
        if (path[length] == '\0')
            return false;
        path += length + 1;
    }
}

static int open_program(const char *name)
{
    uint8_t capabilities[64];
    struct stat status;

    if (nt_failed(nt_sys3(__NR_stat, (long)name, (long)&status, 0)))
        nt_die(127, "%s: not found\n", name);
    if (!is_executable(name))
        nt_die(126, "%s: not executable\n", name);
    if (status.st_mode & (S_ISUID | S_ISGID) ||
        !nt_failed(nt_sys6(__NR_getxattr, (long)name, (long)"security.capability", (long)capabilities,
                           sizeof capabilities, 0, 0)))
        nt_die(126, "%s: gains privileges when it is executed, and is not run without them\n", name);
    if (nt_exec_try(AT_FDCWD, name, 0) == -ETXTBSY)
        nt_die(126, "%s: somebody has it open to write to it (text file busy)\n", name);
    long fd = nt_host_open(name, O_RDONLY, 0);
    if (nt_failed(fd))
        nt_die(126, "%s: cannot be read\n", name);
    return (int)fd;
}

/* Opens what runs `name` in the end. */
static int open_behind_scripts(const char *name, struct nt_program *program)
{
    static char heads[DEEPEST][SCRIPT_HEAD];

    for (int depth = 0;; depth++) {
        int fd = open_program(name);
        char head[SCRIPT_HEAD] = {0}, *interpreter, *argument;

        nt_sys6(__NR_pread64, fd, (long)head, sizeof head - 1, 0, 0, 0);
        if (!nt_exec_script(head, &interpreter, &argument))
            return fd;
        if (depth == DEEPEST)
            nt_die(126, "%s: too many interpreters of interpreters\n", program->name);
        nt_sys3(__NR_close, fd, 0, 0);
        memcpy(heads[depth], head, sizeof head);
        interpreter = heads[depth] + (interpreter - head);
        argument = argument == NULL ? NULL : heads[depth] + (argument - head);
        /* In front of what is there: interpreter, argument, and the script's name in place of what named it. */
        if (program->before_count == 0)
            program->before_count = 1;
        program->before[0] = name;
        memmove(program->before + 1 + (argument != NULL), program->before,
                (size_t)program->before_count * sizeof program->before[0]);
        program->before[0] = interpreter;
        if (argument != NULL)
            program->before[1] = argument;
        program->before_count += 1 + (argument != NULL);
        name = interpreter;
    }
}

void nt_load_program(const char *name, const char *path, bool aslr, struct nt_program *program)
{
    static char found[4096];
    struct stat status;

    memset(program, 0, sizeof *program);
    program->aslr = aslr;
    if (nt_last_part(name) == name) {
        if (!program_search(name, path, found))
            nt_die(127, "%s: not found\n", name);
        name = found;
    }
    program->name = name;
    int fd = open_behind_scripts(name, program);
    nt_host_name_of(fd, nt.program, sizeof nt.program);
    if (nt_sys3(__NR_fstat, fd, (long)&status, 0) == 0) {
        nt.program_device = status.st_dev;
        nt.program_inode = status.st_ino;
    }
    const char *wrong = nt_load_file(fd, PIE_START + (aslr ? nt_random_pages(PIE_PAGES) : 0), true, &program->image);
    if (wrong != NULL)
        nt_die(program->image.has_no_room ? 125 : 126, "%s: %s\n", name, wrong);
    nt_sys3(__NR_close, fd, 0, 0);
    program->start = program->image.entry;
    if (program->image.has_interpreter) {
        const char *interpreter = program->image.interpreter;
        long of_it = nt_host_open(interpreter, O_RDONLY, 0);
        if (nt_failed(of_it))
            nt_die(127, "%s: its interpreter %s is not found\n", name, interpreter);
        wrong = nt_load_file((int)of_it, 0, true, &program->interpreter);
        if (wrong != NULL)
            nt_die(program->interpreter.has_no_room ? 125 : 126, "%s: %s\n", interpreter, wrong);
        nt_sys3(__NR_close, of_it, 0, 0);
        program->start = program->interpreter.entry;
    }
}
