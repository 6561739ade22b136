/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_pack.c: see html_pack.h.
 *
 * The digits are ASCII and need no escapes in HTML, whatever character set somebody serves the file in; a sixteenth of
 * the page is saved against base64.
 */
#include "profile/html_pack.h"

#include <stdlib.h>
#include <string.h>

#include "profile/error.h"

void tp_bytes_put(struct tp_bytes *bytes, const void *data, size_t size)
{
    if (bytes->room - bytes->count < size) {
        size_t room = 2 * bytes->room + size + 256;
        uint8_t *at = realloc(bytes->at, room);
        if (!at) {
            bytes->failed = true;
            return;
        }
        bytes->at = at;
        bytes->room = room;
    }
    memcpy(bytes->at + bytes->count, data, size);
    bytes->count += size;
}

void tp_bytes_varint(struct tp_bytes *bytes, tp_wide value)
{
    uint8_t text[10];
    size_t n = 0;

    for (; value > 127; value >>= 7)
        text[n++] = (uint8_t)(value | 128);
    text[n++] = (uint8_t)value;
    tp_bytes_put(bytes, text, n);
}

void tp_bytes_free(struct tp_bytes *bytes)
{
    free(bytes->at);
    *bytes = (struct tp_bytes){0};
}

int tp_pack_open(struct tp_pack *pack, FILE *out, struct tp_error *err)
{
    *pack = (struct tp_pack){.out = out, .err = err};
    if (deflateInit2(&pack->deflate, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return TP_NO_MEMORY(err);
    return 0;
}

void tp_pack_close(struct tp_pack *pack)
{
    deflateEnd(&pack->deflate);
    tp_bytes_free(&pack->packed);
}

static void put_digits(FILE *out, const uint8_t *p, size_t size)
{
    static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%()*+;=?@^_|}~,./:[]";
    char five[5];

    for (; size > 0; p += 4) {
        size_t n = size < 4 ? size : 4;
        uint32_t value = 0;

        for (size_t i = 0; i < 4; i++)
            value = value << 8 | (i < n ? p[i] : 0);
        for (size_t i = 5; i-- > 0; value /= 85)
            five[i] = digit[value % 85];
        fwrite(five, 1, n + 1, out);
        size -= n;
    }
}

static int deflate_all(struct tp_pack *pack, struct tp_bytes *bytes)
{
    uLong bound = deflateBound(&pack->deflate, bytes->count);

    if (bytes->failed)
        return -1;
    if (bound > pack->packed.room) {
        uint8_t *at = realloc(pack->packed.at, bound);
        if (!at)
            return -1;
        pack->packed.at = at;
        pack->packed.room = bound;
    }
    pack->deflate.next_in = bytes->at;
    pack->deflate.avail_in = (uInt)bytes->count;
    pack->deflate.next_out = pack->packed.at;
    pack->deflate.avail_out = (uInt)pack->packed.room;
    if (bytes->count > UINT32_MAX / 2 || deflate(&pack->deflate, Z_FINISH) != Z_STREAM_END)
        return -1;
    pack->packed.count = pack->packed.room - pack->deflate.avail_out;
    deflateReset(&pack->deflate);
    return 0;
}

int tp_pack_block(struct tp_pack *pack, struct tp_bytes *bytes, struct tp_block *block)
{
    if (deflate_all(pack, bytes))
        return TP_NO_MEMORY(pack->err);
    bytes->count = 0;
    put_digits(pack->out, pack->packed.at, pack->packed.count);
    block->at = pack->at;
    block->length = pack->packed.count / 4 * 5 + (pack->packed.count % 4 ? pack->packed.count % 4 + 1 : 0);
    pack->at += block->length;
    return 0;
}
