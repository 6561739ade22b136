/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checksum.c: see checksum.h.
 *
 * Eight bytes have eight tables, so that what they add is looked up at once; what is left is taken byte by byte.
 */
#include "checksum.h"

void tn_checksum_init(struct tn_checksum *checksum)
{
    uint32_t(*after)[256] = checksum->after;
    for (uint32_t i = 0; i < 256; i++) {
        after[0][i] = i;
        for (int bit = 0; bit < 8; bit++)
            after[0][i] = after[0][i] & 1 ? after[0][i] >> 1 ^ 0xEDB88320u : after[0][i] >> 1;
    }
    for (uint32_t n = 1; n < TN_CHECKSUM_STEP; n++) {
        for (uint32_t i = 0; i < 256; i++)
            after[n][i] = after[0][after[n - 1][i] & 0xff] ^ after[n - 1][i] >> 8;
    }
}

uint32_t tn_checksum_of(const struct tn_checksum *checksum, const void *data, size_t bytes)
{
    const uint32_t(*after)[256] = checksum->after;
    const uint8_t *at = data, *end = at + bytes;
    uint32_t sum = ~0u;
    for (; end - at >= TN_CHECKSUM_STEP; at += TN_CHECKSUM_STEP)
        sum = after[7][at[0] ^ (sum & 0xff)] ^ after[6][at[1] ^ (sum >> 8 & 0xff)] ^
              after[5][at[2] ^ (sum >> 16 & 0xff)] ^ after[4][at[3] ^ sum >> 24] ^ after[3][at[4]] ^
              after[2][at[5]] ^ after[1][at[6]] ^ after[0][at[7]];
    for (; at < end; at++)
        sum = after[0][(sum ^ *at) & 0xff] ^ sum >> 8;
    return ~sum;
}
