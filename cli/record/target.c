/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.c: see target.h. Scripts are followed to their interpreter, which must be recordable itself.
 */
#include "cli/record/target.h"

#include "cli/cli.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MAX_INTERPRETERS = 4, HEAD = 256 };

/* Executable for this user, and a file. */
static bool runs(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

int target_find(const char *program, char *path, size_t size)
{
    const char *list = getenv("PATH");
    struct stat status;
    int result = CLI_NOT_FOUND;

    if (strchr(program, '/') != NULL) {
        snprintf(path, size, "%s", program);
        return stat(path, &status) == 0 || errno == EACCES ? 0 : CLI_NOT_FOUND;
    }
    if (list == NULL)
        list = "/bin:/usr/bin";
    while (*program != '\0') {
        size_t length = strcspn(list, ":");
        char candidate[PATH_MAX];

        snprintf(candidate, sizeof candidate, "%.*s%s%s", (int)length, list, length ? "/" : "./", program);
        if (runs(candidate)) {
            snprintf(path, size, "%s", candidate);
            return 0;
        }
        if (result == CLI_NOT_FOUND && stat(candidate, &status) == 0) {
            snprintf(path, size, "%s", candidate);
            result = CLI_NOT_EXECUTABLE;
        }
        if (list[length] == '\0')
            break;
        list += length + 1;
    }
    return result;
}

static int refuse(char *why, size_t size, const char *path, const char *text)
{
    snprintf(why, size, "%s: %s", path, text);
    return CLI_NOT_EXECUTABLE;
}

static const char *machine(unsigned code)
{
    static const struct {
        unsigned code;
        const char *name;
    } known[] = {
        {EM_386, "i386"},         {EM_ARM, "ARM"},   {EM_AARCH64, "AArch64"}, {EM_RISCV, "RISC-V"},
        {EM_PPC64, "PowerPC 64"}, {EM_S390, "s390"}, {EM_MIPS, "MIPS"},       {EM_X86_64, "x86-64"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].code == code)
            return known[i].name;
    }
    return "an unknown machine";
}

/* The dynamic linker that the program names has to be there. `elf` is sound. */
static int check_interpreter(const char *path, int file, const Elf64_Ehdr *elf, char *why, size_t size)
{
    char interpreter[PATH_MAX];
    Elf64_Phdr header;

    for (unsigned i = 0; i < elf->e_phnum; i++) {
        off_t at = (off_t)(elf->e_phoff + i * sizeof header);

        if (pread(file, &header, sizeof header, at) != sizeof header)
            return 0;
        if (header.p_type != PT_INTERP)
            continue;
        if (header.p_filesz == 0 || header.p_filesz > sizeof interpreter ||
            pread(file, interpreter, header.p_filesz, (off_t)header.p_offset) != (ssize_t)header.p_filesz ||
            interpreter[header.p_filesz - 1] != '\0' || access(interpreter, F_OK) == 0)
            return 0; /* the kernel looks at the first one only */
        snprintf(why, size, "%s: the dynamic linker that it names is not there: %s", path, interpreter);
        return CLI_NOT_FOUND;
    }
    return 0;
}

static int check_elf(const char *path, int file, const unsigned char *head, size_t length, char *why, size_t size)
{
    unsigned code = head[EI_DATA] == ELFDATA2MSB ? (unsigned)(head[18] << 8 | head[19])
                                                 : (unsigned)(head[19] << 8 | head[18]);
    struct stat status;
    Elf64_Ehdr elf = {0};

    if (head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != ELFDATA2LSB || code != EM_X86_64) {
        snprintf(why, size, "%s: a %s-bit program for %s; only 64-bit x86-64 programs can be recorded", path,
                 head[EI_CLASS] == ELFCLASS64 ? "64" : "32", machine(code));
        return CLI_NOT_EXECUTABLE;
    }
    /* The kernel executes a program with all its program headers. */
    memcpy(&elf, head, length < sizeof elf ? length : sizeof elf);
    uint64_t bytes = fstat(file, &status) == 0 ? (uint64_t)status.st_size : 0;
    if (length >= sizeof elf && (elf.e_type == ET_EXEC || elf.e_type == ET_DYN) && elf.e_phnum > 0 &&
        elf.e_phentsize == sizeof(Elf64_Phdr) && elf.e_phoff <= bytes &&
        elf.e_phnum * sizeof(Elf64_Phdr) <= bytes - elf.e_phoff)
        return check_interpreter(path, file, &elf, why, size);
    return refuse(why, size, path, "is an ELF file that cannot be executed: no program, or cut short");
}

/* What mode bits, capabilities and permissions say. */
static int check_file(const char *path, char *why, size_t size)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return errno == EACCES ? CLI_NOT_EXECUTABLE : CLI_NOT_FOUND;
    }
    if (S_ISDIR(status.st_mode))
        return refuse(why, size, path, "is a directory");
    if (!S_ISREG(status.st_mode))
        return refuse(why, size, path, "is not a file");
    if (access(path, X_OK) != 0)
        return refuse(why, size, path, "is not executable; `chmod +x` makes it so");
    if (access(path, R_OK) != 0)
        return refuse(why, size, path, "cannot be read, and the engine must read what it runs");
    if (status.st_mode & (S_ISUID | S_ISGID))
        return refuse(why, size, path,
                      "is setuid or setgid and would lose it under the engine; "
                      "record a copy without that bit");
    if (getxattr(path, "security.capability", NULL, 0) > 0)
        return refuse(why, size, path,
                      "has file capabilities and would lose them under the engine; "
                      "record a copy without them");
    return 0;
}

static int check_path(const char *path, unsigned depth, char *why, size_t size);

/* `line` is what follows #! */
static int check_script(const char *path, char *line, unsigned depth, char *why, size_t size)
{
    char *interpreter = line + strspn(line, " \t"), inner[1024];

    interpreter[strcspn(interpreter, " \t\r\n")] = '\0';
    if (*interpreter == '\0')
        return refuse(why, size, path, "names no interpreter behind #!");
    if (depth >= MAX_INTERPRETERS)
        return refuse(why, size, path, "its interpreters are scripts, too many in a row");
    int status = check_path(interpreter, depth + 1, inner, sizeof inner);
    if (status != 0) {
        snprintf(why, size, "%s: its interpreter cannot be run: %s", path, inner);
        return status;
    }
    return 0;
}

static int check_path(const char *path, unsigned depth, char *why, size_t size)
{
    unsigned char head[HEAD + 1] = {0};
    int status = check_file(path, why, size);

    if (status != 0)
        return status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, head, HEAD);
    bool is_elf = length >= 20 && memcmp(head, ELFMAG, SELFMAG) == 0;
    if (length < 0)
        status = refuse(why, size, path, strerror(errno));
    else if (is_elf)
        status = check_elf(path, file, head, (size_t)length, why, size);
    if (file >= 0)
        close(file);
    if (length < 0 || is_elf)
        return status;
    if (length >= 2 && head[0] == '#' && head[1] == '!') {
        head[strcspn((char *)head, "\n")] = '\0';
        return check_script(path, (char *)head + 2, depth, why, size);
    }
    return refuse(why, size, path, "is neither an ELF program nor a script that begins with #!");
}

int target_check(const char *program, char *why, size_t size)
{
    char path[PATH_MAX];
    int status = target_find(program, path, sizeof path);

    if (status == CLI_NOT_FOUND) {
        snprintf(why, size, strchr(program, '/') ? "%s: no such file" : "%s: not found in PATH", program);
        return status;
    }
    return check_path(path, 0, why, size);
}
