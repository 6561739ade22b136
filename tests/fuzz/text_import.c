/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_import.c: see text_import.h. One file and one profile, in a folder of our own that goes away at exit. */
#include "text_import.h"
#include "scratch.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const text_path = scratch.file[0], *const out_path = scratch.file[1];

static void write_text(const char *head, const uint8_t *data, size_t size)
{
    FILE *text = fopen(text_path, "wb");

    must(text && fputs(head, text) >= 0 && fwrite(data, 1, size, text) == size && fclose(text) == 0);
}

static void use(void)
{
    struct tp_export_options options = {.instructions = true};
    struct tp_error err = {.message = ""};
    tp_profile *profile = tp_open(out_path, &err);
    FILE *nowhere = fopen("/dev/null", "w");

    must(profile && nowhere);
    must(tp_export_callgrind(profile, nowhere, &options, &err) == 0 || err.message[0]);
    must(tp_export_cachegrind(profile, nowhere, &options, &err) == 0);
    fclose(nowhere);
    tp_close(profile);
    must(unlink(out_path) == 0);
}

void text_import(const uint8_t *data, size_t size, enum tp_kind kind, const char *head)
{
    struct tp_error err = {.message = ""};
    struct tp_import_result result;
    const char *const path = text_path;

    scratch_make("text", "out");
    write_text("", data, size);
    if (tp_kind(text_path, &err) != kind)
        write_text(head, data, size);
    err.message[0] = '\0';
    if (tp_import_text(&path, 1, out_path, NULL, &result, &err) == 0) {
        must(!result.warnings == !result.warning[0] && !strchr(result.warning, '\n'));
        use();
    } else {
        must(err.message[0] && !strchr(err.message, '\n') && access(out_path, F_OK) != 0);
    }
}
