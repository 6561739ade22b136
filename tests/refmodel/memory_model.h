/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_model.h: section 11 of docs/attribution.md, literally: which data object holds an address.
 *
 * Every unit of a block is an entry of a table, every page of a mapping is one of another; objects are names. What
 * neither knows the caller tells, address by address.
 */
#ifndef TENURE_REFMODEL_MEMORY_MODEL_H
#define TENURE_REFMODEL_MEMORY_MODEL_H

#include "remap_model.h"
#include "sheet.h"

struct memory_model;

/* `tell`: writes the name of the object that holds an address of which nothing else is known. */
struct memory_model *mm_new(void (*tell)(uint64_t address, char *name));
void mm_free(struct memory_model *mm);

/* What is known of the elements of a block: 0: nothing. `each`: only the bytes of each that were asked for. */
struct mm_element {
    uint64_t size, lead, each;
};
void mm_block_begins(struct memory_model *mm, const char *object, uint64_t address, uint64_t bytes,
                     struct mm_element element, bool collecting);
/* What is known of an object's elements; `each` is 0. */
struct mm_element mm_element(struct memory_model *mm, const char *object);
/* The block that has just begun is simulated elsewhere, as block `apart` of this model, which is told when it ends. */
void mm_block_apart(struct memory_model *mm, struct remap_model *rm, uint32_t apart, uint64_t address, uint64_t bytes);
/* The block of that model which the byte is in, and its offset there; 0: none. */
uint32_t mm_apart_at(struct memory_model *mm, uint64_t address, uint64_t *offset);
/* Whether the byte is in a block or in a mapping. */
bool mm_is_known(struct memory_model *mm, uint64_t address);
/* Where the line of a missing address is in its block; not known if no block holds it. */
struct model_place mm_place(struct memory_model *mm, uint64_t address, uint32_t line);
/* What is charged at a place of an object. */
void mm_charge_at(struct memory_model *mm, uint32_t object, int event, uint32_t place, uint64_t amount);
void mm_block_ends(struct memory_model *mm, uint64_t address, bool named, bool collecting);
void mm_changed(struct memory_model *mm, uint64_t start, uint64_t bytes, bool collecting);
void mm_mapped(struct memory_model *mm, uint64_t start, uint64_t bytes, const char *object);
void mm_stack_begins(struct memory_model *mm, uint32_t thread, uint64_t sp);
void mm_stack_ends(struct memory_model *mm, uint32_t thread);

/* The object that holds an address, by number, from 1; and its name. */
uint32_t mm_at(struct memory_model *mm, uint64_t address);
const char *mm_name(const struct memory_model *mm, uint32_t object);

/* The blocks of the part, as rows "blocks <name>", and what was charged at places, "at <name> <place>"; then a new part
 * begins. */
void mm_part(struct memory_model *mm, struct sheet *sheet);
void mm_zero(struct memory_model *mm);
/* And the pages of what is simulated elsewhere, by the model that was told of. */
void mm_zero_all(struct memory_model *mm);
void mm_remaps(struct memory_model *mm, struct remap_model *rm);

#endif
