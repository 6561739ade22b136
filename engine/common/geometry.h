/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * geometry.h: caches as options and profiles write them, which this machine has, and numbers as users write them.
 * Freestanding: both engines and `tenure` compile it.
 */
#ifndef TENURE_ENGINE_GEOMETRY_H
#define TENURE_ENGINE_GEOMETRY_H

#include "core/tenure_core.h"

/* The digits at *text, which it moves behind them; false if there are none, or too many. */
bool number_parse(const char **text, uint64_t *out);
/* The same, perhaps with K, M or G behind it (powers of 1024). */
bool size_parse(const char **text, uint64_t *out);
/* The digits of `value` at `to`; returns their end, where a NUL is. */
enum { NUMBER_TEXT = 24 };
char *number_put(char *to, uint64_t value);
/* The same of a text. */
char *text_put(char *to, const char *text);

enum geometry_level { GEOMETRY_I1, GEOMETRY_D1, GEOMETRY_L2, GEOMETRY_LL, GEOMETRY_LEVELS };
extern const char *const geometry_name[GEOMETRY_LEVELS]; /* "I1", "D1", "L2", "LL" */
extern const char *const geometry_source_key[GEOMETRY_LEVELS]; /* "cache.I1.source", ...: of a profile's meta data */

struct tn_geometry *geometry_of(struct tn_config *config, enum geometry_level level);

extern const char *const geometry_policy[TN_POLICIES]; /* "lru", ... */

/* "size,associativity,line", of which each may end in K, M or G, perhaps with ",policy" behind it. NULL, or what is
 * wrong. */
const char *geometry_parse(const char *text, struct tn_geometry *out);
/* "32768,8,64"; with a policy that is not LRU "32768,8,64,plru". There is room for any other list of options, too. */
enum { GEOMETRY_TEXT = 4 * NUMBER_TEXT };
void geometry_put(char text[GEOMETRY_TEXT], const struct tn_geometry *geometry);

/* The same of TLBs: "64,4", or with a second level behind it "64,4,1536,12". */
const char *tlb_parse(const char *text, struct tn_tlb_geometry out[2]);
/* NULL: there is none. */
const char *tlb_put(char text[GEOMETRY_TEXT], const struct tn_tlb_geometry *levels);

/* The beginning of a small file (of sysfs) as a zero-ended text without its last newline; false if it cannot be
 * read. */
typedef bool geometry_read_text(const char *path, char *text, size_t size);

/* The caches of this machine: as the kernel describes those of the first processor; as the processor itself does
 * (CPUID) where a container or a virtual machine hides that; a usual one where nobody says. LL is the highest level
 * that holds data, L2 the second where that is not the last; its size is 0 where there is none. source[level]: "sysfs",
 * "cpuid" or "default". */
void geometry_detect(geometry_read_text *read_text, struct tn_geometry found[GEOMETRY_LEVELS],
                     const char *source[GEOMETRY_LEVELS]);

/* CPUID: eax, ebx, ecx and edx of a leaf and subleaf; false if the processor does not have the leaf. */
typedef bool geometry_cpuid(unsigned leaf, unsigned subleaf, unsigned words[4]);
geometry_cpuid geometry_ask_processor;

/* The TLBs of the processor that `cpuid` describes, or usual ones: of instructions and of data, where they have no
 * entries yet. */
void tlb_detect(geometry_cpuid *cpuid, struct tn_tlb_geometry instructions[2], struct tn_tlb_geometry data[2]);

#endif
