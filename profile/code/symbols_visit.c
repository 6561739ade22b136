/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_visit.c: see symbols_visit.h. Files are a list that grows while it is gone through: what a file needs is put
 * behind it, once.
 */
#include "profile/code/symbols_visit.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 64, FOLDERS = 4096 };

static bool add_file(struct tp_recording *rec, const char *path)
{
    char real[PATH_MAX];
    struct tp_object *object;

    if (!realpath(path, real))
        return false;
    for (size_t i = 0; i < rec->objects.count; i++) {
        if (strcmp(rec->objects.at[i].file, real) == 0)
            return true;
    }
    if (rec->objects.count >= MOST_FILES)
        return true;
    object = TP_VECTOR_ADD(&rec->objects);
    const char *copy = object ? tp_arena_copy(&rec->arena, real, strlen(real) + 1) : NULL;
    if (!copy) {
        rec->objects.count -= object != NULL;
        return false;
    }
    *object = (struct tp_object){.path = copy, .file = copy};
    return true;
}

/* Folders with ':' between, $ORIGIN among them. */
static bool visit_try_folders(struct tp_recording *rec, const char *folders, const char *origin, const char *name)
{
    char path[PATH_MAX];

    for (const char *end; *folders; folders = end + (*end == ':')) {
        static const char word[] = "$ORIGIN";
        bool relative = strncmp(folders, word, sizeof word - 1) == 0;
        end = folders + strcspn(folders, ":");
        if (relative)
            folders += sizeof word - 1;
        const char *slash = strrchr(origin, '/');
        int length = snprintf(path, sizeof path, "%.*s%.*s/%s", relative && slash ? (int)(slash - origin) : 0, origin,
                              (int)(end - folders), folders, name);
        if (length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0)
            return add_file(rec, path);
    }
    return false;
}

static void find_library(struct tp_recording *rec, const char *origin, const char *folders, const char *name)
{
    const char *given = getenv("LD_LIBRARY_PATH");

    if (strchr(name, '/'))
        add_file(rec, name);
    else if (!visit_try_folders(rec, folders, origin, name) && !(given && visit_try_folders(rec, given, origin, name)))
        visit_try_folders(rec, "/usr/local/lib:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:"
                               "/usr/lib", origin, name);
}

static void add_needed(struct tp_recording *rec, Elf *elf, const char *origin)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header = {0};
    GElf_Dyn entry;
    const char *folders = "";

    while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header) && header.sh_type != SHT_DYNAMIC)
        ;
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    for (int i = 0; data && gelf_getdyn(data, i, &entry); i++) {
        const char *text = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
        if (text && (entry.d_tag == DT_RUNPATH || (entry.d_tag == DT_RPATH && !*folders)))
            folders = text;
    }
    for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        const char *text = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
        if (text && entry.d_tag == DT_NEEDED)
            find_library(rec, origin, folders, text);
    }
}

/* Whether the file has debug information of its own; what it needs is put into the list. */
static bool look_into(struct tp_recording *rec, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t names;
    bool has = false;

    if (elf && elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0) {
        while (!has && (section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header)) {
            const char *name = elf_strptr(elf, names, header.sh_name);
            has = name && (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0);
        }
        add_needed(rec, elf, path);
    }
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return has;
}

int tp_symbols_visit(const char *program, tp_visit_debug *visit, void *user, struct tp_error *err)
{
    struct tp_recording rec = {0};
    int failed = 0;

    elf_version(EV_CURRENT);
    add_file(&rec, program);
    for (size_t i = 0; !failed && i < rec.objects.count; i++) {
        bool has = look_into(&rec, rec.objects.at[i].file);
        if (has || i == 0)
            failed = tp_symbols_visit_object(&rec, i, visit, user, err);
    }
    TP_VECTOR_FREE(&rec.objects);
    tp_arena_free(&rec.arena);
    return failed;
}
