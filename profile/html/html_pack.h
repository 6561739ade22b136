/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_pack.h: blocks of bytes in a text file.
 *
 * A page carries its data as one long text. Each block is deflated (RFC 1951, no header) and written in base 85 for
 * itself, so that a reader can take any one of them out of the text and leave the others alone: four bytes, the
 * first the highest, are five digits, the first the highest; of n bytes at the end n + 1 digits, as if zeros followed.
 */
#ifndef TENURE_PROFILE_HTML_PACK_H
#define TENURE_PROFILE_HTML_PACK_H

#include "profile/base/mem.h"
#include "profile/profile.h"

/* Where a block is in the text: characters. */
struct tp_block {
    uint64_t at, length;
};

struct tp_pack {
    FILE *out;
    uint64_t at; /* characters written */
    struct libdeflate_compressor *deflate;
    struct tp_bytes packed;
    struct tp_error *err;
};

int tp_pack_open(struct tp_pack *pack, FILE *out, struct tp_error *err);
/* Write `bytes` and empty them. */
int tp_pack_block(struct tp_pack *pack, struct tp_bytes *bytes, struct tp_block *block);
void tp_pack_close(struct tp_pack *pack);

#endif
