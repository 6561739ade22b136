/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_refuse.c: what becomes of a program that turns out not to be one for this engine before its first instruction.
 *
 * `tenure record`, where the engine was its own choice, reads the reason from a pipe and runs the program under
 * Valgrind. A program that another one executes under --trace-children runs bare, and a line says so. Else the run
 * ends. Which of the three is a matter of the command line; from the program's first instruction on there is only the
 * last.
 */
#include "nt_load.h"

#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "engine/native/kernel/nt_limit.h"

enum { CANNOT = 125, NOT_EXECUTABLE = 126 };

static int to;
static struct {
    const char *path;
    char **argv, **envp;
    uint64_t personality;
} bare;

/* What the user asked for is wrong, or the program: Valgrind would say the same. */
static void refuse_tell(int status, const char *line)
{
    if (status != CANNOT)
        return;
    nt_sys3(__NR_write, to, (long)line, (long)strlen(line));
    nt_sys3(__NR_exit_group, CANNOT, 0, 0);
}

void nt_refuse_to(int fd)
{
    to = fd;
    nt_before_dying = refuse_tell;
}

static void refuse_run(int status, const char *line)
{
    (void)status;
    nt_before_dying = NULL;
    nt_say("%s is not profiled: %s", bare.path, line);
    nt_limit_leave(0);
    nt_sys3(__NR_personality, (long)bare.personality, 0, 0);
    nt_sys3(__NR_execve, (long)bare.path, (long)bare.argv, (long)bare.envp);
    nt_die(NOT_EXECUTABLE, "%s: cannot be executed\n", bare.path);
}

void nt_refuse_but_run(const char *path, char **argv, char **envp, uint64_t personality)
{
    bare.path = path;
    bare.argv = argv;
    bare.envp = envp;
    bare.personality = personality;
    nt_before_dying = refuse_run;
}

void nt_refuse_no_more(void)
{
    if (nt_before_dying == refuse_tell)
        nt_sys3(__NR_close, to, 0, 0);
    nt_before_dying = NULL;
}
