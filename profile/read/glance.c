/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glance.c: see glance.h. A recording that has an instruction's costs (SELF) is not empty; the rest is meta data, of
 * which a later value replaces an earlier one.
 */
#include "profile/read/glance.h"

#include <stdio.h>
#include <string.h>

#include "core/raw_format.h"
#include "profile/raw/raw_read.h"

static bool is(const uint8_t *bytes, size_t size, const char *text)
{
    return size == strlen(text) && memcmp(bytes, text, size) == 0;
}

static void read_metas(struct tp_glance *glance, struct tp_cursor c)
{
    while (c.p < c.end && !c.bad) {
        size_t key_size, size;
        const uint8_t *key = tp_get_s(&c, &key_size), *value = tp_get_s(&c, &size);
        if (!c.bad && is(key, key_size, "start"))
            snprintf(glance->start, sizeof glance->start, "%.*s", (int)(size < 255 ? size : 255), (const char *)value);
        else if (!c.bad && is(key, key_size, "started"))
            glance->never = is(value, size, "no");
    }
}

int tp_glance(const char *raw, struct tp_glance *glance, struct tp_error *err)
{
    struct tp_raw_file file;
    struct tp_raw_chunk chunk;
    int more = tp_raw_open(&file, raw, err) ? -1 : 1;

    *glance = (struct tp_glance){.empty = true};
    while (more > 0 && (more = tp_raw_next(&file, &chunk, err)) > 0) {
        if (chunk.type == TN_RAW_META)
            read_metas(glance, tp_cursor_of(&chunk));
        glance->empty &= chunk.type != TN_RAW_SELF || chunk.size == 0;
    }
    tp_raw_close(&file);
    return more;
}
