/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_load.h: ELF files into memory, as the kernel's exec does it.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_LOAD_H
#define TENURE_ENGINE_NATIVE_NT_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An ELF file in memory. Addresses are where it is, not where it was linked for. */
struct nt_image {
    uint64_t base;               /* what was added to the file's addresses */
    uint64_t start, end;         /* of all segments; `end` with .bss */
    uint64_t entry, headers;     /* headers: address of the program headers */
    uint16_t header_count, header_bytes;
    bool is_static_position;     /* ET_EXEC */
    bool has_interpreter, executable_stack;
    bool has_no_room;            /* that is what is wrong: the program may be good, but not here */
    char interpreter[4096];
};

/* Map the file. `at`: where a file that can lie anywhere goes (0: the kernel chooses). `describe`: tell nt_maps what of
 * it is executable, which only the program's own code is. Returns NULL, or what is wrong. */
const char *nt_load_file(int fd, uint64_t at, bool describe, struct nt_image *image);

/* Tell nt_maps what of an image that is mapped already, with its headers in front, is executable. */
void nt_load_note(const void *image);

/* What is to be run, behind any number of #!. */
struct nt_program {
    struct nt_image image, interpreter;
    uint64_t start;              /* the first instruction */
    const char *name;            /* AT_EXECFN: what was asked for */
    const char *before[8];       /* arguments that scripts put in place of argv[0] */
    int before_count;
    uint64_t break_start;        /* a page; the caller's to fill in */
    bool aslr;                   /* its addresses are random */
};

/* So many random pages, in bytes, below `pages`. */
uint64_t nt_random_pages(uint64_t pages);

/* Find `name` (in `path` if it has no slash), and map it and its interpreter, at random addresses if `aslr`. Ends the
 * process with status 126 or 127 and a message if that cannot be. */
void nt_load_program(const char *name, const char *path, bool aslr, struct nt_program *program);

/* ------------------------------------- what becomes of a program that is not one for this engine (nt_refuse.c) */

/* From now on reasons go to this descriptor. */
void nt_refuse_to(int fd);
/* From now on the program runs bare, where it cannot be profiled: its file, arguments, environment, and personality. */
void nt_refuse_but_run(const char *path, char **argv, char **envp, uint64_t personality);
/* The program begins. */
void nt_refuse_no_more(void);

/* ------------------------------------------------------------------------------- the decoder library (nt_library.c) */

/* `name`: the file; one of the same name next to tenure-native is preferred. Ends the process if it cannot be used. */
void nt_library_start(const char *name);
/* A function of it, NULL if it has none of this name. */
void *nt_library_symbol(const char *name);

#endif
