/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_map.h: from run-time addresses to the core's objects and functions, for every engine alike.
 *
 * An object is one mapping of one file: the same library, unloaded and loaded elsewhere, is another object. Two
 * mappings of one file that lie as far apart as their file offsets are the same object. Executable memory without a
 * file is the object "[anon]": its functions are those that a JIT compiler writes down for perf. Where nobody knows
 * the functions, there and in mapped files that are no ELF files, they begin where they are called, and are named by
 * how far that is from the start of the mapping or of the file: "0x1f40". functions.h draws the bounds; the engine
 * says what is mapped where.
 *
 * The core keeps what it was told, since costs refer to it; when memory is unmapped only the way from addresses is
 * forgotten. Freestanding.
 */
#ifndef TENURE_ENGINE_CODE_MAP_H
#define TENURE_ENGINE_CODE_MAP_H

#include "core/tenure_core.h"
#include "engine/common/functions.h"

typedef struct code_map code_map;

/* The mapping around an address. */
struct code_mapping {
    uint64_t start, end;
    const char *path; /* of a mapped file; NULL: there is none. Copied */
    uint64_t offset;  /* in the file, of `start` */
    uint64_t dev, ino;
};

struct code_map_host {
    const struct fb_host *memory; /* and files */
    void *user;                   /* handed back in each call below */
    /* False: nothing is known to be mapped at `address`. */
    bool (*mapping_at)(void *user, uint64_t address, struct code_mapping *out);
    /* Fills in what the options say of a function with this name: flags, separate_callers, separate_recs. The rest
     * is filled in already; fb_flags are those of functions.h. */
    void (*describe)(void *user, uint32_t fb_flags, struct tn_function_info *info);
    uint64_t (*process_id)(void *user);
    /* One thread at a time, from lock(user, true) to lock(user, false); NULL: there is but one that asks. */
    void (*lock)(void *user, bool begins);
};

/* `host` and `core` must outlive the map. Never NULL if host->memory->reserve never is. */
code_map *code_map_new(const struct code_map_host *host, tn_core *core);
void code_map_free(code_map *map);

struct code_function {
    uint32_t id;         /* the core's; never TN_NONE */
    uint64_t start, end; /* the range around the address; a function may have several (f and f.cold) */
};
/* Finds or makes the object and the function at `address`. */
void code_map_function(code_map *map, uint64_t address, struct code_function *out);

/* The same, the id alone, through a cache: for indirect jumps. */
uint32_t code_map_function_id(code_map *map, uint64_t address);
/* The same, of an address that is called: in code of which nothing is known a function begins there. */
uint32_t code_map_callee_id(code_map *map, uint64_t address);

/* Names functions that were known by their addresses, if a compiler has by now written down their names: some do so
 * when the program ends. */
void code_map_name_late(code_map *map);

/* The program has called the kernel: files of names may have become longer. They are read when a name is asked for. Any
 * thread may call this. */
void code_map_written(code_map *map);

/* Executable memory was mapped at `address`. */
void code_map_mapped(code_map *map, uint64_t address);
/* Memory was unmapped: what was known about it no longer holds. */
void code_map_unmapped(code_map *map, uint64_t address, uint64_t bytes);

#endif
