/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checksum.h: the checksums of a raw profile's chunks (raw_format.h): CRC-32, polynomial 0xEDB88320, as in zlib.
 *
 * Several bytes are taken at a time, so that none waits for the one before.
 *
 *   after[n][i]   what byte i adds to the checksum when n bytes have come behind it
 */
#ifndef TENURE_CORE_CHECKSUM_H
#define TENURE_CORE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

enum { TN_CHECKSUM_STEP = 8 };

struct tn_checksum {
    uint32_t after[TN_CHECKSUM_STEP][256];
};

void tn_checksum_init(struct tn_checksum *checksum);
uint32_t tn_checksum_of(const struct tn_checksum *checksum, const void *data, size_t bytes);

#endif
