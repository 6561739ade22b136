/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_format.h: the raw profile, as the core writes it and profile/raw/raw_read.c reads it.
 *
 * Private to one version of Tenure: a reader refuses any other TN_RAW_VERSION.
 *
 *   file   ::= TN_RAW_MAGIC (8 bytes) version (u32) zero (u32) part+
 *   part   ::= chunk* END
 *   chunk  ::= type (u32) bytes (u32) checksum (u32) zero (u32) payload (`bytes` bytes)
 *
 * u32 are little-endian. The checksum is CRC-32 (polynomial 0xEDB88320, as in zlib) of the payload. A payload
 * is a sequence of whole records of the chunk's type; a chunk has at most TN_RAW_CHUNK bytes unless a single
 * record is larger. Chunks of a type may occur any number of times. Inside records:
 *
 *   n      varint: unsigned LEB128, at most 10 bytes
 *   z      zigzag varint: signed
 *   s      string or bytes: n, then so many bytes
 *
 * Definitions (OBJECT, FUNCTION, CONTEXT, INSTR, THREAD, ARC, ORIGIN, DATA, NODE's place in the tree) keep their ids
 * for the whole file; a part repeats none it can do without, and defines everything that it refers to for the first
 * time before it refers to it. ids start at 1; 0 is none. Costs are of the part alone: a profile is the sum of
 * its parts. A file that ends inside a part has lost that part only.
 *
 *   META      s key, s value                      a later value for a key replaces the earlier
 *   EVENTS    n count, count x s name             the immediate events, in order
 *             n slots, slots x s name             the late events of instruction fetches, slot by slot
 *             n slots, slots x s name             the late events of data accesses; "-": a slot never used
 *             "D2mr_also1": of the first further machine (docs/model.md, 23), that meta `also` says
 *             n sample: of so many sets one was simulated; 1: all were. n groups of sampled sets
 *   OBJECT    n id, s path, n start, n size, z bias, s build_id
 *   FUNCTION  n id, n object, n start, n size, n flags, s name
 *   CONTEXT   n id, n function, n level of recursion (from 1), n callers, callers x n function (nearest first)
 *   INSTR     n id, n address, n length, n context, n flags (TN_INSTR_*), n reads, n writes
 *   THREAD    n id, n os_id, n parent
 *   ARC       n id, n site (instr; 0: unknown), n caller (context), n callee (context)
 *   SELF      n thread, n instr, immediate costs: of the instruction itself. A second SELF of the same thread and
 *             instruction may follow at once: it has the Ir that the instruction pays for functions that are skipped
 *   ORIGIN    n id, n caller (origin; 0: a root), n site (instr; 0: a root), n function: an allocation path
 *   DATA      n id, n kind (enum tn_data_kind), n origin, n thread, n address, n size, s name, s file, n element,
 *             n lead, n type, n typed by (instr): a data object. address, size: of a static one, in its file, and in
 *             bytes; element: bytes of one of the elements that its blocks are made of, lead: bytes in front of them,
 *             type: what the engine was told of it, typed by: the call by which it is known. What does not apply is
 *             0 or empty
 *   DATA_BLOCKS  n id (data), n began, n ended, n bytes of those that began, n bytes of the largest, n pages of 4 kB
 * that
 *             were touched for the first time in it
 *   DATA_AT   n data, n place, late costs: misses, use and spatial loss by place in a data object. place: 0 in no
 *             element, 1 beyond the offsets that are told apart, from 2 on 2 + offset in an element or, if that is not
 *             known, of one of the pieces of TN_AT_PIECE bytes of a block
 *   SHARING   n writer (instr), n victim (instr), n data (0: none), n misses, n and n tenures that ended, falsely and
 *             truly shared, n granules written, n granules touched: coherence misses. All three 0: those that there was
 *             no room for
 *   LATE      n thread, n instr, n kind (0 fetch, 1 data), n data (0: none), late costs
 *   STRIDES   n thread, n instr, n kind (1), n data, n strides, n covered, n far, n lost, n kept, kept x (z
 * bytes,
 *             n count) between successive misses at level 1; of these covered by prefetchers, and others from page
 * to page; a stride was counted up to `lost` times less often than it was
 *   SETS      n thread, n instr, n kind, n data, n level (0: 1, 1: LL, 2: 2), n bits, one n per set bit, lowest first:
 *             conflict misses by the low six bits of their set
 *   PAIR      n loader (instr), n evictor (instr), n its data, n instr, n kind, n data, n level (as above), n misses,
 *             n of them timed, n accesses, n bits, one n per set bit, lowest first: misses of lines that were there
 *             before, loaded by one, thrown out by a load of another; of those whose last use was known, how long ago
 *             that was, in all and by the power of two. Who is not known is 0. Without instr: there was no room
 *   REUSE     n loader (instr), n instr, n kind, n data, n level (as above), n lines, n accesses, n bits, one n per set
 *             bit, lowest first: lines that one had loaded, and the other was the first to use then; how long ago,
 *             as in a PAIR. Without instr: there was no room
 *   NODE      n id, n parent (0: a root), n arc (0: a root), n context (that runs), n thread, n flags,
 *             n calls, costs                      flags: TN_RAW_NODE_*; a parent comes before its children
 *   NODE_DATA n node, n data, late costs: of data accesses, NODE's by data object; of a node any number of times
 *   FUNC_DATA n context, n data, late costs: what nodes that the file does not show (pruned) paid in a data object, and
 *             what is below them, once for each context that they bring to their path
 *   ARC_COST  n id, n calls, costs                inclusive, each event once however deep the recursion
 *   FUNC_COST n context, n calls, self costs, inclusive costs
 *   INTERVAL  n instructions before it, n in it, n nanoseconds before it (from the first one on), n in it, n payers,
 *             costs of all, payers x (n context, costs: self, of those that paid most)
 *   LABEL     n instructions before it, n nanoseconds, s text
 *   STAT      s name, n value                     for `--stats`
 *   END       n part (from 1), s why, n chunks of the part before this one
 *
 *   immediate costs  one n per immediate event
 *   late costs       n bits (bit i: slot i is not zero), then one n per set bit, lowest first; with groups, for each
 *                    set bit n bits (bit i: group i is not zero), then one n per set bit of these. The same of the next
 *                    64 slots, if there are more than 64. They are counts of
 *                    what was simulated. Those of DATA_AT are all in group 0
 *   costs            immediate costs, late costs of fetches, late costs of data accesses
 *
 * Late AcCost slots count in units of 1 / TN_RAW_ACCOST_UNIT.
 */
#ifndef TENURE_CORE_RAW_FORMAT_H
#define TENURE_CORE_RAW_FORMAT_H

#include <stdint.h>

#define TN_RAW_MAGIC "TENURERW"

/* What a data object is. */
enum tn_data_kind {
    TN_DATA_HEAP = 1, /* blocks of one allocation path */
    TN_DATA_MAPPING,  /* anonymous memory, mapped by one path */
    TN_DATA_STATIC,   /* a symbol of an ELF file; without a size: a section, between symbols */
    TN_DATA_STACK,    /* of a thread */
    TN_DATA_FILE,     /* mapped */
    TN_DATA_REST,     /* of the heap, in no block */
    TN_DATA_OTHER,
    TN_DATA_NAMED, /* regions that the program has given this name */
    TN_DATA_KINDS
};

enum {
    TN_RAW_VERSION = 12,
    TN_RAW_CHUNK = 1 << 16,
    TN_RAW_ACCOST_UNIT = 1 << 16,
    TN_RAW_BITS = 64, /* in one number */
    TN_RAW_MAX_SLOTS = 2 * TN_RAW_BITS,
    TN_RAW_MAX_CALLERS = 100, /* of a context */
    TN_LARGEST_ELEMENT = 1 << 16, /* of data objects whose costs are told apart by offset in an element */
    TN_RAW_MAX_STRIDES = 64,  /* kept of an instruction's */
    TN_SAMPLE_GROUPS = 4,     /* of sets that are simulated where not all are */
    TN_RAW_MOST_SAMPLED = 1024, /* sets of which one is simulated */
    TN_INTERVALS = 1000,      /* of a part, at most; an even number */
    TN_WORST = 32,            /* functions of an interval that are kept, at most: those that paid most */
    TN_LABELS = 1000,         /* kept of a part, at most: the first */
    TN_RAW_DISTANCES = 32,    /* bits of a PAIR or REUSE; the last one is for what is longer, too */
};

/* Of DATA_AT. */
enum { TN_AT_OUTSIDE, TN_AT_BEYOND, TN_AT_FIRST };
enum { TN_AT_PIECE = 8 }; /* bytes */

enum tn_raw_chunk {
    TN_RAW_META = 1,
    TN_RAW_EVENTS,
    TN_RAW_OBJECT,
    TN_RAW_FUNCTION,
    TN_RAW_CONTEXT,
    TN_RAW_INSTR,
    TN_RAW_THREAD,
    TN_RAW_ARC,
    TN_RAW_SELF,
    TN_RAW_LATE,
    TN_RAW_NODE,
    TN_RAW_ARC_COST,
    TN_RAW_FUNC_COST,
    TN_RAW_STAT,
    TN_RAW_END,
    TN_RAW_ORIGIN,
    TN_RAW_DATA,
    TN_RAW_DATA_BLOCKS,
    TN_RAW_SHARING,
    TN_RAW_DATA_AT,
    TN_RAW_STRIDES,
    TN_RAW_SETS,
    TN_RAW_PAIR,
    TN_RAW_NODE_DATA,
    TN_RAW_FUNC_DATA,
    TN_RAW_REUSE,
    TN_RAW_INTERVAL,
    TN_RAW_LABEL,
};

enum {
    TN_RAW_NODE_PRUNED_BELOW = 1, /* costs include those of pruned descendants: approximate below */
    TN_RAW_NODE_HANDLER = 2,      /* the root of a signal handler's tree */
    TN_RAW_NODE_ALIAS = 4,        /* a call that went to an ancestor (recursion): calls only, no costs of its own */
};

/* What a remap may have at most (tn_remap), which readers of profiles write, too. */
enum { TN_REMAP_PARTS = 32, TN_REMAP_RUNS = 256 };
/* A number for a path of call sites: begin with 0, and add the addresses of their instructions in their files. */
static inline uint64_t tn_remap_path(uint64_t path, uint64_t address)
{
    path = (path ^ address) * 0x9e3779b97f4a7c15ull;
    return path ^ path >> 29;
}

#endif
