/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h: an object file as bytes: what stands at an address, and which build it is.
 *
 * Program headers alone are read, and each number is checked against the file: it may be anything.
 */
#ifndef TENURE_PROFILE_IMAGE_H
#define TENURE_PROFILE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

enum { TP_BUILD_ID_MOST = 64 };

struct tp_image {
    const uint8_t *bytes; /* NULL: none */
    size_t size;
};

/* Map a 64-bit ELF file. -1 with `err`; then there is nothing to unmap. */
int tp_image_map(struct tp_image *image, const char *path, struct tp_error *err);
void tp_image_unmap(struct tp_image *image); /* twice is fine */

/* What is loaded from the file at `address` (the object's own addresses), and how many bytes from there on are; NULL:
 * nothing is. */
const uint8_t *tp_image_at(const struct tp_image *image, uint64_t address, uint64_t *left);

/* Its build id; 0 bytes if it has none. */
size_t tp_image_build_id(const struct tp_image *image, uint8_t out[TP_BUILD_ID_MOST]);

#endif
