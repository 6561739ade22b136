/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_pack.c: see html_pack.h.
 *
 * The digits are ASCII and need no escapes in HTML, whatever character set somebody serves the file in; a sixteenth of
 * the page is saved against base64.
 */
#include "profile/html/html_pack.h"

#include <libdeflate.h>
#include <stdlib.h>

#include "profile/base/error.h"

enum { DEFLATE_LEVEL = 6 }; /* 8 saves 0.3 % of a page, and takes a tenth more time for all of it */

int tp_pack_open(struct tp_pack *pack, FILE *out, struct tp_error *err)
{
    *pack = (struct tp_pack){.out = out, .err = err, .deflate = libdeflate_alloc_compressor(DEFLATE_LEVEL)};
    return pack->deflate ? 0 : TP_NO_MEMORY(err);
}

void tp_pack_close(struct tp_pack *pack)
{
    if (pack->deflate)
        libdeflate_free_compressor(pack->deflate);
    tp_bytes_free(&pack->packed);
}

static int deflate_all(struct tp_pack *pack, struct tp_bytes *bytes)
{
    size_t bound = libdeflate_deflate_compress_bound(pack->deflate, bytes->count);

    if (bytes->failed)
        return -1;
    if (bound > pack->packed.room) {
        uint8_t *at = realloc(pack->packed.at, bound);
        if (!at)
            return -1;
        pack->packed.at = at;
        pack->packed.room = bound;
    }
    pack->packed.count = libdeflate_deflate_compress(pack->deflate, bytes->at, bytes->count, pack->packed.at,
                                                     pack->packed.room);
    return pack->packed.count ? 0 : -1;
}

int tp_pack_block(struct tp_pack *pack, struct tp_bytes *bytes, struct tp_block *block)
{
    static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%()*+;=?@^_|}~,./:[]";

    if (deflate_all(pack, bytes))
        return TP_NO_MEMORY(pack->err);
    bytes->count = 0;
    for (size_t at = 0; at < pack->packed.count; at += 4) {
        size_t left = pack->packed.count - at, n = left < 4 ? left : 4;
        uint32_t value = 0;
        char five[5];
        for (size_t i = 0; i < 4; i++)
            value = value << 8 | (i < n ? pack->packed.at[at + i] : 0);
        for (size_t i = 5; i-- > 0; value /= 85)
            five[i] = digit[value % 85];
        fwrite(five, 1, n + 1, pack->out);
    }
    block->at = pack->at;
    block->length = pack->packed.count / 4 * 5 + (pack->packed.count % 4 ? pack->packed.count % 4 + 1 : 0);
    pack->at += block->length;
    return 0;
}
