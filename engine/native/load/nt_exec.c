/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_exec.c: see nt_exec.h.
 *
 * The file must be there, regular and executable, and begin as a program for this machine, whose dynamic linker is
 * there, or as a script whose interpreter is as good. The vectors must be there. What is left is what nobody can
 * foresee: no memory, limits, and before Linux 6.8 a file that is open for writing. A file that may be executed and not
 * read is executed by a child that dies of it.
 */
#include "nt_exec.h"

#include <asm/signal.h>
#include <asm/stat.h>
#include <elf.h>
#include <linux/fcntl.h>
#include <linux/personality.h>
#include <linux/resource.h>
#include <linux/wait.h>
#include <stddef.h>

#include "core/host.h"
#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/kernel/nt_limit.h"

enum { HEAD = 256, SCRIPTS = 5, MOST_HEADER_BYTES = 65536, TYPE_MASK = 0170000, TYPE_REGULAR = 0100000, EXECUTE = 1 };
#define NO_ADDRESS (~0UL << 12) /* the kernel's: nobody can have arguments there */

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

long nt_exec_try(long folder, const char *path, long flags)
{
    return nt_sys6(__NR_execveat, folder, (long)path, (long)NO_ADDRESS, 0, flags, 0);
}

/* A process of the engine's own, all of whose signals are blocked. */
static long fork_quietly(void)
{
    return nt_sys6(__NR_clone, 0, 0, 0, 0, 0, 0);
}

static int status_of(long child)
{
    int status = 0;

    nt_sys6(__NR_wait4, child, (long)&status, __WALL, 0, 0, 0);
    return status;
}

/* Whether a file that cannot be read is executed: by a process that may have no memory, so that it is killed when it
 * has become the program, and before it runs. The name that the kernel gets is short: what memory there is has to hold
 * it. It is a child's child, since whoever has executed something sends SIGCHLD. */
static bool is_executed(long folder, const char *path, long flags)
{
    const char *const argv[] = {"", NULL};
    const struct rlimit64 none = {0, 0};
    uint64_t all = ~0UL, before;

    nt_sys6(__NR_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, sizeof all, 0, 0);
    long child = fork_quietly(), inner = child == 0 ? fork_quietly() : -1;
    if (inner == 0) {
        long how = O_PATH | (flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0);
        long file = *path == '\0' ? folder : nt_sys6(__NR_openat, folder, (long)path, how, 0, 0, 0);
        nt_sys6(__NR_prlimit64, 0, RLIMIT_AS, (long)&none, 0, 0, 0);
        nt_sys6(__NR_execveat, file, (long)"", (long)argv, 0, AT_EMPTY_PATH, 0);
    }
    if (child == 0)
        nt_sys3(__NR_exit_group, inner > 0 && (status_of(inner) & 0x7f) == 0, 0, 0);
    int status = nt_failed(child) ? 0 : status_of(child);
    nt_sys6(__NR_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before, 0, 0);
    return status == 0;
}

enum file { BAD, GOOD, UNREADABLE };

static enum file read_head(long folder, const char *path, long flags, bool is_linker, uint8_t head[HEAD]);

/* Whether the kernel takes the dynamic linker that the program names, if it names one. */
static bool has_linker(long fd, const Elf64_Ehdr *elf)
{
    char linker[4096];
    uint8_t head[HEAD];
    Elf64_Phdr header;

    for (int i = 0; i < elf->e_phnum; i++) {
        long at = (long)(elf->e_phoff + (uint64_t)i * sizeof header);

        if (nt_sys6(__NR_pread64, fd, (long)&header, sizeof header, at, 0, 0) != sizeof header)
            return true; /* it is not for us to say what is wrong */
        if (header.p_type != PT_INTERP)
            continue;
        if (header.p_filesz < 2 || header.p_filesz > sizeof linker ||
            nt_sys6(__NR_pread64, fd, (long)linker, (long)header.p_filesz, (long)header.p_offset, 0, 0) !=
                (long)header.p_filesz ||
            linker[header.p_filesz - 1] != '\0')
            return false;
        return read_head(AT_FDCWD, linker, 0, true, head) != BAD;
    }
    return true;
}

/* Whether an ELF file is one that the kernel takes for a program or, if of 64 bits, for a dynamic linker. Its class is
 * nothing to the kernel; the size of a program header is. */
static bool is_taken(long fd, const Elf64_Ehdr *elf, bool is_linker)
{
    uint16_t short_header;
    char byte;

    if (elf->e_machine == EM_X86_64 && elf->e_phentsize == sizeof(Elf64_Phdr)) {
        uint64_t bytes = (uint64_t)elf->e_phnum * sizeof(Elf64_Phdr);

        return bytes > 0 && bytes <= MOST_HEADER_BYTES &&
               nt_sys6(__NR_pread64, fd, (long)&byte, 1, (long)(elf->e_phoff + bytes - 1), 0, 0) == 1 &&
               (is_linker || ((elf->e_type == ET_EXEC || elf->e_type == ET_DYN) && has_linker(fd, elf)));
    }
    memcpy(&short_header, (const char *)elf + offsetof(Elf32_Ehdr, e_phentsize), sizeof short_header);
    return !is_linker && short_header == sizeof(Elf32_Phdr) &&
           (elf->e_machine == EM_X86_64 || elf->e_machine == EM_386);
}

/* The file's head; BAD if it is not a file that could be executed at all. */
static enum file read_head(long folder, const char *path, long flags, bool is_linker, uint8_t head[HEAD])
{
    char own[32];
    struct stat status;
    Elf64_Ehdr elf;

    if (nt_failed(nt_sys6(__NR_faccessat2, folder, (long)path, EXECUTE, AT_EACCESS | flags, 0, 0)) ||
        nt_exec_try(folder, path, flags) != -EFAULT)
        return BAD;
    bool is_open = flags & AT_EMPTY_PATH && path[0] == '\0';
    nt_format(own, sizeof own, "/proc/thread-self/fd/%d", (int)folder);
    long fd = nt_host_open_at(folder, is_open ? own : path, O_RDONLY, 0);
    if (fd == -EACCES)
        return UNREADABLE;
    if (nt_failed(fd) && is_open)
        fd = folder; /* without /proc, and no good if it was opened with O_PATH */
    if (nt_failed(fd))
        return BAD;
    bool good = nt_sys3(__NR_fstat, fd, (long)&status, 0) == 0 && (status.st_mode & TYPE_MASK) == TYPE_REGULAR;
    memset(head, 0, HEAD);
    long got = good ? nt_sys6(__NR_pread64, fd, (long)head, HEAD - 1, 0, 0, 0) : 0;
    if (got >= (long)sizeof elf && memcmp(head, ELFMAG, SELFMAG) == 0) {
        memcpy(&elf, head, sizeof elf);
        good = is_taken(fd, &elf, is_linker);
    } else if (got > 0) {
        good = !is_linker && head[0] == '#' && head[1] == '!';
    }
    if (!is_open || fd != folder)
        nt_sys3(__NR_close, fd, 0, 0);
    return good && got > 0 ? GOOD : BAD;
}

bool nt_exec_script(char *line, char **interpreter, char **argument)
{
    char *at = line + 2, *end;

    *argument = NULL;
    if (line[0] != '#' || line[1] != '!')
        return false;
    for (end = at; *end != '\0' && *end != '\n'; end++)
        ;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
    while (*at == ' ' || *at == '\t')
        at++;
    *interpreter = at;
    while (*at != '\0' && *at != ' ' && *at != '\t')
        at++;
    if (*at != '\0') {
        *at++ = '\0';
        while (*at == ' ' || *at == '\t')
            at++;
        *argument = *at == '\0' ? NULL : at;
    }
    return **interpreter != '\0';
}

/* Whether the kernel names the file to a script's interpreter by a descriptor, "/dev/fd/3". */
static bool is_by_descriptor(long folder, const char *path)
{
    return (int)folder != AT_FDCWD && path[0] != '/';
}

/* On the stack: children of vfork, of several threads, are here at the same time in one memory. */
bool nt_exec_succeeds(const struct nt_exec *exec)
{
    char name[4096];
    uint8_t head[HEAD];
    char *interpreter, *argument;

    if (!nt_host_program_text(exec->path, name, sizeof name) || !is_vector(exec->argv) || !is_vector(exec->envp))
        return false;
    enum file file = read_head(exec->folder, name, exec->flags, false, head);
    if (file == GOOD && head[0] == '#' && is_by_descriptor(exec->folder, name) &&
        nt_sys3(__NR_fcntl, exec->folder, F_GETFD, 0) & FD_CLOEXEC)
        return false; /* the interpreter would not find it */
    for (int depth = 0; file == GOOD && depth < SCRIPTS && nt_exec_script((char *)head, &interpreter, &argument);
         depth++) {
        memmove(name, interpreter, strlen(interpreter) + 1);
        file = read_head(AT_FDCWD, name, 0, false, head);
    }
    if (file != GOOD)
        return file == UNREADABLE && is_executed(exec->folder, (const char *)exec->path, exec->flags);
    return memcmp(head, ELFMAG, SELFMAG) == 0;
}

/* ------------------------------------------------------------------------------------------ traced */

enum { OPTIONS_ROOM = 512, FIXED_WORDS = 2048, FILE_ROOM = 4096 + 16 };

static const char *handed_on[OPTIONS_ROOM];
static size_t handed_on_count;

void nt_exec_hand_on(const char *option)
{
    size_t bytes = strlen(option) + 1;
    char *copy = nt_host_small(bytes); /* the program may change its stack's upper end, where the option is */

    if (handed_on_count == OPTIONS_ROOM)
        nt_die(NT_REJECTED, "too many options\n");
    memcpy(copy, option, bytes);
    handed_on[handed_on_count++] = copy;
}

/* The name of the descriptor's file; false if there is no file of that name. */
static bool name_of(long fd, char *to, size_t room)
{
    return !nt_failed(nt_host_name_of((int)fd, to, room)) && to[0] == '/' &&
           nt_sys3(__NR_access, (long)to, 0, 0) == 0;
}

/* The program's file by a name that the new engine can use. */
static bool file_name(long folder, const char *path, long flags, char *to, size_t room)
{
    uint8_t head[HEAD];

    if (is_by_descriptor(folder, path) && read_head(folder, path, flags, false, head) == GOOD && head[0] == '#') {
        nt_format(to, room, "/dev/fd/%d%s%s", (int)folder, path[0] == '\0' ? "" : "/", path);
        return true;
    }
    if (path[0] == '\0')
        return (flags & AT_EMPTY_PATH) != 0 && name_of(folder, to, room);
    if (path[0] == '/' || (int)folder == AT_FDCWD) {
        nt_format(to, room, "%s", path);
        return true;
    }
    if (!name_of(folder, to, room))
        return false;
    size_t length = strlen(to);
    nt_format(to + length, room - length, "/%s", path);
    return true;
}

/* A child of vfork, whose memory is its parent's, leaves nothing behind but in the rare case of very many arguments. */
void nt_exec_traced(const struct nt_exec *exec, uint8_t but, long (*execute)(const uint64_t call[7]))
{
    const char *fixed[FIXED_WORDS], **words = fixed;
    char name[4096], file[FILE_ROOM] = "--file=", asked[NT_LIMIT_TEXT];
    char personality[sizeof NT_EXEC_PERSONALITY + 20];
    size_t count = 0, at = 0;
    long before = nt.options.aslr ? -1 : nt_sys3(__NR_personality, 0xffffffff, 0, 0);

    if (!nt_host_program_text(exec->path, name, sizeof name) ||
        !file_name(exec->folder, name, exec->flags, file + 7, sizeof file - 7))
        return;
    for (uint64_t word; exec->argv != 0; count++) {
        if (nt_copy(&word, (const void *)(exec->argv + count * sizeof word), sizeof word) != 0 || word == 0)
            break;
    }
    size_t room = handed_on_count + count + 9;
    if (room > FIXED_WORDS)
        words = tn_host_alloc(room * sizeof *words);
    words[at++] = "tenure-native";
    for (size_t i = 0; i < handed_on_count; i++)
        words[at++] = handed_on[i];
    words[at++] = file;
    nt_limit_hand_on(asked, sizeof asked, but);
    words[at++] = asked;
    /* Fixed addresses from the first start on: a debugger of the program's counts how often it executes something. */
    if (!nt_failed(before) && !nt_failed(nt_sys3(__NR_personality, before | ADDR_NO_RANDOMIZE, 0, 0))) {
        nt_format(personality, sizeof personality, NT_EXEC_PERSONALITY "%lu", (uint64_t)before);
        words[at++] = personality;
    }
    words[at++] = "--";
    if (count == 0)
        words[at++] = ""; /* the kernel lets no program begin without */
    if (nt_copy(words + at, (const void *)exec->argv, count * sizeof *words) == 0) {
        words[at + count] = NULL;
        execute((const uint64_t[7]){__NR_execve, (uint64_t) "/proc/thread-self/exe", (uint64_t)words, exec->envp});
    }
    if (!nt_failed(before))
        nt_sys3(__NR_personality, before, 0, 0);
    if (words != fixed)
        tn_host_free(words, room * sizeof *words);
}
