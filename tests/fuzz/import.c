/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.c: the raw profile's reader and the import against files that are no raw profiles.
 *
 * The input is imported twice: as it is, and with the checksums of its chunks put right, so that damage gets past them
 * to what reads the records. An import that fails says why and leaves no file; one that succeeds leaves a profile that
 * opens, and of which advice can be asked. Symbols are left out: the objects that the input names are none of its
 * business here.
 */
#include <libdeflate.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/raw_format.h"
#include "profile/advice/advice.h"
#include "profile/profile.h"
#include "profile/raw/raw_read.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILE_HEADER = 16, CHUNK_HEADER = 16 };

static const char *const raw_path = scratch.file[0], *const out_path = scratch.file[1];

static uint32_t load_u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void repair_checksums(uint8_t *data, size_t size)
{
    size_t at = FILE_HEADER;
    while (at + CHUNK_HEADER <= size) {
        size_t bytes = load_u32(data + at + 4);
        if (bytes > size - at - CHUNK_HEADER)
            return;
        uint32_t sum = libdeflate_crc32(0, data + at + CHUNK_HEADER, bytes);
        for (int i = 0; i < 4; i++)
            data[at + 8 + i] = (uint8_t)(sum >> 8 * i);
        at += CHUNK_HEADER + bytes;
    }
}

/* The profile of a machine. */
static void import_machine(uint32_t machine)
{
    struct tp_error err = {.message = ""};
    struct tp_import_options options = {.no_symbols = true, .machine = machine};
    if (tp_import(raw_path, out_path, &options, NULL, &err) == 0) {
        must(tp_kind(out_path, &err) == TP_KIND_PROFILE);
        tp_profile *profile = tp_open(out_path, &err);
        must(profile && (!tp_event_find(profile, "CEst") || tp_advise(profile, "share=0", &err) == 0));
        tp_close(profile);
        must(unlink(out_path) == 0);
    } else {
        must(err.message[0] && !strchr(err.message, '\n'));
        must(access(out_path, F_OK) != 0);
    }
}

static void import(const uint8_t *data, size_t size)
{
    FILE *raw = fopen(raw_path, "wb");
    must(raw && fwrite(data, 1, size, raw) == size && fclose(raw) == 0);
    import_machine(0);
    import_machine(1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scratch_make("raw", "out");
    import(data, size);
    uint8_t *repaired = malloc(size ? size : 1);
    must(repaired != NULL);
    memcpy(repaired, data, size);
    repair_checksums(repaired, size);
    import(repaired, size);
    free(repaired);
    return 0;
}
