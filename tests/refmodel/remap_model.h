/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remap_model.h: section 22 of docs/model.md, literally: where the parts of blocks lie, and what an access
 * becomes.
 *
 * Objects, blocks, zones and places that were left are lists, which are walked from one end to the other. An
 * access is cut one byte at a time. Which object a block is of, and which block a byte is in, the caller
 * knows. Numbers of objects and blocks begin with 1.
 */
#ifndef TENURE_REFMODEL_REMAP_MODEL_H
#define TENURE_REFMODEL_REMAP_MODEL_H

#include "model.h"

#include "core/tenure_core.h"

enum { RM_SPANS = 64, RM_ZONES = 512 };

struct remap_model;

struct remap_model *rm_new(void);
void rm_free(struct remap_model *rm);

/* A data object is made that has a remap. `known`: bytes of its elements as the profile has them, behind the
 * first `lead` of a block; 0: not known. 0: there are no zones for its parts, it is left where it is. */
uint32_t rm_object(struct remap_model *rm, const struct tn_remap *remap, uint64_t known, uint64_t lead,
                   bool heap);

/* A block has its places from now on (of a symbol: when it is accessed first); it has a byte at least. */
uint32_t rm_block_begins(struct remap_model *rm, uint32_t object, uint64_t address, uint64_t bytes);
void rm_block_ends(struct remap_model *rm, uint32_t block);

/* Where a byte of a block is simulated now; with `walk`, in the place of its element if that was read. */
uint64_t rm_address(const struct remap_model *rm, uint32_t block, uint64_t offset);

/* Consecutive bytes of an access that lie so where they are simulated. */
struct rm_span {
    uint64_t address;
    uint32_t size, from; /* from: bytes of the access in front of it */
};
/* The block that a byte is in, 0: in none that has a remap; and its offset there. */
typedef uint32_t rm_block_at(void *user, uint64_t address, uint64_t *offset);
/* Whether an access that reads, or modifies, counts for a remap with `walk`. */
typedef bool rm_reads(void *user, const struct tn_remap *remap);
/* The spans of an access, in the order of its bytes. `reads`: NULL: it only writes. */
uint32_t rm_spans(struct remap_model *rm, uint64_t address, uint32_t size, rm_reads *reads,
                  rm_block_at *block_at, void *user, struct rm_span spans[RM_SPANS]);

/* The place in the profile (raw_format.h, DATA_AT) of each byte of the line in which this byte of a block is
 * simulated. The list lives as long as the model. */
const uint32_t *rm_places(struct remap_model *rm, uint32_t block, uint64_t offset, uint32_t line);

/* Pages of 4 KB that places of the object came into first, since the last rm_zero. */
uint64_t rm_pages(const struct remap_model *rm, uint32_t object);
void rm_zero(struct remap_model *rm);

#endif
