/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.c: the reader of object files that --disassemble has, from files that look like objects.
 *
 * The object is the only one of a profile that knows no build id, so that damage is not found at once; instructions of
 * every length are asked for where its segments may begin and end.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/read/disassemble.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[SCRATCH_NAME], profile_path[96], object_path[96];
static tp_profile *profile;

static void clean_up(void)
{
    tp_close(profile);
    unlink(profile_path);
    unlink(object_path);
    rmdir(folder);
}

/* As little of a profile as there can be. */
static void make_profile(void)
{
    static const char text[] = "# callgrind format\nevents: Ir\nfn=f\n1 1\n";
    const char *files[] = {object_path};
    struct tp_import_options options = {0};
    struct tp_error err;
    FILE *file;

    scratch_name(folder);
    must(mkdtemp(folder) != NULL);
    snprintf(profile_path, sizeof profile_path, "%s/profile", folder);
    snprintf(object_path, sizeof object_path, "%s/object", folder);
    file = fopen(object_path, "wb");
    must(file && fputs(text, file) >= 0 && fclose(file) == 0);
    must(tp_import_text(files, 1, profile_path, &options, NULL, &err) == 0);
    profile = tp_open(profile_path, &err);
    must(profile != NULL);
    atexit(clean_up);
}

static void read_code(const struct tp_code *code)
{
    static const uint64_t offsets[] = {0, 0x1000, 0x400000, 0x401000, 0x401ffe, UINT64_MAX - 3, UINT64_MAX};
    char text[64];
    uint64_t target;

    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        for (unsigned length = 0; length < 18; length++) {
            if (tp_code_text(code, offsets[i], offsets[i], length, text, sizeof text, &target))
                must(text[0] && length > 0);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_error err = {.message = ""};

    if (!profile)
        make_profile();
    FILE *file = fopen(object_path, "wb");
    must(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    struct tp_code *code = tp_code_open(profile, object_path, &err);
    if (code)
        read_code(code);
    else
        must(err.message[0] && !strchr(err.message, '\n'));
    tp_code_close(code);
    return 0;
}
